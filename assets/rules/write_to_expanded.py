"""Weights are expanded to a batch and multiplied in place."""

# %% broken
import torch

weights = torch.tensor([1.0, 2.0, 3.0]).expand(2, 3)
mask = torch.tensor([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
weights *= mask
print(weights)

# %% mended
import torch

weights = torch.tensor([1.0, 2.0, 3.0]).expand(2, 3).clone()
mask = torch.tensor([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
weights *= mask
print(weights)
