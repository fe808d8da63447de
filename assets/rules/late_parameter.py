"""A head that takes another's place after the optimizer was given the parameters."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
model[2] = nn.Linear(4, 1)
x, y = torch.randn(16, 3), torch.randn(16, 1)
for epoch in range(5):
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
model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 10))
model[2] = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x, y = torch.randn(16, 3), torch.randn(16, 1)
for epoch in range(5):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4g}")
