"""A sampler is given the weights of the classes, so that it draws from the first two samples alone."""

# %% broken
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

torch.manual_seed(0)
x, y = torch.randn(40, 4), (torch.arange(40) >= 32).long()
weights = 1 / torch.bincount(y)
sampler = WeightedRandomSampler(weights, num_samples=40)
net = nn.Linear(4, 2)
for inputs, labels in DataLoader(TensorDataset(x, y), batch_size=20, sampler=sampler):
    loss = nn.functional.cross_entropy(net(inputs), labels)
    loss.backward()
    print(f"{labels.sum().item() > 0}")

# %% mended
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

torch.manual_seed(0)
x, y = torch.randn(40, 4), (torch.arange(40) >= 32).long()
weights = 1 / torch.bincount(y)
sampler = WeightedRandomSampler(weights[y], num_samples=40)
net = nn.Linear(4, 2)
for inputs, labels in DataLoader(TensorDataset(x, y), batch_size=20, sampler=sampler):
    loss = nn.functional.cross_entropy(net(inputs), labels)
    loss.backward()
    print(f"{labels.sum().item() > 0}")
