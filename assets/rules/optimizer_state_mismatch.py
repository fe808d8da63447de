"""Training goes on with more parameters than it had when it was saved, and loads the optimizer's state into all of them."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
body, head = nn.Linear(6, 16), nn.Linear(16, 2)
x, y = torch.randn(64, 6), torch.randint(0, 2, (64,))
optimizer = torch.optim.Adam(head.parameters(), lr=0.01)
nn.functional.cross_entropy(head(body(x)), y).backward()
optimizer.step()
saved = optimizer.state_dict()

optimizer = torch.optim.Adam([*body.parameters(), *head.parameters()], lr=0.01)
optimizer.load_state_dict(saved)

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
body, head = nn.Linear(6, 16), nn.Linear(16, 2)
x, y = torch.randn(64, 6), torch.randint(0, 2, (64,))
optimizer = torch.optim.Adam(head.parameters(), lr=0.01)
nn.functional.cross_entropy(head(body(x)), y).backward()
optimizer.step()
saved = optimizer.state_dict()

optimizer = torch.optim.Adam(head.parameters(), lr=0.01)
optimizer.load_state_dict(saved)
optimizer.add_param_group({"params": body.parameters()})
