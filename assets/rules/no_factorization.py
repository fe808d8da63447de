"""The covariance of three samples in five dimensions has no Cholesky factor."""

# %% broken
import torch

torch.manual_seed(0)
samples = torch.randn(3, 5, dtype=torch.float64, requires_grad=True)
covariance = samples.T @ samples / 3
factor = torch.linalg.cholesky(covariance - torch.eye(5, dtype=torch.float64))
loss = factor.diagonal().log().sum()
loss.backward()

# %% mended
import torch

torch.manual_seed(0)
samples = torch.randn(3, 5, dtype=torch.float64, requires_grad=True)
covariance = samples.T @ samples / 3
factor = torch.linalg.cholesky(covariance + 1e-6 * torch.eye(5, dtype=torch.float64))
loss = factor.diagonal().log().sum()
loss.backward()
