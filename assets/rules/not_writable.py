"""A broadcast array, all of whose rows are one row in memory, becomes a tensor."""

# %% broken
import numpy as np
import torch

rows = np.broadcast_to(np.array([1.0, 2.0]), (3, 2))
batch = torch.from_numpy(rows)
print(batch.shape)

# %% mended
import numpy as np
import torch

rows = np.broadcast_to(np.array([1.0, 2.0]), (3, 2))
batch = torch.from_numpy(rows.copy())
print(batch.shape)
