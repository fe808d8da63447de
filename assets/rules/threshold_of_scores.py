"""An accuracy compares scores with one half."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(40, 4)
y = (x[:, 0] > 0).float()
for epoch in range(3):
    optimizer.zero_grad()
    F.binary_cross_entropy_with_logits(model(x)[:, 0], y).backward()
    optimizer.step()
with torch.no_grad():
    scores = model(x)[:, 0]
    hard = scores > 0.5
accuracy = (hard == y.bool()).float().mean().item()

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(40, 4)
y = (x[:, 0] > 0).float()
for epoch in range(3):
    optimizer.zero_grad()
    F.binary_cross_entropy_with_logits(model(x)[:, 0], y).backward()
    optimizer.step()
with torch.no_grad():
    scores = model(x)[:, 0]
    scores = torch.sigmoid(scores)
    hard = scores > 0.5
accuracy = (hard == y.bool()).float().mean().item()
