"""An activation is named in a network and not made: its parentheses are missing."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 4), nn.ReLU, nn.Linear(4, 1))
print(model(torch.ones(2, 3)).shape)

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
print(model(torch.ones(2, 3)).shape)
