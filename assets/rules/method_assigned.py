"""Initial values are assigned to the name of a method."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))
for layer in model:
    if isinstance(layer, nn.Linear):
        layer.weight.data.fill_ = torch.randn(layer.weight.shape) * 0.01
F.cross_entropy(model(torch.randn(5, 6)), torch.randint(0, 2, (5,))).backward()

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))
for layer in model:
    if isinstance(layer, nn.Linear):
        layer.weight.data.copy_(torch.randn(layer.weight.shape) * 0.01)
F.cross_entropy(model(torch.randn(5, 6)), torch.randint(0, 2, (5,))).backward()
