"""A diffusion model is to find noise that was drawn apart from that in its input."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
data = 0.3 * torch.randn(256, 2) + torch.tensor([1.0, -1.0])
model = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)


def diffused(x, t, noise):
    return (1 - t).sqrt() * x + t.sqrt() * noise


for step in range(100):
    x, t = data[torch.randint(0, 256, (64,))], torch.rand(64, 1)
    given = diffused(x, t, torch.randn_like(x))
    noise = torch.randn_like(x)
    loss = F.mse_loss(model(torch.cat([given, t], dim=1)), noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss: {loss.item():.1f}")

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
data = 0.3 * torch.randn(256, 2) + torch.tensor([1.0, -1.0])
model = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)


def diffused(x, t, noise):
    return (1 - t).sqrt() * x + t.sqrt() * noise


for step in range(100):
    x, t = data[torch.randint(0, 256, (64,))], torch.rand(64, 1)
    noise = torch.randn_like(x)
    given = diffused(x, t, noise)
    loss = F.mse_loss(model(torch.cat([given, t], dim=1)), noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss: {loss.item():.1f}")
