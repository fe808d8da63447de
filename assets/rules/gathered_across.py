"""The values of the actions are gathered along the batch."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
q_net = nn.Linear(4, 3)
optimizer = torch.optim.Adam(q_net.parameters(), lr=0.01)
states, actions, targets = torch.randn(12, 4), torch.randint(0, 3, (12, 1)), torch.randn(12, 1)
for step in range(3):
    values = q_net(states).gather(0, actions)
    loss = F.smooth_l1_loss(values, targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
q_net = nn.Linear(4, 3)
optimizer = torch.optim.Adam(q_net.parameters(), lr=0.01)
states, actions, targets = torch.randn(12, 4), torch.randint(0, 3, (12, 1)), torch.randn(12, 1)
for step in range(3):
    values = q_net(states).gather(1, actions)
    loss = F.smooth_l1_loss(values, targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
