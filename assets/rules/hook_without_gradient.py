"""A hook is registered on a tensor of data."""

# %% broken
import torch
import torch.nn as nn

torch.manual_seed(0)
model, seen = nn.Linear(4, 1), []
x = torch.randn(6, 4)
x.register_hook(lambda grad: seen.append(grad.norm()))
model(x).sum().backward()

# %% mended
import torch
import torch.nn as nn

torch.manual_seed(0)
model, seen = nn.Linear(4, 1), []
x = torch.randn(6, 4, requires_grad=True)
x.register_hook(lambda grad: seen.append(grad.norm()))
model(x).sum().backward()
