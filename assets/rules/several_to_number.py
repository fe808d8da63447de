"""The losses of all samples are printed as one number."""

# %% broken
import torch
import torch.nn.functional as F

torch.manual_seed(0)
prediction, y = torch.randn(4, requires_grad=True), torch.randn(4)
losses = F.mse_loss(prediction, y, reduction="none")
print(f"{losses.item():.4g}")

# %% mended
import torch
import torch.nn.functional as F

torch.manual_seed(0)
prediction, y = torch.randn(4, requires_grad=True), torch.randn(4)
losses = F.mse_loss(prediction, y, reduction="none")
print(f"{losses.mean().item():.4g}")
