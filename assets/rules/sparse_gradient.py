"""An embedding with sparse gradients is trained by an optimizer that takes none."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
embed = nn.Embedding(50, 4, sparse=True)
optimizer = torch.optim.Adam(embed.parameters(), lr=0.1)
words, target = torch.randint(0, 50, (16,)), torch.randn(16, 4)
for step in range(5):
    loss = (embed(words) - target).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.3f}")

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
embed = nn.Embedding(50, 4, sparse=True)
optimizer = torch.optim.SparseAdam(embed.parameters(), lr=0.1)
words, target = torch.randint(0, 50, (16,)), torch.randn(16, 4)
for step in range(5):
    loss = (embed(words) - target).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.3f}")
