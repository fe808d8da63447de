"""nll_loss is given the scores of the last layer: the loss has no lower bound."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 3)
criterion = nn.NLLLoss()
x, labels = torch.randn(12, 4), torch.randint(0, 3, (12,))
loss = criterion(model(x), labels)
loss.backward()
print(f"{loss.item():.4g}")

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 3)
criterion = nn.CrossEntropyLoss()
x, labels = torch.randn(12, 4), torch.randint(0, 3, (12,))
loss = criterion(model(x), labels)
loss.backward()
print(f"{loss.item():.4g}")
