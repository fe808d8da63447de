"""A mean over groups, one of which is empty: its sum is divided by zero."""

# %% broken
import torch

sums = torch.tensor([2.0, 3.0], requires_grad=True)
counts = torch.tensor([4.0, 0.0])
loss = (sums / counts).sum()
loss.backward()
print(f"{loss.item():.4g}", sums.grad)

# %% mended
import torch

sums = torch.tensor([2.0, 3.0], requires_grad=True)
counts = torch.tensor([4.0, 0.0])
loss = (sums / counts.clamp(min=1)).sum()
loss.backward()
print(f"{loss.item():.4g}", sums.grad)
