"""An update by hand that gives the name of the leaf to a new tensor, which has no .grad in the next iteration."""

# %% broken
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
for step in range(3):
    loss = (w**2).sum()
    loss.backward()
    with torch.no_grad():
        w = w - 0.1 * w.grad
print(w)

# %% mended
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
for step in range(3):
    loss = (w**2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad = None
print(w)
