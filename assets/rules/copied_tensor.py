"""A prediction that is wrapped in torch.tensor() once more."""

# %% broken
import torch

target = torch.tensor([1.0, 2.0])
w = torch.tensor([0.5, 0.5], requires_grad=True)
loss = (w - torch.tensor(target)).pow(2).sum()
loss.backward()
print(w.grad)

# %% mended
import torch

target = torch.tensor([1.0, 2.0])
w = torch.tensor([0.5, 0.5], requires_grad=True)
loss = (w - target).pow(2).sum()
loss.backward()
print(w.grad)
