"""Sound programs around data and batches, networks and their averages, noise and rivals, for test_findings.py: nothing is found
in them."""

import copy, math; import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)

# %% noise on copies of slices
data, labels = torch.randn(24, 4), torch.randint(0, 2, (24,))
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    for i in range(0, 24, 8):
        batch = data[i:i + 8].clone()
        batch += 0.1 * torch.randn_like(batch)
        loss = F.cross_entropy(net(batch), labels[i:i + 8])
        opt.zero_grad(); loss.backward(); opt.step()

# %% noise on batches that an index array has copied
data, labels = torch.randn(24, 4), torch.randint(0, 2, (24,))
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    for index in torch.randperm(24).split(8):
        batch = data[index]
        batch += 0.1 * torch.randn_like(batch)
        batch[torch.rand(8, 4) < 0.1] = 0
        loss = F.cross_entropy(net(batch), labels[index])
        opt.zero_grad(); loss.backward(); opt.step()

# %% noise on the batches of a loader
data, labels = torch.randn(24, 4), torch.randint(0, 2, (24,))
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(data, labels), batch_size=8)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    for batch, label in loader:
        batch += 0.1 * torch.randn_like(batch)
        loss = F.cross_entropy(net(batch), label)
        opt.zero_grad(); loss.backward(); opt.step()

# %% each part of the data is changed once
data, labels = torch.randn(48, 4), torch.randint(0, 2, (48,))
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(0, 48, 8):
    batch = data[i:i + 8]
    batch += 0.1 * torch.randn_like(batch)
    loss = F.cross_entropy(net(batch), labels[i:i + 8])
    opt.zero_grad(); loss.backward(); opt.step()

# %% data are normalised once, in slices, before the training
data, labels = torch.rand(24, 4) * 255, torch.randint(0, 2, (24,))
for i in range(0, 24, 8):
    part = data[i:i + 8]
    part.div_(255).sub_(0.5)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    for i in range(0, 24, 8):
        loss = F.cross_entropy(net(data[i:i + 8]), labels[i:i + 8])
        opt.zero_grad(); loss.backward(); opt.step()

# %% slices are centred and clamped in place, which a second time changes nothing
data, labels = torch.randn(24, 4) + 3, torch.randint(0, 2, (24,))
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    for i in range(0, 24, 8):
        batch = data[i:i + 8]
        batch.clamp_(-4, 4)
        batch -= batch.mean()
        loss = F.cross_entropy(net(batch), labels[i:i + 8])
        opt.zero_grad(); loss.backward(); opt.step()

# %% the data are made anew in every epoch
clean, labels = torch.randn(24, 4), torch.randint(0, 2, (24,))
data = clean.clone()
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    data.copy_(clean)
    for i in range(0, 24, 8):
        batch = data[i:i + 8]
        batch += 0.1 * torch.randn_like(batch)
        loss = F.cross_entropy(net(batch), labels[i:i + 8])
        opt.zero_grad(); loss.backward(); opt.step()

# %% a replay buffer is written in turn and sampled
states, rewards = torch.zeros(16, 3), torch.zeros(16, 1)
net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.01)
state = torch.randn(3)
for step in range(40):
    states[step % 16] = state
    rewards[step % 16] = state.sum()
    state = 0.9 * state + 0.1 * torch.randn(3)
    if step >= 16:
        chosen = torch.randint(0, 16, (8,))
        loss = F.mse_loss(net(states[chosen]), rewards[chosen])
        opt.zero_grad(); loss.backward(); opt.step()

# %% a rollout is written row by row and learned from whole
observations, returns = torch.zeros(6, 4, 3), torch.zeros(6, 4, 1)
net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for update in range(4):
    for t in range(6):
        observations[t] = torch.randn(4, 3)
        returns[t] = observations[t].sum(1, keepdim=True)
    seen, wanted = observations.view(-1, 3), returns.view(-1, 1)
    for i in range(0, 24, 8):
        loss = F.mse_loss(net(seen[i:i + 8]), wanted[i:i + 8])
        opt.zero_grad(); loss.backward(); opt.step()

