"""Two networks against each other."""

import torch, torch.nn as nn

torch.manual_seed(4)
G = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
D = nn.Sequential(nn.Linear(1, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1), nn.Sigmoid())
og = torch.optim.Adam(G.parameters(), 2e-3, betas=(0.5, 0.999))
od = torch.optim.Adam(D.parameters(), 2e-3, betas=(0.5, 0.999))
bce = nn.BCELoss()
for i in range(4):
    real = torch.randn(16, 1) * 0.5 + 3
    z = torch.randn(16, 2)
    fake = G(z)
    od.zero_grad()
    ld = bce(D(real), torch.ones(16, 1)) + bce(D(fake.detach()), torch.zeros(16, 1))
    ld.backward()
    od.step()
    og.zero_grad()
    lg = bce(D(fake), torch.ones(16, 1))
    lg.backward()
    og.step()
    print(f"{ld.item():.4f} {lg.item():.4f}")
print(G, D)
