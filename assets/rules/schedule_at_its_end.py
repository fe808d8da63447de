"""A schedule is made for fewer steps than the loader has batches."""

# %% broken
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
data = TensorDataset(torch.randn(40, 5), torch.randn(40, 1))
loader = DataLoader(data, batch_size=4, shuffle=True)
model = nn.Linear(5, 1)
epochs, steps_per_epoch = 3, 8
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=1e-2, epochs=epochs, steps_per_epoch=steps_per_epoch)
for epoch in range(epochs):
    for x, y in loader:
        opt.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        opt.step()
        scheduler.step()
    print(epoch, round(loss.item(), 3))

# %% mended
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
data = TensorDataset(torch.randn(40, 5), torch.randn(40, 1))
loader = DataLoader(data, batch_size=4, shuffle=True)
model = nn.Linear(5, 1)
epochs, steps_per_epoch = 3, len(loader)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=1e-2, epochs=epochs, steps_per_epoch=steps_per_epoch)
for epoch in range(epochs):
    for x, y in loader:
        opt.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        opt.step()
        scheduler.step()
    print(epoch, round(loss.item(), 3))
