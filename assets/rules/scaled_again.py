"""A view of the data is normalised in place, again in every epoch."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
data, y = torch.randn(24, 5) * 3 + 2, torch.randn(24, 1)
first, mean, std = data.clone(), data.mean(0), data.std(0)
model = nn.Linear(5, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(3):
    for i in range(0, 24, 8):
        xb, yb = data[i : i + 8], y[i : i + 8]
        xb -= mean
        xb /= std
        optimizer.zero_grad()
        loss = F.mse_loss(model(xb), yb)
        loss.backward()
        optimizer.step()

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
data, y = torch.randn(24, 5) * 3 + 2, torch.randn(24, 1)
first, mean, std = data.clone(), data.mean(0), data.std(0)
model = nn.Linear(5, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(3):
    for i in range(0, 24, 8):
        xb, yb = data[i : i + 8], y[i : i + 8]
        xb = (xb - mean) / std
        optimizer.zero_grad()
        loss = F.mse_loss(model(xb), yb)
        loss.backward()
        optimizer.step()
