"""A counter of integers to which fractions are added in place."""

# %% broken
import torch

total = torch.zeros(3, dtype=torch.long)
for share in (0.5, 0.25):
    total += torch.tensor([1.0, 2.0, 3.0]) * share
print(total)

# %% mended
import torch

total = torch.zeros(3)
for share in (0.5, 0.25):
    total += torch.tensor([1.0, 2.0, 3.0]) * share
print(total)
