"""A list of states, each of them the one array that is moved in place."""

# %% broken
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
position, states, sums = np.zeros(3, dtype=np.float32), [], []
for t in range(16):
    position += np.array([0.1, -0.2, 0.05], dtype=np.float32)
    states.append(position)
    sums.append(float(position.sum()))
x, y = torch.tensor(np.stack(states)), torch.tensor(sums)[:, None]
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(10):
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"{loss.item():.3f}", len(x.unique(dim=0)), "different states")

# %% mended
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
position, states, sums = np.zeros(3, dtype=np.float32), [], []
for t in range(16):
    position += np.array([0.1, -0.2, 0.05], dtype=np.float32)
    states.append(position.copy())
    sums.append(float(position.sum()))
x, y = torch.tensor(np.stack(states)), torch.tensor(sums)[:, None]
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(10):
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"{loss.item():.3f}", len(x.unique(dim=0)), "different states")
