"""Feature maps that are flattened to a length counted by hand for another size."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
conv = nn.Conv2d(1, 4, 3)
features = conv(torch.randn(2, 1, 8, 8))
print(features.view(2, 4 * 8 * 8).shape)

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
conv = nn.Conv2d(1, 4, 3)
features = conv(torch.randn(2, 1, 8, 8))
print(features.flatten(1).shape)
