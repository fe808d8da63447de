"""A function that computes a loss and forgets to return it."""

# %% broken
import torch


def loss_of(w):
    loss = (w**2).sum()


w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = loss_of(w)
loss.backward()
print(w.grad)

# %% mended
import torch


def loss_of(w):
    return (w**2).sum()


w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = loss_of(w)
loss.backward()
print(w.grad)
