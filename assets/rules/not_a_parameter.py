"""A layer's weight is set to a plain tensor, which would not be trained."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
layer = nn.Linear(3, 2)
layer.weight = torch.ones(2, 3)
print(layer(torch.ones(1, 3)).shape)

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
layer = nn.Linear(3, 2)
layer.weight = nn.Parameter(torch.ones(2, 3))
print(layer(torch.ones(1, 3)).shape)
