"""An LSTM of one layer with dropout, which would stand between its layers."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
lstm = nn.LSTM(3, 4, dropout=0.5)
out, state = lstm(torch.randn(5, 2, 3))
print(out.shape)

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
lstm, dropout = nn.LSTM(3, 4), nn.Dropout(0.5)
out, state = lstm(torch.randn(5, 2, 3))
print(dropout(out).shape)
