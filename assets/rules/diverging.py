"""A learning rate that is so large that every step overshoots further than the one before."""

# %% broken
import torch

x = torch.linspace(-3, 3, 20)
y = 2 * x + 1
w = torch.zeros(1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
optimizer = torch.optim.SGD([w, b], lr=0.5)
for step in range(10):
    optimizer.zero_grad()
    loss = ((w * x + b - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    print(step, f"{loss.item():.4g}")

# %% mended
import torch

x = torch.linspace(-3, 3, 20)
y = 2 * x + 1
w = torch.zeros(1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
optimizer = torch.optim.SGD([w, b], lr=0.05)
for step in range(10):
    optimizer.zero_grad()
    loss = ((w * x + b - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    print(step, f"{loss.item():.4g}")
