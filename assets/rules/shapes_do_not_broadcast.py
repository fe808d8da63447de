"""A batch of images and a value for each channel, whose dimensions do not stand below one another."""

# %% broken
import torch

torch.manual_seed(0)
images = torch.randn(2, 3, 4, 4, requires_grad=True)
mean = torch.tensor([0.5, 0.4, 0.3])
normalised = images - mean
print(normalised.shape)

# %% mended
import torch

torch.manual_seed(0)
images = torch.randn(2, 3, 4, 4, requires_grad=True)
mean = torch.tensor([0.5, 0.4, 0.3])
normalised = images - mean.view(3, 1, 1)
print(normalised.shape)
