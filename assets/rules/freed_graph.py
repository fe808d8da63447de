"""Two losses of one graph, whose first backward() frees what the second one needs."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 2)
hidden = torch.tanh(model(torch.randn(4, 3)))
first = hidden[:, 0].mean()
second = (hidden[:, 1] ** 2).mean()
first.backward()
second.backward()

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 2)
hidden = torch.tanh(model(torch.randn(4, 3)))
first = hidden[:, 0].mean()
second = (hidden[:, 1] ** 2).mean()
(first + second).backward()
print(model.weight.grad)
