"""A policy's ratio is that of old to new probabilities."""

# %% broken
import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 3))
opt = torch.optim.Adam(actor.parameters(), lr=3e-3)
obs = torch.randn(64, 4)
with torch.no_grad():
    dist = Categorical(logits=actor(obs))
    actions = dist.sample()
    old_logprob = dist.log_prob(actions)
adv = torch.randn(64)
adv = (adv - adv.mean()) / (adv.std() + 1e-8)
for epoch in range(6):
    dist = Categorical(logits=actor(obs))
    new_logprob = dist.log_prob(actions)
    ratio = torch.exp(old_logprob - new_logprob)
    clipped = torch.clamp(ratio, 0.8, 1.2)
    policy_loss = -torch.min(ratio * adv, clipped * adv).mean()
    loss = policy_loss - 0.01 * dist.entropy().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(epoch, round(loss.item(), 3))

# %% mended
import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 3))
opt = torch.optim.Adam(actor.parameters(), lr=3e-3)
obs = torch.randn(64, 4)
with torch.no_grad():
    dist = Categorical(logits=actor(obs))
    actions = dist.sample()
    old_logprob = dist.log_prob(actions)
adv = torch.randn(64)
adv = (adv - adv.mean()) / (adv.std() + 1e-8)
for epoch in range(6):
    dist = Categorical(logits=actor(obs))
    new_logprob = dist.log_prob(actions)
    ratio = torch.exp(new_logprob - old_logprob)
    clipped = torch.clamp(ratio, 0.8, 1.2)
    policy_loss = -torch.min(ratio * adv, clipped * adv).mean()
    loss = policy_loss - 0.01 * dist.entropy().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(epoch, round(loss.item(), 3))
