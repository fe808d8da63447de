"""The head is frozen in place of the body, and the optimizer is given the head."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
body, head = nn.Sequential(nn.Linear(4, 8), nn.ReLU()), nn.Linear(8, 3)
for p in head.parameters():
    p.requires_grad = False
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
x, y = torch.randn(30, 4), torch.randint(0, 3, (30,))
for epoch in range(5):
    loss = F.cross_entropy(head(body(x)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.4f}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
body, head = nn.Sequential(nn.Linear(4, 8), nn.ReLU()), nn.Linear(8, 3)
for p in body.parameters():
    p.requires_grad = False
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
x, y = torch.randn(30, 4), torch.randint(0, 3, (30,))
for epoch in range(5):
    loss = F.cross_entropy(head(body(x)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.4f}")
