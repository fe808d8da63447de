"""The parameters of a layer are loaded into a model that has it under another name."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
saved = nn.Linear(3, 2).state_dict()
model = nn.Sequential(nn.Linear(3, 2), nn.ReLU())
model.load_state_dict(saved)
print(model[0].weight.shape)

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
saved = nn.Linear(3, 2).state_dict()
model = nn.Sequential(nn.Linear(3, 2), nn.ReLU())
model[0].load_state_dict(saved)
print(model[0].weight.shape)
