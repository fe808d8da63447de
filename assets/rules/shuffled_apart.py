"""Samples and targets that are shuffled by two different permutations before every epoch."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x = torch.randn(20, 3)
y = x @ torch.tensor([[1.0], [2.0], [3.0]])
for epoch in range(5):
    x = x[torch.randperm(20)]
    y = y[torch.randperm(20)]
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4g}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x = torch.randn(20, 3)
y = x @ torch.tensor([[1.0], [2.0], [3.0]])
for epoch in range(5):
    order = torch.randperm(20)
    x, y = x[order], y[order]
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4g}")
