"""A sum over the columns of a vector."""

# %% broken
import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
total = (x * 2).sum(dim=1)
print(total)

# %% mended
import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
total = (x * 2).sum(dim=0)
print(total)
