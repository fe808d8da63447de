"""A program that was written for a GPU, where there is none."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")
model = nn.Linear(3, 1).to(device)
x = torch.randn(4, 3).to(device)
print(model(x).shape)

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
x = torch.randn(4, 3).to(device)
print(model(x).shape)