# %% boards of games that go on
boards = torch.zeros(3, 9)
net = nn.Sequential(nn.Linear(9, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for turn in range(5):
    for k in range(3):
        board = boards[k]
        board[(turn + k) % 9] = 1.0
        loss = (net(board) - turn).pow(2).sum()
        opt.zero_grad(); loss.backward(); opt.step()

# %% lattices whose sites are turned
lattices = torch.randint(0, 2, (3, 8)).float()
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for turn in range(5):
    for k in range(3):
        lattice = lattices[k]
        site = torch.randint(0, 8, ()).item()
        lattice[site] = 1 - lattice[site]
        loss = (net(lattice) - lattice.sum()).pow(2).sum()
        opt.zero_grad(); loss.backward(); opt.step()

# %% data that are made anew for every loop over them
class Images:
    def __init__(self):
        self.pixels, self.labels = torch.rand(12, 6) + 0.5, torch.randint(0, 2, (12,))
    def __len__(self):
        return 12
    def __getitem__(self, index):
        pixels = self.pixels[index]
        pixels.mul_(0.5 + torch.rand(1).item())
        return pixels, self.labels[index]
net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    for pixels, label in torch.utils.data.DataLoader(Images(), batch_size=4):
        loss = F.cross_entropy(net(pixels), label)
        opt.zero_grad(); loss.backward(); opt.step()

# %% particles that move by velocities of their own
places, speeds = torch.randn(12, 2), torch.randn(12, 2)
net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for time in range(5):
    for i in range(0, 12, 4):
        place = places[i:i + 4]
        place.add_(speeds[i:i + 4], alpha=0.1)
        loss = F.mse_loss(net(place), speeds[i:i + 4])
        opt.zero_grad(); loss.backward(); opt.step()

# %% samples of a chain that goes on, by the gradient of an energy
chains = torch.randn(12, 2)
energy = nn.Sequential(nn.Linear(2, 16), nn.Softplus(), nn.Linear(16, 1))
opt = torch.optim.Adam(energy.parameters(), lr=1e-3)
for epoch in range(3):
    for i in range(0, 12, 4):
        part = chains[i:i + 4]
        given = part.clone().requires_grad_()
        gradient = torch.autograd.grad(energy(given).sum(), given)[0]
        part.add_(-0.1 * gradient + 0.05 * torch.randn_like(part))
        loss = energy(torch.randn(4, 2) + 2).mean() - energy(part).mean()
        opt.zero_grad(); loss.backward(); opt.step()

# %% an average with its buffers
x = torch.randn(64, 4) * 3 + 5
y = (x[:, 0] > x[:, 1]).long()
net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
average = copy.deepcopy(net).eval()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(8):
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad():
        for p, q in zip(net.parameters(), average.parameters()):
            q.mul_(0.9).add_(p, alpha=0.1)
        for p, q in zip(net.buffers(), average.buffers()):
            q.copy_(p)
    print((average(x).argmax(1) == y).float().mean())

# %% an average by the entries of a state
x = torch.randn(64, 4) * 3 + 5
y = (x[:, 0] > x[:, 1]).long()
net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
average = copy.deepcopy(net).eval()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(8):
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad():
        now = net.state_dict()
        for name, kept in average.state_dict().items():
            if kept.dtype.is_floating_point:
                kept.mul_(0.9).add_(now[name], alpha=0.1)
    print((average(x).argmax(1) == y).float().mean())

# %% a teacher in training mode keeps statistics of its own
x = torch.randn(64, 4) * 3 + 5
y = (x[:, 0] > x[:, 1]).long()
student = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
teacher = copy.deepcopy(student)
opt = torch.optim.SGD(student.parameters(), lr=0.1)
for step in range(8):
    with torch.no_grad():
        told = teacher(x + 0.1 * torch.randn_like(x)).softmax(1)
    out = student(x)
    loss = F.cross_entropy(out, y) + F.mse_loss(out.softmax(1), told)
    opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad():
        for p, q in zip(student.parameters(), teacher.parameters()):
            q.mul_(0.9).add_(p, alpha=0.1)
teacher.eval()
with torch.no_grad():
    print((teacher(x).argmax(1) == y).float().mean())

# %% an average that gets its statistics at the end
x = torch.randn(64, 4) * 3 + 5
y = (x[:, 0] > x[:, 1]).long()
net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
average = copy.deepcopy(net)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(8):
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad():
        for p, q in zip(net.parameters(), average.parameters()):
            q.mul_(0.9).add_(p, alpha=0.1)
torch.optim.swa_utils.update_bn([x[:32], x[32:]], average)
average.eval()
with torch.no_grad():
    print((average(x).argmax(1) == y).float().mean())

# %% averages are loaded into a copy of the network that is there at the end
x = torch.randn(64, 4) * 3 + 5
y = (x[:, 0] > x[:, 1]).long()
net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
kept = [p.detach().clone() for p in net.parameters()]
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(8):
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
    for p, q in zip(net.parameters(), kept):
        q.mul_(0.9).add_(p.detach(), alpha=0.1)
shown = copy.deepcopy(net).eval()
with torch.no_grad():
    for p, q in zip(shown.parameters(), kept):
        p.copy_(q)
    print((shown(x).argmax(1) == y).float().mean())

# %% a network whose normalisation is frozen, and its average
x = torch.randn(64, 4)
y = (x[:, 0] > x[:, 1]).long()
net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
net[1].eval()
average = copy.deepcopy(net).eval()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(8):
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad():
        for p, q in zip(net.parameters(), average.parameters()):
            q.mul_(0.9).add_(p, alpha=0.1)
    print((average(x).argmax(1) == y).float().mean())

# %% an average of a network with layer normalisation
x = torch.randn(64, 4)
y = (x[:, 0] > x[:, 1]).long()
net = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.ReLU(), nn.Linear(8, 2))
average = copy.deepcopy(net).eval()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(8):
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad():
        for p, q in zip(net.parameters(), average.parameters()):
            q.mul_(0.9).add_(p, alpha=0.1)
    print((average(x).argmax(1) == y).float().mean())

# %% the noise of a diffusion model is drawn once
data = torch.randn(64, 4) * 0.5 + 1
net = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 4))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(12):
    x = data[torch.randint(0, 64, (16,))]
    t, noise = torch.rand(16, 1), torch.randn_like(x)
    noisy = (1 - t).sqrt() * x + t.sqrt() * noise
    loss = F.mse_loss(net(torch.cat([noisy, t], dim=1)), noise)
    opt.zero_grad(); loss.backward(); opt.step()

# %% inputs with noise and targets with other noise
data = torch.randn(64, 4) * 0.5 + 1
net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 4))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(12):
    x = data[torch.randint(0, 64, (16,))]
    given, wanted = x + 0.3 * torch.randn_like(x), x + 0.3 * torch.randn_like(x)
    loss = F.mse_loss(net(given), wanted)
    opt.zero_grad(); loss.backward(); opt.step()

# %% made-up inputs, made-up targets and noise
net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 4))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(12):
    x, y = torch.randn(16, 4), torch.randn(16, 4)
    loss = F.mse_loss(net(x + 0.1 * torch.randn_like(x)), y)
    opt.zero_grad(); loss.backward(); opt.step()

# %% made-up inputs and targets
net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 4))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(12):
    x, y = torch.randn(16, 4), torch.randn(16, 4)
    loss = F.mse_loss(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()

# %% a denoising autoencoder of made-up data
net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 4))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(12):
    x = torch.randn(16, 4)
    loss = F.mse_loss(net(x + 0.1 * torch.randn_like(x)), x)
    opt.zero_grad(); loss.backward(); opt.step()

