"""Gradients that torch.autograd.grad returns, beside an optimizer that looks for them in .grad."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(16, 3), torch.randn(16, 1)
for epoch in range(3):
    loss = F.mse_loss(model(x), y)
    grads = torch.autograd.grad(loss, list(model.parameters()))
    optimizer.step()
    print(f"{loss.item():.3f}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(16, 3), torch.randn(16, 1)
for epoch in range(3):
    loss = F.mse_loss(model(x), y)
    grads = torch.autograd.grad(loss, list(model.parameters()))
    for parameter, grad in zip(model.parameters(), grads):
        parameter.grad = grad
    optimizer.step()
    print(f"{loss.item():.3f}")
