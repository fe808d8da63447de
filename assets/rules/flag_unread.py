"""A layer that is to be frozen, by a flag that modules do not have."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
backbone, head = nn.Linear(3, 4), nn.Linear(4, 1)
backbone.requires_grad = False
optimizer = torch.optim.SGD([*backbone.parameters(), *head.parameters()], lr=0.05)
x, y = torch.randn(16, 3), torch.randn(16, 1)
for epoch in range(5):
    optimizer.zero_grad()
    loss = F.mse_loss(head(torch.relu(backbone(x))), y)
    loss.backward()
    optimizer.step()
print(backbone.weight.grad is None)

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
backbone, head = nn.Linear(3, 4), nn.Linear(4, 1)
backbone.requires_grad_(False)
optimizer = torch.optim.SGD(head.parameters(), lr=0.05)
x, y = torch.randn(16, 3), torch.randn(16, 1)
for epoch in range(5):
    optimizer.zero_grad()
    loss = F.mse_loss(head(torch.relu(backbone(x))), y)
    loss.backward()
    optimizer.step()
print(backbone.weight.grad is None)
