"""A module that calls F.dropout without telling it of its mode, so that it drops in evaluation, too."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = nn.Linear(3, 16), nn.Linear(16, 1)

    def forward(self, x):
        x = F.dropout(torch.relu(self.hidden(x)), 0.5)
        return self.out(x)


torch.manual_seed(0)
net = Net()
x = torch.randn(16, 3)
net.eval()
with torch.no_grad():
    print(bool((net(x) == net(x)).all()))

# %% mended
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = nn.Linear(3, 16), nn.Linear(16, 1)

    def forward(self, x):
        x = F.dropout(torch.relu(self.hidden(x)), 0.5, training=self.training)
        return self.out(x)


torch.manual_seed(0)
net = Net()
x = torch.randn(16, 3)
net.eval()
with torch.no_grad():
    print(bool((net(x) == net(x)).all()))
