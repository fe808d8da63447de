"""A head that gets gradients, while the optimizer was given the body's parameters only."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
body, head = nn.Linear(3, 4), nn.Linear(4, 1)
optimizer = torch.optim.SGD(body.parameters(), lr=0.05)
x, y = torch.randn(16, 3), torch.randn(16, 1)
for epoch in range(5):
    optimizer.zero_grad()
    loss = F.mse_loss(head(torch.tanh(body(x))), y)
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4g}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
body, head = nn.Linear(3, 4), nn.Linear(4, 1)
optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.05)
x, y = torch.randn(16, 3), torch.randn(16, 1)
for epoch in range(5):
    optimizer.zero_grad()
    loss = F.mse_loss(head(torch.tanh(body(x))), y)
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4g}")
