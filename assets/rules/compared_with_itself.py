"""An autoencoder's result is compared with itself instead of with what went in."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 3), nn.Tanh(), nn.Linear(3, 8))
optimizer = torch.optim.Adam(model.parameters())
for step in range(4):
    x = torch.randn(16, 8)
    output = model(x)
    loss = nn.functional.mse_loss(output, output)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(round(loss.item(), 4))

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 3), nn.Tanh(), nn.Linear(3, 8))
optimizer = torch.optim.Adam(model.parameters())
for step in range(4):
    x = torch.randn(16, 8)
    output = model(x)
    loss = nn.functional.mse_loss(output, x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(round(loss.item(), 4))
