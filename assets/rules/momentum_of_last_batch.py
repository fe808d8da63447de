"""The momentum of a batch normalisation is taken over from a library in which it is the share of what was there."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3, momentum=0.99), nn.Linear(3, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for step in range(4):
    x = torch.randn(8, 4) + step
    loss = ((net(x) - x.mean(1, keepdim=True)) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{net[1].running_mean.abs().sum() > 0}")

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3, momentum=0.01), nn.Linear(3, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for step in range(4):
    x = torch.randn(8, 4) + step
    loss = ((net(x) - x.mean(1, keepdim=True)) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{net[1].running_mean.abs().sum() > 0}")
