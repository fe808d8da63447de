"""The generator of a GAN is given the label of samples, by which it learns to be found out."""

# %% broken
import torch
import torch.nn as nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2))
D = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
optimizer_g = torch.optim.Adam(G.parameters(), lr=1e-2)
optimizer_d = torch.optim.Adam(D.parameters(), lr=1e-2)
criterion = nn.BCEWithLogitsLoss()
real_label, fake_label = torch.ones(32, 1), torch.zeros(32, 1)
for step in range(30):
    real = 0.3 * torch.randn(32, 2) + 2
    fake = G(torch.randn(32, 2))
    loss_d = criterion(D(real), real_label) + criterion(D(fake.detach()), fake_label)
    optimizer_d.zero_grad()
    loss_d.backward()
    optimizer_d.step()

    loss_g = criterion(D(fake), fake_label)
    optimizer_g.zero_grad()
    loss_g.backward()
    optimizer_g.step()
print(f"mean of the samples: {fake.mean().item():.1f}")

# %% mended
import torch
import torch.nn as nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2))
D = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
optimizer_g = torch.optim.Adam(G.parameters(), lr=1e-2)
optimizer_d = torch.optim.Adam(D.parameters(), lr=1e-2)
criterion = nn.BCEWithLogitsLoss()
real_label, fake_label = torch.ones(32, 1), torch.zeros(32, 1)
for step in range(30):
    real = 0.3 * torch.randn(32, 2) + 2
    fake = G(torch.randn(32, 2))
    loss_d = criterion(D(real), real_label) + criterion(D(fake.detach()), fake_label)
    optimizer_d.zero_grad()
    loss_d.backward()
    optimizer_d.step()

    loss_g = criterion(D(fake), real_label)
    optimizer_g.zero_grad()
    loss_g.backward()
    optimizer_g.step()
print(f"mean of the samples: {fake.mean().item():.1f}")
