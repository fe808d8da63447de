"""Gradients are accumulated over batches of padded sequences, whose means are over very different numbers of tokens."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Embedding(20, 16), nn.Linear(16, 20))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
criterion = nn.CrossEntropyLoss(ignore_index=-100)
for step in range(12):
    tokens = torch.randint(0, 20, (2, 12))
    labels = (tokens + 1) % 20
    labels[:, [2, 11, 3, 12][step % 4] :] = -100
    loss = criterion(model(tokens).flatten(0, 1), labels.flatten()) / 4
    loss.backward()
    if (step + 1) % 4 == 0:
        optimizer.step()
        optimizer.zero_grad()

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Embedding(20, 16), nn.Linear(16, 20))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
criterion = nn.CrossEntropyLoss(ignore_index=-100, reduction="sum")
for step in range(12):
    tokens = torch.randint(0, 20, (2, 12))
    labels = (tokens + 1) % 20
    labels[:, [2, 11, 3, 12][step % 4] :] = -100
    loss = criterion(model(tokens).flatten(0, 1), labels.flatten()) / (2 * (2 + 11 + 3 + 12))
    loss.backward()
    if (step + 1) % 4 == 0:
        optimizer.step()
        optimizer.zero_grad()
