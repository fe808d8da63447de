"""A cosine schedule that is stepped more often than it is long, so that the learning rate comes back up."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=6)
x, y = torch.randn(16, 3), torch.randn(16, 1)
for epoch in range(12):
    optimizer.zero_grad()
    F.mse_loss(model(x), y).backward()
    optimizer.step()
    scheduler.step()
    print(f"{optimizer.param_groups[0]['lr']:.4f}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=12)
x, y = torch.randn(16, 3), torch.randn(16, 1)
for epoch in range(12):
    optimizer.zero_grad()
    F.mse_loss(model(x), y).backward()
    optimizer.step()
    scheduler.step()
    print(f"{optimizer.param_groups[0]['lr']:.4f}")
