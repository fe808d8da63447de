"""A training loop that records a graph of every gradient, which is only needed for second derivatives."""

# %% broken
import torch

torch.manual_seed(0)
w = torch.tensor([3.0, -2.0], requires_grad=True)
for step in range(4):
    loss = (w**2).sum()
    (gradient,) = torch.autograd.grad(loss, w, create_graph=True)
    with torch.no_grad():
        w -= 0.1 * gradient
print(w.detach())

# %% mended
import torch

torch.manual_seed(0)
w = torch.tensor([3.0, -2.0], requires_grad=True)
for step in range(4):
    loss = (w**2).sum()
    (gradient,) = torch.autograd.grad(loss, w)
    with torch.no_grad():
        w -= 0.1 * gradient
print(w.detach())
