"""A forward() without an argument for the input."""

# %% broken
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 1)

    def forward(self):
        return self.fc(self.x)


torch.manual_seed(0)
print(Net()(torch.randn(2, 3)).shape)

# %% mended
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 1)

    def forward(self, x):
        return self.fc(x)


torch.manual_seed(0)
print(Net()(torch.randn(2, 3)).shape)
