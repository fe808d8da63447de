"""A variational autoencoder whose divergence is a sum beside a mean squared error: every input is decoded alike."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder, decoder = nn.Linear(20, 8), nn.Linear(4, 20)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-2)
data = torch.randn(64, 3) @ torch.randn(3, 20)
for step in range(20):
    mu, logvar = encoder(data).chunk(2, dim=1)
    z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)
    reconstruction = F.mse_loss(decoder(z), data)
    divergence = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    loss = reconstruction + divergence
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{reconstruction.item():.2f}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder, decoder = nn.Linear(20, 8), nn.Linear(4, 20)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-2)
data = torch.randn(64, 3) @ torch.randn(3, 20)
for step in range(20):
    mu, logvar = encoder(data).chunk(2, dim=1)
    z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)
    reconstruction = F.mse_loss(decoder(z), data, reduction="sum")
    divergence = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    loss = reconstruction + divergence
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{reconstruction.item():.2f}")
