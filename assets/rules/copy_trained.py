"""A network is copied for each task, and the loss of the copies is to move the network."""

# %% broken
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
meta = nn.Linear(2, 1)
optimizer = torch.optim.Adam(meta.parameters(), lr=1e-2)
for step in range(3):
    meta_loss = 0.0
    for task in range(2):
        x = torch.randn(8, 2)
        y = x.sum(1, keepdim=True) * (task + 1)
        learner = copy.deepcopy(meta)
        inner = torch.optim.SGD(learner.parameters(), lr=0.1)
        F.mse_loss(learner(x), y).backward()
        inner.step()
        learner.zero_grad()
        meta_loss = meta_loss + F.mse_loss(learner(x), y)
    optimizer.zero_grad()
    meta_loss.backward()
    optimizer.step()

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
meta = nn.Linear(2, 1)
optimizer = torch.optim.Adam(meta.parameters(), lr=1e-2)
for step in range(3):
    meta_loss = 0.0
    for task in range(2):
        x = torch.randn(8, 2)
        y = x.sum(1, keepdim=True) * (task + 1)
        weights = dict(meta.named_parameters())
        grads = torch.autograd.grad(F.mse_loss(meta(x), y), list(weights.values()), create_graph=True)
        moved = {name: w - 0.1 * g for (name, w), g in zip(weights.items(), grads)}
        meta_loss = meta_loss + F.mse_loss(torch.func.functional_call(meta, moved, x), y)
    optimizer.zero_grad()
    meta_loss.backward()
    optimizer.step()
