"""The heads of an attention are moved by transpose() and joined by view()."""

# %% broken
import torch

torch.manual_seed(0)
heads = torch.randn(2, 3, 4, 5, requires_grad=True)
joined = heads.transpose(1, 2).view(2, 4, 15)
print(joined.shape)

# %% mended
import torch

torch.manual_seed(0)
heads = torch.randn(2, 3, 4, 5, requires_grad=True)
joined = heads.transpose(1, 2).reshape(2, 4, 15)
print(joined.shape)
