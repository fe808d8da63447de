"""A model that ends with Softmax, and CrossEntropyLoss, which applies softmax itself."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 3), nn.Softmax(dim=1))
criterion = nn.CrossEntropyLoss()
x, labels = torch.randn(12, 4), torch.randint(0, 3, (12,))
loss = criterion(model(x), labels)
loss.backward()
print(f"{loss.item():.4g}")

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 3))
criterion = nn.CrossEntropyLoss()
x, labels = torch.randn(12, 4), torch.randint(0, 3, (12,))
loss = criterion(model(x), labels)
loss.backward()
print(f"{loss.item():.4g}")
