"""A classifier whose softmax runs over the samples of the batch instead of the classes."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(8, 3), torch.randint(0, 4, (8,))
for epoch in range(5):
    optimizer.zero_grad()
    p = torch.softmax(model(x), dim=0)
    loss = F.nll_loss(torch.log(p), y)
    loss.backward()
    optimizer.step()
print(f"{p.sum(1).min().item():.4g}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(8, 3), torch.randint(0, 4, (8,))
for epoch in range(5):
    optimizer.zero_grad()
    p = torch.softmax(model(x), dim=1)
    loss = F.nll_loss(torch.log(p), y)
    loss.backward()
    optimizer.step()
print(f"{p.sum(1).min().item():.4g}")