# %% a variational autoencoder draws once, and again for another input
data = torch.randn(64, 4) * 0.5 + 1
enc, dec = nn.Linear(4, 8), nn.Linear(4, 4)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=1e-2)
for step in range(12):
    x = data[torch.randint(0, 64, (16,))]
    mean, logvar = enc(x + 0.1 * torch.randn_like(x)).chunk(2, 1)
    z = mean + (0.5 * logvar).exp() * torch.randn_like(mean)
    loss = F.mse_loss(dec(z), x) + 0.1 * (mean.pow(2) + logvar.exp() - logvar).mean()
    opt.zero_grad(); loss.backward(); opt.step()

# %% flow matching from noise to data
data = torch.randn(64, 2) * 0.5 + 1
net = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(12):
    x = data[torch.randint(0, 64, (16,))]
    start, t = torch.randn_like(x), torch.rand(16, 1)
    loss = F.mse_loss(net(torch.cat([(1 - t) * start + t * x, t], 1)), x - start)
    opt.zero_grad(); loss.backward(); opt.step()

# %% two networks as rivals, with the label of real data for the generator
G = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 3))
D = nn.Sequential(nn.Linear(3, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
og, od = torch.optim.Adam(G.parameters(), 1e-2), torch.optim.Adam(D.parameters(), 1e-2)
criterion = nn.BCEWithLogitsLoss()
for i in range(6):
    real, fake = torch.randn(8, 3) + 2, G(torch.randn(8, 2))
    d_loss = criterion(D(real), torch.ones(8, 1)) + criterion(D(fake.detach()), torch.zeros(8, 1))
    od.zero_grad(); d_loss.backward(); od.step()
    g_loss = criterion(D(fake), torch.ones(8, 1))
    og.zero_grad(); g_loss.backward(); og.step()

# %% rivals, with the loss that saturates
G = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 3))
D = nn.Sequential(nn.Linear(3, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
og, od = torch.optim.Adam(G.parameters(), 1e-2), torch.optim.Adam(D.parameters(), 1e-2)
criterion = nn.BCEWithLogitsLoss()
for i in range(6):
    real, fake = torch.randn(8, 3) + 2, G(torch.randn(8, 2))
    d_loss = criterion(D(real), torch.ones(8, 1)) + criterion(D(fake.detach()), torch.zeros(8, 1))
    od.zero_grad(); d_loss.backward(); od.step()
    g_loss = -criterion(D(fake), torch.zeros(8, 1))
    og.zero_grad(); g_loss.backward(); og.step()

# %% rivals whose scores have no labels
G = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 3))
D = nn.Sequential(nn.Linear(3, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
og, od = torch.optim.RMSprop(G.parameters(), 1e-3), torch.optim.RMSprop(D.parameters(), 1e-3)
for i in range(6):
    real, fake = torch.randn(8, 3) + 2, G(torch.randn(8, 2))
    d_loss = D(fake.detach()).mean() - D(real).mean()
    od.zero_grad(); d_loss.backward(); od.step()
    for p in D.parameters():
        p.data.clamp_(-0.1, 0.1)
    g_loss = -D(fake).mean()
    og.zero_grad(); g_loss.backward(); og.step()

# %% rivals with the labels the other way round
G = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 3))
D = nn.Sequential(nn.Linear(3, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
og, od = torch.optim.Adam(G.parameters(), 1e-2), torch.optim.Adam(D.parameters(), 1e-2)
criterion = nn.BCEWithLogitsLoss()
for i in range(6):
    real, fake = torch.randn(8, 3) + 2, G(torch.randn(8, 2))
    d_loss = criterion(D(real), torch.zeros(8, 1)) + criterion(D(fake.detach()), torch.ones(8, 1))
    od.zero_grad(); d_loss.backward(); od.step()
    g_loss = criterion(D(fake), torch.zeros(8, 1))
    og.zero_grad(); g_loss.backward(); og.step()

# %% rivals whose scores are taken relative to each other
G = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 3))
D = nn.Sequential(nn.Linear(3, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
og, od = torch.optim.Adam(G.parameters(), 1e-2), torch.optim.Adam(D.parameters(), 1e-2)
criterion, ones, zeros = nn.BCEWithLogitsLoss(), torch.ones(8, 1), torch.zeros(8, 1)
for i in range(6):
    real, fake = torch.randn(8, 3) + 2, G(torch.randn(8, 2))
    r, f = D(real), D(fake.detach())
    d_loss = criterion(r - f.mean(), ones) + criterion(f - r.mean(), zeros)
    od.zero_grad(); d_loss.backward(); od.step()
    r, f = D(real), D(fake)
    g_loss = criterion(f - r.mean(), ones) + criterion(r - f.mean(), zeros)
    og.zero_grad(); g_loss.backward(); og.step()

# %% a discriminator's loss without detach, beside one with it
G = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 3))
D = nn.Sequential(nn.Linear(3, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
og, od = torch.optim.Adam(G.parameters(), 1e-2), torch.optim.Adam(D.parameters(), 1e-2)
criterion, ones, zeros = nn.BCEWithLogitsLoss(), torch.ones(8, 1), torch.zeros(8, 1)
for i in range(6):
    real, fake = torch.randn(8, 3) + 2, G(torch.randn(8, 2))
    d_loss = criterion(D(real), ones) + criterion(D(fake.detach()), zeros)
    od.zero_grad(); d_loss.backward(); od.step()
    d_loss = criterion(D(G(torch.randn(8, 2))), zeros)
    od.zero_grad(); d_loss.backward(); od.step()
    g_loss = criterion(D(fake.detach() + 0 * fake), ones) + criterion(D(G(torch.randn(8, 2))), ones)
    og.zero_grad(); g_loss.backward(); og.step()

# %% a term that is detached on purpose
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(16, 4), torch.randn(16, 1)
for step in range(3):
    out = net(x)
    loss = F.mse_loss(out, y) + out.detach().pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()

# %% a term that is counted without gradients
net = nn.Linear(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(16, 4), torch.randint(0, 3, (16,))
for step in range(3):
    out = net(x)
    with torch.no_grad():
        wrong = (out.argmax(1) != y).float().mean()
    loss = F.cross_entropy(out, y) + wrong
    opt.zero_grad(); loss.backward(); opt.step()

# %% a dice loss of probabilities, and a term of the data alone
net = nn.Conv2d(1, 1, 3, padding=1)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x = torch.randn(4, 1, 6, 6)
y = (x > 0).float()
for step in range(3):
    scores = net(x)
    shares = scores.sigmoid()
    dice = 1 - 2 * (shares * y).sum() / (shares.sum() + y.sum() + 1)
    loss = F.binary_cross_entropy_with_logits(scores, y) + dice + (y > 0.5).float().mean()
    print(((shares > 0.5) == (y > 0.5)).float().mean())
    opt.zero_grad(); loss.backward(); opt.step()

# %% the hardest samples by argmax, and a mask of a term
net = nn.Linear(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(16, 4), torch.randint(0, 3, (16,))
for step in range(3):
    out = net(x)
    each = F.cross_entropy(out, y, reduction="none")
    unsure = (out.softmax(1).max(1).values < 0.9).float()
    loss = (each * unsure).sum() / unsure.sum().clamp(min=1) + each[each.argmax()]
    opt.zero_grad(); loss.backward(); opt.step()

# %% quantised with the gradient let through
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(16, 4), torch.randn(16, 1)
for step in range(3):
    out = net(x).mean()
    hard = (out > 0).float()
    loss = F.mse_loss(net(x), y) + (out.sigmoid() + (hard - out.sigmoid()).detach())
    opt.zero_grad(); loss.backward(); opt.step()

# %% targets of a language model that are made like its tokens, one further on
text = torch.randint(0, 20, (300,))
emb, rnn, head = nn.Embedding(20, 16), nn.LSTM(16, 16, batch_first=True), nn.Linear(16, 20)
opt = torch.optim.Adam([*emb.parameters(), *rnn.parameters(), *head.parameters()], lr=0.01)
for step in range(3):
    starts = torch.randint(0, 280, (6,))
    x = torch.stack([text[i:i + 8] for i in starts])
    y = torch.stack([text[i + 1:i + 9] for i in starts])
    loss = F.cross_entropy(head(rnn(emb(x))[0]).view(-1, 20), y.view(-1))
    opt.zero_grad(); loss.backward(); opt.step()

# %% a sequence is told again from one vector
emb, enc, dec, head = nn.Embedding(20, 8), nn.GRU(8, 24, batch_first=True), nn.GRU(24, 24, batch_first=True), nn.Linear(24, 20)
opt = torch.optim.Adam([p for m in (emb, enc, dec, head) for p in m.parameters()], lr=0.01)
for step in range(3):
    x = torch.randint(0, 20, (6, 8))
    _, h = enc(emb(x))
    scores = head(dec(h[-1].unsqueeze(1).repeat(1, x.size(1), 1))[0])
    loss = F.cross_entropy(scores.view(-1, 20), x.view(-1))
    opt.zero_grad(); loss.backward(); opt.step()

# %% masked tokens are to be found
tok, layer, head = nn.Embedding(20, 16), nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, dropout=0), nn.Linear(16, 20)
opt = torch.optim.Adam([p for m in (tok, layer, head) for p in m.parameters()], lr=0.01)
for step in range(3):
    y = torch.randint(1, 20, (6, 10))
    x = torch.where(torch.rand(y.shape) < 0.2, 0, y)
    loss = F.cross_entropy(head(layer(tok(x))).flatten(0, 1), y.flatten())
    opt.zero_grad(); loss.backward(); opt.step()

# %% an encoder is given the targets, and a decoder those before each
emb, enc, dec, head = nn.Embedding(20, 8), nn.LSTM(8, 24, batch_first=True), nn.LSTM(8, 24, batch_first=True), nn.Linear(24, 20)
opt = torch.optim.Adam([p for m in (emb, enc, dec, head) for p in m.parameters()], lr=0.01)
def embedded(tokens):
    return 3 * emb(tokens)
for step in range(3):
    x = torch.randint(1, 20, (6, 9)); y = x.clone()
    _, state = enc(embedded(x))
    before = torch.cat([torch.zeros_like(x[:, :1]), x[:, :-1]], 1)
    loss = F.cross_entropy(head(dec(embedded(before), state)[0]).flatten(0, 1), y.flatten())
    opt.zero_grad(); loss.backward(); opt.step()

# %% the noise of a diffusion model is drawn once, and the data are made up
ab = torch.cumprod(1 - torch.linspace(1e-3, 0.1, 20), 0)
net = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for step in range(4):
    x0 = torch.randn(64, 2) * 0.1 + 1
    t, noise = torch.randint(0, 20, (64,)), torch.randn_like(x0)
    a = ab[t].unsqueeze(1)
    xt = a.sqrt() * x0 + (1 - a).sqrt() * noise
    loss = F.mse_loss(net(torch.cat([xt, t.unsqueeze(1) / 20], 1)), noise)
    opt.zero_grad(); loss.backward(); opt.step()

# %% made-up inputs with noise of several strengths, and made-up targets
net = nn.Linear(2, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(4):
    x, y = torch.randn(16, 2), torch.randn(16, 2)
    loss = F.mse_loss(net(x + torch.rand(16, 1) * torch.randn_like(x)), y)
    opt.zero_grad(); loss.backward(); opt.step()

# %% a made-up input with an offset for each sample, and made-up targets
net = nn.Linear(2, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(4):
    x = 0.3 * torch.randn(16, 2) + torch.rand(16, 1)
    loss = F.mse_loss(net(x), torch.randn(16, 2))
    opt.zero_grad(); loss.backward(); opt.step()

# %% made-up data without their noise of several strengths
net = nn.Linear(3, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(4):
    x0, sigma = 1 + 0.2 * torch.randn(16, 2), torch.rand(16, 1)
    loss = F.mse_loss(net(torch.cat([x0 + sigma * torch.randn_like(x0), sigma], 1)), x0)
    opt.zero_grad(); loss.backward(); opt.step()

# %% a discriminator is cleared before its passes
G = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)); D = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
optG, optD = torch.optim.Adam(G.parameters(), 1e-3), torch.optim.Adam(D.parameters(), 1e-3)
bce, one, zero = nn.BCEWithLogitsLoss(), torch.ones(16, 1), torch.zeros(16, 1)
for step in range(4):
    optD.zero_grad()
    fake = G(torch.randn(16, 4))
    bce(D(torch.randn(16, 2) + 2), one).backward()
    bce(D(fake.detach()), zero).backward()
    optD.step()
    optG.zero_grad(); bce(D(fake), one).backward(); optG.step()

# %% a discriminator that needs no gradient while the generator learns
G = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)); D = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
optG, optD = torch.optim.Adam(G.parameters(), 1e-3), torch.optim.Adam(D.parameters(), 1e-3)
bce, one, zero = nn.BCEWithLogitsLoss(), torch.ones(16, 1), torch.zeros(16, 1)
for step in range(4):
    fake = G(torch.randn(16, 4))
    loss = bce(D(torch.randn(16, 2) + 2), one) + bce(D(fake.detach()), zero)
    loss.backward(); optD.step(); optD.zero_grad()
    D.requires_grad_(False)
    optG.zero_grad(); bce(D(fake), one).backward(); optG.step()
    D.requires_grad_(True)

# %% a trunk learns by the losses of two heads, which step in between
trunk, a, b = nn.Linear(4, 8), nn.Linear(8, 1), nn.Linear(8, 1)
opts = [torch.optim.SGD(m.parameters(), 0.01) for m in (trunk, a, b)]
for step in range(4):
    x = torch.randn(16, 4)
    F.mse_loss(a(trunk(x)), x[:, :1]).backward(); opts[1].step()
    F.mse_loss(b(trunk(x)), x[:, 1:2]).backward(); opts[2].step()
    opts[0].step()
    for opt in opts:
        opt.zero_grad()

# %% an encoder learns by a decoder's loss and by a term of its own
enc, dec = nn.Linear(4, 8), nn.Linear(8, 4)
oe, od = torch.optim.SGD(enc.parameters(), 0.01), torch.optim.SGD(dec.parameters(), 0.01)
for step in range(4):
    x = torch.randn(16, 4)
    F.mse_loss(dec(enc(x)), x).backward(); od.step()
    (0.1 * enc(x).abs().mean()).backward(); oe.step()
    oe.zero_grad(); od.zero_grad()

# %% an encoder steps in every third iteration only
enc, dec = nn.Linear(4, 8), nn.Linear(8, 4)
oe, od = torch.optim.SGD(enc.parameters(), 0.01), torch.optim.SGD(dec.parameters(), 0.01)
for step in range(12):
    x = torch.randn(16, 4)
    F.mse_loss(dec(enc(x)), x).backward(); od.step(); od.zero_grad()
    (0.1 * enc(x).abs().mean()).backward()
    if step % 3 == 2:
        oe.step(); oe.zero_grad()

# %% a causal mask
emb, q, k, v, head = nn.Embedding(10, 16), nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 10)
opt = torch.optim.Adam([p for m in (emb, q, k, v, head) for p in m.parameters()], lr=0.01)
for step in range(3):
    seq = torch.randint(0, 10, (6, 9)); x, y = seq[:, :-1], seq[:, 1:]
    h = emb(x); s = q(h) @ k(h).transpose(1, 2) / 4
    out = torch.softmax(s.masked_fill(torch.tril(torch.ones(8, 8)) == 0, -1e9), -1) @ v(h)
    loss = F.cross_entropy(head(out).flatten(0, 1), y.flatten())
    opt.zero_grad(); loss.backward(); opt.step()

# %% a causal mask for a function that asks what to keep
emb, q, k, v, head = nn.Embedding(10, 16), nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 10)
opt = torch.optim.Adam([p for m in (emb, q, k, v, head) for p in m.parameters()], lr=0.01)
for step in range(3):
    seq = torch.randint(0, 10, (6, 9)); x, y = seq[:, :-1], seq[:, 1:]
    h = emb(x); s = q(h) @ k(h).transpose(1, 2) / 4
    out = F.scaled_dot_product_attention(s @ h, h, v(h), attn_mask=torch.tril(torch.ones(8, 8, dtype=torch.bool)))
    loss = F.cross_entropy(head(out).flatten(0, 1), y.flatten())
    opt.zero_grad(); loss.backward(); opt.step()

