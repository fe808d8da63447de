"""A classifier of two classes with a single output, whose softmax is 1 whatever the output is."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 1), nn.Softmax(dim=1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(10, 4), torch.randint(0, 2, (10, 1)).float()
for step in range(3):
    loss = nn.functional.mse_loss(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(round(loss.item(), 4))

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 1), nn.Sigmoid())
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(10, 4), torch.randint(0, 2, (10, 1)).float()
for step in range(3):
    loss = nn.functional.mse_loss(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(round(loss.item(), 4))
