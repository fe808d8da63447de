"""A forward hook that keeps what a convolution gives, of which the ReLU behind it leaves nothing below zero."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(inplace=True), nn.Flatten(), nn.Linear(4 * 16, 2))
features = {}


def keep(module, inputs, output):
    features["conv"] = output


net[0].register_forward_hook(keep)
net(torch.randn(2, 1, 6, 6))
print((features["conv"] < 0).any().item())

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(inplace=True), nn.Flatten(), nn.Linear(4 * 16, 2))
features = {}


def keep(module, inputs, output):
    features["conv"] = output.clone()


net[0].register_forward_hook(keep)
net(torch.randn(2, 1, 6, 6))
print((features["conv"] < 0).any().item())
