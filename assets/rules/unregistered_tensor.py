"""A module whose scale is a tensor that requires grad, and no Parameter."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(3, 4)
        self.scale = torch.ones(4, requires_grad=True)

    def forward(self, x):
        return (self.hidden(x) * self.scale).sum(1, keepdim=True)


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
x, y = torch.randn(16, 3), torch.randn(16, 1)
for epoch in range(5):
    optimizer.zero_grad()
    F.mse_loss(net(x), y).backward()
    optimizer.step()
print(bool((net.scale == 1).all()))

# %% mended
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(3, 4)
        self.scale = nn.Parameter(torch.ones(4))

    def forward(self, x):
        return (self.hidden(x) * self.scale).sum(1, keepdim=True)


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
x, y = torch.randn(16, 3), torch.randn(16, 1)
for epoch in range(5):
    optimizer.zero_grad()
    F.mse_loss(net(x), y).backward()
    optimizer.step()
print(bool((net.scale == 1).all()))
