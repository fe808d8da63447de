"""Features are normalised over a batch of one."""

# %% broken
import torch

torch.manual_seed(0)
batch = torch.randn(1, 3)
spread = batch.std(dim=0)
print(spread)

# %% mended
import torch

torch.manual_seed(0)
batch = torch.randn(8, 3)
spread = batch.std(dim=0)
print(spread)
