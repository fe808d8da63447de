"""A gradient is asked for with respect to a copy, of which the loss knows nothing."""

# %% broken
import torch

torch.manual_seed(0)
x = torch.randn(4, requires_grad=True)
loss = (x**3).sum()
inputs = x.clone()
(gradient,) = torch.autograd.grad(loss, inputs)
print(gradient)

# %% mended
import torch

torch.manual_seed(0)
x = torch.randn(4, requires_grad=True)
loss = (x**3).sum()
(gradient,) = torch.autograd.grad(loss, x)
print(gradient)
