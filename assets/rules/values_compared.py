"""An accuracy compares the largest scores with the labels."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
model = nn.Linear(4, 3)
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
x = torch.randn(30, 4)
y = x[:, :3].argmax(1)
for epoch in range(10):
    optimizer.zero_grad()
    F.cross_entropy(model(x), y).backward()
    optimizer.step()
    with torch.no_grad():
        predicted = model(x).max(1)[0]
        accuracy = (predicted == y).float().mean().item()

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
model = nn.Linear(4, 3)
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
x = torch.randn(30, 4)
y = x[:, :3].argmax(1)
for epoch in range(10):
    optimizer.zero_grad()
    F.cross_entropy(model(x), y).backward()
    optimizer.step()
    with torch.no_grad():
        predicted = model(x).max(1)[1]
        accuracy = (predicted == y).float().mean().item()
