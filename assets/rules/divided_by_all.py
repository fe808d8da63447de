"""What a sampler's samples add up to is divided by the length of the whole dataset."""

# %% broken
import torch
from torch import nn
from torch.utils.data import DataLoader, SubsetRandomSampler, TensorDataset

torch.manual_seed(0)
data = TensorDataset(torch.randn(50, 4), torch.randint(0, 2, (50,)))
idx = torch.randperm(50).tolist()
train_loader = DataLoader(data, batch_size=10, sampler=SubsetRandomSampler(idx[10:]))
valid_loader = DataLoader(data, batch_size=10, sampler=SubsetRandomSampler(idx[:10]))
model, criterion = nn.Linear(4, 2), nn.CrossEntropyLoss()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    train_loss = valid_loss = 0.0
    model.train()
    for x, y in train_loader:
        opt.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        opt.step()
        train_loss += loss.item() * x.size(0)
    model.eval()
    with torch.no_grad():
        for x, y in valid_loader:
            valid_loss += criterion(model(x), y).item() * x.size(0)
    train_loss = train_loss / len(train_loader.dataset)
    valid_loss = valid_loss / len(valid_loader.dataset)
    print(f"{epoch} training {train_loss:.4f} validation {valid_loss:.4f}")

# %% mended
import torch
from torch import nn
from torch.utils.data import DataLoader, SubsetRandomSampler, TensorDataset

torch.manual_seed(0)
data = TensorDataset(torch.randn(50, 4), torch.randint(0, 2, (50,)))
idx = torch.randperm(50).tolist()
train_loader = DataLoader(data, batch_size=10, sampler=SubsetRandomSampler(idx[10:]))
valid_loader = DataLoader(data, batch_size=10, sampler=SubsetRandomSampler(idx[:10]))
model, criterion = nn.Linear(4, 2), nn.CrossEntropyLoss()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    train_loss = valid_loss = 0.0
    model.train()
    for x, y in train_loader:
        opt.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        opt.step()
        train_loss += loss.item() * x.size(0)
    model.eval()
    with torch.no_grad():
        for x, y in valid_loader:
            valid_loss += criterion(model(x), y).item() * x.size(0)
    train_loss = train_loss / len(train_loader.sampler)
    valid_loss = valid_loss / len(valid_loader.sampler)
    print(f"{epoch} training {train_loss:.4f} validation {valid_loss:.4f}")
