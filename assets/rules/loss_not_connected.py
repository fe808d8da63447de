"""A metric that counts, made of argmax and a comparison, taken for a loss: it has no derivative."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, labels = torch.randn(12, 4), torch.randint(0, 3, (12,))
optimizer.zero_grad()
predicted = model(x).argmax(dim=1)
loss = (predicted != labels).float().mean()
loss.backward()
optimizer.step()

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, labels = torch.randn(12, 4), torch.randint(0, 3, (12,))
optimizer.zero_grad()
scores = model(x)
loss = F.cross_entropy(scores, labels)
loss.backward()
optimizer.step()
print(f"{loss.item():.4g}")
