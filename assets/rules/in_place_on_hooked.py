"""The hook of a Grad-CAM sits on a convolution, and the ReLU behind it writes in place."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.Conv2d(4, 4, 3), nn.ReLU(inplace=True), nn.Flatten(), nn.Linear(64, 3))
seen = []
model[1].register_full_backward_hook(lambda module, grad_in, grad_out: seen.append(grad_out[0]))
model(torch.randn(2, 1, 8, 8))[:, 0].sum().backward()
print(seen[0].shape)

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.Conv2d(4, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(64, 3))
seen = []
model[1].register_full_backward_hook(lambda module, grad_in, grad_out: seen.append(grad_out[0]))
model(torch.randn(2, 1, 8, 8))[:, 0].sum().backward()
print(seen[0].shape)
