"""All rows of an embedding are filled, the one for padding as well, and sentences are sums."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
words, head = nn.Embedding(10, 4, padding_idx=0), nn.Linear(4, 2)
nn.init.normal_(words.weight, std=0.5)
optimizer = torch.optim.SGD([*words.parameters(), *head.parameters()], lr=0.1)
tokens = torch.tensor([[3, 1, 0, 0, 0], [2, 5, 7, 4, 0], [9, 8, 0, 0, 0], [6, 3, 2, 1, 5]])
labels = torch.tensor([0, 1, 0, 1])
for epoch in range(10):
    loss = F.cross_entropy(head(words(tokens).sum(1)), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
words, head = nn.Embedding(10, 4, padding_idx=0), nn.Linear(4, 2)
nn.init.normal_(words.weight, std=0.5)
with torch.no_grad():
    words.weight[0].zero_()
optimizer = torch.optim.SGD([*words.parameters(), *head.parameters()], lr=0.1)
tokens = torch.tensor([[3, 1, 0, 0, 0], [2, 5, 7, 4, 0], [9, 8, 0, 0, 0], [6, 3, 2, 1, 5]])
labels = torch.tensor([0, 1, 0, 1])
for epoch in range(10):
    loss = F.cross_entropy(head(words(tokens).sum(1)), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
