"""Programs with a known defect in what belongs together (data and batches, networks and their averages, noise and what is to
find it, rivals), for test_findings.py; the line with `# <-` is the one that the first rule's finding names.
"""
#: finds: the rules that find something
#: thread?: where people met it

import copy, math; import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)

# %% noise is added to slices of the data
#: finds: data_changed
data, labels = torch.randn(24, 4), torch.randint(0, 2, (24,))
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    for i in range(0, 24, 8):
        batch = data[i:i + 8]
        batch += 0.1 * torch.randn_like(batch)  # <-
        loss = F.cross_entropy(net(batch), labels[i:i + 8])
        opt.zero_grad(); loss.backward(); opt.step()

# %% tokens are masked in slices of the data
#: finds: data_changed
tokens = torch.randint(1, 20, (24, 6))
net = nn.Sequential(nn.Embedding(20, 8), nn.Linear(8, 20))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(3):
    for i in range(0, 24, 8):
        given = tokens[i:i + 8]
        wanted = given.clone()
        hidden = torch.rand(given.shape) < 0.3
        given[hidden] = 0  # <-
        loss = F.cross_entropy(net(given)[hidden], wanted[hidden])
        opt.zero_grad(); loss.backward(); opt.step()

# %% samples are scaled in place where they are taken
#: finds: data_changed
class Images:
    def __init__(self):
        self.pixels, self.labels = torch.rand(12, 6) + 0.5, torch.randint(0, 2, (12,))
    def __len__(self):
        return 12
    def __getitem__(self, index):
        pixels = self.pixels[index]
        pixels.mul_(0.5 + torch.rand(1).item())  # <-
        return pixels, self.labels[index]
net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
loader = torch.utils.data.DataLoader(Images(), batch_size=4)
for epoch in range(3):
    for pixels, label in loader:
        loss = F.cross_entropy(net(pixels), label)
        opt.zero_grad(); loss.backward(); opt.step()

# %% batches are split once and dropped out in place in every epoch
#: finds: data_changed
data, labels = torch.rand(24, 1, 6, 6), torch.randint(0, 2, (24,))
batches = list(zip(data.split(8), labels.split(8)))
net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(32, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(4):
    for x, y in batches:
        x.mul_((torch.rand_like(x) > 0.2).float())  # <-
        loss = F.cross_entropy(net(x), y)
        opt.zero_grad(); loss.backward(); opt.step()

# %% an average of parameters by hand, without buffers
#: finds: average_without_buffers
x = torch.randn(64, 4) * 3 + 5
y = (x[:, 0] > x[:, 1]).long()
net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
average = copy.deepcopy(net).eval()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(8):
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
    for p, q in zip(net.parameters(), average.parameters()):
        q.data.mul_(0.9).add_(p.data, alpha=0.1)  # <-
with torch.no_grad():
    print((average(x).argmax(1) == y).float().mean())

# %% a soft update of a target network, without buffers
#: finds: average_without_buffers
class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm, self.last = nn.Linear(3, 8), nn.BatchNorm1d(8), nn.Linear(8, 1)
    def forward(self, x):
        return self.last(F.relu(self.norm(self.first(x))))
critic, target = Critic(), Critic()
target.load_state_dict(critic.state_dict())
target.eval()
opt = torch.optim.Adam(critic.parameters(), lr=1e-2)
for step in range(6):
    state, following, reward = torch.randn(16, 3) + 2, torch.randn(16, 3) + 2, torch.randn(16, 1)
    with torch.no_grad():
        wanted = reward + 0.9 * target(following)
    loss = F.mse_loss(critic(state), wanted)
    opt.zero_grad(); loss.backward(); opt.step()
    for p, q in zip(critic.parameters(), target.parameters()):
        q.data.copy_(0.05 * p.data + 0.95 * q.data)  # <-

# %% the noise to be found is drawn anew
#: finds: unrelated_noise
data = torch.randn(64, 4) * 0.5 + 1
net = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 4))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(12):
    x = data[torch.randint(0, 64, (16,))]
    t = torch.rand(16, 1)
    noise = torch.randn_like(x)
    noisy = (1 - t).sqrt() * x + t.sqrt() * noise
    found = net(torch.cat([noisy, t], dim=1))
    loss = ((found - torch.randn_like(x)) ** 2).mean()  # <-
    opt.zero_grad(); loss.backward(); opt.step()

