"""One of the pieces that unbind() gives is written in place."""

# %% broken
import torch

x = torch.ones(2, 3, requires_grad=True)
first, second = (x * 2).unbind(0)
first.mul_(3)
(first + second).sum().backward()
print(x.grad)

# %% mended
import torch

x = torch.ones(2, 3, requires_grad=True)
first, second = (x * 2).unbind(0)
first = first * 3
(first + second).sum().backward()
print(x.grad)
