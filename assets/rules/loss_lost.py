"""A second loss is to be added to the first, and =+ assigns where += would add."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
model, decoder = nn.Linear(6, 3), nn.Linear(3, 6)
optimizer = torch.optim.Adam([*model.parameters(), *decoder.parameters()], lr=1e-2)
for step in range(5):
    x = torch.randn(16, 6)
    code = model(x)
    loss = nn.functional.mse_loss(decoder(code), x)
    loss = +0.1 * code.abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
model, decoder = nn.Linear(6, 3), nn.Linear(3, 6)
optimizer = torch.optim.Adam([*model.parameters(), *decoder.parameters()], lr=1e-2)
for step in range(5):
    x = torch.randn(16, 6)
    code = model(x)
    loss = nn.functional.mse_loss(decoder(code), x)
    loss += 0.1 * code.abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
