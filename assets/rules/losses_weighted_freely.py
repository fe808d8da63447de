"""Two losses are weighted by trained parameters, which go to where the sum is smallest."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
x = torch.randn(64, 4)
y, c = x.sum(1, keepdim=True), (x[:, 0] > 0).long()
trunk, value, group = nn.Linear(4, 8), nn.Linear(8, 1), nn.Linear(8, 2)
weights = nn.Parameter(torch.ones(2))
optimizer = torch.optim.Adam([weights, *trunk.parameters(), *value.parameters(), *group.parameters()], lr=0.02)
for step in range(60):
    hidden = torch.tanh(trunk(x))
    error, entropy = F.mse_loss(value(hidden), y), F.cross_entropy(group(hidden), c)
    loss = weights[0] * error + weights[1] * entropy
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print([round(weight, 2) for weight in weights.tolist()])

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
x = torch.randn(64, 4)
y, c = x.sum(1, keepdim=True), (x[:, 0] > 0).long()
trunk, value, group = nn.Linear(4, 8), nn.Linear(8, 1), nn.Linear(8, 2)
weights = nn.Parameter(torch.zeros(2))
optimizer = torch.optim.Adam([weights, *trunk.parameters(), *value.parameters(), *group.parameters()], lr=0.02)
for step in range(60):
    hidden = torch.tanh(trunk(x))
    error, entropy = F.mse_loss(value(hidden), y), F.cross_entropy(group(hidden), c)
    loss = torch.exp(-weights[0]) * error + weights[0] + torch.exp(-weights[1]) * entropy + weights[1]
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print([round(weight, 2) for weight in weights.tolist()])
