"""A contrastive loss in which each sample is its own most similar candidate."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
encoder = nn.Linear(6, 4)
optimizer = torch.optim.Adam(encoder.parameters(), lr=1e-2)
x, n = torch.randn(8, 6), 8
for step in range(3):
    both = torch.cat([x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x)])
    z = F.normalize(encoder(both), dim=1)
    similar = z @ z.t() / 0.1
    targets = (torch.arange(2 * n) + n) % (2 * n)
    loss = F.cross_entropy(similar, targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
encoder = nn.Linear(6, 4)
optimizer = torch.optim.Adam(encoder.parameters(), lr=1e-2)
x, n = torch.randn(8, 6), 8
for step in range(3):
    both = torch.cat([x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x)])
    z = F.normalize(encoder(both), dim=1)
    similar = z @ z.t() / 0.1
    similar = similar.masked_fill(torch.eye(2 * n, dtype=torch.bool), float("-inf"))
    targets = (torch.arange(2 * n) + n) % (2 * n)
    loss = F.cross_entropy(similar, targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
