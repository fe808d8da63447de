"""Weights that were to be tied: the second parameter is another one on the same memory, which each step changes twice."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
embed = nn.Embedding(5, 3)
out = nn.Linear(3, 5, bias=False)
out.weight = nn.Parameter(embed.weight)
optimizer = torch.optim.SGD([*embed.parameters(), *out.parameters()], lr=0.1)
for step in range(4):
    loss = F.cross_entropy(out(embed(torch.tensor([0, 1, 2]))), torch.tensor([1, 2, 3]))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.2f}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
embed = nn.Embedding(5, 3)
out = nn.Linear(3, 5, bias=False)
out.weight = embed.weight
optimizer = torch.optim.SGD(embed.parameters(), lr=0.1)
for step in range(4):
    loss = F.cross_entropy(out(embed(torch.tensor([0, 1, 2]))), torch.tensor([1, 2, 3]))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.2f}")
