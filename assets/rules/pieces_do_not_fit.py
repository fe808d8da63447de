"""Features of two batches that are joined side by side, though one has fewer samples."""

# %% broken
import torch

torch.manual_seed(0)
images, words = torch.randn(4, 3), torch.randn(3, 5)
features = torch.cat([images, words], dim=1)
print(features.shape)

# %% mended
import torch

torch.manual_seed(0)
images, words = torch.randn(4, 3), torch.randn(4, 5)
features = torch.cat([images, words], dim=1)
print(features.shape)
