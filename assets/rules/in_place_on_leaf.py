"""An update by hand that is not under no_grad()."""

# %% broken
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
for step in range(3):
    loss = (w**2).sum()
    loss.backward()
    w -= 0.1 * w.grad
    w.grad.zero_()
print(w)

# %% mended
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
for step in range(3):
    loss = (w**2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad.zero_()
print(w)