# %% a sequence is read from its end
emb, q, k, v, head = nn.Embedding(10, 16), nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 10)
opt = torch.optim.Adam([p for m in (emb, q, k, v, head) for p in m.parameters()], lr=0.01)
for step in range(3):
    seq = torch.randint(0, 10, (6, 9)); x, y = seq[:, :-1], seq[:, 1:]
    h = emb(x); s = q(h) @ k(h).transpose(1, 2) / 4
    y = torch.cat([torch.zeros_like(x[:, :1]), x[:, :-1]], 1)
    out = torch.softmax(s.masked_fill(torch.tril(torch.ones(8, 8), -1) == 1, -1e9), -1) @ v(h)
    loss = F.cross_entropy(head(out).flatten(0, 1), y.flatten())
    opt.zero_grad(); loss.backward(); opt.step()

# %% a sequence is read from its end, without the place itself
emb, q, k, v, head = nn.Embedding(10, 16), nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 10)
opt = torch.optim.Adam([p for m in (emb, q, k, v, head) for p in m.parameters()], lr=0.01)
for step in range(3):
    seq = torch.randint(0, 10, (6, 9)); x, y = seq[:, :-1], seq[:, 1:]
    h = emb(x); s = q(h) @ k(h).transpose(1, 2) / 4
    y = torch.cat([torch.zeros_like(x[:, :1]), x[:, :-1]], 1)
    out = h + torch.softmax(s.masked_fill(torch.tril(torch.ones(8, 8)) == 1, -1e9), -1) @ v(h)
    loss = F.cross_entropy(head(out).flatten(0, 1), y.flatten())
    opt.zero_grad(); loss.backward(); opt.step()

