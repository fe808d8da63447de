"""A layer that is frozen during training and is moved on by momentum, because its .grad stays where it is."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
x, y = torch.randn(16, 3), torch.randn(16, 1)
for epoch in range(6):
    if epoch == 3:
        model[0].requires_grad_(False)
        frozen = model[0].weight.clone()
    optimizer.zero_grad(set_to_none=False)
    F.mse_loss(model(x), y).backward()
    optimizer.step()
print(bool((model[0].weight == frozen).all()))

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
x, y = torch.randn(16, 3), torch.randn(16, 1)
for epoch in range(6):
    if epoch == 3:
        model[0].requires_grad_(False)
        frozen = model[0].weight.clone()
    optimizer.zero_grad()
    F.mse_loss(model(x), y).backward()
    optimizer.step()
print(bool((model[0].weight == frozen).all()))
