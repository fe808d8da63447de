"""Probabilities in a column, and labels in a row."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 1), nn.Sigmoid())
criterion = nn.BCELoss()
x, y = torch.randn(16, 3), torch.randint(0, 2, (16,)).float()
loss = criterion(model(x), y)
loss.backward()

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 1), nn.Sigmoid())
criterion = nn.BCELoss()
x, y = torch.randn(16, 3), torch.randint(0, 2, (16,)).float()
loss = criterion(model(x), y.unsqueeze(1))
loss.backward()
print(f"{loss.item():.4g}")
