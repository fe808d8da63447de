"""Small pictures that are halved once too often."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.MaxPool2d(2), nn.Conv2d(2, 2, 3), nn.MaxPool2d(2), nn.Conv2d(2, 2, 3))
images = torch.randn(1, 1, 12, 12)
print(model(images).shape)

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.MaxPool2d(2), nn.Conv2d(2, 2, 3), nn.Conv2d(2, 2, 3))
images = torch.randn(1, 1, 12, 12)
print(model(images).shape)
