"""A draw from a normal distribution by sample(), through which no gradient passes."""

# %% broken
import torch

torch.manual_seed(0)
mean = torch.zeros(2, requires_grad=True)
scale = torch.ones(2, requires_grad=True)
optimizer = torch.optim.SGD([mean, scale], lr=0.1)
for step in range(3):
    optimizer.zero_grad()
    z = torch.normal(mean, scale)
    loss = (z - 3).pow(2).mean() + scale.pow(2).mean() + 0 * mean.sum()
    loss.backward()
    optimizer.step()
print(mean)

# %% mended
import torch

torch.manual_seed(0)
mean = torch.zeros(2, requires_grad=True)
scale = torch.ones(2, requires_grad=True)
optimizer = torch.optim.SGD([mean, scale], lr=0.1)
for step in range(3):
    optimizer.zero_grad()
    z = mean + scale * torch.randn(2)
    loss = (z - 3).pow(2).mean() + scale.pow(2).mean()
    loss.backward()
    optimizer.step()
print(mean)
