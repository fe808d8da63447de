"""The function of a LambdaLR gives the learning rate, and not what it is to be multiplied by."""

# %% broken
import torch
import torch.nn as nn

torch.manual_seed(0)
lr = 0.05
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=lr)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: lr * 0.98**step)
x, y = torch.randn(32, 4), torch.randn(32, 1)
for step in range(10):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()

# %% mended
import torch
import torch.nn as nn

torch.manual_seed(0)
lr = 0.05
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=lr)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 0.98**step)
x, y = torch.randn(32, 4), torch.randn(32, 1)
for step in range(10):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
