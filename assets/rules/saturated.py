"""Inputs in the thousands, for which tanh is flat."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
hidden, head = nn.Linear(5, 8), nn.Linear(8, 1)
optimizer = torch.optim.SGD([*hidden.parameters(), *head.parameters()], lr=0.01)
prices, y = torch.randn(16, 5) * 1000, torch.randn(16, 1)
for epoch in range(3):
    optimizer.zero_grad()
    loss = F.mse_loss(head(torch.tanh(hidden(prices))), y)
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4g}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
hidden, head = nn.Linear(5, 8), nn.Linear(8, 1)
optimizer = torch.optim.SGD([*hidden.parameters(), *head.parameters()], lr=0.01)
prices, y = torch.randn(16, 5) * 1000, torch.randn(16, 1)
prices = (prices - prices.mean(dim=0)) / prices.std(dim=0)
for epoch in range(3):
    optimizer.zero_grad()
    loss = F.mse_loss(head(torch.tanh(hidden(prices))), y)
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4g}")
