"""Data from NumPy, which is float64, for a model of float32."""

# %% broken
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 1)
x = torch.from_numpy(np.linspace(0, 1, 8).reshape(4, 2))
print(model(x).shape)

# %% mended
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 1)
x = torch.from_numpy(np.linspace(0, 1, 8).reshape(4, 2)).float()
print(model(x).shape)
