"""Programs that take one dimension for another, count padding, or tie weights by copying them, for test_findings.py; the line with
`# <-` is the one that the first rule's finding names.
"""
#: finds: the rules that find something
#: thread?: where people met it

import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)

# %% queries and keys that are unit vectors over time
#: finds: normalized_other_dim
class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)
    def unit(self, x):
        return F.normalize(x)  # <-
    def forward(self, x):
        scores = self.unit(self.q(x)) @ self.unit(self.k(x)).transpose(-2, -1)
        return torch.softmax(5 * scores, dim=-1) @ self.v(x)
net = Attention()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(4, 5, 8), torch.randn(4, 5, 8)
for i in range(3):
    loss = F.mse_loss(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()

# %% words and regions compared by cosines over one another
#: finds: normalized_other_dim
embed, project = nn.Embedding(20, 8), nn.Linear(6, 8)
words, regions = torch.randint(0, 20, (4, 5)), torch.randn(4, 7, 6)
a = F.normalize(embed(words), p=2)  # <-
b = F.normalize(project(regions), p=2, dim=-1)
loss = -torch.einsum("bwd,brd->bwr", a, b).max(-1)[0].mean()
loss.backward()

# %% similarity of two sequences, place by place
#: finds: normalized_other_dim
encoder = nn.GRU(3, 8, batch_first=True)
one, _ = encoder(torch.randn(4, 5, 3))
other, _ = encoder(torch.randn(4, 5, 3))
one, other = (F.normalize(each) for each in (one, other))  # <-
loss = 1 - (one * other).sum(dim=-1).mean()
loss.backward()

# %% heads that are normalized over heads
#: finds: normalized_other_dim
qkv = nn.Linear(8, 24)
x = torch.randn(2, 5, 8)
q, k, v = qkv(x).view(2, 5, 3, 2, 4).permute(2, 0, 3, 1, 4)
q, k = map(lambda each: F.normalize(each), (q, k))  # <-
out = F.scaled_dot_product_attention(q, k, v)
out.square().mean().backward()

# %% features of places after a convolution
#: finds: normalized_other_dim
conv = nn.Conv2d(3, 8, 3)
table = nn.Embedding(6, 8)
places = conv(torch.randn(2, 3, 6, 6)).flatten(2).transpose(1, 2)
f = F.normalize(places)  # <-
scores = f @ F.normalize(table.weight).t() / 0.1
loss = F.cross_entropy(scores.flatten(0, 1), torch.randint(0, 6, (32,)))
loss.backward()

# %% samples first for an encoder that was not told
#: finds: batch_first_missing
embed = nn.Embedding(10, 8)
encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0), 2, enable_nested_tensor=False)  # <-
head = nn.Linear(8, 2)
opt = torch.optim.Adam([*embed.parameters(), *encoder.parameters(), *head.parameters()])
tokens, y = torch.randint(0, 10, (12, 5)), torch.randint(0, 2, (12,))
for i in range(2):
    loss = F.cross_entropy(head(encoder(embed(tokens)).mean(dim=1)), y)
    opt.zero_grad(); loss.backward(); opt.step()

# %% a vision transformer whose class token meets those of other images
#: finds: batch_first_missing
class Vision(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(1, 8, 4, 4)
        self.token = nn.Parameter(torch.zeros(1, 1, 8))
        self.positions = nn.Parameter(torch.randn(1, 5, 8) * 0.02)
        self.attention = nn.MultiheadAttention(8, 2)  # <-
        self.norm, self.head = nn.LayerNorm(8), nn.Linear(8, 3)
    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(len(x), -1, -1), x], 1) + self.positions
        x = x + self.attention(x, x, x)[0]
        return self.head(self.norm(x)[:, 0])
net = Vision()
loss = F.cross_entropy(net(torch.randn(6, 1, 8, 8)), torch.randint(0, 3, (6,)))
loss.backward()

# %% a tagger with positions in dimension 1
#: finds: batch_first_missing
class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.places = nn.Embedding(10, 8), nn.Embedding(16, 8)
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=False)  # <-
        self.head = nn.Linear(8, 4)
    def forward(self, tokens):
        x = self.embed(tokens) + self.places(torch.arange(tokens.size(1)))
        return self.head(self.layer(x))