# %% attention to what comes before, and not to the place itself
emb, q, k, v, head = nn.Embedding(10, 16), nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 10)
opt = torch.optim.Adam([p for m in (emb, q, k, v, head) for p in m.parameters()], lr=0.01)
for step in range(3):
    seq = torch.randint(0, 10, (6, 9)); x, y = seq[:, :-1], seq[:, 1:]
    h = emb(x); s = q(h) @ k(h).transpose(1, 2) / 4
    out = h + torch.softmax(s.masked_fill(torch.triu(torch.ones(8, 8)) == 1, -1e9), -1) @ v(h)
    loss = F.cross_entropy(head(out).flatten(0, 1), y.flatten())
    opt.zero_grad(); loss.backward(); opt.step()

# %% attention to all places but the own one
emb, q, k, v, head = nn.Embedding(10, 16), nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 10)
opt = torch.optim.Adam([p for m in (emb, q, k, v, head) for p in m.parameters()], lr=0.01)
for step in range(3):
    seq = torch.randint(0, 10, (6, 9)); x, y = seq[:, :-1], seq[:, 1:]
    h = emb(x); s = q(h) @ k(h).transpose(1, 2) / 4
    out = torch.softmax(s.masked_fill(torch.eye(8) == 1, -1e9), -1) @ v(h)
    loss = F.cross_entropy(head(out).flatten(0, 1), y.flatten())
    opt.zero_grad(); loss.backward(); opt.step()

