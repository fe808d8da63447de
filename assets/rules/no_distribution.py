"""Samples with several labels each go to cross entropy."""

# %% broken
import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Linear(5, 4)
optimizer = torch.optim.Adam(model.parameters())
x, tags = torch.randn(10, 5), (torch.rand(10, 4) > 0.4).float()
for epoch in range(3):
    optimizer.zero_grad()
    loss = nn.CrossEntropyLoss()(model(x), tags)
    loss.backward()
    optimizer.step()

# %% mended
import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Linear(5, 4)
optimizer = torch.optim.Adam(model.parameters())
x, tags = torch.randn(10, 5), (torch.rand(10, 4) > 0.4).float()
for epoch in range(3):
    optimizer.zero_grad()
    loss = nn.BCEWithLogitsLoss()(model(x), tags)
    loss.backward()
    optimizer.step()
