"""A causal mask fills what was to stay: each place sees only what comes after it."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
places = 6
embed, query, key, value, head = nn.Embedding(10, 8), nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 10)
parameters = [p for layer in (embed, query, key, value, head) for p in layer.parameters()]
optimizer = torch.optim.Adam(parameters, lr=0.01)
past = torch.tril(torch.ones(places, places))
for step in range(4):
    text = torch.randint(0, 10, (16, places + 1))
    x = embed(text[:, :-1])
    scores = query(x) @ key(x).transpose(1, 2) / 8**0.5
    weights = F.softmax(scores.masked_fill(past == 1, -1e9), dim=-1)
    loss = F.cross_entropy(head(weights @ value(x)).flatten(0, 1), text[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print([round(each, 2) for each in weights[0, -1].tolist()])

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
places = 6
embed, query, key, value, head = nn.Embedding(10, 8), nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 10)
parameters = [p for layer in (embed, query, key, value, head) for p in layer.parameters()]
optimizer = torch.optim.Adam(parameters, lr=0.01)
past = torch.tril(torch.ones(places, places))
for step in range(4):
    text = torch.randint(0, 10, (16, places + 1))
    x = embed(text[:, :-1])
    scores = query(x) @ key(x).transpose(1, 2) / 8**0.5
    weights = F.softmax(scores.masked_fill(past == 0, -1e9), dim=-1)
    loss = F.cross_entropy(head(weights @ value(x)).flatten(0, 1), text[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print([round(each, 2) for each in weights[0, 0].tolist()])
