"""The class of a binary classifier with one output is taken with argmax."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
x = torch.randn(30, 4)
y = (x[:, 0] > 0).float()
for epoch in range(10):
    optimizer.zero_grad()
    F.binary_cross_entropy_with_logits(model(x)[:, 0], y).backward()
    optimizer.step()
    with torch.no_grad():
        predicted = model(x).argmax(1)
        accuracy = (predicted == y).float().mean().item()

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
x = torch.randn(30, 4)
y = (x[:, 0] > 0).float()
for epoch in range(10):
    optimizer.zero_grad()
    F.binary_cross_entropy_with_logits(model(x)[:, 0], y).backward()
    optimizer.step()
    with torch.no_grad():
        predicted = (model(x)[:, 0] > 0).long()
        accuracy = (predicted == y).float().mean().item()
