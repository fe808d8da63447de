"""Windows of a series begin one too late, so each ends with the value that is to be forecast from it."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
series, window = torch.randn(80).cumsum(0), 6
x = torch.stack([series[i + 1 : i + window + 1] for i in range(60)])
y = torch.stack([series[i + window] for i in range(60)])
net = nn.Sequential(nn.Linear(window, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for epoch in range(4):
    loss = F.mse_loss(net(x).squeeze(1), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4f}")

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
series, window = torch.randn(80).cumsum(0), 6
x = torch.stack([series[i : i + window] for i in range(60)])
y = torch.stack([series[i + window] for i in range(60)])
net = nn.Sequential(nn.Linear(window, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for epoch in range(4):
    loss = F.mse_loss(net(x).squeeze(1), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4f}")
