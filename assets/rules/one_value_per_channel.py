"""A last batch of a single sample, with batch normalisation in training mode."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
data = torch.randn(9, 3)
for batch in data.split(4):
    print(model(batch).shape)

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
data = torch.randn(9, 3)
for batch in data[:8].split(4):
    print(model(batch).shape)
