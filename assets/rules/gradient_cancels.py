"""The probabilities before an update of PPO keep their graph, and the ratio to them has no gradient."""

# %% broken
import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Linear(4, 3)
optimizer = torch.optim.Adam(policy.parameters(), lr=0.05)
obs = torch.randn(64, 4)
best = (obs @ torch.randn(4, 3)).argmax(1)
for step in range(40):
    dist = Categorical(logits=policy(obs))
    action = dist.sample()
    old_logp = dist.log_prob(action)
    gain = (action == best).float() - 0.5

    logp = Categorical(logits=policy(obs)).log_prob(action)
    ratio = torch.exp(logp - old_logp)
    loss = -torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print((policy(obs).argmax(1) == best).float().mean().item() > 0.7)

# %% mended
import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Linear(4, 3)
optimizer = torch.optim.Adam(policy.parameters(), lr=0.05)
obs = torch.randn(64, 4)
best = (obs @ torch.randn(4, 3)).argmax(1)
for step in range(40):
    dist = Categorical(logits=policy(obs))
    action = dist.sample()
    old_logp = dist.log_prob(action)
    gain = (action == best).float() - 0.5

    logp = Categorical(logits=policy(obs)).log_prob(action)
    ratio = torch.exp(logp - old_logp.detach())
    loss = -torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print((policy(obs).argmax(1) == best).float().mean().item() > 0.7)
