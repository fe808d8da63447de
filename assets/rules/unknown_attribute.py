"""A layer that is called by another name than it was given."""

# %% broken
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(3, 1)

    def forward(self, x):
        return self.fc_1(x)


torch.manual_seed(0)
print(Net()(torch.randn(2, 3)).shape)

# %% mended
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(3, 1)

    def forward(self, x):
        return self.fc1(x)


torch.manual_seed(0)
print(Net()(torch.randn(2, 3)).shape)
