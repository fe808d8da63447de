"""An optimizer is given the model instead of its parameters."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model, lr=0.1)
loss = model(torch.randn(4, 3)).pow(2).mean()
loss.backward()
optimizer.step()

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss = model(torch.randn(4, 3)).pow(2).mean()
loss.backward()
optimizer.step()
