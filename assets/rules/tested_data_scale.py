"""Data are normalised before they are split into a part for training and one for the test."""

# %% broken
import torch
import torch.nn as nn

torch.manual_seed(0)
data, y = torch.randn(40, 3) * 2 + 1, torch.randn(40, 1)
x = (data - data.mean(dim=0)) / data.std(dim=0)
x_train, x_test, y_train, y_test = x[:30], x[30:], y[:30], y[30:]
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(4):
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x_train), y_train).backward()
    optimizer.step()
with torch.no_grad():
    print(f"{nn.functional.mse_loss(model(x_test), y_test).item():.3g}")

# %% mended
import torch
import torch.nn as nn

torch.manual_seed(0)
data, y = torch.randn(40, 3) * 2 + 1, torch.randn(40, 1)
x_train, x_test, y_train, y_test = data[:30], data[30:], y[:30], y[30:]
mean, std = x_train.mean(dim=0), x_train.std(dim=0)
x_train, x_test = (x_train - mean) / std, (x_test - mean) / std
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(4):
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x_train), y_train).backward()
    optimizer.step()
with torch.no_grad():
    print(f"{nn.functional.mse_loss(model(x_test), y_test).item():.3g}")
