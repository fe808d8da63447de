"""Images of bytes are divided with // by 255, which leaves nothing but zeros."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
images, y = torch.randint(0, 256, (16, 1, 6, 6), dtype=torch.uint8), torch.randint(0, 3, (16,))
x = (images // 255).float()
model = nn.Sequential(nn.Flatten(), nn.Linear(36, 8), nn.ReLU(), nn.Linear(8, 3))
optimizer = torch.optim.Adam(model.parameters())
for epoch in range(5):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
images, y = torch.randint(0, 256, (16, 1, 6, 6), dtype=torch.uint8), torch.randint(0, 3, (16,))
x = (images / 255).float()
model = nn.Sequential(nn.Flatten(), nn.Linear(36, 8), nn.ReLU(), nn.Linear(8, 3))
optimizer = torch.optim.Adam(model.parameters())
for epoch in range(5):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
