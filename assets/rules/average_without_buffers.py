"""A moving average of a model with batch normalisation goes through its parameters only."""

# %% broken
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
x = 3 * torch.randn(64, 4) + 5
y = (x[:, 0] > x[:, 1]).long()
model = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 2))
average = copy.deepcopy(model).eval()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(20):
    loss = F.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for kept, now in zip(average.parameters(), model.parameters()):
            kept.mul_(0.8).add_(now, alpha=0.2)
with torch.no_grad():
    print(f"accuracy of the average: {(average(x).argmax(1) == y).float().mean().item():.2f}")

# %% mended
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
x = 3 * torch.randn(64, 4) + 5
y = (x[:, 0] > x[:, 1]).long()
model = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 2))
average = copy.deepcopy(model).eval()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(20):
    loss = F.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for kept, now in zip(average.parameters(), model.parameters()):
            kept.mul_(0.8).add_(now, alpha=0.2)
        for kept, now in zip(average.buffers(), model.buffers()):
            kept.copy_(now)
with torch.no_grad():
    print(f"accuracy of the average: {(average(x).argmax(1) == y).float().mean().item():.2f}")
