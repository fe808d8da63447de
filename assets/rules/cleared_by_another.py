"""Two optimizers that share an encoder, where the second clears the gradients that the first has not used yet."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder, head_a, head_b = nn.Linear(3, 4), nn.Linear(4, 1), nn.Linear(4, 1)
optimizer_a = torch.optim.SGD([*encoder.parameters(), *head_a.parameters()], lr=0.05)
optimizer_b = torch.optim.SGD([*encoder.parameters(), *head_b.parameters()], lr=0.05)
x, y = torch.randn(16, 3), torch.randn(16, 1)
for epoch in range(4):
    optimizer_a.zero_grad()
    F.mse_loss(head_a(encoder(x)), y).backward()
    optimizer_b.zero_grad()
    loss = F.mse_loss(head_b(encoder(x)), y)
    loss.backward()
    optimizer_a.step()
    optimizer_b.step()
print(f"{loss.item():.4g}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder, head_a, head_b = nn.Linear(3, 4), nn.Linear(4, 1), nn.Linear(4, 1)
optimizer_a = torch.optim.SGD([*encoder.parameters(), *head_a.parameters()], lr=0.05)
optimizer_b = torch.optim.SGD([*encoder.parameters(), *head_b.parameters()], lr=0.05)
x, y = torch.randn(16, 3), torch.randn(16, 1)
for epoch in range(4):
    optimizer_a.zero_grad()
    optimizer_b.zero_grad()
    F.mse_loss(head_a(encoder(x)), y).backward()
    loss = F.mse_loss(head_b(encoder(x)), y)
    loss.backward()
    optimizer_a.step()
    optimizer_b.step()
print(f"{loss.item():.4g}")
