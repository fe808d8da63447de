"""A program that warns of its own data."""

# %% broken
import warnings

import torch

x = torch.tensor([1.0, 2.0, 900.0])
if x.max() > 100:
    warnings.warn("the data has outliers", stacklevel=1)
print(x.clamp(max=3))

# %% mended
import torch

x = torch.tensor([1.0, 2.0, 3.0])
print(x.clamp(max=3))
