"""A schedule over a number of epochs that is stepped after every batch, so that the rate runs through it in no time."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
epochs = 5
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
batches = [(torch.randn(4, 3), torch.randn(4, 1)) for _ in range(6)]
for epoch in range(epochs):
    for x, y in batches:
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
epochs = 5
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
batches = [(torch.randn(4, 3), torch.randn(4, 1)) for _ in range(6)]
for epoch in range(epochs):
    for x, y in batches:
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
    scheduler.step()
    print(f"{optimizer.param_groups[0]['lr']:.4f}")
