"""A hook that turns the gradient of a weight around, so that the weight goes uphill."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
model.weight.register_hook(lambda grad: -grad)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    loss = F.mse_loss(model(torch.randn(8, 3)), torch.ones(8, 1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item() > 0)

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    loss = F.mse_loss(model(torch.randn(8, 3)), torch.ones(8, 1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item() > 0)
