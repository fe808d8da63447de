"""The last step of a network that goes both ways is read."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
rnn, head = nn.GRU(4, 8, batch_first=True, bidirectional=True), nn.Linear(16, 1)
optimizer = torch.optim.Adam([*rnn.parameters(), *head.parameters()], lr=0.01)
for step in range(4):
    x = torch.randn(16, 9, 4)
    out, h = rnn(x)
    loss = F.mse_loss(head(out[:, -1]), x[:, 0, :1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4g}")

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
rnn, head = nn.GRU(4, 8, batch_first=True, bidirectional=True), nn.Linear(16, 1)
optimizer = torch.optim.Adam([*rnn.parameters(), *head.parameters()], lr=0.01)
for step in range(4):
    x = torch.randn(16, 9, 4)
    out, h = rnn(x)
    loss = F.mse_loss(head(torch.cat([h[-2], h[-1]], dim=1)), x[:, 0, :1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4g}")
