"""A low-rank update whose two factors both begin as zero: each gets the other one's zeros as its gradient, for ever."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
x = torch.randn(40, 6)
y = x @ torch.randn(6, 3)
base = torch.zeros(3, 6)
A = nn.Parameter(torch.zeros(2, 6))
B = nn.Parameter(torch.zeros(3, 2))
optimizer = torch.optim.Adam([A, B], lr=0.05)
for step in range(40):
    loss = F.mse_loss(x @ base.T + x @ A.T @ B.T, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{A.abs().sum().item():.1f} {B.abs().sum().item():.1f}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
x = torch.randn(40, 6)
y = x @ torch.randn(6, 3)
base = torch.zeros(3, 6)
A = nn.Parameter(torch.randn(2, 6))
B = nn.Parameter(torch.zeros(3, 2))
optimizer = torch.optim.Adam([A, B], lr=0.05)
for step in range(40):
    loss = F.mse_loss(x @ base.T + x @ A.T @ B.T, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("both move" if A.abs().sum() > 0 and B.abs().sum() > 0 else "they stay")
