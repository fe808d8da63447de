"""A Dice loss of thresholded masks is added to the cross-entropy, and adds nothing to its gradient."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
x = torch.randn(8, 1, 8, 8)
masks = (x > 0.5).float()
model = nn.Conv2d(1, 1, 3, padding=1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)


def dice_loss(scores, target):
    shown = (torch.sigmoid(scores) > 0.5).float()
    return 1 - 2 * (shown * target).sum() / (shown.sum() + target.sum() + 1)


for step in range(5):
    scores = model(x)
    loss = F.binary_cross_entropy_with_logits(scores, masks) + dice_loss(scores, masks)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss: {loss.item():.2f}")

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
x = torch.randn(8, 1, 8, 8)
masks = (x > 0.5).float()
model = nn.Conv2d(1, 1, 3, padding=1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)


def dice_loss(scores, target):
    shown = torch.sigmoid(scores)
    return 1 - 2 * (shown * target).sum() / (shown.sum() + target.sum() + 1)


for step in range(5):
    scores = model(x)
    loss = F.binary_cross_entropy_with_logits(scores, masks) + dice_loss(scores, masks)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss: {loss.item():.2f}")
