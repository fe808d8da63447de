"""A hook whose mask is zero everywhere, so that a weight never moves."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
mask = torch.zeros(1, 3)
model.weight.register_hook(lambda grad: grad * mask)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    loss = F.mse_loss(model(torch.randn(8, 3)), torch.ones(8, 1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(model.weight.grad)

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
mask = torch.tensor([[1.0, 1.0, 0.0]])
model.weight.register_hook(lambda grad: grad * mask)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    loss = F.mse_loss(model(torch.randn(8, 3)), torch.ones(8, 1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(model.weight.grad)
