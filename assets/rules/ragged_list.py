"""Sentences of different lengths in one tensor."""

# %% broken
import torch

sentences = [[1, 2, 3], [4, 5]]
batch = torch.tensor(sentences)
print(batch.shape)

# %% mended
import torch
from torch.nn.utils.rnn import pad_sequence

sentences = [[1, 2, 3], [4, 5]]
batch = pad_sequence([torch.tensor(s) for s in sentences], batch_first=True)
print(batch.shape)
