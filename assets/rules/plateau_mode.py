"""A plateau of the accuracy, looked for as if it were a loss: the rate is cut while the training goes well."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
x = torch.randn(300, 8)
y = (x.sum(1) > 0).long()
model = nn.Linear(8, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
for epoch in range(8):
    optimizer.zero_grad()
    F.cross_entropy(model(x), y).backward()
    optimizer.step()
    accuracy = (model(x).argmax(1) == y).float().mean().item()
    scheduler.step(accuracy)
print(f"{optimizer.param_groups[0]['lr']:.4f}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
x = torch.randn(300, 8)
y = (x.sum(1) > 0).long()
model = nn.Linear(8, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1, mode="max")
for epoch in range(8):
    optimizer.zero_grad()
    F.cross_entropy(model(x), y).backward()
    optimizer.step()
    accuracy = (model(x).argmax(1) == y).float().mean().item()
    scheduler.step(accuracy)
print(f"{optimizer.param_groups[0]['lr']:.4f}")
