"""A gradient penalty whose gradient is taken without create_graph=True."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(critic.parameters(), lr=0.01)
for step in range(3):
    x = torch.randn(8, 2, requires_grad=True)
    score = critic(x).sum()
    (gradient,) = torch.autograd.grad(score, x, retain_graph=True)
    penalty = ((gradient.norm(dim=1) - 1) ** 2).mean()
    loss = -score / 8 + 10 * penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{penalty.item():.3g}")

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(critic.parameters(), lr=0.01)
for step in range(3):
    x = torch.randn(8, 2, requires_grad=True)
    score = critic(x).sum()
    (gradient,) = torch.autograd.grad(score, x, create_graph=True)
    penalty = ((gradient.norm(dim=1) - 1) ** 2).mean()
    loss = -score / 8 + 10 * penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{penalty.item():.3g}")
