"""nll_loss is given probabilities, and takes them for logarithms: the loss is negative."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 3)
x, labels = torch.randn(12, 4), torch.randint(0, 3, (12,))
loss = F.nll_loss(F.softmax(model(x), dim=1), labels)
loss.backward()
print(f"{loss.item():.4g}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 3)
x, labels = torch.randn(12, 4), torch.randint(0, 3, (12,))
loss = F.nll_loss(F.log_softmax(model(x), dim=1), labels)
loss.backward()
print(f"{loss.item():.4g}")
