"""Attention whose weights add up to 1 over the queries instead of the keys."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
query, key, value = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 1)
optimizer = torch.optim.SGD([*query.parameters(), *key.parameters(), *value.parameters()], lr=0.1)
x = torch.randn(2, 5, 4)
wanted = x.mean(1, keepdim=True)[..., :1].expand(2, 5, 1)
later = torch.ones(5, 5).triu(1).bool()
for step in range(8):
    scores = (query(x) @ key(x).transpose(-2, -1) / 2).masked_fill(later, float("-inf"))
    weights = torch.softmax(scores, dim=1)
    loss = F.mse_loss(weights @ value(x), wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4f}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
query, key, value = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 1)
optimizer = torch.optim.SGD([*query.parameters(), *key.parameters(), *value.parameters()], lr=0.1)
x = torch.randn(2, 5, 4)
wanted = x.mean(1, keepdim=True)[..., :1].expand(2, 5, 1)
later = torch.ones(5, 5).triu(1).bool()
for step in range(8):
    scores = (query(x) @ key(x).transpose(-2, -1) / 2).masked_fill(later, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    loss = F.mse_loss(weights @ value(x), wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4f}")
