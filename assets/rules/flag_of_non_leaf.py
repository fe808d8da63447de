"""requires_grad of a result is switched off, to keep it from getting a gradient."""

# %% broken
import torch

w = torch.ones(3, requires_grad=True)
target = w * 2
target.requires_grad = False
loss = (w - target).pow(2).sum()
loss.backward()

# %% mended
import torch

w = torch.ones(3, requires_grad=True)
target = (w * 2).detach()
loss = (w - target).pow(2).sum()
loss.backward()
print(w.grad)
