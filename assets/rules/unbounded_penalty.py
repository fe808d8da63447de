"""A penalty that sums weights with their signs."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
model = nn.Linear(5, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x = torch.randn(32, 5)
y = x[:, :1]
for step in range(5):
    penalty = sum(p.sum() for p in model.parameters())
    loss = F.mse_loss(model(x), y) + 0.1 * penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
model = nn.Linear(5, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x = torch.randn(32, 5)
y = x[:, :1]
for step in range(5):
    penalty = sum(p.abs().sum() for p in model.parameters())
    loss = F.mse_loss(model(x), y) + 0.1 * penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
