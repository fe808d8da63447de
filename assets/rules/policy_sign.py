"""A policy's loss without its minus sign."""

# %% broken
import torch
import torch.nn as nn
from torch.distributions import Categorical

torch.manual_seed(0)
actor = nn.Linear(4, 2)
optimizer = torch.optim.Adam(actor.parameters(), lr=1e-2)
for episode in range(3):
    state = torch.randn(16, 4)
    policy = Categorical(logits=actor(state))
    action = policy.sample()
    reward = (action == (state[:, 0] > 0)).float()
    advantage = reward - reward.mean()
    loss = (policy.log_prob(action) * advantage).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% mended
import torch
import torch.nn as nn
from torch.distributions import Categorical

torch.manual_seed(0)
actor = nn.Linear(4, 2)
optimizer = torch.optim.Adam(actor.parameters(), lr=1e-2)
for episode in range(3):
    state = torch.randn(16, 4)
    policy = Categorical(logits=actor(state))
    action = policy.sample()
    reward = (action == (state[:, 0] > 0)).float()
    advantage = reward - reward.mean()
    loss = -(policy.log_prob(action) * advantage).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
