"""Items are numbered from 0, and 0 is declared to be the padding."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
items = torch.randint(0, 4, (60,))
rating = torch.tensor([4.0, -1.0, 2.0, 0.5])[items]
embedding, head = nn.Embedding(4, 3, padding_idx=0), nn.Linear(3, 1)
optimizer = torch.optim.Adam([*embedding.parameters(), *head.parameters()], lr=1e-2)
for step in range(3):
    loss = F.mse_loss(head(embedding(items)).squeeze(1), rating)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
items = torch.randint(0, 4, (60,))
rating = torch.tensor([4.0, -1.0, 2.0, 0.5])[items]
embedding, head = nn.Embedding(4, 3), nn.Linear(3, 1)
optimizer = torch.optim.Adam([*embedding.parameters(), *head.parameters()], lr=1e-2)
for step in range(3):
    loss = F.mse_loss(head(embedding(items)).squeeze(1), rating)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
