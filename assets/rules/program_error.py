"""A batch is asked for by a key that the data set does not use."""

# %% broken
import torch

batch = {"input": torch.ones(2, 3), "label": torch.ones(2)}
x, y = batch["input"], batch["labels"]
print(x.shape, y.shape)

# %% mended
import torch

batch = {"input": torch.ones(2, 3), "label": torch.ones(2)}
x, y = batch["input"], batch["label"]
print(x.shape, y.shape)
