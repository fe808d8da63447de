"""Parameters are sorted into groups by their number of dimensions, and a scale that has none falls through."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(4, 8), nn.Linear(8, 1)
        self.scale = nn.Parameter(torch.tensor(0.01))

    def forward(self, x):
        return self.scale * self.head(torch.relu(self.body(x)))


net = Net()
matrices = [p for p in net.parameters() if p.dim() > 1]
vectors = [p for p in net.parameters() if p.dim() == 1]
optimizer = torch.optim.AdamW([{"params": matrices}, {"params": vectors, "weight_decay": 0}], lr=0.01)
for step in range(8):
    x = torch.randn(32, 4)
    loss = F.mse_loss(net(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{net.scale.item():.4f}")

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(4, 8), nn.Linear(8, 1)
        self.scale = nn.Parameter(torch.tensor(0.01))

    def forward(self, x):
        return self.scale * self.head(torch.relu(self.body(x)))


net = Net()
matrices = [p for p in net.parameters() if p.dim() > 1]
others = [p for p in net.parameters() if p.dim() <= 1]
optimizer = torch.optim.AdamW([{"params": matrices}, {"params": others, "weight_decay": 0}], lr=0.01)
for step in range(8):
    x = torch.randn(32, 4)
    loss = F.mse_loss(net(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{net.scale.item():.4f}")
