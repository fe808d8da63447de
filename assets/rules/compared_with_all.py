"""Predictions of shape (N, 1) are compared with labels of shape (N,)."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 1), nn.Sigmoid())
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
x = torch.randn(16, 4)
y = (x[:, 0] > 0).float()
for epoch in range(4):
    optimizer.zero_grad()
    F.binary_cross_entropy(model(x).squeeze(1), y).backward()
    optimizer.step()
    with torch.no_grad():
        predicted = model(x).round()
        hits = predicted == y
        accuracy = hits.sum().item() / len(y)

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 1), nn.Sigmoid())
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
x = torch.randn(16, 4)
y = (x[:, 0] > 0).float()
for epoch in range(4):
    optimizer.zero_grad()
    F.binary_cross_entropy(model(x).squeeze(1), y).backward()
    optimizer.step()
    with torch.no_grad():
        predicted = model(x).round().squeeze(1)
        hits = predicted == y
        accuracy = hits.sum().item() / len(y)
