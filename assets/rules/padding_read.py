"""The last step of padded sequences is taken for the last of each."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

torch.manual_seed(0)
lengths = torch.tensor([5, 3, 2])
x = pad_sequence([torch.randn(n, 2) for n in lengths.tolist()], batch_first=True)
y = torch.tensor([0, 1, 1])
gru, head = nn.GRU(2, 6, batch_first=True), nn.Linear(6, 2)
optimizer = torch.optim.Adam([*gru.parameters(), *head.parameters()], lr=1e-2)
for step in range(3):
    packed, _ = gru(pack_padded_sequence(x, lengths, batch_first=True))
    out, _ = pad_packed_sequence(packed, batch_first=True)
    last = out[:, -1]
    loss = F.cross_entropy(head(last), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

torch.manual_seed(0)
lengths = torch.tensor([5, 3, 2])
x = pad_sequence([torch.randn(n, 2) for n in lengths.tolist()], batch_first=True)
y = torch.tensor([0, 1, 1])
gru, head = nn.GRU(2, 6, batch_first=True), nn.Linear(6, 2)
optimizer = torch.optim.Adam([*gru.parameters(), *head.parameters()], lr=1e-2)
for step in range(3):
    packed, _ = gru(pack_padded_sequence(x, lengths, batch_first=True))
    out, _ = pad_packed_sequence(packed, batch_first=True)
    last = out[torch.arange(len(lengths)), lengths - 1]
    loss = F.cross_entropy(head(last), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
