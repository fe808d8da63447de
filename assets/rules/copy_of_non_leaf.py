"""A model that keeps its last activation is copied for the best checkpoint."""

# %% broken
import copy

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)
        self.last = None

    def forward(self, x):
        self.last = torch.tanh(self.fc(x))
        return self.last.sum()


torch.manual_seed(0)
model = Net()
model(torch.randn(4, 3)).backward()
best = copy.deepcopy(model)
print(best.fc.weight.shape)

# %% mended
import copy

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)
        self.last = None

    def forward(self, x):
        hidden = torch.tanh(self.fc(x))
        self.last = hidden.detach()
        return hidden.sum()


torch.manual_seed(0)
model = Net()
model(torch.randn(4, 3)).backward()
best = copy.deepcopy(model)
print(best.fc.weight.shape)
