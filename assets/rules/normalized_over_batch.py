"""Embeddings are normalised over the batch before their similarities are taken."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
encoder = nn.Linear(5, 4)
optimizer = torch.optim.Adam(encoder.parameters())
x = torch.randn(8, 5)
for step in range(3):
    z = F.normalize(encoder(x), dim=0)
    similarity = z @ z.T / 0.1
    loss = F.cross_entropy(similarity - 1e9 * torch.eye(8), torch.arange(8).flip(0))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
encoder = nn.Linear(5, 4)
optimizer = torch.optim.Adam(encoder.parameters())
x = torch.randn(8, 5)
for step in range(3):
    z = F.normalize(encoder(x), dim=1)
    similarity = z @ z.T / 0.1
    loss = F.cross_entropy(similarity - 1e9 * torch.eye(8), torch.arange(8).flip(0))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
