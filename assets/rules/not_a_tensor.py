"""An LSTM in a Sequential, which hands its pair of results on."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.LSTM(3, 4, batch_first=True), nn.Linear(4, 1))
x = torch.randn(2, 5, 3)
print(model(x).shape)

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
lstm, head = nn.LSTM(3, 4, batch_first=True), nn.Linear(4, 1)
x = torch.randn(2, 5, 3)
out, state = lstm(x)
print(head(out).shape)
