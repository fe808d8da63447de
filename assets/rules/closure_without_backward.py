"""An optimizer that evaluates the loss again by a closure, which computes no gradients."""

# %% broken
import torch

torch.manual_seed(0)
x = torch.randn(20, 3)
y = x @ torch.tensor([1.0, 2.0, 3.0])
w = torch.zeros(3, requires_grad=True)
optimizer = torch.optim.LBFGS([w], lr=0.5, max_iter=4)


def closure():
    optimizer.zero_grad()
    loss = ((x @ w - y) ** 2).mean()
    return loss


for step in range(3):
    loss = closure()
    loss.backward()
    loss = optimizer.step(closure)
    print(f"{loss.item():.3g}")

# %% mended
import torch

torch.manual_seed(0)
x = torch.randn(20, 3)
y = x @ torch.tensor([1.0, 2.0, 3.0])
w = torch.zeros(3, requires_grad=True)
optimizer = torch.optim.LBFGS([w], lr=0.5, max_iter=4)


def closure():
    optimizer.zero_grad()
    loss = ((x @ w - y) ** 2).mean()
    loss.backward()
    return loss


for step in range(3):
    loss = optimizer.step(closure)
    print(f"{loss.item():.3g}")
