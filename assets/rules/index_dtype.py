"""Word numbers that were read as floating point."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
embedding = nn.Embedding(10, 3)
words = torch.tensor([1.0, 4.0, 2.0])
print(embedding(words).shape)

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
embedding = nn.Embedding(10, 3)
words = torch.tensor([1.0, 4.0, 2.0])
print(embedding(words.long()).shape)
