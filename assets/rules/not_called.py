"""Gradients are to be cleared, and the method that does it is named without its parentheses."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x, y = torch.randn(16, 4), torch.randn(16, 1)
for epoch in range(5):
    optimizer.zero_grad
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    print(epoch, round(loss.item(), 4))

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x, y = torch.randn(16, 4), torch.randn(16, 1)
for epoch in range(5):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    print(epoch, round(loss.item(), 4))