net = Tagger()
tokens, tags = torch.randint(0, 10, (6, 5)), torch.randint(0, 4, (6, 5))
loss = F.cross_entropy(net(tokens).reshape(-1, 4), tags.reshape(-1))
loss.backward()

# %% a layer of its own around attention with dropout
#: finds: batch_first_missing
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 8))
        self.attention = nn.MultiheadAttention(8, 2, dropout=0.1)  # <-
        self.head = nn.Linear(5 * 8, 2)
    def forward(self, x):
        x = self.rows(x)
        out, weights = self.attention(x, x, x, need_weights=False)
        return self.head((x + out).flatten(1))
net = Block()
loss = F.cross_entropy(net(torch.randn(7, 5, 3)), torch.randint(0, 2, (7,)))
loss.backward()

# %% tags that are padded together with their words
#: finds: padding_counted
words = [torch.randint(1, 9, (n,)) for n in (7, 3, 2, 4)]
tags = [w % 3 + 1 for w in words]
x, y = (nn.utils.rnn.pad_sequence(each, batch_first=True) for each in (words, tags))
embed, rnn, head = nn.Embedding(9, 6, padding_idx=0), nn.GRU(6, 8, batch_first=True), nn.Linear(8, 4)
opt = torch.optim.Adam([*embed.parameters(), *rnn.parameters(), *head.parameters()])
criterion = nn.CrossEntropyLoss()
for i in range(3):
    loss = criterion(head(rnn(embed(x))[0]).reshape(-1, 4), y.reshape(-1))  # <-
    opt.zero_grad(); loss.backward(); opt.step()

# %% the next words, padded with time first and for no embedding that knows
#: finds: padding_counted
texts = [torch.randint(1, 9, (n,)) for n in (8, 3, 4, 5, 6)]
x = nn.utils.rnn.pad_sequence([t[:-1] for t in texts])
y = nn.utils.rnn.pad_sequence([t[1:] for t in texts], padding_value=9)
embed, rnn, head = nn.Embedding(9, 6), nn.LSTM(6, 8), nn.Linear(8, 10)
opt = torch.optim.Adam([*embed.parameters(), *rnn.parameters(), *head.parameters()])
for i in range(3):
    loss = F.cross_entropy(head(rnn(embed(x))[0]).transpose(1, 2), y)  # <-
    opt.zero_grad(); loss.backward(); opt.step()

# %% tags padded with one that words have, too
#: finds: padding_counted
words = [torch.randint(1, 9, (n,)) for n in (7, 3, 2, 4)]
tags = [w % 3 for w in words]
x, y = (nn.utils.rnn.pad_sequence(each, batch_first=True) for each in (words, tags))
embed, rnn, head = nn.Embedding(9, 6, padding_idx=0), nn.GRU(6, 8, batch_first=True), nn.Linear(8, 3)
opt = torch.optim.Adam([*embed.parameters(), *rnn.parameters(), *head.parameters()])
for i in range(3):
    loss = F.cross_entropy(head(rnn(embed(x))[0]).flatten(0, 1), y.flatten())  # <-
    opt.zero_grad(); loss.backward(); opt.step()

# %% the data of a table copied into a decoder
#: finds: copied_not_tied
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.decoder = nn.Embedding(7, 6), nn.Linear(6, 7, bias=False)
        self.decoder.weight.data = self.table.weight.data.clone()  # <-
    def forward(self, x):
        return self.decoder(torch.tanh(self.table(x)))
