"""A model that ends with Sigmoid, and BCEWithLogitsLoss, which applies sigmoid itself."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 1), nn.Sigmoid())
criterion = nn.BCEWithLogitsLoss()
x, labels = torch.randn(12, 4), torch.randint(0, 2, (12, 1)).float()
loss = criterion(model(x), labels)
loss.backward()
print(f"{loss.item():.4g}")

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 1))
criterion = nn.BCEWithLogitsLoss()
x, labels = torch.randn(12, 4), torch.randint(0, 2, (12, 1)).float()
loss = criterion(model(x), labels)
loss.backward()
print(f"{loss.item():.4g}")
