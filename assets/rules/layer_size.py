"""A convolution for grey pictures that is given coloured ones."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 6 * 6, 2))
images = torch.randn(2, 3, 8, 8)
print(model(images).shape)

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 6 * 6, 2))
images = torch.randn(2, 3, 8, 8)
print(model(images).shape)
