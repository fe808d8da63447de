"""The loss of a meta-learner is computed with the weights from before they were adapted."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Slope(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(1, 1))
        self.b = nn.Parameter(torch.zeros(1))

    def forward(self, x, weights=None):
        w, b = weights or (self.w, self.b)
        return F.linear(x, w, b)


def adapt(model, x, y):
    fast = [model.w, model.b]
    for _ in range(2):
        loss = F.mse_loss(model(x, fast), y)
        grads = torch.autograd.grad(loss, fast, create_graph=True)
        fast = [w - 0.05 * g for w, g in zip(fast, grads)]
    return fast


model = Slope()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(10):
    slope = 1 + torch.rand(1)
    support, query = torch.randn(8, 1), torch.randn(8, 1)
    fast = adapt(model, support, slope * support)
    loss = F.mse_loss(model(query), slope * query)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4g}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Slope(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(1, 1))
        self.b = nn.Parameter(torch.zeros(1))

    def forward(self, x, weights=None):
        w, b = weights or (self.w, self.b)
        return F.linear(x, w, b)


def adapt(model, x, y):
    fast = [model.w, model.b]
    for _ in range(2):
        loss = F.mse_loss(model(x, fast), y)
        grads = torch.autograd.grad(loss, fast, create_graph=True)
        fast = [w - 0.05 * g for w, g in zip(fast, grads)]
    return fast


model = Slope()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(10):
    slope = 1 + torch.rand(1)
    support, query = torch.randn(8, 1), torch.randn(8, 1)
    fast = adapt(model, support, slope * support)
    loss = F.mse_loss(model(query, fast), slope * query)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4g}")
