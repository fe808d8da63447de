"""torch.where() hides the NaN of the branch that is not chosen, and its derivative finds it again."""

# %% broken
import torch

x = torch.tensor([0.0, 2.0], requires_grad=True)
sinc = torch.where(x == 0, torch.ones_like(x), torch.sin(x) / x)
sinc.sum().backward()
print(x.grad)

# %% mended
import torch

x = torch.tensor([0.0, 2.0], requires_grad=True)
safe = torch.where(x == 0, torch.ones_like(x), x)
sinc = torch.where(x == 0, torch.ones_like(x), torch.sin(safe) / safe)
sinc.sum().backward()
print(x.grad)
