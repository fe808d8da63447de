"""An embedding with a row for each word, and none for the padding."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
vocabulary = ["a", "cat", "sat"]
embedding = nn.Embedding(len(vocabulary), 2)
words = torch.tensor([0, 1, 2, 3])
print(embedding(words).shape)

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
vocabulary = ["a", "cat", "sat", "<pad>"]
embedding = nn.Embedding(len(vocabulary), 2)
words = torch.tensor([0, 1, 2, 3])
print(embedding(words).shape)
