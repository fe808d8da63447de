"""A ReLU by hand, with an if for all elements at once."""

# %% broken
import torch


def relu(x):
    return x if x > 0 else x * 0


x = torch.tensor([-1.0, 2.0], requires_grad=True)
relu(x).sum().backward()
print(x.grad)

# %% mended
import torch


def relu(x):
    return torch.where(x > 0, x, x * 0)


x = torch.tensor([-1.0, 2.0], requires_grad=True)
relu(x).sum().backward()
print(x.grad)
