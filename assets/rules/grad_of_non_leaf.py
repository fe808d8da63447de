"""The gradient of a hidden layer is kept for a plot, which no backward pass keeps."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
first, last = nn.Linear(3, 4), nn.Linear(4, 1)
hidden = torch.tanh(first(torch.randn(2, 3)))
last(hidden).sum().backward()
norms = [hidden.grad]
print(norms)

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
first, last = nn.Linear(3, 4), nn.Linear(4, 1)
hidden = torch.tanh(first(torch.randn(2, 3)))
hidden.retain_grad()
last(hidden).sum().backward()
norms = [hidden.grad]
print(norms[0].shape)
