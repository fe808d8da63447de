"""A name that is misspelt where it is used."""

# %% broken
import torch

learning_rate = 0.1
w = torch.tensor([1.0, 2.0], requires_grad=True)
(w**2).sum().backward()
with torch.no_grad():
    w -= leaning_rate * w.grad
print(w)

# %% mended
import torch

learning_rate = 0.1
w = torch.tensor([1.0, 2.0], requires_grad=True)
(w**2).sum().backward()
with torch.no_grad():
    w -= learning_rate * w.grad
print(w)
