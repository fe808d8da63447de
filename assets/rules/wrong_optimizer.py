"""A discriminator's optimizer that was given the generator's parameters."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
G, D = nn.Linear(2, 3), nn.Linear(3, 1)
optimizer_g = torch.optim.Adam(G.parameters(), lr=1e-2)
optimizer_d = torch.optim.Adam(G.parameters(), lr=1e-2)
real, ones, zeros = torch.randn(8, 3), torch.ones(8, 1), torch.zeros(8, 1)
before = D.weight.clone()
for step in range(4):
    fake = G(torch.randn(8, 2))
    optimizer_d.zero_grad()
    loss = F.binary_cross_entropy_with_logits(D(real), ones)
    loss = loss + F.binary_cross_entropy_with_logits(D(fake.detach()), zeros)
    loss.backward()
    optimizer_d.step()
    optimizer_g.zero_grad()
    F.binary_cross_entropy_with_logits(D(fake), ones).backward()
    optimizer_g.step()
print(bool((D.weight == before).all()))

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
G, D = nn.Linear(2, 3), nn.Linear(3, 1)
optimizer_g = torch.optim.Adam(G.parameters(), lr=1e-2)
optimizer_d = torch.optim.Adam(D.parameters(), lr=1e-2)
real, ones, zeros = torch.randn(8, 3), torch.ones(8, 1), torch.zeros(8, 1)
before = D.weight.clone()
for step in range(4):
    fake = G(torch.randn(8, 2))
    optimizer_d.zero_grad()
    loss = F.binary_cross_entropy_with_logits(D(real), ones)
    loss = loss + F.binary_cross_entropy_with_logits(D(fake.detach()), zeros)
    loss.backward()
    optimizer_d.step()
    optimizer_g.zero_grad()
    F.binary_cross_entropy_with_logits(D(fake), ones).backward()
    optimizer_g.step()
print(bool((D.weight == before).all()))
