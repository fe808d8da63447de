"""Gradient accumulation over mean losses that are not divided by their number."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
accumulation_steps = 4
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
batches = [(torch.randn(4, 3), torch.randn(4, 1)) for _ in range(8)]
for i, (x, y) in enumerate(batches):
    loss = F.mse_loss(model(x), y)
    loss.backward()
    if (i + 1) % accumulation_steps == 0:
        optimizer.step()
        optimizer.zero_grad()
print(f"{model.weight.norm().item():.4g}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
accumulation_steps = 4
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
batches = [(torch.randn(4, 3), torch.randn(4, 1)) for _ in range(8)]
for i, (x, y) in enumerate(batches):
    loss = F.mse_loss(model(x), y)
    loss = loss / accumulation_steps
    loss.backward()
    if (i + 1) % accumulation_steps == 0:
        optimizer.step()
        optimizer.zero_grad()
print(f"{model.weight.norm().item():.4g}")
