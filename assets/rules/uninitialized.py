"""A weight that is made with torch.empty and never filled."""

# %% broken
import torch

w = torch.empty(3, requires_grad=True)
x = torch.tensor([1.0, 2.0, 3.0])
loss = (w * x).sum()
loss.backward()
print(w.grad)

# %% mended
import torch

w = torch.zeros(3, requires_grad=True)
x = torch.tensor([1.0, 2.0, 3.0])
loss = (w * x).sum()
loss.backward()
print(w.grad)
