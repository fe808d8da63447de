"""The advantage carries the critic's graph into the loss of the actor."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical

torch.manual_seed(0)
actor, critic = nn.Linear(4, 2), nn.Linear(4, 1)
optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=1e-2)
for episode in range(3):
    state = torch.randn(16, 4)
    policy = Categorical(logits=actor(state))
    action = policy.sample()
    reward = (action == (state[:, 0] > 0)).float()
    value = critic(state).squeeze(-1)
    advantage = reward - value
    loss = -(policy.log_prob(action) * advantage).mean() + F.mse_loss(value, reward)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical

torch.manual_seed(0)
actor, critic = nn.Linear(4, 2), nn.Linear(4, 1)
optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=1e-2)
for episode in range(3):
    state = torch.randn(16, 4)
    policy = Categorical(logits=actor(state))
    action = policy.sample()
    reward = (action == (state[:, 0] > 0)).float()
    value = critic(state).squeeze(-1)
    advantage = (reward - value).detach()
    loss = -(policy.log_prob(action) * advantage).mean() + F.mse_loss(value, reward)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
