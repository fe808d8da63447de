"""Linear regression with nn.Linear and SGD."""

import torch
import torch.nn as nn
import torch.optim as optim

torch.manual_seed(0)
X = torch.randn(100, 3)
w = torch.tensor([[1.5], [-2.0], [0.5]])
y = X @ w + 0.1 * torch.randn(100, 1)
model = nn.Linear(3, 1)
opt = optim.SGD(model.parameters(), lr=0.1)
loss_fn = nn.MSELoss()
for i in range(20):
    opt.zero_grad()
    l = loss_fn(model(X), y)
    l.backward()
    opt.step()
    if i % 5 == 0:
        print(i, round(l.item(), 4), model.weight.grad.norm())
print(model.weight, model.bias, model, opt)
print(model.state_dict())
