"""The targets of a language model are not shifted."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
embed, rnn, head = nn.Embedding(10, 8), nn.GRU(8, 8, batch_first=True), nn.Linear(8, 10)
parameters = [*embed.parameters(), *rnn.parameters(), *head.parameters()]
optimizer = torch.optim.Adam(parameters, lr=0.01)
text = torch.randint(0, 10, (6, 9))
for step in range(4):
    source, target = text[:, :-1], text[:, :-1]
    logits = head(rnn(embed(source))[0])
    loss = F.cross_entropy(logits.reshape(-1, 10), target.reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
embed, rnn, head = nn.Embedding(10, 8), nn.GRU(8, 8, batch_first=True), nn.Linear(8, 10)
parameters = [*embed.parameters(), *rnn.parameters(), *head.parameters()]
optimizer = torch.optim.Adam(parameters, lr=0.01)
text = torch.randint(0, 10, (6, 9))
for step in range(4):
    source, target = text[:, :-1], text[:, 1:]
    logits = head(rnn(embed(source))[0])
    loss = F.cross_entropy(logits.reshape(-1, 10), target.reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
