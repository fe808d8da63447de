"""A weight that is changed through .data between forward and backward, so that the gradient belongs to another value."""

# %% broken
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (w**2).sum()
w.data.mul_(10)
loss.backward()
print(w.grad)

# %% mended
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (w**2).sum()
loss.backward()
with torch.no_grad():
    w.mul_(10)
print(w.grad)
