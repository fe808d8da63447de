"""backward() of a vector is given a gradient of another length."""

# %% broken
import torch

x = torch.ones(3, requires_grad=True)
y = x**2
y.backward(torch.ones(2))
print(x.grad)

# %% mended
import torch

x = torch.ones(3, requires_grad=True)
y = x**2
y.backward(torch.ones(3))
print(x.grad)
