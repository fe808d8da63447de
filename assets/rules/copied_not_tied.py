"""The weights of a decoder are meant to be those of the embedding, and are a copy of them."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
embedding, decoder = nn.Embedding(7, 8), nn.Linear(8, 7, bias=False)
decoder.weight = nn.Parameter(embedding.weight.clone())
parameters = {id(p): p for p in [*embedding.parameters(), *decoder.parameters()]}
optimizer = torch.optim.SGD(parameters.values(), lr=0.05)
tokens = torch.randint(0, 7, (4, 9)).sort(dim=1)[0]
for step in range(3):
    loss = F.cross_entropy(decoder(embedding(tokens[:, :-1])).flatten(0, 1), tokens[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(torch.equal(embedding.weight, decoder.weight))

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
embedding, decoder = nn.Embedding(7, 8), nn.Linear(8, 7, bias=False)
decoder.weight = embedding.weight
parameters = {id(p): p for p in [*embedding.parameters(), *decoder.parameters()]}
optimizer = torch.optim.SGD(parameters.values(), lr=0.05)
tokens = torch.randint(0, 7, (4, 9)).sort(dim=1)[0]
for step in range(3):
    loss = F.cross_entropy(decoder(embedding(tokens[:, :-1])).flatten(0, 1), tokens[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(torch.equal(embedding.weight, decoder.weight))
