"""A moving average of the weights that is written into a dictionary and never into the model."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model, average = nn.Linear(3, 1), nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(6, 3), torch.randn(6, 1)
for step in range(6):
    loss = F.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    kept = average.state_dict()
    for name, value in model.state_dict().items():
        kept[name] = 0.5 * kept[name] + 0.5 * value
print(f"{F.mse_loss(average(x), y).item():.4f}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model, average = nn.Linear(3, 1), nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(6, 3), torch.randn(6, 1)
for step in range(6):
    loss = F.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    kept = average.state_dict()
    for name, value in model.state_dict().items():
        kept[name] = 0.5 * kept[name] + 0.5 * value
    average.load_state_dict(kept)
print(f"{F.mse_loss(average(x), y).item():.4f}")
