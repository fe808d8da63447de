"""Attention is told to leave out the tokens, and attends to what the sequences were filled up with."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
embed = nn.Embedding(10, 8, padding_idx=0)
attend = nn.MultiheadAttention(8, 2, batch_first=True)
head = nn.Linear(8, 2)
optimizer = torch.optim.Adam([*embed.parameters(), *attend.parameters(), *head.parameters()], lr=0.05)
tokens = torch.tensor([[3, 4, 5, 0, 0], [6, 7, 0, 0, 0], [8, 2, 1, 9, 0], [1, 4, 0, 0, 0]])
labels = torch.tensor([0, 1, 1, 0])
for step in range(30):
    h = embed(tokens)
    mixed, _ = attend(h, h, h, key_padding_mask=tokens != 0)
    loss = nn.functional.cross_entropy(head(mixed[:, 0]), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.2f}")

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
embed = nn.Embedding(10, 8, padding_idx=0)
attend = nn.MultiheadAttention(8, 2, batch_first=True)
head = nn.Linear(8, 2)
optimizer = torch.optim.Adam([*embed.parameters(), *attend.parameters(), *head.parameters()], lr=0.05)
tokens = torch.tensor([[3, 4, 5, 0, 0], [6, 7, 0, 0, 0], [8, 2, 1, 9, 0], [1, 4, 0, 0, 0]])
labels = torch.tensor([0, 1, 1, 0])
for step in range(30):
    h = embed(tokens)
    mixed, _ = attend(h, h, h, key_padding_mask=tokens == 0)
    loss = nn.functional.cross_entropy(head(mixed[:, 0]), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.2f}")
