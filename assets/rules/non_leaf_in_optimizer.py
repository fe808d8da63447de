"""An optimizer that is given a tensor that was scaled after requires_grad=True."""

# %% broken
import torch

torch.manual_seed(0)
w = torch.randn(3, requires_grad=True) * 0.01
optimizer = torch.optim.SGD([w], lr=0.1)
loss = (w - 1).pow(2).sum()
loss.backward()
optimizer.step()

# %% mended
import torch

torch.manual_seed(0)
w = (torch.randn(3) * 0.01).requires_grad_()
optimizer = torch.optim.SGD([w], lr=0.1)
loss = (w - 1).pow(2).sum()
loss.backward()
optimizer.step()
print(w)
