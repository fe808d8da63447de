"""The output of a layer is taken for a standard deviation, and is negative."""

# %% broken
import torch
import torch.nn as nn
from torch.distributions import Normal

torch.manual_seed(0)
encoder = nn.Linear(4, 6)
x = torch.randn(8, 4)
mean, deviation = encoder(x).chunk(2, dim=1)
q = Normal(mean, deviation)
loss = -q.rsample().pow(2).mean()
loss.backward()

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Normal

torch.manual_seed(0)
encoder = nn.Linear(4, 6)
x = torch.randn(8, 4)
mean, raw = encoder(x).chunk(2, dim=1)
q = Normal(mean, F.softplus(raw) + 1e-6)
loss = -q.rsample().pow(2).mean()
loss.backward()
