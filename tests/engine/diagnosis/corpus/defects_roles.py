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

# %% an environment that hands out its array, and a buffer of it
#: finds: same_array_kept
import random
random.seed(0)
class Grid:
    def __init__(self):
        self.state = np.zeros(5, dtype=np.float32)
        self.pos = 0

    def reset(self):
        self.state.fill(0)
        self.pos = 2
        self.state[self.pos] = 1
        return self.state

    def step(self, a):
        self.state[self.pos] = 0
        self.pos = (self.pos + (1 if a else -1)) % 5
        self.state[self.pos] = 1
        return self.state, float(self.pos == 4), self.pos == 4, {}
class ReplayBuffer:
    def __init__(self, size):
        self.buffer, self.size, self.next = [], size, 0

    def push(self, s, a, r, s2, done):
        if len(self.buffer) < self.size:
            self.buffer.append(None)
        self.buffer[self.next] = (s, a, r, s2, done)  # <-
        self.next = (self.next + 1) % self.size

    def sample(self, n):
        s, a, r, s2, d = zip(*random.sample(self.buffer, n))
        return (torch.tensor(np.array(s)), torch.tensor(a), torch.tensor(r), torch.tensor(np.array(s2)), torch.tensor(d, dtype=torch.float32))
env, buffer = Grid(), ReplayBuffer(200)
q = nn.Linear(5, 2)
opt = torch.optim.Adam(q.parameters(), lr=1e-2)
state = env.reset()
for t in range(80):
    action = random.randrange(2)
    next_state, reward, done, _ = env.step(action)
    buffer.push(state, action, reward, next_state, done)
    state = env.reset() if done else next_state
    if t >= 16:
        s, a, r, s2, d = buffer.sample(16)
        with torch.no_grad():
            y = r + 0.9 * (1 - d) * q(s2).max(1).values
        loss = nn.functional.mse_loss(q(s).gather(1, a[:, None])[:, 0], y)
        opt.zero_grad()
        loss.backward()
        opt.step()
print(loss.item())

# %% snapshots of an array that are all one
#: finds: same_array_kept
rng = np.random.default_rng(0)
x = np.zeros(3)
inputs, targets = [], []
for i in range(64):
    x[:] = rng.normal(size=3)
    inputs.append(x)  # <-
    targets.append(x.sum())
