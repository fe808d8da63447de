"""A leaf that is rounded on the way to the loss, so that its gradient is zero."""

# %% broken
import torch

w = torch.tensor([1.2, 2.7], requires_grad=True)
loss = (torch.round(w) * 3).sum()
loss.backward()
print(w.grad)

# %% mended
import torch

w = torch.tensor([1.2, 2.7], requires_grad=True)
rounded = w + (torch.round(w) - w).detach()
loss = (rounded * 3).sum()
loss.backward()
print(w.grad)