net = Model()
opt = torch.optim.Adam(net.parameters(), 0.01)
tokens = torch.randint(0, 7, (4, 9))
for i in range(3):
    loss = F.cross_entropy(net(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
    opt.zero_grad(); loss.backward(); opt.step()

# %% a table that gets the rows of an output layer
#: finds: copied_not_tied
embed, out = nn.Embedding(7, 6), nn.Linear(6, 7)
with torch.no_grad():
    embed.weight.copy_(out.weight)  # <-
opt = torch.optim.SGD([*embed.parameters(), *out.parameters()], 0.1)
tokens = torch.randint(0, 7, (4, 9))
for i in range(3):
    loss = F.cross_entropy(out(torch.tanh(embed(tokens[:, :-1]))).flatten(0, 1), tokens[:, 1:].flatten())
    opt.zero_grad(); loss.backward(); opt.step()

# %% the last step of two layers that go both ways
#: finds: one_direction_read
gru = nn.GRU(4, 8, num_layers=2, bidirectional=True)
fc = nn.Linear(16, 1)
opt = torch.optim.Adam([*gru.parameters(), *fc.parameters()], 1e-2)
for i in range(10):
    x = torch.randn(12, 16, 4)
    y = x[0, :, :1] + x[-1, :, 1:2]
    out, h = gru(x)
    loss = nn.functional.mse_loss(fc(out[-1]), y)  # <-
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

# %% the first step of a network that goes both ways
#: finds: one_direction_read
lstm = nn.LSTM(4, 8, batch_first=True, bidirectional=True)
fc = nn.Linear(16, 3)
opt = torch.optim.Adam([*lstm.parameters(), *fc.parameters()], 1e-2)
for i in range(6):
    x = torch.randn(5, 9, 4)
    y = torch.randint(0, 3, (5,))
    hidden_states, _ = lstm(x)
    logits = fc(hidden_states[:, 0, :])  # <-
    loss = nn.functional.cross_entropy(logits, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

# %% an accuracy of a column and a row
#: finds: compared_with_all
from torch.utils.data import DataLoader, TensorDataset
X = torch.randn(60, 5)
y = torch.randint(0, 4, (60, 1))
net = nn.Linear(5, 4)
opt = torch.optim.SGD(net.parameters(), 1e-1)
def evaluate(loader):
    right = 0
    net.eval()
    with torch.no_grad():
        for xb, yb in loader:
            _, pred = torch.max(net(xb), 1)
            right += pred.eq(yb).sum().item()  # <-
    net.train()
    return right / 60
loader = DataLoader(TensorDataset(X, y), batch_size=20)
for epoch in range(3):
    for xb, yb in loader:
        loss = nn.functional.cross_entropy(net(xb), yb.flatten())
        opt.zero_grad(); loss.backward(); opt.step()
    print(evaluate(loader))

# %% messages of a graph added by an index that has them several times
#: finds: added_once
edges = torch.randint(0, 10, (2, 40))
emb = nn.Embedding(10, 4)
opt = torch.optim.SGD(emb.parameters(), 0.1)
for i in range(4):
    h = emb.weight
    out = torch.zeros_like(h)
    out[edges[1]] = out[edges[1]] + h[edges[0]]  # <-
    loss = (out.sum(1) - 1).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

# %% attention whose weights go over the batch
#: finds: attention_axis
#: thread: issue, PetrochukM/PyTorch-NLP: Attention's softmax dimension is wrong?
linear, softmax = nn.Linear(3, 3, bias=False), nn.Softmax(dim=0)
opt = torch.optim.Adam(linear.parameters(), lr=0.01)
for step in range(4):
    query, context = torch.randn(8, 1, 3), torch.randn(8, 5, 3)
    scores = torch.bmm(linear(query), context.transpose(1, 2)).view(8, 5)
    weights = softmax(scores).view(8, 1, 5)  # <-
    loss = F.mse_loss(torch.bmm(weights, context), context[:, :1])
    opt.zero_grad(); loss.backward(); opt.step()

# %% attention whose weights go over the heads
#: finds: attention_axis
project, value = nn.Linear(4, 8), nn.Linear(4, 8)
opt = torch.optim.Adam([*project.parameters(), *value.parameters()], lr=0.01)
for step in range(4):
    x = torch.randn(3, 5, 4)
    q, v = (each(x).view(3, 5, 2, 4).transpose(1, 2) for each in (project, value))
    weights = (q @ q.transpose(-2, -1) / 2).softmax(1)  # <-
    loss = F.mse_loss((weights @ v).mean(-1), x[..., :2].transpose(1, 2))
    opt.zero_grad(); loss.backward(); opt.step()

# %% the state of a network that goes both ways is one row for each sample
#: finds: view_transposes
#: thread: article, the dangers of reshaping: hidden.reshape(batch, 2 * hidden)
emb, gru, head = nn.Embedding(30, 8), nn.GRU(8, 12, bidirectional=True, batch_first=True), nn.Linear(24, 2)
opt = torch.optim.Adam([*emb.parameters(), *gru.parameters(), *head.parameters()], lr=1e-2)
ids, y = torch.randint(0, 30, (10, 7)), torch.randint(0, 2, (10,))
for step in range(4):
    out, h = gru(emb(ids))
    h = h.reshape(10, 24)  # <-
    loss = F.cross_entropy(head(h), y)
    opt.zero_grad(); loss.backward(); opt.step()

# %% channels of pixels taken for rows by a view alone
#: finds: view_transposes
#: thread: irfanICMLL/structure_knowledge_distillation#11
net = nn.Conv2d(3, 5, 3, padding=1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(4, 3, 6, 6), torch.randint(0, 5, (4, 6, 6))
for i in range(3):
    loss = F.cross_entropy(net(x).view(-1, 5), y.view(-1))  # <-
    opt.zero_grad(); loss.backward(); opt.step()

# %% batch_first for what has time first
#: finds: batch_is_time
#: thread: discuss.pytorch.org/t/62364
rnn, head = nn.GRU(4, 8, batch_first=True), nn.Linear(8, 2)  # <-
opt = torch.optim.SGD([*rnn.parameters(), *head.parameters()], lr=0.1)
x, y = torch.randn(12, 7, 4), torch.randint(0, 2, (12,))
for i in range(3):
    out, _ = rnn(x.permute(1, 0, 2))
    loss = F.cross_entropy(head(out[-1]), y)
    opt.zero_grad(); loss.backward(); opt.step()

# %% attention over time whose weights are shared out among the samples
#: finds: softmax_over_batch
score, head = nn.Linear(4, 1), nn.Linear(4, 2)
opt = torch.optim.SGD([*score.parameters(), *head.parameters()], lr=0.1)
x, y = torch.randn(12, 7, 4), torch.randint(0, 2, (12,))
for i in range(3):
    w = torch.softmax(score(x), dim=0)  # <-
    loss = F.cross_entropy(head((w * x).sum(1)), y)
    opt.zero_grad(); loss.backward(); opt.step()

# %% the same with a product of matrices
#: finds: softmax_over_batch
score, head = nn.Linear(4, 1), nn.Linear(4, 2)
opt = torch.optim.SGD([*score.parameters(), *head.parameters()], lr=0.1)
x, y = torch.randn(12, 7, 4), torch.randint(0, 2, (12,))
for i in range(3):
    w = torch.softmax(score(x), dim=0)  # <-
    loss = F.cross_entropy(head(torch.bmm(w.transpose(1, 2), x).squeeze(1)), y)
    opt.zero_grad(); loss.backward(); opt.step()

# %% branches of different kernels whose weights are shared out among the samples
#: finds: softmax_over_batch
#: thread: xmu-xiaoma666/External-Attention-pytorch#18
small, large, gates, head = nn.Conv1d(2, 4, 1), nn.Conv1d(2, 4, 3, padding=1), nn.ModuleList([nn.Linear(4, 4) for _ in range(2)]), nn.Linear(4, 3)
opt = torch.optim.SGD([p for m in (small, large, gates, head) for p in m.parameters()], lr=0.1)
x, y = torch.randn(8, 2, 6), torch.randint(0, 3, (8,))
for i in range(3):
    parts = torch.stack([small(x), large(x)], 0)
    pooled = parts.sum(0).mean(-1)
    w = torch.softmax(torch.stack([gate(pooled).unsqueeze(-1) for gate in gates], 0), dim=1)  # <-
    loss = F.cross_entropy(head((w * parts).sum(0).mean(-1)), y)
    opt.zero_grad(); loss.backward(); opt.step()