X = torch.tensor(np.stack(inputs), dtype=torch.float32)
Y = torch.tensor(targets, dtype=torch.float32)[:, None]
net = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(20):
    loss = nn.functional.mse_loss(net(X), Y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

# %% a trajectory of a tensor that is moved in place
#: finds: same_array_kept
pos, vel = torch.zeros(2), torch.tensor([0.1, 0.2])
states, nexts = [], []
for t in range(20):
    states.append(pos)  # <-
    pos += vel
    vel *= 0.95
    nexts.append(pos)
X, Y = torch.stack(states), torch.stack(nexts)
net = nn.Linear(2, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(10):
    loss = nn.functional.mse_loss(net(X), Y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

# %% cutmix with two permutations
#: finds: mixed_apart
def cutmix(images, targets, lam=0.7):
    index = torch.randperm(images.size(0))
    images = images.clone()
    images[:, :, 2:6, 2:6] = images[index][:, :, 2:6, 2:6]
    other = torch.randperm(images.size(0))
    return images, targets, targets[other], lam  # <-
net = nn.Sequential(nn.Flatten(), nn.Linear(64, 16), nn.ReLU(), nn.Linear(16, 3))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
criterion = nn.CrossEntropyLoss()
data = torch.randn(64, 1, 8, 8)
labels = torch.randint(0, 3, (64,))
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(data, labels), batch_size=16, shuffle=True)
for epoch in range(2):
    for images, targets in loader:
        images, ya, yb, lam = cutmix(images, targets)
        out = net(images)
        loss = criterion(out, ya) * lam + criterion(out, yb) * (1 - lam)
        opt.zero_grad()
        loss.backward()
        opt.step()
print(loss.item())

# %% mixup by a function that draws its own permutation
#: finds: mixed_apart
x_all = torch.randn(128, 6)
y_all = x_all @ torch.randn(6, 1)
net = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
def mix(t, lam):
    perm = torch.randperm(t.shape[0])
    return torch.lerp(t, t[perm], lam)
for step in range(20):
    idx = torch.randint(0, 128, (32,))
    lam = 0.3
    xb = mix(x_all[idx], lam)
    yb = mix(y_all[idx], lam)  # <-
    loss = nn.functional.mse_loss(net(xb), yb)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

# %% coefficients of samples along images as high as a batch
#: finds: along_features
T = 50
ab = torch.cumprod(1 - torch.linspace(1e-4, 0.02, T), 0)
sqrt_ab, sqrt_1mab = ab.sqrt(), (1 - ab).sqrt()
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(T, 4)
        self.inp = nn.Conv2d(1, 4, 3, padding=1)
        self.out = nn.Conv2d(4, 1, 3, padding=1)

    def forward(self, x, t):
        return self.out(torch.relu(self.inp(x) + self.emb(t)[:, :, None, None]))
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for i in range(4):
    x0 = torch.rand(8, 1, 8, 8)
    t = torch.randint(0, T, (8,))
    eps = torch.randn_like(x0)
    noisy = torch.mul(sqrt_ab[t], x0) + sqrt_1mab[t] * eps  # <-
    loss = nn.functional.mse_loss(net(noisy, t), eps)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

# %% weights of samples along the classes
#: finds: along_features
weights = torch.tensor([0.2, 1.0, 2.0, 1.5, 0.5, 0.7])
net = nn.Linear(5, 6)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x_all, y_all = torch.randn(60, 5), torch.randint(0, 6, (60,))
for k in range(0, 60, 6):
    x, y = x_all[k : k + 6], y_all[k : k + 6]
    logits = net(x)
    focal = weights[y] * (1 - logits.softmax(1)) ** 2  # <-
    loss = -(focal * F.log_softmax(logits, 1)).gather(1, y[:, None]).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

# %% a target network that is the network from the beginning, in an object
#: finds: target_is_network
class DQN:
    def __init__(self, d, k):
        self.q = nn.Linear(d, k)
        self.q_target = self.q  # <-
        self.opt = torch.optim.SGD(self.q.parameters(), lr=0.05)

    def update(self, s, a, r, s2):
        with torch.no_grad():
            goal = r + 0.9 * self.q_target(s2).max(1).values
        loss = (self.q(s).gather(1, a[:, None])[:, 0] - goal).pow(2).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()
agent = DQN(4, 2)
for i in range(8):
    print(agent.update(torch.randn(16, 4), torch.randint(0, 2, (16,)), torch.randn(16), torch.randn(16, 4)))

# %% a teacher that becomes the student after an epoch
#: finds: target_is_network
class Student(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
        self.teacher = copy.deepcopy(self.net)

    def refresh(self):
        self.teacher = self.net  # <-

    def forward(self, x):
        with torch.no_grad():
            goal = self.teacher(x)
        return nn.functional.mse_loss(self.net(x + 0.1 * torch.randn_like(x)), goal)
model = Student()
opt = torch.optim.Adam(model.net.parameters(), lr=1e-2)
for epoch in range(3):
    for i in range(5):
        loss = model(torch.randn(16, 4))
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.refresh()
    print(epoch, loss.item())

# %% a target network that becomes the network by its name
#: finds: target_is_network
policy_net = nn.Linear(4, 2)
target_net = copy.deepcopy(policy_net)
opt = torch.optim.SGD(policy_net.parameters(), lr=0.1)
for i in range(12):
    s = torch.randn(16, 4)
    with torch.no_grad():
        goal = 0.9 * target_net(s).max(1).values
    loss = (policy_net(s).max(1).values - goal).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if i % 4 == 3:
        target_net = policy_net  # <-
print(loss.item())

# %% old probabilities of minibatches with the weights of now
#: finds: old_computed_anew
class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3))
        self.critic = nn.Linear(4, 1)

    def evaluate(self, s, a):
        dist = torch.distributions.Categorical(logits=self.actor(s))
        return dist.log_prob(a), self.critic(s).squeeze(-1), dist.entropy()
net = ActorCritic()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for rollout in range(3):
    s, a, ret = torch.randn(32, 4), torch.randint(0, 3, (32,)), torch.randn(32)
    for epoch in range(3):
        perm = torch.randperm(32)
        for k in range(0, 32, 8):
            idx = perm[k : k + 8]
            logp, v, ent = net.evaluate(s[idx], a[idx])
            with torch.no_grad():
                old_logp, _, _ = net.evaluate(s[idx], a[idx])  # <-
            adv = ret[idx] - v.detach()
            ratio = torch.exp(logp - old_logp)
            loss = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean() + (v - ret[idx]).pow(2).mean() - 0.01 * ent.mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
    print(rollout, loss.item())

# %% old probabilities that are the new ones detached
#: finds: old_computed_anew
policy = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
s = torch.randn(64, 3)
a = torch.randint(0, 2, (64,))
adv = torch.randn(64)
for epoch in range(10):
    logp = policy(s).log_softmax(-1).gather(1, a[:, None])[:, 0]
    logp_old = logp.detach()  # <-
    ratio = (logp - logp_old).exp()
    loss = -torch.minimum(ratio * adv, ratio.clip(0.8, 1.2) * adv).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

# %% an old policy that is brought up to date before each update
#: finds: old_computed_anew
from torch.distributions import Normal
policy, old_policy = nn.Linear(3, 2), nn.Linear(3, 2)
opt = torch.optim.SGD(policy.parameters(), lr=1e-2)
def logp(net, s, a):
    return Normal(net(s), 0.5).log_prob(a).sum(-1)
for it in range(4):
    s = torch.randn(20, 3)
    a = policy(s).detach() + 0.5 * torch.randn(20, 2)
    adv = -(a - s[:, :2]).pow(2).sum(-1)
    for k in range(5):
        old_policy.load_state_dict(policy.state_dict())
        with torch.no_grad():
            before = logp(old_policy, s, a)  # <-
        ratio = (logp(policy, s, a) - before).exp()
        loss = -torch.min(ratio * adv, torch.clamp(ratio, 0.9, 1.1) * adv).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(it, loss.item())

# %% an activation in place is called first in a residual block
#: finds: skip_overwritten
class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.relu = nn.ReLU(inplace=True)
        self.fc1 = nn.Linear(d, d)
        self.fc2 = nn.Linear(d, d)

    def forward(self, x):
        out = self.relu(x)
        out = self.fc1(out)
        out = self.relu(out)
        out = self.fc2(out)
        out += x  # <-
        return out
net = nn.Sequential(nn.Linear(4, 8), Block(8), Block(8), nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for i in range(5):
    x = torch.randn(16, 4)
    loss = F.mse_loss(net(x), x.sum(1, keepdim=True))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

# %% an activation in place by function before the identity is added
#: finds: skip_overwritten
class PreAct(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.conv = nn.Conv2d(c, c, 3, padding=1)

    def forward(self, x):
        identity = x
        x = F.leaky_relu(x, 0.1, inplace=True)
        x = self.conv(x)
        return x + identity  # <-
stem, block, head = nn.Conv2d(1, 4, 1), PreAct(4), nn.Linear(4, 2)
params = [*stem.parameters(), *block.parameters(), *head.parameters()]
opt = torch.optim.SGD(params, lr=0.1)
for i in range(4):
    y = torch.randint(0, 2, (8,))
    loss = F.cross_entropy(head(block(stem(torch.randn(8, 1, 5, 5))).mean((2, 3))), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

# %% a module in place between two sums
#: finds: skip_overwritten
act = nn.ELU(inplace=True)
enc, mid, out = nn.Linear(3, 6), nn.Linear(6, 6), nn.Linear(6, 1)
opt = torch.optim.Adam([*enc.parameters(), *mid.parameters(), *out.parameters()], lr=0.01)
for i in range(4):
    x = torch.randn(10, 3)
    h = enc(x)
    g = mid(act(h))
    loss = (out(h + g) - x.sum(1, keepdim=True)).pow(2).mean()  # <-
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

# %% the other optimizer's weights are changed before the pass
#: finds: in_place_on_saved
encoder, clf, adv = nn.Linear(6, 4), nn.Linear(4, 2), nn.Linear(4, 3)
opt_main = torch.optim.SGD([*encoder.parameters(), *clf.parameters()], lr=0.1)
opt_adv = torch.optim.SGD(adv.parameters(), lr=0.1)
for step in range(5):
    x, y, d = torch.randn(16, 6), torch.randint(0, 2, (16,)), torch.randint(0, 3, (16,))
    h = encoder(x)
    domain = adv(h)
    adv_loss = nn.functional.cross_entropy(domain, d)
    loss = nn.functional.cross_entropy(clf(h), y) - 0.1 * adv_loss
    opt_adv.zero_grad()
    adv_loss.backward(retain_graph=True)
    opt_adv.step()  # <-
    opt_main.zero_grad()
    loss.backward()
    opt_main.step()
print(loss.item())

# %% the pieces of broadcasting are written
#: finds: write_to_expanded
a, b = torch.broadcast_tensors(torch.randn(4, 1), torch.randn(1, 3))
a *= b  # <-
print(a.sum())

# %% what a discriminator says of samples is detached in the generator's loss
#: finds: term_without_gradient
#: thread: issue, wangle53/CSA-CDGAN: you detach the 'pred_fake', so the loss cannot update anything
netg, netd = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 4)), nn.Sequential(nn.Linear(4, 1), nn.Sigmoid())
og, od = torch.optim.Adam(netg.parameters(), lr=2e-4), torch.optim.Adam(netd.parameters(), lr=2e-4)
x, real = torch.randn(8, 3), torch.randn(8, 4)
for step in range(4):
    fake = netg(x)
    pred_fake = netd(fake).detach()  # <-
    err_adv = F.binary_cross_entropy(pred_fake, torch.ones(8, 1))
    err_g = F.l1_loss(fake, real) + err_adv
    og.zero_grad(); err_g.backward(); og.step()
    pred_real, pred_fake = netd(real), netd(fake.detach())
    err_d = F.binary_cross_entropy(pred_real, torch.ones(8, 1)) + F.binary_cross_entropy(pred_fake, torch.zeros(8, 1))
    od.zero_grad(); err_d.backward(); od.step()

# %% features of detached samples are matched
#: finds: term_without_gradient
#: thread: issue, rishikksh20/TFGAN: the features of the discriminator's step are used for the generator's loss
gen, first, last = nn.Linear(4, 6), nn.Linear(6, 16), nn.Linear(16, 1)
og, od = torch.optim.Adam(gen.parameters()), torch.optim.Adam([*first.parameters(), *last.parameters()])
for step in range(5):
    real, fake = torch.randn(16, 6) + 1, gen(torch.randn(16, 4))
    feat_real, feat_fake = F.leaky_relu(first(real), 0.2), F.leaky_relu(first(fake.detach()), 0.2)
    d_loss = F.relu(1 - last(feat_real)).mean() + F.relu(1 + last(feat_fake)).mean()
    od.zero_grad(); d_loss.backward(retain_graph=True); od.step()
    match = F.l1_loss(feat_fake, feat_real.detach())  # <-
    g_loss = -last(F.leaky_relu(first(fake), 0.2)).mean() + 10 * match
    og.zero_grad(); g_loss.backward(); og.step()

# %% the optimizer of an autoencoder has its encoder alone
#: finds: unowned_parameters
#: thread: issue, zdebruine/MMVAE: shared VAE optimizer only given encoder parameters
class Auto(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(20, 8), nn.ReLU(), nn.Linear(8, 4))
        self.decoder = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 20))
    def forward(self, x):
        return self.decoder(self.encoder(x))
auto = Auto()
opt = torch.optim.Adam(auto.encoder.parameters(), lr=1e-3)  # <-
x = torch.randn(64, 20)
for step in range(6):
    loss = F.mse_loss(auto(x), x)
    opt.zero_grad(); loss.backward(); opt.step()
