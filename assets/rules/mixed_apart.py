"""Mixup: each sample is mixed with one partner, and its prediction is compared with another one's label."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
inputs, labels = torch.randn(64, 6), torch.randint(0, 3, (64,))
model = nn.Linear(6, 3)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    lam = 0.7
    mixed = lam * inputs + (1 - lam) * inputs[torch.randperm(64)]
    other = labels[torch.randperm(64)]
    out = model(mixed)
    loss = lam * F.cross_entropy(out, labels) + (1 - lam) * F.cross_entropy(out, other)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(epoch, f"{loss.item():.3f}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
inputs, labels = torch.randn(64, 6), torch.randint(0, 3, (64,))
model = nn.Linear(6, 3)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    lam = 0.7
    perm = torch.randperm(64)
    mixed = lam * inputs + (1 - lam) * inputs[perm]
    other = labels[perm]
    out = model(mixed)
    loss = lam * F.cross_entropy(out, labels) + (1 - lam) * F.cross_entropy(out, other)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(epoch, f"{loss.item():.3f}")
