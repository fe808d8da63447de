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

# %% padded tags that are left out
words = [torch.randint(1, 9, (n,)) for n in (7, 3, 2, 4)]
tags = [w % 3 + 1 for w in words]
x, y = (nn.utils.rnn.pad_sequence(each, batch_first=True) for each in (words, tags))
embed, head = nn.Embedding(9, 6, padding_idx=0), nn.Linear(6, 4)
F.cross_entropy(head(embed(x)).flatten(0, 1), y.flatten(), ignore_index=0).backward()

# %% padded tags of -100
words = [torch.randint(1, 9, (n,)) for n in (7, 3, 2, 4)]
x = nn.utils.rnn.pad_sequence(words, batch_first=True)
y = nn.utils.rnn.pad_sequence([w % 3 for w in words], batch_first=True, padding_value=-100)
embed, head = nn.Embedding(9, 6, padding_idx=0), nn.Linear(6, 3)
F.cross_entropy(head(embed(x)).flatten(0, 1), y.flatten()).backward()

# %% padding that a mask takes out
words = [torch.randint(1, 9, (n,)) for n in (7, 3, 2, 4)]
x, y = (nn.utils.rnn.pad_sequence(each, batch_first=True) for each in (words, [w % 3 for w in words]))
embed, head = nn.Embedding(9, 6, padding_idx=0), nn.Linear(6, 3)
each = F.cross_entropy(head(embed(x)).flatten(0, 1), y.flatten(), reduction="none")
((each * (x != 0).flatten()).sum() / (x != 0).sum()).backward()

# %% elements that are no padding are picked
words = [torch.randint(1, 9, (n,)) for n in (7, 3, 2, 4)]
x, y = (nn.utils.rnn.pad_sequence(each, batch_first=True) for each in (words, [w % 3 for w in words]))
embed, head = nn.Embedding(9, 6, padding_idx=0), nn.Linear(6, 3)
F.cross_entropy(head(embed(x))[x != 0], y[x != 0]).backward()

# %% a weight of zero for the padding
words = [torch.randint(1, 9, (n,)) for n in (7, 3, 2, 4)]
x, y = (nn.utils.rnn.pad_sequence(each, batch_first=True) for each in (words, [w % 3 + 1 for w in words]))
embed, head = nn.Embedding(9, 6, padding_idx=0), nn.Linear(6, 4)
F.cross_entropy(head(embed(x)).flatten(0, 1), y.flatten(), weight=torch.tensor([0.0, 1, 1, 1])).backward()

# %% tags of sequences of one length, some of which end alike
x = torch.tensor([[3, 1, 2, 5, 5], [1, 5, 3, 2, 5], [2, 2, 1, 3, 4], [4, 1, 1, 5, 5]])
embed, head = nn.Embedding(6, 6), nn.Linear(6, 2)
F.cross_entropy(head(embed(x)).flatten(0, 1), (x == 5).long().flatten()).backward()

# %% padded texts and one label for each
words = [torch.randint(1, 9, (n,)) for n in (7, 3, 2, 4)]
x, y = nn.utils.rnn.pad_sequence(words, batch_first=True), torch.tensor([0, 1, 1, 0])
embed, head = nn.Embedding(9, 6, padding_idx=0), nn.Linear(6, 2)
mask = (x != 0).unsqueeze(-1)
F.cross_entropy(head((embed(x) * mask).sum(1) / mask.sum(1)), y).backward()

# %% a table and a decoder that are tied
embed, out = nn.Embedding(7, 6), nn.Linear(6, 7, bias=False)
out.weight = embed.weight
opt = torch.optim.SGD(embed.parameters(), 0.1)
tokens = torch.randint(0, 7, (4, 9))
for i in range(3):
    loss = F.cross_entropy(out(torch.tanh(embed(tokens[:, :-1]))).flatten(0, 1), tokens[:, 1:].flatten())
    opt.zero_grad(); loss.backward(); opt.step()

# %% a decoder that begins as a table which stays as it is
embed, out = nn.Embedding(7, 6), nn.Linear(6, 7, bias=False)
embed.weight.requires_grad_(False)
out.weight.data.copy_(embed.weight.data)
opt = torch.optim.SGD(out.parameters(), 0.1)
tokens = torch.randint(0, 7, (4, 9))
for i in range(3):
    loss = F.cross_entropy(out(torch.tanh(embed(tokens[:, :-1]))).flatten(0, 1), tokens[:, 1:].flatten())
    opt.zero_grad(); loss.backward(); opt.step()

