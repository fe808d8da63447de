"""A prediction that is rounded before the loss: a step function has slope 0."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, counts = torch.randn(16, 3) * 5, torch.randint(0, 5, (16, 1)).float()
for epoch in range(3):
    optimizer.zero_grad()
    prediction = torch.round(model(x))
    loss = F.mse_loss(prediction, counts)
    loss.backward()
    optimizer.step()
print(model.weight.grad)

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x, counts = torch.randn(16, 3) * 5, torch.randint(0, 5, (16, 1)).float()
for epoch in range(3):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), counts)
    loss.backward()
    optimizer.step()
print(torch.round(model(x)).detach().shape)
