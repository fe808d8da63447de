"""Scores for each word of a sentence are (batch, words, classes), and there are as many words as classes."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
table, head = nn.Embedding(10, 8), nn.Linear(8, 5)
tokens = torch.randint(0, 10, (6, 5))
scores = head(table(tokens))
loss = nn.functional.cross_entropy(scores, tokens % 5)
loss.backward()
print(f"{loss.item():.4g}")

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
table, head = nn.Embedding(10, 8), nn.Linear(8, 5)
tokens = torch.randint(0, 10, (6, 5))
scores = head(table(tokens))
loss = nn.functional.cross_entropy(scores.transpose(1, 2), tokens % 5)
loss.backward()
print(f"{loss.item():.4g}")
