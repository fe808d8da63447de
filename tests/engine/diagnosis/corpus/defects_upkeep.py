"""Programs with a known defect in scaled and clipped gradients, weights of losses, optimizers that are made anew and frozen
parts, for test_findings.py; the line with `# <-` is the one that the first rule's finding names.
"""
#: finds: the rules that find something

import copy, math; import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)
from torch.utils.data import DataLoader, TensorDataset

# %% the norm of scaled gradients is clipped
#: finds: clip_scaled
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
for i in range(4):
    x = torch.randn(16, 4)
    opt.zero_grad()
    scaler.scale(F.mse_loss(net(x), x.sum(1, keepdim=True))).backward()
    nn.utils.clip_grad_norm_(net.parameters(), max_norm=0.5)  # <-
    scaler.step(opt)
    scaler.update()

# %% the values of scaled gradients are clipped in a method
#: finds: clip_scaled
class Trainer:
    def __init__(self, net):
        self.net = net
        self.opt = torch.optim.SGD(net.parameters(), lr=0.1)
        self.scaler = torch.amp.GradScaler("cpu")
    def clip(self):
        torch.nn.utils.clip_grad_value_(self.net.parameters(), 0.1)  # <-
    def step(self, x):
        loss = F.mse_loss(self.net(x), x[:, :1]) / 2
        self.scaler.scale(loss / 2).backward()
        self.clip()
        self.scaler.step(self.opt)
        self.scaler.update()
        self.opt.zero_grad()
trainer = Trainer(nn.Linear(4, 1))
for i in range(4):
    trainer.step(torch.randn(8, 4))

# %% two scaled optimizers, one call that clips for both
#: finds: clip_scaled
body, head = nn.Linear(4, 8), nn.Linear(8, 1)
one, two = torch.optim.SGD(body.parameters(), lr=0.1), torch.optim.SGD(head.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")
for i in range(4):
    x = torch.randn(16, 4)
    one.zero_grad(); two.zero_grad()
    scaler.scale(F.mse_loss(head(torch.tanh(body(x))), x[:, :1])).backward()
    nn.utils.clip_grad_norm_([*body.parameters(), *head.parameters()], 1.0)  # <-
    scaler.step(one)
    scaler.step(two)
    scaler.update()

# %% two weights of losses are parameters of their own
#: finds: losses_weighted_freely
x = torch.randn(64, 4)
y, z = x.sum(1, keepdim=True), x[:, :1] * 2
net, a, b = nn.Linear(4, 2), nn.Parameter(torch.tensor(1.0)), nn.Parameter(torch.tensor(1.0))
opt = torch.optim.SGD([*net.parameters(), a, b], lr=0.05)
for _ in range(10):
    out = net(x)
    loss = a * F.mse_loss(out[:, :1], y) + b * F.l1_loss(out[:, 1:], z)  # <-
    opt.zero_grad(); loss.backward(); opt.step()

# %% weights of losses that are stacked
#: finds: losses_weighted_freely
class Weighted(nn.Module):
    def __init__(self):
        super().__init__()
        self.alpha = nn.Parameter(torch.ones(2))
    def forward(self, losses):
        return (self.alpha * torch.stack(losses)).sum()  # <-
x = torch.randn(64, 4)
net, weighted = nn.Linear(4, 3), Weighted()
opt = torch.optim.Adam([*net.parameters(), *weighted.parameters()], lr=0.05)
for _ in range(10):
    out = net(x)
    loss = weighted([F.mse_loss(out[:, 0], x.sum(1)), F.cross_entropy(out[:, 1:], (x[:, 0] > 0).long())])
    opt.zero_grad(); loss.backward(); opt.step()

# %% one loss of two has a trained weight
#: finds: losses_weighted_freely
x = torch.randn(64, 4)
net, lam = nn.Linear(4, 2), nn.Parameter(torch.tensor(0.5))
opt = torch.optim.Adam([{"params": net.parameters()}, {"params": [lam], "lr": 0.02}], lr=0.05)
for _ in range(10):
    out = net(x)
    fit = F.mse_loss(out[:, 0], x.sum(1))
    loss = fit + lam * out.square().mean()  # <-
    opt.zero_grad(); loss.backward(); opt.step()

# %% Adam made anew for each epoch
#: finds: remade_optimizer
x = torch.randn(60, 4)
y, net = x.sum(1, keepdim=True), nn.Linear(4, 1)
for epoch in range(5):
    opt = torch.optim.Adam(net.parameters(), lr=0.01)  # <-
    order = torch.randperm(60)
    for b in order.split(20):
        loss = F.mse_loss(net(x[b]), y[b])
        opt.zero_grad(); loss.backward(); opt.step()
    print(f"epoch {epoch}")

# %% momentum made anew in the function for an epoch
#: finds: remade_optimizer
x = torch.randn(60, 4)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=20, shuffle=True)
net = nn.Linear(4, 1)
def train(net, loader, epoch):
    opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)  # <-
    for a, b in loader:
        opt.zero_grad()
        F.mse_loss(net(a), b).backward()
        opt.step()
    if epoch % 2 == 0:
        print("epoch", epoch)
