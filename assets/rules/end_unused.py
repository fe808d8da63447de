"""The target of a value goes on behind the end of an episode."""

# %% broken
import random

import torch
from torch import nn

torch.manual_seed(0)
random.seed(0)
q, target = nn.Linear(4, 2), nn.Linear(4, 2)
target.load_state_dict(q.state_dict())
opt = torch.optim.Adam(q.parameters(), lr=1e-2)
memory = [(torch.randn(4), random.randrange(2), random.random(), torch.randn(4), random.random() < 0.1) for _ in range(200)]
gamma = 0.99
for step in range(10):
    batch = random.sample(memory, 32)
    s, a, r, s2, done = zip(*batch)
    s, s2 = torch.stack(s), torch.stack(s2)
    a, r, done = torch.tensor(a), torch.tensor(r), torch.tensor(done, dtype=torch.float32)
    q_values = q(s).gather(1, a.unsqueeze(1)).squeeze(1)
    with torch.no_grad():
        q_next = target(s2).max(1).values
        expected = r + gamma * q_next
    loss = nn.functional.smooth_l1_loss(q_values, expected)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 5 == 0:
        target.load_state_dict(q.state_dict())
    print(step, round(loss.item(), 3))

# %% mended
import random

import torch
from torch import nn

torch.manual_seed(0)
random.seed(0)
q, target = nn.Linear(4, 2), nn.Linear(4, 2)
target.load_state_dict(q.state_dict())
opt = torch.optim.Adam(q.parameters(), lr=1e-2)
memory = [(torch.randn(4), random.randrange(2), random.random(), torch.randn(4), random.random() < 0.1) for _ in range(200)]
gamma = 0.99
for step in range(10):
    batch = random.sample(memory, 32)
    s, a, r, s2, done = zip(*batch)
    s, s2 = torch.stack(s), torch.stack(s2)
    a, r, done = torch.tensor(a), torch.tensor(r), torch.tensor(done, dtype=torch.float32)
    q_values = q(s).gather(1, a.unsqueeze(1)).squeeze(1)
    with torch.no_grad():
        q_next = target(s2).max(1).values
        expected = r + gamma * q_next * (1 - done)
    loss = nn.functional.smooth_l1_loss(q_values, expected)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 5 == 0:
        target.load_state_dict(q.state_dict())
    print(step, round(loss.item(), 3))
