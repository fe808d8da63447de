"""An LSTM without batch_first is given samples first."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
rnn = nn.LSTM(3, 8)
head = nn.Linear(8, 2)
optimizer = torch.optim.Adam([*rnn.parameters(), *head.parameters()])
x, y = torch.randn(16, 10, 3), torch.randint(0, 2, (16,))
for epoch in range(3):
    out, _ = rnn(x)
    loss = F.cross_entropy(head(out[:, -1, :]), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
rnn = nn.LSTM(3, 8, batch_first=True)
head = nn.Linear(8, 2)
optimizer = torch.optim.Adam([*rnn.parameters(), *head.parameters()])
x, y = torch.randn(16, 10, 3), torch.randint(0, 2, (16,))
for epoch in range(3):
    out, _ = rnn(x)
    loss = F.cross_entropy(head(out[:, -1, :]), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
