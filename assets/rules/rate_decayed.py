"""A learning rate that is divided by ten after every batch and has come to nothing when the first epoch ends."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.1)
batches = [(torch.randn(4, 3), torch.randn(4, 1)) for _ in range(6)]
for epoch in range(4):
    for x, y in batches:
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
        scheduler.step()
    print(f"{optimizer.param_groups[0]['lr']:.2e}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.1)
batches = [(torch.randn(4, 3), torch.randn(4, 1)) for _ in range(6)]
for epoch in range(4):
    for x, y in batches:
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
    scheduler.step()
    print(f"{optimizer.param_groups[0]['lr']:.2e}")
