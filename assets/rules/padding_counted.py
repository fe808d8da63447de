"""The targets of a language model are padded, and the loss counts the padding."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
embed, head = nn.Embedding(12, 8, padding_idx=0), nn.Linear(8, 12)
optimizer = torch.optim.Adam([*embed.parameters(), *head.parameters()], lr=0.05)
tokens = torch.tensor([[3, 5, 7, 0, 0, 0, 0], [4, 9, 0, 0, 0, 0, 0], [2, 6, 8, 11, 0, 0, 0]])
source, target = tokens[:, :-1], tokens[:, 1:]
for epoch in range(15):
    logits = head(embed(source))
    loss = F.cross_entropy(logits.flatten(0, 1), target.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
embed, head = nn.Embedding(12, 8, padding_idx=0), nn.Linear(8, 12)
optimizer = torch.optim.Adam([*embed.parameters(), *head.parameters()], lr=0.05)
tokens = torch.tensor([[3, 5, 7, 0, 0, 0, 0], [4, 9, 0, 0, 0, 0, 0], [2, 6, 8, 11, 0, 0, 0]])
source, target = tokens[:, :-1], tokens[:, 1:]
for epoch in range(15):
    logits = head(embed(source))
    loss = F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=0)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
