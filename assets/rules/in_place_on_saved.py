"""The result of exp() is needed by its own derivative, and is changed before backward() comes to it."""

# %% broken
import torch

x = torch.tensor([0.0, 1.0], requires_grad=True)
y = torch.exp(x)
y += 1
y.sum().backward()
print(x.grad)

# %% mended
import torch

x = torch.tensor([0.0, 1.0], requires_grad=True)
y = torch.exp(x)
y = y + 1
y.sum().backward()
print(x.grad)
