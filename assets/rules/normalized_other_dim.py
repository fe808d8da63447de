"""Attention by cosines, whose queries and keys are divided by lengths over time instead of over their features."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class CosineAttention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)

    def forward(self, x):
        q = F.normalize(self.query(x))
        k = F.normalize(self.key(x))
        return torch.softmax(8 * q @ k.transpose(1, 2), dim=-1) @ x


attention, head = CosineAttention(8), nn.Linear(8, 8)
optimizer = torch.optim.Adam([*attention.parameters(), *head.parameters()], lr=1e-2)
x = torch.randn(16, 6, 8)
for step in range(8):
    loss = F.mse_loss(head(attention(x)), x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.2f}")

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class CosineAttention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)

    def forward(self, x):
        q = F.normalize(self.query(x), dim=-1)
        k = F.normalize(self.key(x), dim=-1)
        return torch.softmax(8 * q @ k.transpose(1, 2), dim=-1) @ x


attention, head = CosineAttention(8), nn.Linear(8, 8)
optimizer = torch.optim.Adam([*attention.parameters(), *head.parameters()], lr=1e-2)
x = torch.randn(16, 6, 8)
for step in range(8):
    loss = F.mse_loss(head(attention(x)), x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.2f}")
