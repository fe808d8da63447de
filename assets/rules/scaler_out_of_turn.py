"""The scaler is never updated."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu")
for step in range(3):
    optimizer.zero_grad()
    loss = F.mse_loss(model(torch.randn(16, 4)), torch.randn(16, 1))
    scaler.scale(loss).backward()
    scaler.step(optimizer)

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu")
for step in range(3):
    optimizer.zero_grad()
    loss = F.mse_loss(model(torch.randn(16, 4)), torch.randn(16, 1))
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
