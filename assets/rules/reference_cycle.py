"""A second derivative for which backward() keeps the graph of the first in w.grad."""

# %% broken
import torch

w = torch.tensor(2.0, requires_grad=True)
loss = w**3
loss.backward(create_graph=True)
slope = w.grad
(curvature,) = torch.autograd.grad(slope, w)
print(slope.detach(), curvature)

# %% mended
import torch

w = torch.tensor(2.0, requires_grad=True)
loss = w**3
(slope,) = torch.autograd.grad(loss, w, create_graph=True)
(curvature,) = torch.autograd.grad(slope, w)
print(slope.detach(), curvature)
