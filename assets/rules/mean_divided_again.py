"""Means of batches are added up and divided by the number of samples."""

# %% broken
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train(model, loader, criterion, opt):
    model.train()
    running = 0.0
    for i, (x, y) in enumerate(loader):
        opt.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        opt.step()
        running += loss.item()
    return running / len(loader.dataset)


torch.manual_seed(0)
data = TensorDataset(torch.randn(64, 4), torch.randint(0, 3, (64,)))
loader = DataLoader(data, batch_size=16, shuffle=True)
model = nn.Linear(4, 3)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    print(epoch, round(train(model, loader, nn.CrossEntropyLoss(), opt), 3))

# %% mended
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train(model, loader, criterion, opt):
    model.train()
    running = 0.0
    for i, (x, y) in enumerate(loader):
        opt.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        opt.step()
        running += loss.item()
    return running / len(loader)


torch.manual_seed(0)
data = TensorDataset(torch.randn(64, 4), torch.randint(0, 3, (64,)))
loader = DataLoader(data, batch_size=16, shuffle=True)
model = nn.Linear(4, 3)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    print(epoch, round(train(model, loader, nn.CrossEntropyLoss(), opt), 3))
