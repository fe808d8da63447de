"""Twelve layers with sigmoid, each of which lets a quarter of the gradient through at best."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
layers = [nn.Linear(8, 8) for _ in range(12)]
x = torch.randn(16, 8)
for layer in layers:
    x = torch.sigmoid(layer(x))
loss = x.pow(2).mean()
loss.backward()
print(layers[0].weight.grad.abs().max() < 1e-6)

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
layers = [nn.Linear(8, 8) for _ in range(12)]
x = torch.randn(16, 8)
for layer in layers:
    x = x + torch.tanh(layer(x))
loss = x.pow(2).mean()
loss.backward()
print(layers[0].weight.grad.abs().max() < 1e-6)
