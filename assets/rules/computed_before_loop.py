"""Features that are computed once before the loop, and gone through backwards in every iteration."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder, head = nn.Linear(3, 4), nn.Linear(4, 1)
optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1)
x, y = torch.randn(8, 3), torch.randn(8, 1)
features = torch.tanh(encoder(x))
for epoch in range(3):
    optimizer.zero_grad()
    loss = F.mse_loss(head(features), y)
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4g}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder, head = nn.Linear(3, 4), nn.Linear(4, 1)
optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for epoch in range(3):
    features = torch.tanh(encoder(x))
    optimizer.zero_grad()
    loss = F.mse_loss(head(features), y)
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4g}")
