"""The square root has an infinite slope at zero."""

# %% broken
import torch

x = torch.tensor([0.0, 4.0], requires_grad=True)
y = torch.sqrt(x)
y.sum().backward()
print(x.grad)

# %% mended
import torch

x = torch.tensor([0.0, 4.0], requires_grad=True)
y = torch.sqrt(x + 1e-6)
y.sum().backward()
print(x.grad)
