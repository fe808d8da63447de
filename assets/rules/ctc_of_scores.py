"""ctc_loss is given the scores of the last layer: what it adds up are no probabilities."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(8, 6)
x, targets = torch.randn(12, 4, 8), torch.randint(1, 6, (4, 3))
lengths = torch.full((4,), 12), torch.full((4,), 3)
loss = nn.functional.ctc_loss(net(x), targets, *lengths)
loss.backward()
print(f"{loss.item():.4g}")

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(8, 6)
x, targets = torch.randn(12, 4, 8), torch.randint(1, 6, (4, 3))
lengths = torch.full((4,), 12), torch.full((4,), 3)
loss = nn.functional.ctc_loss(net(x).log_softmax(-1), targets, *lengths)
loss.backward()
print(f"{loss.item():.4g}")