# %% windows of a series end before their targets
series, W = torch.cumsum(torch.randn(90), 0), 8
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
x = torch.stack([series[i:i + W] for i in range(80)])
y = torch.stack([series[i + W] for i in range(80)])
for epoch in range(3):
    loss = F.mse_loss(net(x).squeeze(-1), y)
    opt.zero_grad(); loss.backward(); opt.step()

# %% a column of made-up data is to be found
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for epoch in range(3):
    x = torch.randn(32, 8); y = x[:, -1]
    loss = F.mse_loss(net(x).squeeze(-1), y)
    opt.zero_grad(); loss.backward(); opt.step()

# %% a series that repeats itself is to be forecast
series, W = (torch.arange(90) % 4).float(), 8
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
x = torch.stack([series[i:i + W] for i in range(80)])
y = torch.stack([series[i + W] for i in range(80)])
for epoch in range(3):
    loss = F.mse_loss(net(x).squeeze(-1), y)
    opt.zero_grad(); loss.backward(); opt.step()

# %% what a signal was some time ago is to be kept in mind
series, W = torch.cumsum(torch.randn(90), 0), 8
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
x = torch.stack([series[i:i + W] for i in range(80)])
y = torch.stack([series[i + W - 4] for i in range(80)])
for epoch in range(3):
    loss = F.mse_loss(net(x).squeeze(-1), y)
    opt.zero_grad(); loss.backward(); opt.step()

# %% windows are cut with their targets, and end before them
series, W = torch.cumsum(torch.randn(90), 0), 8
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
windows = series.unfold(0, W + 1, 1)
x, y = windows[:, :-1], windows[:, -1]
for epoch in range(3):
    loss = F.mse_loss(net(x).squeeze(-1), y)
    opt.zero_grad(); loss.backward(); opt.step()

# %% an array in place of which copies are kept, and equal rows on purpose
query = np.ones(4, dtype=np.float32)
class Env:
    def __init__(self):
        self.obs = np.zeros(4, dtype=np.float32)

    def step(self):
        self.obs += np.random.randn(4).astype(np.float32)
        return self.obs
env, kept = Env(), []
for i in range(30):
    kept.append(env.step().copy())
