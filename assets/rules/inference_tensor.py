"""Features that are made under inference_mode(), on which a head is trained."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
encoder, head = nn.Linear(3, 4), nn.Linear(4, 1)
with torch.inference_mode():
    features = encoder(torch.randn(8, 3))
loss = head(features).pow(2).mean()
loss.backward()
print(head.weight.grad.shape)

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
encoder, head = nn.Linear(3, 4), nn.Linear(4, 1)
with torch.no_grad():
    features = encoder(torch.randn(8, 3))
loss = head(features).pow(2).mean()
loss.backward()
print(head.weight.grad.shape)
