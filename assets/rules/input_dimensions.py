"""Grey pictures without a dimension for their single channel."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
bn = nn.BatchNorm2d(1)
images = torch.randn(4, 8, 8)
print(bn(images).shape)

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
bn = nn.BatchNorm2d(1)
images = torch.randn(4, 8, 8)
print(bn(images.unsqueeze(1)).shape)