for epoch in range(4):
    train(net, loader, epoch)
    with torch.no_grad():
        F.mse_loss(net(x), x.sum(1, keepdim=True))

# %% Adam made anew for each batch
#: finds: remade_optimizer
x = torch.randn(60, 4)
y, net = x.sum(1, keepdim=True), nn.Linear(4, 1)
for b in torch.randperm(60).split(10):
    opt = torch.optim.Adam(net.parameters(), lr=0.01)  # <-
    loss = F.mse_loss(net(x[b]), y[b])
    opt.zero_grad(); loss.backward(); opt.step()

# %% Adam made anew in the function for a step
#: finds: remade_optimizer
x = torch.randn(60, 4)
y, net = x.sum(1, keepdim=True), nn.Linear(4, 1)
def update(net, a, b):
    opt = torch.optim.Adam(net.parameters(), lr=0.01)  # <-
    loss = F.mse_loss(net(a), b)
    opt.zero_grad(); loss.backward(); opt.step()
    return loss.item()
for i in range(6):
    update(net, x[i * 10 : i * 10 + 10], y[i * 10 : i * 10 + 10])

# %% a backbone that was trained before is frozen, in training mode
#: finds: frozen_statistics
x, y = torch.randn(32, 4), torch.randint(0, 2, (32,))
body, head = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.ReLU()), nn.Linear(6, 2)
opt = torch.optim.Adam([*body.parameters(), *head.parameters()], lr=0.01)
for _ in range(70):
    loss = F.cross_entropy(head(body(x)), y)
    opt.zero_grad(); loss.backward(); opt.step()
for p in body.parameters():
    p.requires_grad = False
new = nn.Linear(6, 2)
opt = torch.optim.Adam(new.parameters(), lr=0.01)
for _ in range(4):
    loss = F.cross_entropy(new(body(x + 1)), 1 - y)  # <-
    opt.zero_grad(); loss.backward(); opt.step()

# %% a hook is registered in every iteration
#: finds: hooks_pile_up
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(6):
    net.weight.register_hook(lambda g: g * 0.5)  # <-
    x = torch.randn(32, 4)
    loss = F.mse_loss(net(x), x[:, :1] * 3)
    opt.zero_grad(); loss.backward(); opt.step()

# %% hooks are registered in every epoch, for several batches
#: finds: hooks_pile_up
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
batches = [torch.randn(16, 4) for _ in range(3)]
for epoch in range(6):
    for p in net[0].parameters():
        p.register_hook(lambda g: 0.5 * g)  # <-
    for x in batches:
        loss = F.mse_loss(net(x), x[:, :1] * 3)
        opt.zero_grad(); loss.backward(); opt.step()

# %% a hook of a parameter is registered in the forward pass
#: finds: hooks_pile_up
def double(g):
    return g * 2  # <-
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 8); self.b = nn.Linear(8, 1)
    def forward(self, x):
        self.b.weight.register_hook(double)
        return self.b(torch.tanh(self.a(x)))
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.001)
for step in range(5):
    x = torch.randn(16, 4)
    loss = F.mse_loss(net(x), x[:, :1] * 3)
    opt.zero_grad(); loss.backward(); opt.step()

