"""A loss whose weight is zero, as the first epoch of a warm-up that never ends has it."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(16, 3)
y = x.sum(1, keepdim=True)
for epoch in range(5):
    optimizer.zero_grad()
    warm = epoch // 10
    loss = warm * ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.4g}")

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(16, 3)
y = x.sum(1, keepdim=True)
for epoch in range(5):
    optimizer.zero_grad()
    warm = (epoch + 1) / 5
    loss = warm * ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.4g}")
