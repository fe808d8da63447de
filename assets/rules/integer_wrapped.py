"""Bytes of a picture that are centred before they are converted: below 128 they wrap around."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
pictures = torch.randint(100, 156, (8, 4), dtype=torch.uint8)
brightness = pictures.float().mean(1, keepdim=True) / 128 - 1
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(6):
    x = (pictures - 128).float() / 128
    loss = F.mse_loss(model(x), brightness)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4f}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
pictures = torch.randint(100, 156, (8, 4), dtype=torch.uint8)
brightness = pictures.float().mean(1, keepdim=True) / 128 - 1
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(6):
    x = (pictures.float() - 128) / 128
    loss = F.mse_loss(model(x), brightness)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4f}")