# %% losses times the exponential of trained weights, without their logarithms
#: finds: losses_weighted_freely
trunk, a, b, s = nn.Linear(4, 8), nn.Linear(8, 1), nn.Linear(8, 3), nn.Parameter(torch.zeros(2))
opt = torch.optim.Adam([s, *trunk.parameters(), *a.parameters(), *b.parameters()], lr=0.02)
for step in range(8):
    x = torch.randn(32, 4); h = torch.tanh(trunk(x))
    losses = [F.mse_loss(a(h), x.sum(1, keepdim=True)), F.cross_entropy(b(h), x[:, :3].argmax(1))]
    total = 0
    for each, loss in zip(s, losses):
        total = total + torch.exp(-each) * loss  # <-
    opt.zero_grad(); total.backward(); opt.step()

# %% losses divided by trained variances, without their logarithms
#: finds: losses_weighted_freely
trunk, a, b, s = nn.Linear(4, 8), nn.Linear(8, 1), nn.Linear(8, 3), nn.Parameter(torch.ones(2))
opt = torch.optim.Adam([s, *trunk.parameters(), *a.parameters(), *b.parameters()], lr=0.02)
for step in range(8):
    x = torch.randn(32, 4); h = torch.tanh(trunk(x))
    one, other = F.mse_loss(a(h), x.sum(1, keepdim=True)), F.cross_entropy(b(h), x[:, :3].argmax(1))
    total = one / (2 * s[0] ** 2) + other / (2 * s[1] ** 2)  # <-
    opt.zero_grad(); total.backward(); opt.step()

# %% groups of parameters by their names, into none of which one falls
#: finds: left_out_parameter
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8); self.norm = nn.LayerNorm(8); self.head = nn.Linear(8, 1)
        self.gamma = nn.Parameter(torch.full((8,), 0.1))
    def forward(self, x):
        h = self.norm(self.body(x))
        return self.head(h + self.gamma * torch.relu(h))
net = Net()
decay, rest = [], []
for name, p in net.named_parameters():
    if name.endswith("weight") and p.ndim > 1:
        decay.append(p)
    elif name.endswith("bias") or "norm" in name:
        rest.append(p)
opt = torch.optim.AdamW([{"params": decay}, {"params": rest, "weight_decay": 0}], lr=0.01)  # <-
for step in range(5):
    x = torch.randn(16, 4)
    loss = F.mse_loss(net(x), x.sum(1, keepdim=True))
    opt.zero_grad(); loss.backward(); opt.step()

# %% an optimizer of the modules of a model, which has a parameter beside them
#: finds: left_out_parameter
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8); self.norm = nn.LayerNorm(8); self.head = nn.Linear(8, 1)
        self.gamma = nn.Parameter(torch.full((8,), 0.1))
    def forward(self, x):
        h = self.norm(self.body(x))
        return self.head(h + self.gamma * torch.relu(h))
net = Net()
opt = torch.optim.SGD([{"params": m.parameters(), "lr": 0.01} for m in net.children()])  # <-
for step in range(5):
    x = torch.randn(16, 4)
    loss = F.mse_loss(net(x), x.sum(1, keepdim=True))
    net.zero_grad(); loss.backward(); nn.utils.clip_grad_norm_(net.parameters(), 1.0); opt.step()

# %% weights in half precision and a rate that is lost in their rounding
#: finds: updates_rounded
model = nn.Linear(32, 4).half()
opt = torch.optim.SGD(model.parameters(), lr=1e-4)  # <-
for i in range(12):
    x = torch.randn(16, 32).half()
    loss = model(x).float().pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

# %% the divergence the other way round, and its variance under a name
#: finds: variance_as_deviation
enc = nn.Linear(6, 4)
x = torch.randn(16, 6)
mu, logvar = enc(x).chunk(2, 1)
variance = torch.exp(logvar)  # <-
z = mu + torch.randn_like(mu) * variance
kl = 0.5 * (variance + mu.pow(2) - 1 - logvar).sum(1).mean()
((z**2).mean() + kl).backward()

# %% a focal loss of two classes that weights the mean
#: finds: weight_of_mean
net = nn.Linear(4, 1)
x, y = torch.randn(32, 4), torch.randint(0, 2, (32, 1)).float()
logpt = -nn.BCEWithLogitsLoss()(net(x), y)  # <-
loss = -0.25 * (1 - logpt.exp()) ** 2 * logpt
loss.backward()

