"""An attention mask is applied behind the softmax."""

# %% broken
import torch
import torch.nn as nn

torch.manual_seed(0)
project = nn.Linear(6, 6)
optimizer = torch.optim.SGD(project.parameters(), lr=1e-3)
x, mask = torch.randn(2, 4, 6), torch.ones(4, 4).tril()
for step in range(2):
    q = project(x)
    scores = q @ q.transpose(1, 2) / 6**0.5
    weights = scores.softmax(-1)
    weights = weights.masked_fill(mask == 0, -1e9)
    loss = (weights @ q - x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% mended
import torch
import torch.nn as nn

torch.manual_seed(0)
project = nn.Linear(6, 6)
optimizer = torch.optim.SGD(project.parameters(), lr=1e-3)
x, mask = torch.randn(2, 4, 6), torch.ones(4, 4).tril()
for step in range(2):
    q = project(x)
    scores = q @ q.transpose(1, 2) / 6**0.5
    scores = scores.masked_fill(mask == 0, -1e9)
    weights = scores.softmax(-1)
    loss = (weights @ q - x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
