"""A clipped policy gradient whose old log-probabilities are those of the present: the ratio is 1, and no clipping acts."""

# %% broken
import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Linear(3, 4)
opt = torch.optim.SGD(policy.parameters(), lr=2.0)
obs = torch.randn(32, 3)
with torch.no_grad():
    dist = Categorical(logits=policy(obs))
    action = dist.sample()
    logp = dist.log_prob(action)
advantage = (action == obs.argmax(1)).float() - 0.25
for epoch in range(4):
    new = Categorical(logits=policy(obs)).log_prob(action)
    old = new.detach()
    ratio = torch.exp(new - old)
    loss = -torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(f"{ratio.mean().item():.3g}")

# %% mended
import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Linear(3, 4)
opt = torch.optim.SGD(policy.parameters(), lr=2.0)
obs = torch.randn(32, 3)
with torch.no_grad():
    dist = Categorical(logits=policy(obs))
    action = dist.sample()
    logp = dist.log_prob(action)
advantage = (action == obs.argmax(1)).float() - 0.25
for epoch in range(4):
    new = Categorical(logits=policy(obs)).log_prob(action)
    old = logp
    ratio = torch.exp(new - old)
    loss = -torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(f"{ratio.mean().item():.3g}")
