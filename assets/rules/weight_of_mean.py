"""A focal loss takes the mean first, and weights it afterwards."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
model = nn.Linear(4, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(32, 4), torch.randint(0, 3, (32,))
for epoch in range(10):
    ce = F.cross_entropy(model(x), y)
    pt = torch.exp(-ce)
    loss = ((1 - pt) ** 2 * ce).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
model = nn.Linear(4, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(32, 4), torch.randint(0, 3, (32,))
for epoch in range(10):
    ce = F.cross_entropy(model(x), y, reduction="none")
    pt = torch.exp(-ce)
    loss = ((1 - pt) ** 2 * ce).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
