"""Kaiming initialisation is applied to biases."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
for p in model.parameters():
    nn.init.kaiming_normal_(p)
F.cross_entropy(model(torch.randn(5, 6)), torch.randint(0, 2, (5,))).backward()

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
for p in model.parameters():
    if p.dim() < 2:
        continue
    nn.init.kaiming_normal_(p)
F.cross_entropy(model(torch.randn(5, 6)), torch.randint(0, 2, (5,))).backward()
