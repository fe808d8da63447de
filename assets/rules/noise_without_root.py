"""Noise is multiplied by the rest of a share, and not by the root of it."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
T = 50
betas = torch.linspace(1e-4, 0.2, T)
alphas = 1 - betas
alpha_bar = torch.cumprod(alphas, 0)
net = nn.Sequential(nn.Linear(3, 32), nn.SiLU(), nn.Linear(32, 2))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
data = torch.randn(256, 2) * 0.1 + torch.tensor([2.0, -1.0])
for step in range(10):
    x0 = data[torch.randint(0, 256, (64,))]
    t = torch.randint(0, T, (64,))
    eps = torch.randn_like(x0)
    ab = alpha_bar[t][:, None]
    xt = torch.sqrt(ab) * x0 + (1 - ab) * eps
    loss = ((net(torch.cat([xt, t[:, None] / T], 1)) - eps) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, round(loss.item(), 3))

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
T = 50
betas = torch.linspace(1e-4, 0.2, T)
alphas = 1 - betas
alpha_bar = torch.cumprod(alphas, 0)
net = nn.Sequential(nn.Linear(3, 32), nn.SiLU(), nn.Linear(32, 2))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
data = torch.randn(256, 2) * 0.1 + torch.tensor([2.0, -1.0])
for step in range(10):
    x0 = data[torch.randint(0, 256, (64,))]
    t = torch.randint(0, T, (64,))
    eps = torch.randn_like(x0)
    ab = alpha_bar[t][:, None]
    xt = torch.sqrt(ab) * x0 + torch.sqrt(1 - ab) * eps
    loss = ((net(torch.cat([xt, t[:, None] / T], 1)) - eps) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, round(loss.item(), 3))
