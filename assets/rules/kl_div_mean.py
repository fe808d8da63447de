"""A divergence that is averaged over the classes, too, by default."""

# %% broken
import torch
import torch.nn.functional as F

torch.manual_seed(0)
scores = torch.randn(4, 3, requires_grad=True)
teacher = torch.softmax(torch.randn(4, 3), dim=1)
loss = F.kl_div(F.log_softmax(scores, dim=1), teacher)
loss.backward()
print(f"{loss.item():.4g}")

# %% mended
import torch
import torch.nn.functional as F

torch.manual_seed(0)
scores = torch.randn(4, 3, requires_grad=True)
teacher = torch.softmax(torch.randn(4, 3), dim=1)
loss = F.kl_div(F.log_softmax(scores, dim=1), teacher, reduction="batchmean")
loss.backward()
print(f"{loss.item():.4g}")
