"""A gradient with respect to the input, which is data and was not told to require grad."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Linear(3, 1)
x = torch.randn(4, 3)
score = critic(x).sum()
(gradient,) = torch.autograd.grad(score, x)
print(gradient.shape)

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Linear(3, 1)
x = torch.randn(4, 3, requires_grad=True)
score = critic(x).sum()
(gradient,) = torch.autograd.grad(score, x)
print(gradient.shape)