# %% a row of padding that was copied with the others
#: finds: padding_filled
words, head = nn.Embedding(10, 4, padding_idx=0), nn.Linear(4, 2)
words.weight.data.copy_(torch.randn(10, 4))  # <-
optimizer = torch.optim.SGD([*words.parameters(), *head.parameters()], lr=0.1)
tokens = torch.tensor([[3, 1, 0, 0, 0], [2, 5, 7, 4, 0], [9, 8, 0, 0, 0], [6, 3, 2, 1, 5]])
loss = F.cross_entropy(head(words(tokens).mean(1)), torch.tensor([0, 1, 0, 1]))
loss.backward()
optimizer.step()

# %% a warm-up that gives rates
#: finds: rate_twice
net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


def warm_up(step):
    return 0.1 * min(1.0, (step + 1) / 4)  # <-


scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lr_lambda=warm_up)
x, y = torch.randn(32, 4), torch.randn(32, 1)
for step in range(8):
    loss = F.mse_loss(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()

# %% the ratio of a clipped policy loss is upside down
#: finds: ratio_inverted
actor = nn.Linear(4, 3)
opt = torch.optim.SGD(actor.parameters(), lr=0.05)
obs, acts, adv = torch.randn(32, 4), torch.randint(0, 3, (32,)), torch.randn(32)
with torch.no_grad():
    before = F.log_softmax(actor(obs), 1).gather(1, acts[:, None]).squeeze(1)
for epoch in range(4):
    logp = F.log_softmax(actor(obs), 1).gather(1, acts[:, None]).squeeze(1)
    ratio = (before - logp).exp()  # <-
    loss = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a padding mask along the queries
#: finds: rows_masked
tokens = torch.tensor([[3, 4, 0, 0], [5, 6, 7, 0]])
q, k, v = torch.randn(3, 2, 4, 8, requires_grad=True)
scores = q @ k.transpose(1, 2) / 8**0.5
weights = scores.masked_fill((tokens == 0).unsqueeze(2), -1e9).softmax(-1)  # <-
(weights @ v).pow(2).mean().backward()

# %% the rest of a share without its root
#: finds: noise_without_root
share = torch.linspace(0.99, 0.1, 20)
net = nn.Linear(2, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for step in range(4):
    clean, noise, t = torch.randn(16, 2) + 3, torch.randn(16, 2), torch.randint(0, 20, (16,))
    a = share[t].unsqueeze(1)
    noisy = a**0.5 * clean + (1 - a) * noise  # <-
    loss = F.mse_loss(net(noisy), noise)
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% the shares of a slow copy are exchanged
#: finds: average_reversed
fast, slow = nn.Linear(3, 1), nn.Linear(3, 1)
opt = torch.optim.SGD(fast.parameters(), lr=0.05)
for step in range(5):
    with torch.no_grad():
        goal = slow(torch.randn(8, 3))
    loss = F.mse_loss(fast(torch.randn(8, 3)), goal)
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for kept, new in zip(slow.parameters(), fast.parameters()):
            kept.mul_(0.01).add_(new, alpha=0.99)  # <-

# %% returns that begin with the end
#: finds: returns_reversed
policy = nn.Linear(2, 2)
opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
for episode in range(3):
    log_probs, rewards = [], []
    for t in range(6):
        dist = torch.distributions.Categorical(logits=policy(torch.randn(2)))
        action = dist.sample()
        log_probs.append(dist.log_prob(action))
        rewards.append(float(action) + t)
    g, gains = 0.0, []
    for reward in rewards[::-1]:
        g = reward + 0.9 * g
        gains.append(g)  # <-
    gains = torch.tensor(gains)
    loss = -(torch.stack(log_probs) * (gains - gains.mean())).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% the end of an episode is taken out of the memory and used nowhere
#: finds: end_unused
q, slow = nn.Linear(3, 2), nn.Linear(3, 2)
opt = torch.optim.Adam(q.parameters(), lr=1e-2)
memory = [(torch.randn(3), k % 2, float(k), torch.randn(3), k % 5 == 0) for k in range(20)]
for step in range(3):
    s, a, r, after, done = zip(*memory[step : step + 10])
    a, r, done = torch.tensor(a), torch.tensor(r), torch.tensor(done)
    gamma = 0.9
    with torch.no_grad():
        goal = r + gamma * slow(torch.stack(after)).max(1).values  # <-
    loss = F.mse_loss(q(torch.stack(s)).gather(1, a[:, None])[:, 0], goal)
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a sampler's share of the data, divided by all of it
#: finds: divided_by_all
from torch.utils.data import DataLoader, SubsetRandomSampler, TensorDataset

data = TensorDataset(torch.randn(40, 3), torch.randint(0, 2, (40,)))
loader = DataLoader(data, batch_size=8, sampler=SubsetRandomSampler(range(24)))
net = nn.Linear(3, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(2):
    right = 0
    for x, y in loader:
        out = net(x)
        loss = F.cross_entropy(out, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        right += (out.argmax(1) == y).sum().item()
    print(right / len(data))  # <-

# %% batch means over the number of samples
#: finds: mean_divided_again
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.randn(40, 3), torch.randn(40, 1))
loader = DataLoader(data, batch_size=8, shuffle=True)
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(2):
    total = 0.0
    for x, y in loader:
        loss = F.mse_loss(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    total /= len(data)  # <-
    print(total)

# %% a transform for one part is a transform for both
#: finds: shared_dataset
from torch.utils.data import DataLoader, Dataset, random_split

class Points(Dataset):
    transform = None

    def __init__(self):
        self.x = torch.randn(20, 3)

    def __len__(self):
        return 20

    def __getitem__(self, k):
        return self.transform(self.x[k]) if self.transform else self.x[k]

first, second = random_split(Points(), [14, 6])
first.dataset.transform = lambda x: x + torch.randn(3)  # <-
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for x in DataLoader(first, batch_size=7):
    opt.zero_grad()
    net(x).pow(2).mean().backward()
    opt.step()
print(sum(net(x).sum().item() for x in DataLoader(second)))

# %% two schedules of one optimizer
#: finds: schedule_of_another
G, D = nn.Linear(2, 2), nn.Linear(2, 1)
opt_g = torch.optim.Adam(G.parameters(), lr=1e-2)
opt_d = torch.optim.Adam(D.parameters(), lr=1e-2)
sched_g = torch.optim.lr_scheduler.StepLR(opt_g, 2, 0.5)
sched_d = torch.optim.lr_scheduler.StepLR(opt_g, 2, 0.5)  # <-
for epoch in range(4):
    fake = G(torch.randn(8, 2))
    d_loss = F.softplus(D(fake.detach())).mean() + F.softplus(-D(torch.randn(8, 2) + 2)).mean()
    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()
    g_loss = F.softplus(-D(fake)).mean()
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()
    sched_g.step()
    sched_d.step()

# %% the best weights in a dictionary of the same tensors
#: finds: state_not_copied
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(16, 3), torch.randn(16, 1)
best, state = float("inf"), None
for epoch in range(5):
    loss = F.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if loss.item() < best:
        best, state = loss.item(), {name: value for name, value in net.state_dict().items()}  # <-
net.load_state_dict(state)
print(best)

# %% the best weights are given to state_dict
#: finds: state_not_loaded
import copy

net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(16, 3), torch.randn(16, 1)
best, state = float("inf"), {}
for epoch in range(5):
    loss = F.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if loss.item() < best:
        best, state = loss.item(), copy.deepcopy(net.state_dict())
net.state_dict(destination=state)  # <-
print(best, net(x).mean().item())

# %% a variance as the scale of a distribution
#: finds: variance_as_deviation
enc, dec = nn.Linear(6, 4), nn.Linear(2, 6)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=1e-2)
x = torch.randn(16, 6)
for step in range(3):
    mu, logvar = enc(x).chunk(2, 1)
    z = torch.distributions.Normal(mu, logvar.exp()).rsample()  # <-
    kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum()
    loss = ((dec(z) - x).pow(2).sum() + kl) / 16
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% the rate of the command line, twice
#: finds: rate_twice
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.05)
args = parser.parse_args([])
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=args.lr)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda step: args.lr * 0.98**step)  # <-
x, y = torch.randn(32, 4), torch.randn(32, 1)
for step in range(10):
    loss = F.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()

