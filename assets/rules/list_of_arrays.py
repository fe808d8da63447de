"""A batch that is collected in a list of NumPy arrays."""

# %% broken
import numpy as np
import torch

rows = [np.full(3, float(k)) for k in range(4)]
batch = torch.tensor(rows)
print(batch.shape)

# %% mended
import numpy as np
import torch

rows = [np.full(3, float(k)) for k in range(4)]
batch = torch.from_numpy(np.stack(rows))
print(batch.shape)
