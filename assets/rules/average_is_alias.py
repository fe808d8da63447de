"""A moving average of the weights keeps p.data, which is the weights themselves."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
model = nn.Linear(4, 1)
average = {name: p.data for name, p in model.named_parameters()}
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x = torch.randn(32, 4)
y = x.sum(1, keepdim=True)
for step in range(5):
    loss = F.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for name, p in model.named_parameters():
            average[name].mul_(0.9).add_(p, alpha=0.1)
print(torch.equal(average["weight"], model.weight))

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
model = nn.Linear(4, 1)
average = {name: p.data.clone() for name, p in model.named_parameters()}
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x = torch.randn(32, 4)
y = x.sum(1, keepdim=True)
for step in range(5):
    loss = F.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for name, p in model.named_parameters():
            average[name].mul_(0.9).add_(p, alpha=0.1)
print(torch.equal(average["weight"], model.weight))
