"""A critic's gradients are cleared after its step, so it learns by those that the actor's loss leaves there, too."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
actor, critic = nn.Linear(3, 1), nn.Linear(4, 1)
actor_optimizer = torch.optim.SGD(actor.parameters(), lr=0.01)
critic_optimizer = torch.optim.SGD(critic.parameters(), lr=0.02)
for step in range(20):
    state, action = torch.randn(16, 3), torch.randn(16, 1)
    reward = state[:, :1] - 0.5 * action
    critic_loss = F.mse_loss(critic(torch.cat([state, action], 1)), reward)
    critic_loss.backward()
    critic_optimizer.step()
    critic_optimizer.zero_grad()
    actor_optimizer.zero_grad()
    actor_loss = -critic(torch.cat([state, actor(state)], 1)).mean()
    actor_loss.backward()
    actor_optimizer.step()
print(f"{critic_loss.item():.4f}")

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
actor, critic = nn.Linear(3, 1), nn.Linear(4, 1)
actor_optimizer = torch.optim.SGD(actor.parameters(), lr=0.01)
critic_optimizer = torch.optim.SGD(critic.parameters(), lr=0.02)
for step in range(20):
    state, action = torch.randn(16, 3), torch.randn(16, 1)
    reward = state[:, :1] - 0.5 * action
    critic_loss = F.mse_loss(critic(torch.cat([state, action], 1)), reward)
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()
    actor_optimizer.zero_grad()
    actor_loss = -critic(torch.cat([state, actor(state)], 1)).mean()
    actor_loss.backward()
    actor_optimizer.step()
print(f"{critic_loss.item():.4f}")
