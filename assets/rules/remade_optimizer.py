"""Adam is made within the loop, so its averages of the gradients begin anew with every step."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
x = torch.randn(32, 4)
y = x.sum(1, keepdim=True)
for epoch in range(6):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    print(epoch, round(loss.item(), 4))

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
x = torch.randn(32, 4)
y = x.sum(1, keepdim=True)
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
for epoch in range(6):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    print(epoch, round(loss.item(), 4))
