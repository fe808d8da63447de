"""A bias far below zero, so that no sample reaches the part of the ReLU that has a slope."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
hidden, head = nn.Linear(3, 6), nn.Linear(6, 1)
nn.init.constant_(hidden.bias, -10.0)
optimizer = torch.optim.SGD([*hidden.parameters(), *head.parameters()], lr=0.01)
x, y = torch.randn(16, 3), torch.randn(16, 1)
for epoch in range(3):
    optimizer.zero_grad()
    loss = F.mse_loss(head(torch.relu(hidden(x))), y)
    loss.backward()
    optimizer.step()
print(hidden.weight.grad.abs().sum())

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
hidden, head = nn.Linear(3, 6), nn.Linear(6, 1)
nn.init.constant_(hidden.bias, 0.1)
optimizer = torch.optim.SGD([*hidden.parameters(), *head.parameters()], lr=0.01)
x, y = torch.randn(16, 3), torch.randn(16, 1)
for epoch in range(3):
    optimizer.zero_grad()
    loss = F.mse_loss(head(torch.relu(hidden(x))), y)
    loss.backward()
    optimizer.step()
print(hidden.weight.grad.abs().sum() > 0)