# %% the noise is drawn where the input is made
#: finds: unrelated_noise
class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 2))
    def forward(self, x, sigma):
        return self.net(torch.cat([x, sigma.expand(len(x), 1)], 1))
data, model = torch.rand(32, 2), Denoiser()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
def noised(x, sigma):
    return x + sigma * torch.randn(x.shape)
for step in range(10):
    sigma = torch.rand(1)
    given = noised(data, sigma)
    noise = torch.randn(data.shape)  # <-
    loss = F.l1_loss(model(given, sigma), noise)
    opt.zero_grad(); loss.backward(); opt.step()

# %% a generator whose samples are to be told from real ones
#: finds: generator_helps_critic
G, D = nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1), nn.Sigmoid())
og, od = torch.optim.Adam(G.parameters(), 1e-2), torch.optim.Adam(D.parameters(), 1e-2)
criterion = nn.BCELoss()
for i in range(6):
    real = torch.randn(8, 3) + 2
    fake = G(torch.randn(8, 2))
    od.zero_grad()
    criterion(D(real), torch.ones(8, 1)).backward()
    criterion(D(fake.detach()), torch.zeros(8, 1)).backward()
    od.step()
    og.zero_grad()
    criterion(D(fake), torch.zeros(8, 1)).backward()  # <-
    og.step()

