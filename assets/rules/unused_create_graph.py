"""create_graph=True in a training loop that takes no second derivative."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
x, y = torch.randn(16, 3), torch.randn(16, 1)
for epoch in range(3):
    loss = F.mse_loss(model(x), y)
    gradients = torch.autograd.grad(loss, list(model.parameters()), create_graph=True)
    with torch.no_grad():
        for p, g in zip(model.parameters(), gradients):
            p -= 0.1 * g
print(f"{loss.item():.4g}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
x, y = torch.randn(16, 3), torch.randn(16, 1)
for epoch in range(3):
    loss = F.mse_loss(model(x), y)
    gradients = torch.autograd.grad(loss, list(model.parameters()))
    with torch.no_grad():
        for p, g in zip(model.parameters(), gradients):
            p -= 0.1 * g
print(f"{loss.item():.4g}")
