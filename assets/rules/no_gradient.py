"""A leaf whose values go by way of a Python number, so that no gradient comes back to it."""

# %% broken
import torch

w = torch.tensor(2.0, requires_grad=True)
v = torch.tensor(3.0, requires_grad=True)
loss = v * (w * w).item()
loss.backward()
print(w.grad, v.grad)

# %% mended
import torch

w = torch.tensor(2.0, requires_grad=True)
v = torch.tensor(3.0, requires_grad=True)
loss = v * (w * w)
loss.backward()
print(w.grad, v.grad)