# %% least squares of a generator with the label of samples
#: finds: generator_helps_critic
G = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 3))
D = nn.Sequential(nn.Linear(3, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
og, od = torch.optim.Adam(G.parameters(), 1e-2), torch.optim.Adam(D.parameters(), 1e-2)
for i in range(6):
    real, z = torch.randn(8, 3) + 2, torch.randn(8, 2)
    with torch.no_grad():
        fake = G(z)
    scores, others = D(real), D(fake)
    d_loss = 0.5 * (F.mse_loss(scores, torch.ones_like(scores)) + F.mse_loss(others, torch.zeros_like(others)))
    od.zero_grad(); d_loss.backward(); od.step()
    scores = D(G(z))
    g_loss = 0.5 * F.mse_loss(scores, torch.zeros_like(scores))  # <-
    og.zero_grad(); g_loss.backward(); og.step()

# %% a dice loss of a mask, added to another loss
#: finds: term_without_gradient
net = nn.Conv2d(1, 1, 3, padding=1)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x = torch.randn(4, 1, 6, 6)
y = (x > 0).float()
def dice(scores, target):
    mask = (scores.sigmoid() > 0.5).float()  # <-
    return 1 - 2 * (mask * target).sum() / (mask.sum() + target.sum() + 1)
for step in range(3):
    scores = net(x)
    loss = F.binary_cross_entropy_with_logits(scores, y) + 0.5 * dice(scores, y)
    opt.zero_grad(); loss.backward(); opt.step()

# %% the number of large weights as a penalty
#: finds: term_without_gradient
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(16, 4), torch.randn(16, 1)
for step in range(3):
    fit = F.mse_loss(net(x), y)
    count = (net.weight.abs() > 0.1).sum()  # <-
    loss = fit + 0.01 * count
    opt.zero_grad(); loss.backward(); opt.step()

# %% the accuracy is subtracted from the loss
#: finds: term_without_gradient
net = nn.Linear(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(16, 4), torch.randint(0, 3, (16,))
for step in range(3):
    out = net(x)
    accuracy = (out.argmax(1) == y).float().mean()  # <-
    loss = F.cross_entropy(out, y) - accuracy
    opt.zero_grad(); loss.backward(); opt.step()

# %% targets of a language model that are made like its tokens, without a shift
#: finds: target_is_input
text = torch.randint(0, 20, (300,))
emb, rnn, head = nn.Embedding(20, 16), nn.LSTM(16, 16, batch_first=True), nn.Linear(16, 20)
opt = torch.optim.Adam([*emb.parameters(), *rnn.parameters(), *head.parameters()], lr=0.01)
for step in range(3):
    starts = torch.randint(0, 280, (6,))
    x = torch.stack([text[i:i + 8] for i in starts])
    y = torch.stack([text[i:i + 8] for i in starts])
    loss = F.cross_entropy(head(rnn(emb(x))[0]).view(-1, 20), y.view(-1))  # <-
    opt.zero_grad(); loss.backward(); opt.step()

# %% a data set that gives a transformer the same tokens twice
#: finds: target_is_input
class Text(torch.utils.data.Dataset):
    text = torch.arange(300) * 7 % 20
    def __len__(self):
        return 24
    def __getitem__(self, i):
        chunk = self.text[i:i + 11]
        return chunk[:-1], chunk[:-1]
tok, pos, head = nn.Embedding(20, 16), nn.Embedding(10, 16), nn.Linear(16, 20)
layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, dropout=0)
opt = torch.optim.Adam([p for m in (tok, pos, layer, head) for p in m.parameters()], lr=0.01)
for x, y in torch.utils.data.DataLoader(Text(), batch_size=6, shuffle=True):
    mask = torch.triu(torch.ones(10, 10, dtype=torch.bool), 1)
    h = layer(tok(x) + pos(torch.arange(10)), src_mask=mask)
    loss = F.cross_entropy(head(h).flatten(0, 1), y.flatten())  # <-
    opt.zero_grad(); loss.backward(); opt.step()

# %% noise of a diffusion model is drawn twice, and the data are made up
#: finds: unrelated_noise
ab = torch.cumprod(1 - torch.linspace(1e-3, 0.1, 20), 0)
net = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for step in range(4):
    x0 = torch.randn(64, 2) * 0.1 + 1
    t = torch.randint(0, 20, (64,))
    a = ab[t].unsqueeze(1)
    xt = a.sqrt() * x0 + (1 - a).sqrt() * torch.randn_like(x0)
    loss = F.mse_loss(net(torch.cat([xt, t.unsqueeze(1) / 20], 1)), torch.randn_like(x0))  # <-
    opt.zero_grad(); loss.backward(); opt.step()

# %% a function draws the noise that it is not given, for points of a circle that are not exact
#: finds: unrelated_noise
net = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
def noisy(x0, sigma, noise=None):
    if noise is None:
        noise = torch.randn_like(x0)
    return x0 + sigma * noise
for step in range(4):
    angle, sigma = torch.rand(16) * 2 * math.pi, torch.rand(16, 1)
    x0 = torch.stack([angle.cos(), angle.sin()], 1) + 0.02 * torch.randn(16, 2)
    noise = torch.randn_like(x0)  # <-
    found = net(torch.cat([noisy(x0, sigma), sigma], 1))
    loss = (found - noise).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()

# %% a discriminator is cleared after its step, and the generator's pass comes before its next one
#: finds: left_by_another
G = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)); D = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
optG, optD = torch.optim.Adam(G.parameters(), 1e-3), torch.optim.Adam(D.parameters(), 1e-3)
bce, one, zero = nn.BCEWithLogitsLoss(), torch.ones(16, 1), torch.zeros(16, 1)
for step in range(4):
    fake = G(torch.randn(16, 4))
    bce(D(torch.randn(16, 2) + 2), one).backward()  # <-
    bce(D(fake.detach()), zero).backward()
    optD.step(); optD.zero_grad()
    optG.zero_grad()
    bce(D(fake), one).backward()
    optG.step()

# %% a critic that steps several times, the first time by what the generator's pass has left
#: finds: left_by_another
G = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)); D = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
optG, optD = torch.optim.Adam(G.parameters(), 1e-3), torch.optim.Adam(D.parameters(), 1e-3)
bce, one, zero = nn.BCEWithLogitsLoss(), torch.ones(16, 1), torch.zeros(16, 1)
for step in range(4):
    for k in range(3):
        loss = D(G(torch.randn(16, 4)).detach()).mean() - D(torch.randn(16, 2) + 2).mean()
        loss.backward()  # <-
        optD.step(); optD.zero_grad()
    optG.zero_grad()
    (-D(G(torch.randn(16, 4))).mean()).backward()
    optG.step()

