"""Weights in half precision whose updates are smaller than the spacing of their numbers."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
with torch.no_grad():
    model.weight.fill_(1.0)
    model.bias.fill_(1.0)
model.half()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-5)
x, y = torch.randn(16, 3), torch.randn(16, 1)
for step in range(5):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x.to(model.weight.dtype)), y.to(model.weight.dtype))
    loss.backward()
    optimizer.step()
print(bool((model.bias == 1).all()))

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
with torch.no_grad():
    model.weight.fill_(1.0)
    model.bias.fill_(1.0)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-5)
x, y = torch.randn(16, 3), torch.randn(16, 1)
for step in range(5):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x.to(model.weight.dtype)), y.to(model.weight.dtype))
    loss.backward()
    optimizer.step()
print(bool((model.bias == 1).all()))
