"""A backbone is frozen and stays in training mode."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
backbone, head = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.ReLU()), nn.Linear(6, 2)
for p in backbone.parameters():
    p.requires_grad = False
model = nn.Sequential(backbone, head)
before = backbone[1].running_mean.clone()
optimizer = torch.optim.Adam(head.parameters())
model.train()
for epoch in range(4):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(torch.randn(8, 4) + 1), torch.randint(0, 2, (8,)))
    loss.backward()
    optimizer.step()

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
backbone, head = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.ReLU()), nn.Linear(6, 2)
for p in backbone.parameters():
    p.requires_grad = False
model = nn.Sequential(backbone, head)
before = backbone[1].running_mean.clone()
optimizer = torch.optim.Adam(head.parameters())
model.train()
backbone.eval()
for epoch in range(4):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(torch.randn(8, 4) + 1), torch.randint(0, 2, (8,)))
    loss.backward()
    optimizer.step()
