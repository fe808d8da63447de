"""The noise of a VAE is multiplied by the variance."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
enc, dec = nn.Linear(6, 4), nn.Linear(2, 6)
optimizer = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=0.05)
x = torch.randn(16, 6)
for epoch in range(20):
    mu, logvar = enc(x).chunk(2, 1)
    z = mu + torch.randn_like(mu) * logvar.exp()
    kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1).mean()
    loss = F.mse_loss(dec(z), x) + kl
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
enc, dec = nn.Linear(6, 4), nn.Linear(2, 6)
optimizer = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=0.05)
x = torch.randn(16, 6)
for epoch in range(20):
    mu, logvar = enc(x).chunk(2, 1)
    z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
    kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1).mean()
    loss = F.mse_loss(dec(z), x) + kl
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
