"""A function that returns a new tensor is called as if it changed its argument."""

# %% broken
import torch

x = torch.tensor([1.0, -2.0], requires_grad=True)
y = x * 3
torch.relu(y)
y.sum().backward()
print(x.grad)

# %% mended
import torch

x = torch.tensor([1.0, -2.0], requires_grad=True)
y = x * 3
y = torch.relu(y)
y.sum().backward()
print(x.grad)