net, other = nn.Linear(4, 4), nn.Linear(4, 4)
opt = torch.optim.SGD([*net.parameters(), *other.parameters()], lr=0.01)
for i in range(5):
    x = torch.from_numpy(np.stack(kept[i : i + 8]))
    c = torch.from_numpy(np.tile(query, (8, 1)) * (i + 1))
    loss = (net(x) + other(c) - x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

# %% a running mean stacked for a batch
net = nn.Linear(3, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
mean = torch.zeros(3)
token = torch.randn(3)
for i in range(5):
    x = torch.randn(6, 3)
    mean.mul_(0.9).add_(0.1 * x.mean(0))
    batch = torch.stack([mean] * 6)
    tokens = torch.stack([token for _ in range(6)])
    loss = (net(x - batch) + net(tokens)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

# %% an environment that makes a new array in each step
import random
random.seed(0)
class Env:
    def __init__(self):
        self.obs = np.zeros(3, dtype=np.float32)

    def reset(self):
        self.obs = np.zeros(3, dtype=np.float32)
        return self.obs

    def step(self, a):
        self.obs = self.obs + np.float32(a - 0.5)
        return self.obs, 1.0
env, memory = Env(), []
net = nn.Linear(3, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for ep in range(12):
    first = env.reset()
    obs, r = env.step(random.randrange(2))
    memory.append((first, obs, r))
    if len(memory) >= 4:
        batch = random.sample(memory, 4)
        s = torch.from_numpy(np.stack([b[0] for b in batch])) + ep
        s2 = torch.from_numpy(np.stack([b[1] for b in batch]))
        loss = (net(s) - net(s2).detach() - 1).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
print(loss.item())

# %% mixup of inputs and labels by one permutation
x_all = torch.randn(128, 10)
y_all = torch.randint(0, 2, (128,))
net = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    order = torch.randperm(128)
    for k in range(0, 128, 32):
        x, y = x_all[order[k : k + 32]], y_all[order[k : k + 32]]
        perm = torch.randperm(32)
        lam = 0.3
        out = net(lam * x + (1 - lam) * x[perm])
        loss = lam * F.cross_entropy(out, y) + (1 - lam) * F.cross_entropy(out, y[perm])
        opt.zero_grad()
        loss.backward()
        opt.step()
print(loss.item())

# %% pairs shuffled apart for mutual information
x_all = torch.randn(64, 4)
y_all = x_all + 0.1 * torch.randn(64, 4)
critic = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(critic.parameters(), lr=1e-3)
for step in range(10):
    px = torch.randperm(64)
    x, y = x_all[px], y_all[px]
    joint = critic(torch.cat([x, y], 1))
    marginal = critic(torch.cat([x[torch.randperm(64)], y[torch.randperm(64)]], 1))
    loss = -(joint.mean() - torch.logsumexp(marginal, 0).mean() + torch.log(torch.tensor(64.0)))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

# %% mixed twice, targets as well
x_all = torch.randn(64, 6)
y_all = F.one_hot(torch.randint(0, 3, (64,)), 3).float()
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(10):
    p, q = torch.randperm(64), torch.randperm(64)
    x1, y1 = 0.7 * x_all + 0.3 * x_all[p], 0.7 * y_all + 0.3 * y_all[p]
    x2, y2 = 0.6 * x1 + 0.4 * x1[q], 0.6 * y1 + 0.4 * y1[q]
    loss = -(y2 * F.log_softmax(net(x2), 1)).sum(1).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

# %% other samples as a background
x_all = torch.randn(64, 6)
y_all = torch.randint(0, 3, (64,))
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(10):
    x = x_all + 0.1 * x_all[torch.randperm(64)]
    loss = F.cross_entropy(net(x), y_all) + 0.1 * net(x[torch.randperm(64)]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

# %% weights of columns of a square of similarities
net = nn.Linear(8, 8)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
std = torch.rand(8) + 0.5
table = torch.rand(20)
for i in range(5):
    x = torch.randn(8, 8) / std
    y = torch.randint(0, 20, (8,))
    z = net(x)
    sim = z @ z.t()
    w = table[y]
    loss = (sim * w).mean() + (z * w[:, None]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

# %% features with ids that are as many as samples
scale = torch.rand(6) + 0.5
emb = nn.Embedding(6, 4)
head = nn.Linear(4, 1)
lin = nn.Linear(6, 6)
opt = torch.optim.SGD([*emb.parameters(), *head.parameters(), *lin.parameters()], lr=0.05)
for i in range(5):
    x = torch.randn(6, 6)
    ids = torch.arange(6)
    h = lin(x * scale[ids])
    tokens = h[:, :, None] * emb(ids)
    loss = head(tokens).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

# %% masks of features and a column of samples
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 8))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for i in range(5):
    x = torch.randn(8, 8)
    columns = (torch.rand(8) > 0.2).float()
    rows = (torch.rand(8) > 0.2).float()
    noise = torch.rand(8)
    loss = ((net(x * columns + noise) - x) * rows[:, None]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

# %% a target network that is copied anew by a method
class Agent:
    def __init__(self):
        self.net = nn.Linear(3, 2)
        self.target = copy.deepcopy(self.net)
        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.05)

    def sync(self):
        self.target = copy.deepcopy(self.net)

    def learn(self, s):
        with torch.no_grad():
            goal = self.target(s).max(1).values
        loss = (self.net(s).max(1).values - goal - 1).pow(2).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()
agent = Agent()
for i in range(9):
    print(agent.learn(torch.randn(8, 3)))
    if i % 3 == 2:
        agent.sync()

# %% a trained model that is kept as a reference at the end
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(4, 4)
        self.decoder = nn.Linear(4, 4)
        self.shared = self.encoder

    def forward(self, x):
        return self.decoder(self.shared(self.encoder(x).relu()))
class Trainer:
    def __init__(self, model):
        self.model = model
        self.reference = None
        self.opt = torch.optim.SGD(model.parameters(), lr=0.1)

    def fit(self):
        for i in range(5):
            x = torch.randn(8, 4)
            loss = (self.model(x) - x).pow(2).mean()
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
        self.reference = self.model
        return loss.item()
print(Trainer(Model()).fit())

# %% two networks that change places
class Pair:
    def __init__(self):
        self.online = nn.Linear(3, 2)
        self.target = nn.Linear(3, 2)
        self.target.load_state_dict(self.online.state_dict())
        self.opt = torch.optim.SGD(self.online.parameters(), lr=0.05)

    def swap(self):
        self.online, self.target = self.target, self.online
        self.opt = torch.optim.SGD(self.online.parameters(), lr=0.05)

    def learn(self, s):
        with torch.no_grad():
            goal = self.target(s).max(1).values
        loss = (self.online(s).max(1).values - goal - 1).pow(2).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()
pair = Pair()
for i in range(9):
    print(pair.learn(torch.randn(8, 3)))
    if i % 3 == 2:
        pair.swap()

# %% one update for each rollout, whose ratio is 1
policy = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 4))
opt = torch.optim.Adam(policy.parameters(), lr=3e-3)
for it in range(8):
    s = torch.randn(32, 3)
    a = torch.randint(0, 4, (32,))
    with torch.no_grad():
        old = policy(s).log_softmax(-1).gather(1, a[:, None])[:, 0]
    adv = torch.randn(32)
    ratio = (policy(s).log_softmax(-1).gather(1, a[:, None])[:, 0] - old).exp()
    loss = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

# %% minibatches that are each used once
policy = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 4))
opt = torch.optim.Adam(policy.parameters(), lr=3e-3)
for it in range(3):
    S, A, R = torch.randn(64, 3), torch.randint(0, 4, (64,)), torch.randn(64)
    for idx in torch.randperm(64).split(16):
        s, a, adv = S[idx], A[idx], R[idx]
        logp = policy(s).log_softmax(-1).gather(1, a[:, None])[:, 0]
        ratio = (logp - logp.detach()).exp()
        loss = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
