"""Data augmentation works in place on slices of the data, which are erased little by little."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
inputs = torch.rand(48, 6)
labels = (inputs[:, 0] > inputs[:, 1]).long()
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)


def blank(batch):
    """Data augmentation: some entries are left out."""
    batch[torch.rand(batch.shape) < 0.1] = 0
    return batch


for epoch in range(10):
    for i in range(0, 48, 16):
        loss = F.cross_entropy(model(blank(inputs[i : i + 16])), labels[i : i + 16])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: mean of the inputs {inputs.mean().item():.2f}")

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
inputs = torch.rand(48, 6)
labels = (inputs[:, 0] > inputs[:, 1]).long()
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)


def blank(batch):
    """Data augmentation: some entries are left out."""
    batch[torch.rand(batch.shape) < 0.1] = 0
    return batch


for epoch in range(10):
    for i in range(0, 48, 16):
        loss = F.cross_entropy(model(blank(inputs[i : i + 16].clone())), labels[i : i + 16])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: mean of the inputs {inputs.mean().item():.2f}")
