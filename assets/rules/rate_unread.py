"""The learning rate is set as an attribute of the optimizer."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(4):
    if epoch == 2:
        optimizer.lr = 0.01
    optimizer.zero_grad()
    F.cross_entropy(model(torch.randn(6, 4)), torch.randint(0, 2, (6,))).backward()
    optimizer.step()

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(4):
    if epoch == 2:
        optimizer.param_groups[0]["lr"] = 0.01
    optimizer.zero_grad()
    F.cross_entropy(model(torch.randn(6, 4)), torch.randint(0, 2, (6,))).backward()
    optimizer.step()
