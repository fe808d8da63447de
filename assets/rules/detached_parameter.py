"""A layer that is called under no_grad(), and is to be trained."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder, head = nn.Linear(3, 4), nn.Linear(4, 1)
optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1)
x, y = torch.randn(16, 3), torch.randn(16, 1)
for epoch in range(3):
    optimizer.zero_grad()
    with torch.no_grad():
        features = torch.tanh(encoder(x))
    loss = F.mse_loss(head(features), y)
    loss.backward()
    optimizer.step()
print(encoder.weight.grad)

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder, head = nn.Linear(3, 4), nn.Linear(4, 1)
optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1)
x, y = torch.randn(16, 3), torch.randn(16, 1)
for epoch in range(3):
    optimizer.zero_grad()
    features = torch.tanh(encoder(x))
    loss = F.mse_loss(head(features), y)
    loss.backward()
    optimizer.step()
print(encoder.weight.grad)
