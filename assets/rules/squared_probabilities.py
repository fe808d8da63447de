"""A binary classifier is trained with the squared error of its probabilities."""

# %% broken
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(64, 5)
y = (x[:, 0] > 0).float()
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1), nn.Sigmoid())
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.MSELoss()
for epoch in range(4):
    optimizer.zero_grad()
    loss = criterion(model(x).squeeze(-1), y)
    loss.backward()
    optimizer.step()

# %% mended
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(64, 5)
y = (x[:, 0] > 0).float()
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1), nn.Sigmoid())
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.BCELoss()
for epoch in range(4):
    optimizer.zero_grad()
    loss = criterion(model(x).squeeze(-1), y)
    loss.backward()
    optimizer.step()
