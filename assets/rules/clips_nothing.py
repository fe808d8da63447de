"""A generator of the parameters that have a gradient, which is used up before the clipping."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(16, 3), torch.randn(16, 1)
loss = F.mse_loss(model(x), y)
loss.backward()
trained = (p for p in model.parameters() if p.grad is not None)
print(sum(p.numel() for p in trained))
nn.utils.clip_grad_norm_(trained, 0.1)
optimizer.step()

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(16, 3), torch.randn(16, 1)
loss = F.mse_loss(model(x), y)
loss.backward()
trained = [p for p in model.parameters() if p.grad is not None]
print(sum(p.numel() for p in trained))
nn.utils.clip_grad_norm_(trained, 0.1)
optimizer.step()
