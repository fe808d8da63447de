"""A tensor that is scaled after requires_grad=True: the name stands for a result, and the gradient is another tensor's."""

# %% broken
import torch

torch.manual_seed(0)
w = torch.randn(3, requires_grad=True) * 0.1
loss = (w**2).sum()
loss.backward()
print(w.grad.norm())

# %% mended
import torch

torch.manual_seed(0)
w = (torch.randn(3) * 0.1).requires_grad_()
loss = (w**2).sum()
loss.backward()
print(w.grad.norm())
