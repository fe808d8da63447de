"""A classifier whose probabilities are fitted to zeros and ones by their squared distance."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
x = torch.randn(32, 2)
y = (x[:, 0] > 0).float()
model = nn.Sequential(nn.Linear(2, 1), nn.Sigmoid())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(5):
    optimizer.zero_grad()
    p = model(x).squeeze(1)
    loss = F.mse_loss(p, y)
    loss.backward()
    optimizer.step()
print(f"{((p > 0.5) == (y == 1)).float().mean().item():.2f}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
x = torch.randn(32, 2)
y = (x[:, 0] > 0).float()
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(5):
    optimizer.zero_grad()
    scores = model(x).squeeze(1)
    loss = F.binary_cross_entropy_with_logits(scores, y)
    loss.backward()
    optimizer.step()
print(f"{((scores > 0) == (y == 1)).float().mean().item():.2f}")
