"""Labels of 0 and 1 as integers, for binary_cross_entropy."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 1), nn.Sigmoid())
x, labels = torch.randn(6, 4), torch.randint(0, 2, (6, 1))
loss = F.binary_cross_entropy(model(x), labels)
loss.backward()
print(f"{loss.item():.4g}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 1), nn.Sigmoid())
x, labels = torch.randn(6, 4), torch.randint(0, 2, (6, 1))
loss = F.binary_cross_entropy(model(x), labels.float())
loss.backward()
print(f"{loss.item():.4g}")
