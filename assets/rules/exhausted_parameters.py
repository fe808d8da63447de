"""A penalty over a generator of parameters that the optimizer has used up, so that it is always zero."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
parameters = model.parameters()
optimizer = torch.optim.SGD(parameters, lr=0.05)
x, y = torch.randn(16, 3), torch.randn(16, 1)
for epoch in range(5):
    optimizer.zero_grad()
    penalty = sum((p**2).sum() for p in parameters)
    loss = F.mse_loss(model(x), y) + 0.1 * penalty
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4g}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
parameters = list(model.parameters())
optimizer = torch.optim.SGD(parameters, lr=0.05)
x, y = torch.randn(16, 3), torch.randn(16, 1)
for epoch in range(5):
    optimizer.zero_grad()
    penalty = sum((p**2).sum() for p in parameters)
    loss = F.mse_loss(model(x), y) + 0.1 * penalty
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4g}")
