"""A prediction that is computed once, before the loop, so that every step has the gradient of the first weights."""

# %% broken
import torch

torch.manual_seed(0)
w = torch.zeros(3, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.05)
x, y = torch.randn(16, 3), torch.randn(16)
prediction = x @ w
for epoch in range(5):
    optimizer.zero_grad()
    loss = ((prediction - y) ** 2).mean()
    loss.backward(retain_graph=True)
    optimizer.step()
    print(f"{loss.item():.4g}")

# %% mended
import torch

torch.manual_seed(0)
w = torch.zeros(3, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.05)
x, y = torch.randn(16, 3), torch.randn(16)
for epoch in range(5):
    optimizer.zero_grad()
    loss = ((x @ w - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.4g}")
