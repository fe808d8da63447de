"""A module whose forward() is misspelt."""

# %% broken
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 1)

    def foward(self, x):
        return self.fc(x)


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
