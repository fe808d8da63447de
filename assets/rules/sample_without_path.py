"""An autoencoder that draws its code with torch.normal, so that its encoder learns nothing."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder, decoder = nn.Linear(4, 2), nn.Linear(1, 4)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-2)
x = torch.randn(16, 4)
for step in range(3):
    mean, log_std = encoder(x).chunk(2, dim=1)
    z = torch.normal(mean, log_std.exp())
    loss = F.mse_loss(decoder(z), x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(encoder.weight.grad.abs().sum() > 0)

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder, decoder = nn.Linear(4, 2), nn.Linear(1, 4)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-2)
x = torch.randn(16, 4)
for step in range(3):
    mean, log_std = encoder(x).chunk(2, dim=1)
    z = mean + log_std.exp() * torch.randn_like(mean)
    loss = F.mse_loss(decoder(z), x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(encoder.weight.grad.abs().sum() > 0)