# %% weights that are copied again after every step
embed, out = nn.Embedding(7, 6), nn.Linear(6, 7, bias=False)
out.weight.data.copy_(embed.weight.data)
opt = torch.optim.SGD([*embed.parameters(), *out.parameters()], 0.1)
tokens = torch.randint(0, 7, (4, 9))
for i in range(3):
    loss = F.cross_entropy(out(torch.tanh(embed(tokens[:, :-1]))).flatten(0, 1), tokens[:, 1:].flatten())
    opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad():
        out.weight.copy_((embed.weight + out.weight) / 2)
        embed.weight.copy_(out.weight)

# %% two layers, and two tables, that begin alike
one, other = nn.Linear(6, 6), nn.Linear(6, 6)
other.weight.data.copy_(one.weight.data)
a, b = nn.Embedding(7, 6), nn.Embedding(7, 6)
b.weight.data = a.weight.data.clone()
opt = torch.optim.SGD([*one.parameters(), *other.parameters(), *a.parameters(), *b.parameters()], 0.1)
tokens, y = torch.randint(0, 7, (8,)), torch.randn(8, 6)
for i in range(3):
    loss = F.mse_loss(other(torch.tanh(one(a(tokens) * b(tokens)))), y)
    opt.zero_grad(); loss.backward(); opt.step()

