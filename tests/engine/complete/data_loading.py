"""Splitting and loading data."""

import torch
from torch.utils.data import TensorDataset, DataLoader, random_split

torch.manual_seed(5)
ds = TensorDataset(torch.arange(10.0).unsqueeze(1), torch.arange(10))
tr, te = random_split(ds, [7, 3])
print(list(tr.indices), list(te.indices))
dl = DataLoader(tr, batch_size=3, shuffle=True)
for e in range(2):
    for x, y in dl:
        print(x.flatten(), y)
print(len(dl), torch.rand(1))