# %% a distillation of the teacher from itself
#: finds: term_without_gradient
teacher, student = nn.Linear(8, 5), nn.Linear(8, 5)
opt = torch.optim.SGD(student.parameters(), lr=0.1)
x, y = torch.randn(32, 8), torch.randint(0, 5, (32,))
for step in range(4):
    with torch.no_grad():
        wanted = teacher(x)
    out = student(x)
    soft = F.kl_div(F.log_softmax(wanted / 4, 1), F.softmax(wanted / 4, 1), reduction="batchmean")
    loss = 0.9 * soft + 0.1 * F.cross_entropy(out, y)  # <-
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% Adam made anew in the function for an epoch, with data that were made behind the model
#: finds: remade_optimizer
net = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 1))
x = torch.randn(64, 4)
y = x.sum(1, keepdim=True)
def train_epoch(net, lr=5e-3):
    opt = torch.optim.Adam(net.parameters(), lr=lr)  # <-
    for i in range(0, 64, 16):
        opt.zero_grad()
        loss = F.mse_loss(net(x[i : i + 16]), y[i : i + 16])
        loss.backward(); opt.step()
    return loss.item()
for epoch in range(4):
    print(epoch, train_epoch(net))

# %% micro-batches that a loop counts, undivided
#: finds: undivided_accumulation
net = nn.Linear(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(32, 4), torch.randint(0, 3, (32,))
gradient_accumulation_steps = 4
for it in range(4):
    for micro_step in range(gradient_accumulation_steps):
        part = slice(micro_step * 8, micro_step * 8 + 8)
        loss = F.cross_entropy(net(x[part]), y[part])
        loss.backward()  # <-
    opt.step(); opt.zero_grad()

# %% the best network is another name for the one that is trained, in a method
#: finds: state_not_copied
class Trainer:
    def __init__(self):
        self.best = None
    def fit(self, net, x, y):
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        lowest = float("inf")
        for epoch in range(5):
            loss = F.mse_loss(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            if loss.item() < lowest:
                lowest = loss.item()
                self.best = net  # <-
        return self.best

net = nn.Linear(3, 1)
best = Trainer().fit(net, torch.randn(16, 3), torch.randn(16, 1))
print(best.weight.shape)

# %% the rate is zero until the schedule is stepped at the end of the first epoch
#: finds: zero_rate
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
warm = torch.optim.lr_scheduler.LambdaLR(opt, lambda epoch: min(1.0, epoch / 2))  # <-
for epoch in range(4):
    for _ in range(3):
        opt.zero_grad()
        F.mse_loss(net(torch.randn(8, 3)), torch.randn(8, 1)).backward()
        opt.step()
    warm.step()

# %% a hook keeps the detached output of a layer, and the activation behind it writes it
#: finds: output_overwritten
class Probe:
    def __init__(self, layer):
        self.seen = []
        layer.register_forward_hook(self.look)
    def look(self, module, given, output):
        self.seen.append(output.detach())  # <-

net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.LeakyReLU(0.1, inplace=True), nn.Linear(8, 2))
probe = Probe(net[1])
F.cross_entropy(net(torch.randn(6, 4)), torch.randint(0, 2, (6,))).backward()
print([each.min().item() for each in probe.seen])

# %% a generator whose own step detaches what it made: the discriminator's gradients of that pass are cleared rightly
#: finds: detached_parameter
G, D = nn.Linear(3, 4), nn.Linear(4, 1)
opt_g, opt_d = torch.optim.Adam(G.parameters(), lr=2e-3), torch.optim.Adam(D.parameters(), lr=2e-3)
real = torch.randn(8, 4) + 2
for step in range(4):
    z = torch.randn(8, 3)
    fake = G(z)
    g_loss = F.mse_loss(D(fake.detach()), torch.ones(8, 1))  # <-
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()
    opt_d.zero_grad()
    d_loss = F.mse_loss(D(real), torch.ones(8, 1)) + F.mse_loss(D(G(z).detach()), torch.zeros(8, 1))
    d_loss.backward()
    opt_d.step()

# %% a saved weight is written through detach()
#: finds: in_place_on_saved
w = torch.ones(3, requires_grad=True)
loss = (w * w).sum()
w.detach().mul_(0.5)  # <-
loss.backward()
