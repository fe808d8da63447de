"""A mask of padding fills the rows of queries, and no key is left out."""

# %% broken
import math

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.h, self.dk = heads, d // heads
        self.qkv, self.out = nn.Linear(d, 3 * d), nn.Linear(d, d)

    def forward(self, x, mask):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.h, self.dk).permute(2, 0, 3, 1, 4)
        score = q @ k.transpose(-2, -1) / math.sqrt(self.dk)
        score = score.masked_fill(mask == 0, -10000)
        out = torch.softmax(score, -1) @ v
        return self.out(out.transpose(1, 2).reshape(b, t, d))


torch.manual_seed(0)
PAD = 0
emb, att, head = nn.Embedding(20, 16, padding_idx=PAD), Attention(16, 2), nn.Linear(16, 20)
ids = torch.tensor([[5, 7, 3, 0, 0], [4, 9, 11, 2, 6], [8, 1, 0, 0, 0]])
opt = torch.optim.Adam([*emb.parameters(), *att.parameters(), *head.parameters()], lr=1e-2)
for step in range(5):
    mask = (ids != PAD).unsqueeze(1).unsqueeze(3)
    logits = head(att(emb(ids), mask))
    loss = nn.functional.cross_entropy(logits.transpose(1, 2), ids, ignore_index=PAD)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, round(loss.item(), 3))

# %% mended
import math

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.h, self.dk = heads, d // heads
        self.qkv, self.out = nn.Linear(d, 3 * d), nn.Linear(d, d)

    def forward(self, x, mask):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.h, self.dk).permute(2, 0, 3, 1, 4)
        score = q @ k.transpose(-2, -1) / math.sqrt(self.dk)
        score = score.masked_fill(mask == 0, -10000)
        out = torch.softmax(score, -1) @ v
        return self.out(out.transpose(1, 2).reshape(b, t, d))


torch.manual_seed(0)
PAD = 0
emb, att, head = nn.Embedding(20, 16, padding_idx=PAD), Attention(16, 2), nn.Linear(16, 20)
ids = torch.tensor([[5, 7, 3, 0, 0], [4, 9, 11, 2, 6], [8, 1, 0, 0, 0]])
opt = torch.optim.Adam([*emb.parameters(), *att.parameters(), *head.parameters()], lr=1e-2)
for step in range(5):
    mask = (ids != PAD).unsqueeze(1).unsqueeze(2)
    logits = head(att(emb(ids), mask))
    loss = nn.functional.cross_entropy(logits.transpose(1, 2), ids, ignore_index=PAD)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, round(loss.item(), 3))
