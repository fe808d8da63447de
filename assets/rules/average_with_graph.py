"""A running average of the weights, to evaluate with, that takes them with their graph."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x, y = torch.randn(16, 3), torch.randn(16, 1)
average = torch.zeros(1, 3)
for epoch in range(5):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    average = 0.9 * average + 0.1 * model.weight
print(average.detach())

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x, y = torch.randn(16, 3), torch.randn(16, 1)
average = torch.zeros(1, 3)
for epoch in range(5):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    average = 0.9 * average + 0.1 * model.weight.detach()
print(average.detach())
