"""A module whose parameter is scaled after it was made, so that the module does not know it as a parameter."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.randn(3)) * 0.1
        self.linear = nn.Linear(3, 1)

    def forward(self, x):
        return self.linear(x * self.scale)


model = Scaled()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss = F.mse_loss(model(torch.randn(8, 3)), torch.randn(8, 1))
loss.backward()
optimizer.step()
print([name for name, _ in model.named_parameters()])

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.randn(3) * 0.1)
        self.linear = nn.Linear(3, 1)

    def forward(self, x):
        return self.linear(x * self.scale)


model = Scaled()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss = F.mse_loss(model(torch.randn(8, 3)), torch.randn(8, 1))
loss.backward()
optimizer.step()
print([name for name, _ in model.named_parameters()])
