"""The number of a loss, taken as it was before PyTorch 0.4."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
loss = F.mse_loss(model(torch.ones(4, 3)), torch.zeros(4, 1))
loss.backward()
print(f"{loss.data[0]:.3f}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
loss = F.mse_loss(model(torch.ones(4, 3)), torch.zeros(4, 1))
loss.backward()
print(f"{loss.item():.3f}")
