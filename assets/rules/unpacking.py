"""The one result of a model is unpacked into two names."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 2)
out, hidden = model(torch.randn(4, 3))
print(out.shape)

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 2)
out = model(torch.randn(4, 3))
print(out.shape)
