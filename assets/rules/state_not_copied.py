"""Early stopping that keeps the best weights by reference, and so puts back the last ones."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
x, y = torch.randn(6, 3), torch.randn(6, 1)
best, best_weights = float("inf"), None
for epoch in range(6):
    loss = F.mse_loss(model(x), y)
    if loss.item() < best:
        best, best_weights = loss.item(), model.state_dict()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
model.load_state_dict(best_weights)
print(F.mse_loss(model(x), y).item() == best)

# %% mended
import copy

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
x, y = torch.randn(6, 3), torch.randn(6, 1)
best, best_weights = float("inf"), None
for epoch in range(6):
    loss = F.mse_loss(model(x), y)
    if loss.item() < best:
        best, best_weights = loss.item(), copy.deepcopy(model.state_dict())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
model.load_state_dict(best_weights)
print(F.mse_loss(model(x), y).item() == best)
