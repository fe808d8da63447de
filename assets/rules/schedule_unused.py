"""A schedule that is made for the optimizer and never stepped."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
x, y = torch.randn(16, 3), torch.randn(16, 1)
for epoch in range(6):
    optimizer.zero_grad()
    F.mse_loss(model(x), y).backward()
    optimizer.step()
    print(f"{optimizer.param_groups[0]['lr']:.4f}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
x, y = torch.randn(16, 3), torch.randn(16, 1)
for epoch in range(6):
    optimizer.zero_grad()
    F.mse_loss(model(x), y).backward()
    optimizer.step()
    scheduler.step()
    print(f"{optimizer.param_groups[0]['lr']:.4f}")
