"""Heads are split off with view(), which does not swap dimensions."""

# %% broken
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
B, L, H, D = 2, 5, 3, 4
project, out = nn.Linear(6, H * D), nn.Linear(H * D, 1)
optimizer = torch.optim.Adam([*project.parameters(), *out.parameters()])
x, y = torch.randn(B, L, 6), torch.randn(B, L, 1)
for step in range(3):
    queries = project(x).view(B, L, H, D)
    q = queries.view(B, H, L, D)
    weights = F.softmax(q @ q.transpose(2, 3) / math.sqrt(D), -1)
    mixed = (weights @ q).transpose(1, 2).reshape(B, L, H * D)
    loss = F.mse_loss(out(mixed), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% mended
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
B, L, H, D = 2, 5, 3, 4
project, out = nn.Linear(6, H * D), nn.Linear(H * D, 1)
optimizer = torch.optim.Adam([*project.parameters(), *out.parameters()])
x, y = torch.randn(B, L, 6), torch.randn(B, L, 1)
for step in range(3):
    queries = project(x).view(B, L, H, D)
    q = queries.transpose(1, 2)
    weights = F.softmax(q @ q.transpose(2, 3) / math.sqrt(D), -1)
    mixed = (weights @ q).transpose(1, 2).reshape(B, L, H * D)
    loss = F.mse_loss(out(mixed), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
