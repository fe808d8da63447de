"""A network whose weights are kept in bfloat16 learns with a small rate."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1)).to(torch.bfloat16)
optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
for step in range(6):
    x = torch.randn(64, 16)
    loss = F.mse_loss(net(x.to(torch.bfloat16)).float(), x[:, :1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
for step in range(6):
    x = torch.randn(64, 16)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = net(x)
    loss = F.mse_loss(out.float(), x[:, :1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
