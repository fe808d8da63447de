"""A transform is set on the dataset of one part, which is that of the other part, too."""

# %% broken
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, random_split


class Signals(Dataset):
    def __init__(self, n, transform=None):
        self.x, self.y, self.transform = torch.randn(n, 6), torch.randint(0, 2, (n,)), transform

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        x = self.x[i]
        return (self.transform(x) if self.transform else x), self.y[i]


torch.manual_seed(0)
data = Signals(60)
train_set, val_set = random_split(data, [40, 20])
train_set.dataset.transform = lambda x: x + 0.5 * torch.randn(6)
val_set.dataset.transform = lambda x: x
model = nn.Linear(6, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    for x, y in DataLoader(train_set, batch_size=10, shuffle=True):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        opt.step()
    with torch.no_grad():
        print(
            epoch,
            round(loss.item(), 3),
            sum((model(x).argmax(1) == y).sum().item() for x, y in DataLoader(val_set, batch_size=20)) / 20,
        )

# %% mended
import copy

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, random_split


class Signals(Dataset):
    def __init__(self, n, transform=None):
        self.x, self.y, self.transform = torch.randn(n, 6), torch.randint(0, 2, (n,)), transform

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        x = self.x[i]
        return (self.transform(x) if self.transform else x), self.y[i]


torch.manual_seed(0)
data = Signals(60)
train_set, val_set = random_split(data, [40, 20])
train_set.dataset = copy.copy(data)
train_set.dataset.transform = lambda x: x + 0.5 * torch.randn(6)
val_set.dataset.transform = lambda x: x
model = nn.Linear(6, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    for x, y in DataLoader(train_set, batch_size=10, shuffle=True):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        opt.step()
    with torch.no_grad():
        print(
            epoch,
            round(loss.item(), 3),
            sum((model(x).argmax(1) == y).sum().item() for x, y in DataLoader(val_set, batch_size=20)) / 20,
        )