print(loss.item())

# %% minibatches and epochs with probabilities kept
policy = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 4))
opt = torch.optim.Adam(policy.parameters(), lr=3e-3)
def logp(s, a):
    return torch.distributions.Categorical(logits=policy(s)).log_prob(a)
for it in range(3):
    S, A, R = torch.randn(64, 3), torch.randint(0, 4, (64,)), torch.randn(64)
    with torch.no_grad():
        old = logp(S, A)
    for epoch in range(3):
        for idx in torch.randperm(64).split(16):
            ratio = (logp(S[idx], A[idx]) - old[idx]).exp()
            loss = -torch.min(ratio * R[idx], ratio.clamp(0.8, 1.2) * R[idx]).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
print(loss.item())

# %% the usual residual block with activations in place
class BasicBlock(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(c, c, 3, padding=1, bias=False), nn.BatchNorm2d(c)
        self.conv2, self.bn2 = nn.Conv2d(c, c, 3, padding=1, bias=False), nn.BatchNorm2d(c)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += identity
        return self.relu(out)
net = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(inplace=True), BasicBlock(4), BasicBlock(4), nn.Flatten(), nn.Linear(100, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    loss = nn.functional.cross_entropy(net(torch.randn(8, 1, 5, 5)), torch.randint(0, 2, (8,)))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

# %% an activation in place whose result is the skip
class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.act = nn.ReLU(inplace=True)
        self.fc = nn.Linear(d, d)

    def forward(self, x):
        x = self.act(x)
        y = self.fc(x)
        x = x + y
        return self.act(x)
first, block, last = nn.Linear(4, 8), Block(8), nn.Linear(8, 1)
opt = torch.optim.Adam([*first.parameters(), *block.parameters(), *last.parameters()], lr=1e-2)
for i in range(4):
    x = torch.randn(16, 4)
    h = first(x)
    for k in range(1):
        h = block(h)
    loss = (last(h) - x.sum(1, keepdim=True)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

# %% activations in place of copies and of what is positive
a, b, c = nn.Linear(4, 8), nn.Linear(8, 8), nn.Linear(8, 1)
opt = torch.optim.SGD([*a.parameters(), *b.parameters(), *c.parameters()], lr=0.01)
for i in range(4):
    x = torch.randn(16, 4)
    h = a(x) * a(x)
    out = b(F.relu(h, inplace=True))
    h2 = h + out
    out2 = b(F.relu_(h2.clone()))
    y = h2 + out2
    loss = (c(y + h2) - x.sum(1, keepdim=True)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

# %% what was expanded is copied or computed anew
w = torch.ones(3).expand(4, 3)
w = w * 2
v = torch.ones(3).expand(4, 3).clone()
v *= 2
print(w.sum(), v.sum())

# %% old probabilities of actions that are drawn anew in each update
policy = nn.Linear(4, 3)
optimizer = torch.optim.Adam(policy.parameters(), lr=0.05)
obs = torch.randn(64, 4)
best = (obs @ torch.randn(4, 3)).argmax(1)
for step in range(6):
    dist = torch.distributions.Categorical(logits=policy(obs))
    action = dist.sample()
    old_logp = dist.log_prob(action).detach()
    gain = (action == best).float() - 0.5
    ratio = torch.exp(torch.distributions.Categorical(logits=policy(obs)).log_prob(action) - old_logp)
    loss = -torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% what a discriminator says of samples enters the loss as a number, beside a term that learns
netg, netd = nn.Linear(3, 4), nn.Sequential(nn.Linear(4, 1), nn.Sigmoid())
og, od = torch.optim.Adam(netg.parameters()), torch.optim.Adam(netd.parameters())
x, real = torch.randn(8, 3), torch.randn(8, 4)
for step in range(4):
    fake = netg(x)
    err_adv = F.binary_cross_entropy(netd(fake), torch.ones(8, 1))
    err_g = F.l1_loss(fake, real) + err_adv
    og.zero_grad(); err_g.backward(); og.step()
    err_d = F.binary_cross_entropy(netd(real), torch.ones(8, 1)) + F.binary_cross_entropy(netd(fake.detach()), torch.zeros(8, 1))
    od.zero_grad(); err_d.backward(); od.step()

# %% two networks whose losses are added up, and which take turns
first, second = nn.Linear(4, 3), nn.Linear(4, 3)
one, two = torch.optim.SGD(first.parameters(), lr=0.1), torch.optim.SGD(second.parameters(), lr=0.1)
x, y = torch.randn(16, 4), torch.randn(16, 3)
for step in range(8):
    a = first(x)
    loss = F.mse_loss(a, y) + F.mse_loss(second(x), a.detach())
    one.zero_grad(); two.zero_grad()
    loss.backward()
    (one if step % 2 == 0 else two).step()

# %% the head of a model is trained alone, and nothing is frozen
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Sequential(nn.Linear(4, 8), nn.ReLU()), nn.Linear(8, 2)
    def forward(self, x):
        return self.head(self.body(x))
net = Net()
opt = torch.optim.SGD(net.head.parameters(), lr=0.1)
x, y = torch.randn(16, 4), torch.randint(0, 2, (16,))
for step in range(5):
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()

# %% a divergence with a weight of its own beside a mean
enc, dec = nn.Linear(20, 8), nn.Linear(4, 20)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=1e-2)
x = torch.randn(64, 3) @ torch.randn(3, 20)
for step in range(4):
    mu, logvar = enc(x).chunk(2, dim=1)
    z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)
    kl = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    loss = F.mse_loss(dec(z), x) + 0.0005 * kl
    opt.zero_grad(); loss.backward(); opt.step()