# %% each direction of a network at its own end
lstm = nn.LSTM(4, 8, batch_first=True, bidirectional=True)
fc = nn.Linear(16, 3)
opt = torch.optim.Adam([*lstm.parameters(), *fc.parameters()], 1e-2)
for i in range(4):
    x = torch.randn(5, 9, 4)
    y = torch.randint(0, 3, (5,))
    out, (h, c) = lstm(x)
    last = torch.cat([out[:, -1, :8], out[:, 0, 8:]], dim=1)
    loss = nn.functional.cross_entropy(fc(last), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

# %% the mean of all steps of a network that goes both ways
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
class Enc(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(4, 8, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(16, 1)
    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        out, _ = self.rnn(packed)
        out, _ = pad_packed_sequence(out, batch_first=True)
        last = out.mean(1)
        return self.fc(last)
net = Enc()
opt = torch.optim.SGD(net.parameters(), 0.05)
for i in range(6):
    x = torch.randn(5, 9, 4)
    lengths = torch.tensor([9, 4, 7, 3, 5])
    y = x[:, 0, :1]
    loss = nn.functional.mse_loss(net(x, lengths), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

# %% comparisons of every one with every other that are meant
X = torch.randn(40, 5)
y = torch.randint(0, 3, (40,))
net = nn.Linear(5, 3)
opt = torch.optim.Adam(net.parameters(), 1e-2)
for epoch in range(5):
    out = net(X)
    loss = nn.functional.cross_entropy(out, y)
    opt.zero_grad(); loss.backward(); opt.step()
    pred = out.argmax(1)
    same = (pred.unsqueeze(1) == pred).float()       # which samples are in one cluster
    agree = (pred[:, None] == y).sum() 
    onehot = (y[:, None] == torch.arange(3)).float()
    top = out.topk(2, dim=1).indices
    hit = (top == y.view(-1, 1)).any(dim=1).float().mean()
print(same.mean().item(), hit.item(), agree.item(), onehot.sum().item())

# %% votes for each class
X = torch.randn(3, 5)
net = nn.Linear(5, 3)
y = torch.randint(0, 3, (3, 1))
opt = torch.optim.Adam(net.parameters(), 1e-2)
classes = torch.arange(3)
for epoch in range(5):
    out = net(X)
    loss = nn.functional.cross_entropy(out, y.squeeze(1))
    opt.zero_grad(); loss.backward(); opt.step()
    pred = out.argmax(1, keepdim=True)
    votes = (pred == classes).sum(0)      # how many of each class
    print(votes.tolist(), (pred == y).float().mean().item())

# %% a sparse update of rows, the same for each time that a word is there
# a sparse update: the rows of one word are the same, once is right
emb = torch.randn(10, 4, requires_grad=True)
for k in range(3):
    words = torch.randint(0, 10, (20,))
    loss = emb[words].pow(2).sum()
    loss.backward()
    with torch.no_grad():
        emb[words] -= 0.01 * emb.grad[words]
    emb.grad = None
print(emb.norm())

# %% writes by indices that lose nothing
x = torch.randn(8, 3, requires_grad=True)
perm = torch.randperm(8)[:5]
out = torch.zeros(8, 3)
out[perm] += x[perm]
mask = x[:, 0] > 0
out[mask] += 1.5
out[torch.tensor([0, 0, 1])] = x[:3]
out.index_add_(0, torch.tensor([1, 1, 2]), x[:3])
out.index_put_((torch.tensor([1, 1, 2]),), x[:3], accumulate=True)
out[2] += x[1]
out.sum().backward()
print(x.grad.norm())

# %% the state of a network that goes both ways is swapped first
emb, gru, head = nn.Embedding(30, 8), nn.GRU(8, 12, bidirectional=True, batch_first=True), nn.Linear(24, 2)
opt = torch.optim.Adam([*emb.parameters(), *gru.parameters(), *head.parameters()], lr=1e-2)
ids, y = torch.randint(0, 30, (10, 7)), torch.randint(0, 2, (10,))
for step in range(4):
    out, h = gru(emb(ids))
    loss = F.cross_entropy(head(h.transpose(0, 1).reshape(10, 24)), y)
    opt.zero_grad(); loss.backward(); opt.step()

# %% images flattened to rows for a loss that takes each element for itself
net = nn.Conv2d(3, 5, 3, padding=1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(4, 3, 6, 6), torch.randn(4, 5, 6, 6)
for i in range(3):
    loss = F.mse_loss(net(x).view(-1, 5), y.view(-1, 5))
    opt.zero_grad(); loss.backward(); opt.step()

# %% tokens in rows for a class each
net = nn.Linear(4, 6)
x, y = torch.randn(5, 7, 4), torch.randint(0, 6, (5, 7))
F.cross_entropy(net(x).view(-1, 6), y.view(-1)).backward()

# %% the last state of the last layer, with the samples first
rnn, head = nn.LSTM(4, 8, num_layers=2, batch_first=True), nn.Linear(8, 2)
opt = torch.optim.SGD([*rnn.parameters(), *head.parameters()], lr=0.1)
x, y = torch.randn(12, 7, 4), torch.randint(0, 2, (12,))
for i in range(3):
    out, (h, _) = rnn(x)
    loss = F.cross_entropy(head(h[-1] + out[:, -1]), y)
    opt.zero_grad(); loss.backward(); opt.step()

# %% attention over time that stands first
score, head = nn.Linear(4, 1), nn.Linear(4, 2)
opt = torch.optim.SGD([*score.parameters(), *head.parameters()], lr=0.1)
x, y = torch.randn(7, 12, 4), torch.randint(0, 2, (12,))
for i in range(3):
    loss = F.cross_entropy(head((torch.softmax(score(x), dim=0) * x).sum(0)), y)
    opt.zero_grad(); loss.backward(); opt.step()

# %% soft assignments to clusters, and what each cluster gathers
assign, centres, head = nn.Linear(4, 3), nn.Parameter(torch.randn(3, 4)), nn.Linear(12, 2)
opt = torch.optim.SGD([*assign.parameters(), centres, *head.parameters()], lr=0.1)
x, y = torch.randn(12, 7, 4), torch.randint(0, 2, (12,))
for i in range(3):
    a = torch.softmax(assign(x), dim=2)
    gathered = (a.unsqueeze(-1) * (x.unsqueeze(2) - centres)).sum(1)
    loss = F.cross_entropy(head(gathered.flatten(1)), y)
    opt.zero_grad(); loss.backward(); opt.step()

# %% slots compete for inputs
q, head = nn.Parameter(torch.randn(3, 4)), nn.Linear(12, 2)
opt = torch.optim.SGD([q, *head.parameters()], lr=0.1)
x, y = torch.randn(12, 7, 4), torch.randint(0, 2, (12,))
for i in range(3):
    a = torch.softmax(q @ x.transpose(1, 2), dim=1)
    a = a / a.sum(-1, keepdim=True)
    loss = F.cross_entropy(head((a @ x).flatten(1)), y)
    opt.zero_grad(); loss.backward(); opt.step()

# %% overlap of masks and shares of classes
net = nn.Conv2d(3, 4, 3, padding=1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(4, 3, 6, 6), F.one_hot(torch.randint(0, 4, (4, 6, 6)), 4).permute(0, 3, 1, 2).float()
for i in range(3):
    p = torch.softmax(net(x), dim=1)
    loss = 1 - (2 * (p * y).sum((0, 2, 3)) / (p + y).sum((0, 2, 3))).mean()
    opt.zero_grad(); loss.backward(); opt.step()
