"""Some of the tokens are masked in place, and the labels are the same tensor under another name."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
embedding, head = nn.Embedding(12, 16), nn.Linear(16, 12)
optimizer = torch.optim.Adam([*embedding.parameters(), *head.parameters()], lr=1e-2)
tokens = torch.randint(1, 12, (16, 8))
for step in range(3):
    inputs = tokens.clone()
    labels = inputs
    inputs[torch.rand(inputs.shape) < 0.4] = 0
    scores = head(embedding(inputs))
    loss = F.cross_entropy(scores.reshape(-1, 12), labels.reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
embedding, head = nn.Embedding(12, 16), nn.Linear(16, 12)
optimizer = torch.optim.Adam([*embedding.parameters(), *head.parameters()], lr=1e-2)
tokens = torch.randint(1, 12, (16, 8))
for step in range(3):
    inputs = tokens.clone()
    labels = inputs.clone()
    inputs[torch.rand(inputs.shape) < 0.4] = 0
    scores = head(embedding(inputs))
    loss = F.cross_entropy(scores.reshape(-1, 12), labels.reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
