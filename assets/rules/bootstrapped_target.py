"""The target of a Q-network is computed by the network itself, and gets a gradient."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
state, following = torch.randn(8, 4), torch.randn(8, 4)
action, reward = torch.randint(0, 2, (8, 1)), torch.randn(8)
for step in range(3):
    value = net(state).gather(1, action).squeeze(1)
    target = reward + 0.9 * net(following).max(dim=1).values
    loss = F.mse_loss(value, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4g}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
state, following = torch.randn(8, 4), torch.randn(8, 4)
action, reward = torch.randint(0, 2, (8, 1)), torch.randn(8)
for step in range(3):
    value = net(state).gather(1, action).squeeze(1)
    with torch.no_grad():
        target = reward + 0.9 * net(following).max(dim=1).values
    loss = F.mse_loss(value, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4g}")
