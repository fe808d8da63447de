"""A checkpoint around the first layer, whose input is data."""

# %% broken
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
first, last = nn.Linear(3, 4), nn.Linear(4, 1)
hidden = checkpoint(first, torch.randn(8, 3), use_reentrant=True)
last(hidden).mean().backward()
print(first.weight.grad is None)

# %% mended
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
first, last = nn.Linear(3, 4), nn.Linear(4, 1)
hidden = checkpoint(first, torch.randn(8, 3), use_reentrant=False)
last(hidden).mean().backward()
print(first.weight.grad is None)
