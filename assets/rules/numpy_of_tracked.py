"""A prediction that requires grad is turned into a NumPy array, to be plotted."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 1)
x = torch.randn(5, 2)
prediction = model(x)
print(prediction.numpy().shape)

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 1)
x = torch.randn(5, 2)
prediction = model(x)
print(prediction.detach().numpy().shape)
