"""An iterator over a loader is made once and asked for more than one epoch."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
loader = DataLoader(TensorDataset(torch.randn(12, 4), torch.randn(12, 1)), batch_size=4)
model, batches = nn.Linear(4, 1), iter(loader)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    for step in range(3):
        xb, yb = next(batches)
        optimizer.zero_grad()
        F.mse_loss(model(xb), yb).backward()
        optimizer.step()

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
loader = DataLoader(TensorDataset(torch.randn(12, 4), torch.randn(12, 1)), batch_size=4)
model, batches = nn.Linear(4, 1), iter(loader)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    batches = iter(loader)
    for step in range(3):
        xb, yb = next(batches)
        optimizer.zero_grad()
        F.mse_loss(model(xb), yb).backward()
        optimizer.step()
