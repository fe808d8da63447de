"""A softmax that is not told over which dimension it goes."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
scores = torch.randn(2, 5, 3)
p = nn.Softmax()(scores)
print(p.sum(dim=2)[0, 0] < 0.999)

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
scores = torch.randn(2, 5, 3)
p = nn.Softmax(dim=2)(scores)
print(p.sum(dim=2)[0, 0] < 0.999)
