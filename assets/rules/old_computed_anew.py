"""PPO: the old log-probabilities are computed within the loop of the updates, with the weights of now."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Linear(3, 2)
opt = torch.optim.SGD(policy.parameters(), lr=0.5)
states, actions, advantages = torch.randn(16, 3), torch.randint(0, 2, (16,)), torch.randn(16)


def log_prob():
    return policy(states).log_softmax(-1).gather(1, actions[:, None])[:, 0]


for epoch in range(4):
    old = log_prob().detach()
    ratio = (log_prob() - old).exp()
    loss = -torch.min(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(epoch, f"{ratio.max().item():.3f}")

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Linear(3, 2)
opt = torch.optim.SGD(policy.parameters(), lr=0.5)
states, actions, advantages = torch.randn(16, 3), torch.randint(0, 2, (16,)), torch.randn(16)


def log_prob():
    return policy(states).log_softmax(-1).gather(1, actions[:, None])[:, 0]


old = log_prob().detach()
for epoch in range(4):
    ratio = (log_prob() - old).exp()
    loss = -torch.min(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(epoch, f"{ratio.max().item():.3f}")
