"""An entropy by hand: zero times the logarithm of zero."""

# %% broken
import torch

p = torch.tensor([0.0, 0.5, 0.5], requires_grad=True)
entropy = -(p * torch.log(p)).sum()
entropy.backward()
print(f"{entropy.item():.4g}", p.grad)

# %% mended
import torch

p = torch.tensor([0.0, 0.5, 0.5], requires_grad=True)
entropy = -(p * torch.log(p.clamp(min=1e-6))).sum()
entropy.backward()
print(f"{entropy.item():.4g}", p.grad)
