"""The parameters of a model and of its head, which is a part of it."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.SGD([*model.parameters(), *model[2].parameters()], lr=0.1)
model(torch.randn(8, 3)).pow(2).mean().backward()
optimizer.step()
print(len(optimizer.param_groups[0]["params"]))

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model(torch.randn(8, 3)).pow(2).mean().backward()
optimizer.step()
print(len(optimizer.param_groups[0]["params"]))
