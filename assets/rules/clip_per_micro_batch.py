"""Gradients of four micro-batches, clipped after each of them instead of once."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x, y = torch.randn(16, 3), torch.randn(16, 1) * 10
for epoch in range(3):
    optimizer.zero_grad()
    for k in range(4):
        part = slice(4 * k, 4 * k + 4)
        loss = F.mse_loss(model(x[part]), y[part]) / 4
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
print(f"{loss.item():.4g}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x, y = torch.randn(16, 3), torch.randn(16, 1) * 10
for epoch in range(3):
    optimizer.zero_grad()
    for k in range(4):
        part = slice(4 * k, 4 * k + 4)
        loss = F.mse_loss(model(x[part]), y[part]) / 4
        loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
print(f"{loss.item():.4g}")
