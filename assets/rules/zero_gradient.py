"""A binary classifier with a softmax over its single output, which is 1 for every input."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
x = torch.randn(16, 3)
y = (x.sum(1, keepdim=True) > 0).float()
for epoch in range(5):
    optimizer.zero_grad()
    p = torch.softmax(model(x), dim=1)
    loss = F.binary_cross_entropy(p, y)
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.4g}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
x = torch.randn(16, 3)
y = (x.sum(1, keepdim=True) > 0).float()
for epoch in range(5):
    optimizer.zero_grad()
    p = torch.sigmoid(model(x))
    loss = F.binary_cross_entropy(p, y)
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.4g}")
