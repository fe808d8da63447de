"""A gradient penalty takes the norm over the channels alone."""

# %% broken
import torch
import torch.nn as nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Conv2d(1, 4, 3, 2, 1), nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for step in range(3):
    real, fake = torch.randn(8, 1, 8, 8) + 1, torch.randn(8, 1, 8, 8)
    share = torch.rand(8, 1, 1, 1)
    x = (share * real + (1 - share) * fake).requires_grad_()
    (gradient,) = torch.autograd.grad(critic(x).sum(), x, create_graph=True)
    penalty = (gradient.norm(2, dim=1) - 1).square().mean()
    loss = critic(fake).mean() - critic(real).mean() + 10 * penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4g}")

# %% mended
import torch
import torch.nn as nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Conv2d(1, 4, 3, 2, 1), nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for step in range(3):
    real, fake = torch.randn(8, 1, 8, 8) + 1, torch.randn(8, 1, 8, 8)
    share = torch.rand(8, 1, 1, 1)
    x = (share * real + (1 - share) * fake).requires_grad_()
    (gradient,) = torch.autograd.grad(critic(x).sum(), x, create_graph=True)
    penalty = (gradient.flatten(1).norm(2, dim=1) - 1).square().mean()
    loss = critic(fake).mean() - critic(real).mean() + 10 * penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4g}")
