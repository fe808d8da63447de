"""The data does not fill one batch, and drop_last=True leaves it out: no batch is left to train on."""

# %% broken
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
data = TensorDataset(torch.randn(20, 4), torch.randn(20, 1))
loader = DataLoader(data, batch_size=32, drop_last=True)
net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(2):
    total = 0.0
    for x, y in loader:
        loss = ((net(x) - y) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(epoch, f"{total:.4g}")

# %% mended
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
data = TensorDataset(torch.randn(20, 4), torch.randn(20, 1))
loader = DataLoader(data, batch_size=10, drop_last=True)
net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(2):
    total = 0.0
    for x, y in loader:
        loss = ((net(x) - y) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(epoch, f"{total:.4g}")
