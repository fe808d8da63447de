"""Sound programs about dimensions, padding and tied weights for test_findings.py: nothing is found in them."""

import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)

# %% unit vectors over the last dimension
q, k = nn.Linear(8, 8), nn.Linear(8, 8)
x = torch.randn(4, 5, 8)
scores = F.normalize(q(x), dim=-1) @ F.normalize(k(x), p=2.0, dim=2).transpose(1, 2)
scores.square().mean().backward()

# %% unit vectors of a batch
q, k = nn.Linear(8, 8), nn.Linear(8, 8)
x = torch.randn(6, 8)
scores = F.normalize(q(x)) @ F.normalize(k(x)).t()
F.cross_entropy(scores / 0.1, torch.arange(6)).backward()

# %% channels of images are unit vectors
conv = nn.Conv2d(3, 8, 3, padding=1)
a, b = F.normalize(conv(torch.randn(2, 3, 5, 5))), F.normalize(conv(torch.randn(2, 3, 5, 5)))
loss = -(a * b).sum(1).mean() + torch.einsum("bchw,bcij->bhwij", a, b).mean()
loss.backward()

# %% channels of flat images are unit vectors, and their places are compared
conv = nn.Conv2d(3, 8, 3, padding=1)
f = F.normalize(conv(torch.randn(2, 3, 4, 4)).flatten(2))
alike = f.transpose(1, 2) @ f
alike.square().mean().backward()

# %% a Gram matrix of unit vectors
conv = nn.Conv2d(3, 8, 3, padding=1)
f = F.normalize(conv(torch.randn(2, 3, 4, 4)).flatten(2))
gram = f @ f.transpose(1, 2)
gram.square().mean().backward()

# %% attention among channels
q, k = nn.Linear(8, 8), nn.Linear(8, 8)
x = torch.randn(4, 5, 8)
scores = F.normalize(q(x)).transpose(1, 2) @ F.normalize(k(x))
torch.softmax(scores, dim=-1).square().mean().backward()

# %% columns of a sequence scaled, and a layer behind them
layer, head = nn.Linear(8, 8), nn.Linear(8, 2)
x = torch.randn(4, 5, 8)
head(F.normalize(layer(x))).square().mean().backward()

# %% queries are scaled over time and keys as they are
q, k = nn.Linear(8, 8), nn.Linear(8, 8)
x = torch.randn(4, 5, 8)
(F.normalize(q(x)) @ k(x).transpose(1, 2)).square().mean().backward()

# %% weights of attention that add up to one
q, k = nn.Linear(8, 8), nn.Linear(8, 8)
x = torch.randn(4, 5, 8)
weights = F.normalize((q(x) @ k(x).transpose(1, 2)).exp(), p=1)
(weights.transpose(1, 2) @ x).square().mean().backward()

# %% a function of its own by that name
def normalize(x):
    return x / x.norm(dim=1, keepdim=True).clamp_min(1e-6)
layer = nn.Linear(8, 8)
one, other = normalize(layer(torch.randn(4, 5, 8))), normalize(layer(torch.randn(4, 5, 8)))
(one * other).sum(-1).mean().backward()

# %% one sequence without a batch
q, k = nn.Linear(8, 8), nn.Linear(8, 8)
x = torch.randn(5, 8)
with torch.no_grad():
    print((F.normalize(q(x)) @ F.normalize(k(x)).T).shape)

# %% samples first for an encoder that was told
embed, head = nn.Embedding(10, 8), nn.Linear(8, 2)
encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True), 2, enable_nested_tensor=False)
tokens, y = torch.randint(0, 10, (12, 5)), torch.randint(0, 2, (12,))
F.cross_entropy(head(encoder(embed(tokens)).mean(dim=1)), y).backward()

# %% time first, averaged over time
embed, head = nn.Embedding(10, 8), nn.Linear(8, 2)
layer = nn.TransformerEncoderLayer(8, 2, 16)
tokens, y = torch.randint(0, 10, (12, 5)), torch.randint(0, 2, (12,))
F.cross_entropy(head(layer(embed(tokens.t())).mean(dim=0)), y).backward()

# %% time first, turned before and after attention
layer, head = nn.MultiheadAttention(8, 2), nn.Linear(8, 2)
x, y = torch.randn(12, 5, 8), torch.randint(0, 2, (12,))
turned = x.transpose(0, 1)
out = layer(turned, turned, turned)[0].transpose(0, 1)
F.cross_entropy(head(out[:, 0]), y).backward()

# %% time first, with positions and a target for each place
class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.places = nn.Embedding(10, 8), nn.Parameter(torch.randn(16, 1, 8))
        self.layer, self.head = nn.TransformerEncoderLayer(8, 2, 16), nn.Linear(8, 4)
    def forward(self, tokens):
        return self.head(self.layer(self.embed(tokens) + self.places[:len(tokens)]))
net = Tagger()
tokens, tags = torch.randint(0, 10, (5, 6)), torch.randint(0, 4, (5, 6))
F.cross_entropy(net(tokens).flatten(0, 1), tags.flatten()).backward()

# %% as many samples as places, nobody can tell
embed, head = nn.Embedding(10, 8), nn.Linear(8, 2)
layer = nn.TransformerEncoderLayer(8, 2, 16)
tokens, y = torch.randint(0, 10, (6, 6)), torch.randint(0, 2, (6,))
F.cross_entropy(head(layer(embed(tokens)).mean(dim=1)), y).backward()

# %% attention among the samples of a batch, as one sequence
rows, head = nn.Linear(3, 8), nn.Linear(8, 2)
layer = nn.TransformerEncoderLayer(8, 2, 16)
x, y = torch.randn(12, 3), torch.randint(0, 2, (12,))
F.cross_entropy(head(layer(rows(x).unsqueeze(1)).squeeze(1)), y).backward()

# %% attention over time for each place, places with vectors of their own
project, head = nn.Linear(3, 8), nn.Linear(8, 3)
places = nn.Parameter(torch.randn(4, 8))
layer = nn.TransformerEncoderLayer(8, 2, 16)
series = torch.randn(9, 4, 3)
F.mse_loss(head(layer(project(series[:-1]) + places)), series[1:]).backward()

# %% a translator with time first
model = nn.Transformer(8, 2, 1, 1, 16, 0.0)
source, target = nn.Embedding(10, 8), nn.Embedding(11, 8)
head = nn.Linear(8, 11)
a, b = torch.randint(0, 10, (6, 3)), torch.randint(0, 11, (5, 3))
out = model(source(a), target(b[:-1]), tgt_mask=nn.Transformer.generate_square_subsequent_mask(4))
F.cross_entropy(head(out).flatten(0, 1), b[1:].flatten()).backward()
