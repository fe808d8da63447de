"""The average with the target network is written into the network that is trained."""

# %% broken
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
critic = nn.Linear(3, 1)
target = copy.deepcopy(critic)
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-2)
tau = 0.01
for step in range(5):
    state, following = torch.randn(16, 3), torch.randn(16, 3)
    with torch.no_grad():
        wanted = state.sum(1, keepdim=True) + 0.9 * target(following)
    loss = F.mse_loss(critic(state), wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for p, q in zip(critic.parameters(), target.parameters()):
            p.copy_(tau * p + (1 - tau) * q)

# %% mended
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
critic = nn.Linear(3, 1)
target = copy.deepcopy(critic)
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-2)
tau = 0.01
for step in range(5):
    state, following = torch.randn(16, 3), torch.randn(16, 3)
    with torch.no_grad():
        wanted = state.sum(1, keepdim=True) + 0.9 * target(following)
    loss = F.mse_loss(critic(state), wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for p, q in zip(critic.parameters(), target.parameters()):
            q.copy_(tau * p + (1 - tau) * q)
