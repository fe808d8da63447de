"""A hook that halves a gradient is registered anew in every iteration of the training."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(8):
    net[0].weight.register_hook(lambda gradient: 0.5 * gradient)
    x = torch.randn(16, 4)
    loss = F.mse_loss(net(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{net[0].weight.grad.norm():.4f}")

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
net[0].weight.register_hook(lambda gradient: 0.5 * gradient)
for step in range(8):
    x = torch.randn(16, 4)
    loss = F.mse_loss(net(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{net[0].weight.grad.norm():.4f}")
