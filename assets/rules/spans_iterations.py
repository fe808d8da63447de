"""A hidden state that is carried from one batch to the next with its graph."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
cell = nn.RNNCell(2, 3)
optimizer = torch.optim.SGD(cell.parameters(), lr=0.1)
h = torch.zeros(1, 3)
for step in range(4):
    h = cell(torch.randn(1, 2), h)
    loss = h.pow(2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4g}")

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
cell = nn.RNNCell(2, 3)
optimizer = torch.optim.SGD(cell.parameters(), lr=0.1)
h = torch.zeros(1, 3)
for step in range(4):
    h = cell(torch.randn(1, 2), h.detach())
    loss = h.pow(2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4g}")
