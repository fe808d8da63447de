"""A loss of each sample that is not reduced to one number before backward()."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
x, y = torch.randn(16, 3), torch.randn(16, 1)
loss = F.mse_loss(model(x), y, reduction="none")
loss.backward()

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
x, y = torch.randn(16, 3), torch.randn(16, 1)
loss = F.mse_loss(model(x), y, reduction="none")
loss.mean().backward()
print(model.weight.grad)
