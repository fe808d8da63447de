"""Q-learning whose target network is the trained network under a second name."""

# %% broken
import copy

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 2)
target_net = net
optimizer = torch.optim.SGD(net.parameters(), lr=1e-2)
for step in range(3):
    state, next_state, reward = torch.randn(8, 4), torch.randn(8, 4), torch.randn(8)
    with torch.no_grad():
        target = reward + 0.9 * target_net(next_state).max(1)[0]
    loss = F.mse_loss(net(state)[:, 0], target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step == 1:
        target_net.load_state_dict(copy.deepcopy(net.state_dict()))
print(target_net.weight is net.weight)

# %% mended
import copy

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 2)
target_net = copy.deepcopy(net)
optimizer = torch.optim.SGD(net.parameters(), lr=1e-2)
for step in range(3):
    state, next_state, reward = torch.randn(8, 4), torch.randn(8, 4), torch.randn(8)
    with torch.no_grad():
        target = reward + 0.9 * target_net(next_state).max(1)[0]
    loss = F.mse_loss(net(state)[:, 0], target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step == 1:
        target_net.load_state_dict(copy.deepcopy(net.state_dict()))
print(target_net.weight is net.weight)