# %% both rivals are cleared at first, and the generator's pass comes before the discriminator's
#: finds: left_by_another
G = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)); D = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
optG, optD = torch.optim.Adam(G.parameters(), 1e-3), torch.optim.Adam(D.parameters(), 1e-3)
bce, one, zero = nn.BCEWithLogitsLoss(), torch.ones(16, 1), torch.zeros(16, 1)
for step in range(4):
    optG.zero_grad(); optD.zero_grad()
    fake = G(torch.randn(16, 4))
    bce(D(fake), one).backward(); optG.step()
    loss = bce(D(torch.randn(16, 2) + 2), one) + bce(D(fake.detach()), zero)
    loss.backward()  # <-
    optD.step()

# %% a causal mask that is added leaves what comes after
#: finds: causal_mask_inverted
emb, q, k, v, head = nn.Embedding(10, 16), nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 10)
opt = torch.optim.Adam([p for m in (emb, q, k, v, head) for p in m.parameters()], lr=0.01)
for step in range(3):
    seq = torch.randint(0, 10, (6, 9)); x, y = seq[:, :-1], seq[:, 1:]
    h = emb(x); s = q(h) @ k(h).transpose(1, 2) / 4
    out = torch.softmax(s + torch.tril(torch.full((8, 8), -1e9)), -1) @ v(h)  # <-
    loss = F.cross_entropy(head(out).flatten(0, 1), y.flatten())
    opt.zero_grad(); loss.backward(); opt.step()

# %% a causal mask says what to leave out where it is asked what to keep
#: finds: causal_mask_inverted
emb, q, k, v, head = nn.Embedding(10, 16), nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 10)
opt = torch.optim.Adam([p for m in (emb, q, k, v, head) for p in m.parameters()], lr=0.01)
for step in range(3):
    seq = torch.randint(0, 10, (6, 9)); x, y = seq[:, :-1], seq[:, 1:]
    h = emb(x); s = q(h) @ k(h).transpose(1, 2) / 4
    out = F.scaled_dot_product_attention(s @ h, h, v(h), attn_mask=torch.triu(torch.ones(8, 8, dtype=torch.bool), 1))  # <-
    loss = F.cross_entropy(head(out).flatten(0, 1), y.flatten())
    opt.zero_grad(); loss.backward(); opt.step()

# %% a data set of windows that end with their targets, for a recurrent network
#: finds: target_in_window
series, W = torch.cumsum(torch.randn(90), 0), 8
class Windows(torch.utils.data.Dataset):
    def __len__(self):
        return len(series) - W
    def __getitem__(self, i):
        return series[i:i + W].unsqueeze(-1), series[i + W - 1].unsqueeze(0)
rnn, head = nn.GRU(1, 16, batch_first=True), nn.Linear(16, 1)
opt = torch.optim.Adam([*rnn.parameters(), *head.parameters()], lr=0.01)
for x, y in torch.utils.data.DataLoader(Windows(), batch_size=16, shuffle=True):  # <-
    loss = F.mse_loss(head(rnn(x)[0][:, -1]), y)
    opt.zero_grad(); loss.backward(); opt.step()

# %% windows are cut with their targets, and begin one too late
#: finds: target_in_window
series, W = torch.cumsum(torch.randn(90), 0), 8
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
windows = series.unfold(0, W + 1, 1)  # <-
x, y = windows[:, 1:], windows[:, -1]
for epoch in range(3):
    loss = F.mse_loss(net(x).squeeze(-1), y)
    opt.zero_grad(); loss.backward(); opt.step()

# %% windows and targets are cut by NumPy
#: finds: target_in_window
series, W = torch.cumsum(torch.randn(90), 0), 8
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
values = series.numpy()
x = torch.tensor(np.array([values[i:i + W] for i in range(80)]))  # <-
y = torch.tensor(np.array([values[i + W - 1] for i in range(80)]))
for epoch in range(3):
    loss = F.mse_loss(net(x).squeeze(-1), y)
    opt.zero_grad(); loss.backward(); opt.step()
