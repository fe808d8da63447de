"""Classes in a column, as a table has them, for cross_entropy."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 3)
x, labels = torch.randn(6, 4), torch.randint(0, 3, (6, 1))
loss = F.cross_entropy(model(x), labels)
loss.backward()
print(f"{loss.item():.4g}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 3)
x, labels = torch.randn(6, 4), torch.randint(0, 3, (6, 1))
loss = F.cross_entropy(model(x), labels.squeeze(1))
loss.backward()
print(f"{loss.item():.4g}")
