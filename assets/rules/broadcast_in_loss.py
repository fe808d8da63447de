"""A column of predictions against a row of targets: every prediction is compared with every target."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
x, y = torch.randn(16, 3), torch.randn(16)
loss = ((model(x) - y) ** 2).mean()
loss.backward()
print(f"{loss.item():.4g}")

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
x, y = torch.randn(16, 3), torch.randn(16)
loss = ((model(x).squeeze(1) - y) ** 2).mean()
loss.backward()
print(f"{loss.item():.4g}")
