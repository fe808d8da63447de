"""A residual block whose branch begins with an activation in place: the skip adds what that has left."""

# %% broken
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.branch = nn.Sequential(nn.ReLU(inplace=True), nn.Linear(width, width))

    def forward(self, x):
        out = self.branch(x)
        return out + x


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), Block(8), nn.Linear(8, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(32, 4)
y = x.sum(1, keepdim=True)
for epoch in range(10):
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"{loss.item():.3f}")

# %% mended
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.branch = nn.Sequential(nn.ReLU(), nn.Linear(width, width))

    def forward(self, x):
        out = self.branch(x)
        return out + x


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), Block(8), nn.Linear(8, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(32, 4)
y = x.sum(1, keepdim=True)
for epoch in range(10):
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"{loss.item():.3f}")
