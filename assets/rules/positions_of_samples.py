"""A table of positions made for time first is cut by the batch, which comes first here."""

# %% broken
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class PositionalEncoding(nn.Module):
    def __init__(self, features, longest=50):
        super().__init__()
        position = torch.arange(longest).unsqueeze(1)
        rates = torch.exp(torch.arange(0, features, 2) * (-math.log(10000.0) / features))
        pe = torch.zeros(longest, 1, features)
        pe[:, 0, 0::2] = torch.sin(position * rates)
        pe[:, 0, 1::2] = torch.cos(position * rates)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x + self.pe[: x.size(0)]


torch.manual_seed(0)
embedding, encode, head = nn.Embedding(9, 16), PositionalEncoding(16), nn.Linear(16, 9)
attend = nn.MultiheadAttention(16, 2, batch_first=True)
optimizer = torch.optim.Adam([*embedding.parameters(), *attend.parameters(), *head.parameters()], lr=1e-2)
tokens = torch.randint(0, 9, (6, 10))
for step in range(3):
    x = encode(embedding(tokens))
    mixed, _ = attend(x, x, x)
    loss = F.cross_entropy(head(x + mixed).reshape(-1, 9), tokens.flip(1).reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% mended
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class PositionalEncoding(nn.Module):
    def __init__(self, features, longest=50):
        super().__init__()
        position = torch.arange(longest).unsqueeze(1)
        rates = torch.exp(torch.arange(0, features, 2) * (-math.log(10000.0) / features))
        pe = torch.zeros(longest, 1, features)
        pe[:, 0, 0::2] = torch.sin(position * rates)
        pe[:, 0, 1::2] = torch.cos(position * rates)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x + self.pe[: x.size(1)].transpose(0, 1)


torch.manual_seed(0)
embedding, encode, head = nn.Embedding(9, 16), PositionalEncoding(16), nn.Linear(16, 9)
attend = nn.MultiheadAttention(16, 2, batch_first=True)
optimizer = torch.optim.Adam([*embedding.parameters(), *attend.parameters(), *head.parameters()], lr=1e-2)
tokens = torch.randint(0, 9, (6, 10))
for step in range(3):
    x = encode(embedding(tokens))
    mixed, _ = attend(x, x, x)
    loss = F.cross_entropy(head(x + mixed).reshape(-1, 9), tokens.flip(1).reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
