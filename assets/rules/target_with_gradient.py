"""Q-learning whose target is computed with a graph, so that the loss pulls the target towards the prediction, too."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 2)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(3):
    state, next_state = torch.randn(8, 4), torch.randn(8, 4)
    action, reward = torch.randint(0, 2, (8, 1)), torch.randn(8)
    value = net(state).gather(1, action).squeeze(1)
    target = reward + 0.9 * net(next_state).max(1)[0]
    loss = F.mse_loss(value, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(target.requires_grad)

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 2)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(3):
    state, next_state = torch.randn(8, 4), torch.randn(8, 4)
    action, reward = torch.randint(0, 2, (8, 1)), torch.randn(8)
    value = net(state).gather(1, action).squeeze(1)
    target = reward + 0.9 * net(next_state).max(1)[0].detach()
    loss = F.mse_loss(value, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(target.requires_grad)
