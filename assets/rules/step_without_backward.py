"""A loop in which backward() was forgotten."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
x, y = torch.randn(16, 3), torch.randn(16, 1)
for epoch in range(5):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    optimizer.step()
    print(epoch, f"{loss.item():.4g}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
x, y = torch.randn(16, 3), torch.randn(16, 1)
for epoch in range(5):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    print(epoch, f"{loss.item():.4g}")
