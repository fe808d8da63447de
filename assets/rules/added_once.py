"""Messages along the edges of a graph are added up by `+=` with an index."""

# %% broken
import torch
import torch.nn as nn

torch.manual_seed(0)
source, target = torch.randint(0, 6, (2, 20))
message = nn.Linear(3, 4)
features = torch.randn(6, 3)
total = torch.zeros(6, 4)
total[target] += message(features)[source]
loss = total.square().mean()
loss.backward()
print(message.bias.grad)

# %% mended
import torch
import torch.nn as nn

torch.manual_seed(0)
source, target = torch.randint(0, 6, (2, 20))
message = nn.Linear(3, 4)
features = torch.randn(6, 3)
total = torch.zeros(6, 4)
total.index_add_(0, target, message(features)[source])
loss = total.square().mean()
loss.backward()
print(message.bias.grad)
