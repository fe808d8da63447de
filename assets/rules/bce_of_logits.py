"""binary_cross_entropy on the scores of a model that does not end with a sigmoid."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
x, y = torch.randn(16, 3), torch.randint(0, 2, (16, 1)).float()
loss = F.binary_cross_entropy(model(x), y)
loss.backward()

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
x, y = torch.randn(16, 3), torch.randint(0, 2, (16, 1)).float()
loss = F.binary_cross_entropy_with_logits(model(x), y)
loss.backward()
print(f"{loss.item():.4g}")
