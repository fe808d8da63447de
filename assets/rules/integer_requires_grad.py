"""Whole numbers make a tensor of integers, which has no derivative."""

# %% broken
import torch

x = torch.tensor([1, 2, 3], requires_grad=True)
(x**2).sum().backward()
print(x.grad)

# %% mended
import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
(x**2).sum().backward()
print(x.grad)
