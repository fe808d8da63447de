"""Ten layers whose weights have a standard deviation of 1, which is too much for their width."""

# %% broken
import torch

torch.manual_seed(0)
x = torch.randn(16, 16)
weights = [torch.randn(16, 16, requires_grad=True) for _ in range(10)]
for w in weights:
    x = torch.relu(x @ w)
loss = x.mean()
loss.backward()
print(weights[0].grad.norm() > 1000)

# %% mended
import torch

torch.manual_seed(0)
x = torch.randn(16, 16)
weights = [(torch.randn(16, 16) * (2 / 16) ** 0.5).requires_grad_() for _ in range(10)]
for w in weights:
    x = torch.relu(x @ w)
loss = x.mean()
loss.backward()
print(weights[0].grad.norm() > 1000)
