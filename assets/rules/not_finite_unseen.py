"""A long run that becomes infinite where there was no room any more to record every operation."""

# %% broken
import torch

w = torch.tensor([1.0], requires_grad=True)
for step in range(3000):
    loss = (w**4 - 2 * w**2).sum()
    loss.backward()
    with torch.no_grad():
        w -= (0.01 if step < 2500 else 20.0) * w.grad + 0.001
    w.grad = None
print(w)

# %% mended
import torch

w = torch.tensor([1.0], requires_grad=True)
for step in range(3000):
    loss = (w**4 - 2 * w**2).sum()
    loss.backward()
    with torch.no_grad():
        w -= (0.01 if step < 2500 else 0.001) * w.grad + 0.001
    w.grad = None
print(w)
