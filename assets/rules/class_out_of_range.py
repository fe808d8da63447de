"""Labels that count from 1, where classes count from 0."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 3)
x, labels = torch.randn(3, 4), torch.tensor([1, 2, 3])
loss = F.cross_entropy(model(x), labels)
loss.backward()
print(f"{loss.item():.4g}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 3)
x, labels = torch.randn(3, 4), torch.tensor([1, 2, 3])
loss = F.cross_entropy(model(x), labels - 1)
loss.backward()
print(f"{loss.item():.4g}")
