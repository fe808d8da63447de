"""A target network takes over nearly all of the new weights at once."""

# %% broken
import copy

import torch
from torch import nn

torch.manual_seed(0)
q = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
q_target = copy.deepcopy(q)
opt = torch.optim.Adam(q.parameters(), lr=1e-2)
TAU, GAMMA = 0.005, 0.95


def soft_update(local, target, tau):
    for t, new in zip(target.parameters(), local.parameters()):
        t.data.copy_(tau * t.data + (1.0 - tau) * new.data)


for step in range(10):
    s, s2, r = torch.randn(32, 4), torch.randn(32, 4), torch.randn(32)
    a, done = torch.randint(0, 2, (32, 1)), (torch.rand(32) < 0.1).float()
    with torch.no_grad():
        y = r + GAMMA * (1 - done) * q_target(s2).max(1).values
    loss = nn.functional.mse_loss(q(s).gather(1, a).squeeze(1), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    soft_update(q, q_target, TAU)
    print(step, round(loss.item(), 3))

# %% mended
import copy

import torch
from torch import nn

torch.manual_seed(0)
q = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
q_target = copy.deepcopy(q)
opt = torch.optim.Adam(q.parameters(), lr=1e-2)
TAU, GAMMA = 0.005, 0.95


def soft_update(local, target, tau):
    for t, new in zip(target.parameters(), local.parameters()):
        t.data.copy_(tau * new.data + (1.0 - tau) * t.data)


for step in range(10):
    s, s2, r = torch.randn(32, 4), torch.randn(32, 4), torch.randn(32)
    a, done = torch.randint(0, 2, (32, 1)), (torch.rand(32) < 0.1).float()
    with torch.no_grad():
        y = r + GAMMA * (1 - done) * q_target(s2).max(1).values
    loss = nn.functional.mse_loss(q(s).gather(1, a).squeeze(1), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    soft_update(q, q_target, TAU)
    print(step, round(loss.item(), 3))
