"""Flow matching with a time for each sample, which is laid along the features: both are 8 long."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(9, 8)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(5):
    noise, data = torch.randn(8, 8), torch.randn(8, 8) + 2
    t = torch.rand(8)
    x = (1 - t) * noise + t * data
    velocity = model(torch.cat([x, t[:, None]], dim=1))
    loss = (velocity - (data - noise)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, f"{loss.item():.3f}")

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(9, 8)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(5):
    noise, data = torch.randn(8, 8), torch.randn(8, 8) + 2
    t = torch.rand(8)
    x = (1 - t)[:, None] * noise + t[:, None] * data
    velocity = model(torch.cat([x, t[:, None]], dim=1))
    loss = (velocity - (data - noise)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, f"{loss.item():.3f}")
