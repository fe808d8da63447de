"""Programs with nothing wrong for test_findings.py: near misses of each rule first, then training loops of all kinds."""

import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)

# %% gradients add up on purpose before one update
w = torch.tensor([1.0, 2.0], requires_grad=True)
for i in range(3):
    (w**2).sum().backward()
print(w.grad)
with torch.no_grad():
    w -= 0.1 * w.grad

# %% zero_grad at the end of the iteration
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(4):
    loss = F.mse_loss(model(x), y)
    loss.backward()
    opt.step()
    opt.zero_grad()

# %% grad set to None by hand
w = torch.tensor([1.0, 2.0], requires_grad=True)
for i in range(4):
    w.grad = None
    (w**2).sum().backward()
    with torch.no_grad():
        w -= 0.1 * w.grad

# %% grad zeroed through .data
w = torch.tensor([1.0, 2.0], requires_grad=True)
for i in range(4):
    (w**2).sum().backward()
    w.data -= 0.1 * w.grad.data
    w.grad.data.zero_()

# %% grad zeroed by filling, multiplying and zero_
w = torch.tensor([1.0, 2.0], requires_grad=True)
for i in range(6):
    (w**2).sum().backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        if i % 3 == 0:
            w.grad.fill_(0)
        elif i % 3 == 1:
            w.grad *= 0
        else:
            w.grad.detach_().zero_()

# %% momentum by hand in .grad
w = torch.tensor([1.0, 2.0], requires_grad=True)
for i in range(5):
    (w**2).sum().backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
        w.grad *= 0.9

# %% micro-batches before each step
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(8, 3), torch.randn(8, 1)
opt.zero_grad()
for i in range(8):
    loss = F.mse_loss(model(x[i : i + 1]), y[i : i + 1]) / 4
    loss.backward()
    if (i + 1) % 4 == 0:
        opt.step()
        opt.zero_grad()

# %% two losses into one gradient
model = nn.Linear(3, 1)
opt = torch.optim.Adam(model.parameters(), lr=0.01)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(3):
    opt.zero_grad()
    F.mse_loss(model(x), y).backward()
    (0.01 * model.weight.abs().sum()).backward()
    opt.step()

# %% the schedule of a learning rate without training
w = nn.Parameter(torch.zeros(2))
opt = torch.optim.SGD([w], lr=0.1)
sched = torch.optim.lr_scheduler.StepLR(opt, 2, 0.5)
for i in range(4):
    opt.step()
    sched.step()
    print(sched.get_last_lr())

# %% a frozen layer
first, last = nn.Linear(3, 4), nn.Linear(4, 1)
for p in first.parameters():
    p.requires_grad_(False)
opt = torch.optim.SGD([*first.parameters(), *last.parameters()], lr=0.1)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(3):
    opt.zero_grad()
    F.mse_loss(last(torch.tanh(first(x))), y).backward()
    opt.step()

# %% a frozen layer that the optimizer is not given
first, last = nn.Linear(3, 4), nn.Linear(4, 1)
opt = torch.optim.SGD(last.parameters(), lr=0.1)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(3):
    opt.zero_grad()
    with torch.no_grad():
        features = torch.tanh(first(x))
    F.mse_loss(last(features), y).backward()
    opt.step()

# %% fine-tuning a head without freezing
first, last = nn.Linear(3, 4), nn.Linear(4, 1)
opt = torch.optim.SGD(last.parameters(), lr=0.1)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(3):
    opt.zero_grad()
    F.mse_loss(last(torch.tanh(first(x))), y).backward()
    opt.step()

# %% a target network, updated slowly
online, target = nn.Linear(3, 2), nn.Linear(3, 2)
target.load_state_dict(online.state_dict())
opt = torch.optim.Adam(online.parameters(), lr=0.01)
s, s2 = torch.randn(8, 3), torch.randn(8, 3)
for i in range(4):
    with torch.no_grad():
        goal = 1.0 + 0.9 * target(s2).max(1).values
    q = online(s).gather(1, torch.zeros(8, 1, dtype=torch.long)).squeeze(1)
    loss = F.smooth_l1_loss(q, goal)
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for a, b in zip(target.parameters(), online.parameters()):
            a.mul_(0.9).add_(0.1 * b)

# %% two networks against each other
G = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
D = nn.Sequential(nn.Linear(1, 8), nn.ReLU(), nn.Linear(8, 1))
og, od = torch.optim.Adam(G.parameters(), lr=1e-3), torch.optim.Adam(D.parameters(), lr=1e-3)
for i in range(4):
    real, fake = torch.randn(16, 1) + 3, G(torch.randn(16, 2))
    loss_d = F.softplus(-D(real)).mean() + F.softplus(D(fake.detach())).mean()
    od.zero_grad()
    loss_d.backward()
    od.step()
    loss_g = F.softplus(-D(fake)).mean()
    og.zero_grad()
    loss_g.backward()
    og.step()

# %% a recurrent network with detach
cell = nn.RNNCell(2, 3)
opt = torch.optim.SGD(cell.parameters(), lr=0.1)
h = torch.zeros(1, 3)
for i in range(4):
    h = cell(torch.randn(1, 2), h.detach())
    loss = h.pow(2).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% truncated backpropagation through time
rnn = nn.LSTM(2, 4)
head = nn.Linear(4, 1)
opt = torch.optim.Adam([*rnn.parameters(), *head.parameters()], lr=0.01)
state = None
for i in range(3):
    x, y = torch.randn(5, 2, 2), torch.randn(5, 2, 1)
    out, state = rnn(x, state)
    loss = F.mse_loss(head(out), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    state = tuple(s.detach() for s in state)

# %% a total loss over time steps, one backward
cell = nn.GRUCell(2, 4)
head = nn.Linear(4, 1)
opt = torch.optim.Adam([*cell.parameters(), *head.parameters()], lr=0.01)
for i in range(3):
    h = torch.zeros(3, 4)
    total = 0
    for t in range(6):
        h = cell(torch.randn(3, 2), h)
        total = total + F.mse_loss(head(h), torch.randn(3, 1))
    opt.zero_grad()
    total.backward()
    opt.step()

# %% a list of losses, stacked
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(8, 3), torch.randn(8, 1)
losses = []
for k in range(4):
    loss = F.mse_loss(model(x[k]), y[k])
    losses.append(loss)
opt.zero_grad()
torch.stack(losses).mean().backward()
opt.step()

# %% logging numbers
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(8, 3), torch.randn(8, 1)
total, history = 0.0, []
for i in range(4):
    opt.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    opt.step()
    total += loss.item()
    history.append(loss.detach())
print(total / 4, torch.stack(history).mean())

# %% retain_graph for two losses on one graph
model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.01)
x = torch.randn(8, 3)
for i in range(3):
    out = model(x)
    opt.zero_grad()
    out[:, 0].pow(2).mean().backward(retain_graph=True)
    out[:, 1].pow(2).mean().backward()
    opt.step()

# %% the rows of a Jacobian
x = torch.randn(3, requires_grad=True)
y = torch.tanh(x * x)
rows = []
for i in range(3):
    x.grad = None
    y[i].backward(retain_graph=True)
    rows.append(x.grad.clone())
print(torch.stack(rows))

# %% a gradient penalty
D = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.Adam(D.parameters(), lr=1e-3)
for i in range(3):
    x = torch.randn(8, 2, requires_grad=True)
    score = D(x)
    (g,) = torch.autograd.grad(score.sum(), x, create_graph=True)
    loss = score.mean() + 10 * ((g.norm(dim=1) - 1) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% LBFGS with a closure
w = torch.tensor([-1.2, 1.0], requires_grad=True)
opt = torch.optim.LBFGS([w], lr=0.1, max_iter=5)
def closure():
    opt.zero_grad()
    loss = (1 - w[0]) ** 2 + 100 * (w[1] - w[0] ** 2) ** 2
    loss.backward()
    return loss
for i in range(4):
    print(opt.step(closure).item())

# %% an update that makes a new leaf each time
w = torch.tensor([1.0, 2.0], requires_grad=True)
for i in range(4):
    loss = (w**2).sum()
    loss.backward()
    w = (w - 0.1 * w.grad).detach().requires_grad_()

# %% a new leaf under no_grad
w = torch.tensor([1.0, 2.0], requires_grad=True)
for i in range(4):
    loss = (w**2).sum()
    loss.backward()
    with torch.no_grad():
        w = w - 0.1 * w.grad
    w.requires_grad_()

# %% functional updates with autograd.grad
w = torch.tensor([1.0, 2.0], requires_grad=True)
for i in range(4):
    (g,) = torch.autograd.grad((w**2).sum(), w)
    w = (w - 0.1 * g).detach().requires_grad_()

# %% a step through a step
w = torch.tensor([1.0, 2.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for i in range(3):
    (g,) = torch.autograd.grad((w**2).sum(), w, create_graph=True)
    inner = w - 0.1 * g
    loss = (inner**2).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% evaluation under no_grad after training
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(3):
    model.train()
    opt.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    opt.step()
    model.eval()
    with torch.no_grad():
        print(F.mse_loss(model(x), y).item())

# %% early stopping on a validation loss
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.05)
x, y = torch.randn(8, 3), torch.randn(8, 1)
best, bad = float("inf"), 0
for i in range(6):
    opt.zero_grad()
    F.mse_loss(model(x[:6]), y[:6]).backward()
    opt.step()
    with torch.no_grad():
        val = F.mse_loss(model(x[6:]), y[6:])
    if val < best:
        best, bad = val.item(), 0
    else:
        bad += 1
    if bad > 2:
        break

# %% mean squares of equal shapes
w = torch.zeros(3, 1, requires_grad=True)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(3):
    loss = (((x @ w) - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad.zero_()

# %% distances of all pairs
x = torch.randn(6, requires_grad=True)
centres = torch.randn(6)
d = x.unsqueeze(1) - centres
loss = (d**2).mean()
loss.backward()

# %% a loss against one number
p = torch.rand(5, 1, requires_grad=True)
loss = ((p - torch.tensor([0.5])) ** 2).mean()
loss.backward()

# %% logistic regression from zero
w = torch.zeros(3, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
x = torch.randn(16, 3)
y = (x[:, 0] > 0).float()
for i in range(5):
    loss = F.binary_cross_entropy_with_logits(x @ w + b, y)
    loss.backward()
    with torch.no_grad():
        for p in (w, b):
            p -= 0.5 * p.grad
            p.grad.zero_()

# %% softmax regression from zero
W = torch.zeros(3, 4, requires_grad=True)
x, labels = torch.randn(16, 3), torch.randint(0, 4, (16,))
opt = torch.optim.SGD([W], lr=0.1)
for i in range(4):
    opt.zero_grad()
    F.cross_entropy(x @ W, labels).backward()
    opt.step()

# %% zero biases and a zero last layer
first, last = nn.Linear(3, 4), nn.Linear(4, 1)
nn.init.zeros_(first.bias)
nn.init.zeros_(last.weight)
nn.init.zeros_(last.bias)
opt = torch.optim.SGD([*first.parameters(), *last.parameters()], lr=0.1)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(4):
    opt.zero_grad()
    F.mse_loss(last(torch.tanh(first(x))), y).backward()
    opt.step()

# %% several outputs from zero
W = torch.zeros(2, 3, requires_grad=True)
x, y = torch.randn(8, 2), torch.randn(8, 3)
opt = torch.optim.SGD([W], lr=0.1)
for i in range(3):
    opt.zero_grad()
    F.mse_loss(x @ W, y).backward()
    opt.step()

# %% tied weights
emb = nn.Embedding(10, 6)
out = nn.Linear(6, 10, bias=False)
out.weight = emb.weight
opt = torch.optim.Adam(emb.parameters(), lr=0.01)
tokens = torch.randint(0, 10, (4, 5))
for i in range(3):
    opt.zero_grad()
    F.cross_entropy(out(emb(tokens)).view(-1, 10), tokens.view(-1)).backward()
    opt.step()

# %% a straight-through estimator
model = nn.Linear(3, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(8, 3), torch.randn(8, 2)
for i in range(3):
    h = model(x)
    q = h + (torch.round(h) - h).detach()
    opt.zero_grad()
    F.mse_loss(q, y).backward()
    opt.step()

# %% where on the safe side
x = torch.tensor([-1.0, 0.0, 2.0], requires_grad=True)
ok = x > 0
y = torch.where(ok, torch.sqrt(torch.where(ok, x, torch.ones_like(x))), torch.zeros_like(x))
y.sum().backward()
print(x.grad)

# %% a mask of minus infinity
scores = torch.randn(4, 4, requires_grad=True)
mask = torch.triu(torch.ones(4, 4, dtype=torch.bool), 1)
p = scores.masked_fill(mask, float("-inf")).softmax(-1)
(p @ torch.randn(4, 2)).pow(2).sum().backward()

# %% entropy with an epsilon
p = torch.tensor([0.0, 0.5, 0.5], requires_grad=True)
entropy = -(p * torch.log(p + 1e-8)).sum()
entropy.backward()

# %% infinity as the start of a minimum
x = torch.tensor([3.0, 1.0, 2.0], requires_grad=True)
best = torch.full((), float("inf"))
for v in x:
    best = torch.minimum(best, v)
best.backward()
print(x.grad)

# %% NaN in the data, left out
x = torch.tensor([1.0, float("nan"), 2.0])
w = torch.tensor(1.0, requires_grad=True)
loss = ((w * x[~torch.isnan(x)]) ** 2).mean()
loss.backward()

# %% in place on what is not saved
x = torch.ones(3, requires_grad=True)
h = x * 2
h += 1
h.mul_(3)
h.sum().backward()

# %% relu in place
net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(inplace=True), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.01)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(3):
    opt.zero_grad()
    F.mse_loss(net(x), y).backward()
    opt.step()

# %% probabilities for binary_cross_entropy
net = nn.Sequential(nn.Linear(3, 1), nn.Sigmoid())
opt = torch.optim.Adam(net.parameters(), lr=0.1)
x = torch.randn(16, 3)
y = (x[:, :1] > 0).float()
for i in range(20):
    opt.zero_grad()
    F.binary_cross_entropy(net(x), y).backward()
    opt.step()

# %% log_softmax and nll_loss
net = nn.Linear(3, 4)
x, labels = torch.randn(8, 3), torch.randint(0, 4, (8,))
loss = F.nll_loss(F.log_softmax(net(x), dim=1), labels)
loss.backward()

# %% distillation
teacher, student = nn.Linear(3, 4), nn.Linear(3, 4)
opt = torch.optim.SGD(student.parameters(), lr=0.1)
x = torch.randn(8, 3)
for i in range(3):
    with torch.no_grad():
        goal = F.softmax(teacher(x) / 2, dim=1)
    loss = F.kl_div(F.log_softmax(student(x) / 2, dim=1), goal, reduction="batchmean") * 4
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% softmax in attention, cross_entropy at the end
q, k, v, out = (nn.Linear(8, 8) for _ in range(4))
opt = torch.optim.Adam([p for m in (q, k, v, out) for p in m.parameters()], lr=0.01)
x, labels = torch.randn(6, 8), torch.randint(0, 8, (6,))
for i in range(3):
    a = F.softmax(q(x) @ k(x).T / 8**0.5, dim=-1)
    loss = F.cross_entropy(out(a @ v(x)), labels)
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% large gradients that are fine
w = torch.randn(4, requires_grad=True)
opt = torch.optim.SGD([w], lr=1e-7)
x = torch.randn(16, 4) * 1000
y = torch.randn(16) * 1000
for i in range(6):
    opt.zero_grad()
    loss = ((x @ w - y) ** 2).mean()
    loss.backward()
    opt.step()
    print(w.grad.norm().item())

# %% a loss that goes up and down
torch.manual_seed(3)
w = torch.zeros(3, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.3)
for i in range(20):
    x = torch.randn(2, 3)
    loss = ((x @ w - x.sum(1) + torch.randn(2)) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% gradient ascent
x = torch.tensor([0.5], requires_grad=True)
for i in range(10):
    score = -((x - 2) ** 2).sum() + 5
    score.backward()
    with torch.no_grad():
        x += 0.1 * x.grad
        x.grad = None

# %% an adversarial example
model = nn.Linear(4, 3)
x, label = torch.randn(1, 4, requires_grad=True), torch.tensor([1])
loss = F.cross_entropy(model(x), label)
loss.backward()
adversarial = (x + 0.1 * x.grad.sign()).detach()
print(F.cross_entropy(model(adversarial), label).item())

# %% a deep network with normalisation
blocks = []
for _ in range(8):
    blocks += [nn.Linear(16, 16), nn.LayerNorm(16), nn.ReLU()]
net = nn.Sequential(*blocks, nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
x, y = torch.randn(32, 16), torch.randn(32, 1)
for i in range(2):
    opt.zero_grad()
    F.mse_loss(net(x), y).backward()
    opt.step()

# %% a residual network
layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(10))
head = nn.Linear(8, 1)
opt = torch.optim.SGD([*layers.parameters(), *head.parameters()], lr=0.01)
x, y = torch.randn(16, 8), torch.randn(16, 1)
for i in range(2):
    h = x
    for layer in layers:
        h = h + 0.1 * torch.tanh(layer(h))
    opt.zero_grad()
    F.mse_loss(head(h), y).backward()
    opt.step()

# %% a few dead units among many
torch.manual_seed(1)
net = nn.Sequential(nn.Linear(2, 6), nn.ReLU(), nn.Linear(6, 1))
with torch.no_grad():
    net[0].bias[:2] = -50
opt = torch.optim.SGD(net.parameters(), lr=0.01)
x, y = torch.randn(16, 2), torch.randn(16, 1)
for i in range(3):
    opt.zero_grad()
    F.mse_loss(net(x), y).backward()
    opt.step()

# %% parameter groups and a schedule
net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.AdamW([{"params": net[0].parameters(), "lr": 1e-3}, {"params": net[2].parameters()}], lr=1e-2)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 5)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(5):
    opt.zero_grad()
    F.mse_loss(net(x), y).backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
    sched.step()

# %% policy gradient
policy = nn.Linear(4, 2)
opt = torch.optim.Adam(policy.parameters(), lr=0.01)
for episode in range(3):
    logs, rewards = [], []
    s = torch.randn(4)
    for t in range(5):
        logp = F.log_softmax(policy(s), dim=0)
        a = int(torch.argmax(logp.detach()))
        logs.append(logp[a])
        rewards.append(float(t))
        s = torch.randn(4)
    loss = -(torch.stack(logs) * torch.tensor(rewards)).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a variational autoencoder
enc, dec = nn.Linear(6, 4), nn.Linear(2, 6)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=0.01)
x = torch.rand(8, 6)
for i in range(3):
    mu, logvar = enc(x).chunk(2, dim=1)
    z = mu + torch.exp(0.5 * logvar) * torch.randn_like(mu)
    rec = F.binary_cross_entropy_with_logits(dec(z), x, reduction="sum")
    kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum()
    opt.zero_grad()
    (rec + kl).backward()
    opt.step()

# %% an optimizer of one's own
class Momentum:
    def __init__(self, params, lr=0.1):
        self.params, self.lr = list(params), lr
        self.v = [torch.zeros_like(p) for p in self.params]

    @torch.no_grad()
    def step(self):
        for p, v in zip(self.params, self.v):
            v.mul_(0.9).add_(p.grad)
            p -= self.lr * v

    def zero_grad(self):
        for p in self.params:
            p.grad = None

model = nn.Linear(3, 1)
opt = Momentum(model.parameters(), 0.02)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(4):
    opt.zero_grad()
    F.mse_loss(model(x), y).backward()
    opt.step()

# %% sharpness-aware minimisation
w = torch.tensor([1.0, -1.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.05)
for i in range(3):
    opt.zero_grad()
    (w**4).sum().backward()
    with torch.no_grad():
        e = 0.05 * w.grad / (w.grad.norm() + 1e-12)
        w += e
    opt.zero_grad()
    (w**4).sum().backward()
    with torch.no_grad():
        w -= e
    opt.step()

# %% a model per fold
x, y = torch.randn(12, 3), torch.randn(12, 1)
for fold in range(3):
    model = nn.Linear(3, 1)
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    for i in range(2):
        opt.zero_grad()
        F.mse_loss(model(x), y).backward()
        opt.step()

# %% gradient checking by nudges
w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (w**3).sum()
loss.backward()
with torch.no_grad():
    for i in range(2):
        w[i] += 1e-3
        up = (w**3).sum().item()
        w[i] -= 2e-3
        down = (w**3).sum().item()
        w[i] += 1e-3
        print((up - down) / 2e-3, w.grad[i].item())

# %% batch norm and dropout
net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, 3))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
x, t = torch.randn(32, 4), torch.randint(0, 3, (32,))
for i in range(3):
    opt.zero_grad()
    F.cross_entropy(net(x), t).backward()
    opt.step()

# %% training to a perfect fit
torch.manual_seed(2)
net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1), nn.Sigmoid())
opt = torch.optim.Adam(net.parameters(), lr=0.1)
x = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
y = torch.tensor([[0.0], [1.0], [1.0], [0.0]])
for i in range(60):
    opt.zero_grad()
    F.binary_cross_entropy(net(x), y).backward()
    opt.step()

# %% soft margins by hand
w = torch.randn(2, requires_grad=True)
x = torch.randn(20, 2)
y = torch.sign(x[:, 0])
for i in range(5):
    loss = torch.clamp(1 - y * (x @ w), min=0).mean() + 0.01 * (w**2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad.zero_()

# %% matrix factorisation
U = torch.randn(5, 2, requires_grad=True)
V = torch.randn(4, 2, requires_grad=True)
M = torch.randn(5, 4)
opt = torch.optim.SGD([U, V], lr=0.05)
for i in range(10):
    opt.zero_grad()
    ((U @ V.T - M) ** 2).sum().backward()
    opt.step()

# %% stop-gradient on a target
net, head = nn.Linear(3, 4), nn.Linear(4, 4)
opt = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.05)
a, b = torch.randn(8, 3), torch.randn(8, 3)
for i in range(3):
    za, zb = net(a), net(b)
    loss = -F.cosine_similarity(head(za), zb.detach()).mean() - F.cosine_similarity(head(zb), za.detach()).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% alternating between two parameters
a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
oa, ob = torch.optim.SGD([a], lr=0.1), torch.optim.SGD([b], lr=0.1)
for i in range(6):
    loss = (a * b - 1) ** 2
    oa.zero_grad()
    ob.zero_grad()
    loss.backward()
    (oa if i % 2 else ob).step()

# %% a failing backward that is caught
x = torch.ones(2, requires_grad=True)
y = (x * 2).sum()
try:
    x.detach().sum().backward()
except RuntimeError as error:
    print(error)
y.backward()

# %% swa and ema
net = nn.Linear(3, 1)
ema = nn.Linear(3, 1)
ema.load_state_dict(net.state_dict())
for p in ema.parameters():
    p.requires_grad_(False)
opt = torch.optim.SGD(net.parameters(), lr=0.1, weight_decay=1e-2)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(4):
    opt.zero_grad()
    F.mse_loss(net(x), y).backward()
    opt.step()
    for a, b in zip(ema.parameters(), net.parameters()):
        a.data.mul_(0.99).add_(b.data, alpha=0.01)

# %% unfreezing later
body, head = nn.Linear(3, 4), nn.Linear(4, 1)
for p in body.parameters():
    p.requires_grad = False
opt = torch.optim.Adam([*body.parameters(), *head.parameters()], lr=0.01)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(6):
    if i == 3:
        for p in body.parameters():
            p.requires_grad = True
    opt.zero_grad()
    F.mse_loss(head(torch.relu(body(x))), y).backward()
    opt.step()

# %% new optimizer per epoch
net = nn.Linear(3, 1)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for epoch in range(3):
    opt = torch.optim.SGD(net.parameters(), lr=0.1 / (epoch + 1))
    for i in range(2):
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()

# %% langevin
w = torch.zeros(2, requires_grad=True)
for i in range(5):
    energy = ((w - 1) ** 2).sum()
    energy.backward()
    with torch.no_grad():
        w += -0.05 * w.grad + 0.1 * torch.randn(2)
    w.grad.zero_()

# %% hessian vector
x = torch.randn(3, requires_grad=True)
v = torch.randn(3)
f = (x**3).sum()
(g,) = torch.autograd.grad(f, x, create_graph=True)
(hv,) = torch.autograd.grad(g @ v, x)
print(hv)

# %% hessian rows
x = torch.randn(3, requires_grad=True)
g, = torch.autograd.grad((x**4).sum(), x, create_graph=True)
H = torch.stack([torch.autograd.grad(g[i], x, retain_graph=True)[0] for i in range(3)])
print(H)

# %% double backward by .backward
x = torch.tensor(2.0, requires_grad=True)
y = x**3
y.backward(create_graph=True)
g = x.grad.clone()
x.grad = None
g.backward()
print(x.grad)

# %% physics informed
net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for i in range(3):
    t = torch.linspace(0, 1, 10).unsqueeze(1).requires_grad_()
    u = net(t)
    du, = torch.autograd.grad(u, t, torch.ones_like(u), create_graph=True)
    loss = ((du + u) ** 2).mean() + (net(torch.zeros(1, 1)) - 1).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% maml
w = torch.randn(2, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.01)
for i in range(3):
    opt.zero_grad()
    total = 0.0
    for task in range(2):
        xs, ys = torch.randn(4, 2), torch.randn(4)
        inner = ((xs @ w - ys) ** 2).mean()
        g, = torch.autograd.grad(inner, w, create_graph=True)
        w2 = w - 0.1 * g
        total = total + ((xs @ w2 - ys) ** 2).mean()
    total.backward()
    opt.step()

# %% optimising an image
img = torch.rand(1, 1, 4, 4, requires_grad=True)
conv = nn.Conv2d(1, 2, 3)
opt = torch.optim.Adam([img], lr=0.1)
for i in range(4):
    opt.zero_grad()
    loss = -conv(img).mean()
    loss.backward()
    opt.step()
    with torch.no_grad():
        img.clamp_(0, 1)

# %% wgan clipping
D = nn.Sequential(nn.Linear(2, 4), nn.LeakyReLU(0.2), nn.Linear(4, 1))
G = nn.Linear(1, 2)
od, og = torch.optim.RMSprop(D.parameters(), lr=1e-3), torch.optim.RMSprop(G.parameters(), lr=1e-3)
for i in range(3):
    for k in range(2):
        od.zero_grad()
        (D(G(torch.randn(8, 1)).detach()).mean() - D(torch.randn(8, 2)).mean()).backward()
        od.step()
        for p in D.parameters():
            p.data.clamp_(-0.05, 0.05)
    og.zero_grad()
    (-D(G(torch.randn(8, 1))).mean()).backward()
    og.step()

# %% contrastive
enc = nn.Linear(5, 4)
opt = torch.optim.Adam(enc.parameters(), lr=0.01)
for i in range(3):
    a, b = F.normalize(enc(torch.randn(6, 5)), dim=1), F.normalize(enc(torch.randn(6, 5)), dim=1)
    logits = a @ b.T / 0.1
    loss = F.cross_entropy(logits, torch.arange(6)) + F.cross_entropy(logits.T, torch.arange(6))
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% rbf features
centers = torch.randn(5, requires_grad=True)
w = torch.randn(5, requires_grad=True)
opt = torch.optim.SGD([centers, w], lr=0.05)
x = torch.randn(5, 1)
y = torch.randn(5)
for i in range(3):
    phi = torch.exp(-((x - centers) ** 2))
    loss = ((phi @ w - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% custom ste function
class Sign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return torch.sign(x)
    @staticmethod
    def backward(ctx, g):
        return g
w = torch.randn(3, 2, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for i in range(3):
    opt.zero_grad()
    F.mse_loss(torch.randn(4, 3) @ Sign.apply(w), torch.randn(4, 2)).backward()
    opt.step()

# %% conv classifier
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(4 * 3 * 3, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
x, t = torch.randn(8, 1, 8, 8), torch.randint(0, 3, (8,))
for i in range(4):
    opt.zero_grad()
    F.cross_entropy(net(x), t).backward()
    opt.step()

# %% hooks
w = torch.randn(3, requires_grad=True)
w.register_hook(lambda g: g.clamp(-1, 1))
opt = torch.optim.SGD([w], lr=0.1)
for i in range(3):
    opt.zero_grad()
    (w**4).sum().backward()
    opt.step()

# %% value clipping
w = torch.randn(3, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for i in range(3):
    opt.zero_grad()
    (w**4).sum().backward()
    nn.utils.clip_grad_value_([w], 0.5)
    opt.step()

# %% checkpoint the best weights
net = nn.Linear(3, 1)
opt = torch.optim.Adam(net.parameters(), lr=0.1)
x, y = torch.randn(8, 3), torch.randn(8, 1)
best, state = float("inf"), None
for i in range(5):
    opt.zero_grad()
    loss = F.mse_loss(net(x), y)
    loss.backward()
    opt.step()
    if loss.item() < best:
        best, state = loss.item(), {k: v.clone() for k, v in net.state_dict().items()}
net.load_state_dict(state)

# %% transformer
enc = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
head = nn.Linear(8, 4)
opt = torch.optim.AdamW([*enc.parameters(), *head.parameters()], lr=1e-3)
x, t = torch.randn(2, 5, 8), torch.randint(0, 4, (2, 5))
for i in range(2):
    mask = nn.Transformer.generate_square_subsequent_mask(5)
    loss = F.cross_entropy(head(enc(x, src_mask=mask)).reshape(-1, 4), t.reshape(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% tutorial numpy loop
x = torch.linspace(-3.14, 3.14, 50)
y = torch.sin(x)
a, b, c, d = (torch.randn((), requires_grad=True) for _ in range(4))
lr = 1e-6
for t in range(10):
    y_pred = a + b * x + c * x**2 + d * x**3
    loss = (y_pred - y).pow(2).sum()
    loss.backward()
    with torch.no_grad():
        a -= lr * a.grad
        b -= lr * b.grad
        c -= lr * c.grad
        d -= lr * d.grad
        a.grad = b.grad = c.grad = d.grad = None
print(a.item(), b.item(), c.item(), d.item())

# %% poly fit module with legendre
x = torch.linspace(-1, 1, 30).unsqueeze(-1).pow(torch.tensor([1, 2, 3]))
y = torch.sin(torch.linspace(-1, 1, 30))
model = nn.Sequential(nn.Linear(3, 1), nn.Flatten(0, 1))
loss_fn = nn.MSELoss(reduction="sum")
opt = torch.optim.RMSprop(model.parameters(), lr=1e-3)
for t in range(6):
    loss = loss_fn(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% actor critic
net = nn.Linear(4, 8)
pi, v = nn.Linear(8, 2), nn.Linear(8, 1)
opt = torch.optim.Adam([*net.parameters(), *pi.parameters(), *v.parameters()], lr=0.01)
for i in range(3):
    h = torch.tanh(net(torch.randn(6, 4)))
    logp = F.log_softmax(pi(h), dim=-1)
    value = v(h).squeeze(-1)
    ret = torch.randn(6)
    adv = ret - value.detach()
    a = torch.multinomial(logp.exp().detach(), 1).squeeze(1)
    loss = -(logp.gather(1, a.unsqueeze(1)).squeeze(1) * adv).mean() + F.mse_loss(value, ret)
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% seq2seq teacher forcing
emb, dec, out = nn.Embedding(10, 6), nn.GRUCell(6, 6), nn.Linear(6, 10)
opt = torch.optim.Adam([*emb.parameters(), *dec.parameters(), *out.parameters()], lr=0.01)
seq = torch.randint(0, 10, (4, 6))
for i in range(3):
    h = torch.zeros(4, 6)
    loss = 0
    for t in range(5):
        h = dec(emb(seq[:, t]), h)
        loss += F.cross_entropy(out(h), seq[:, t + 1])
    opt.zero_grad()
    (loss / 5).backward()
    opt.step()

# %% deep linear network small
w = [torch.randn(4, 4).mul(0.5).requires_grad_() for _ in range(6)]
opt = torch.optim.SGD(w, lr=0.01)
for i in range(3):
    h = torch.randn(8, 4)
    for m in w:
        h = torch.tanh(h @ m)
    opt.zero_grad()
    h.pow(2).mean().backward()
    opt.step()

# %% rnn last step only
rnn = nn.RNN(3, 8, batch_first=True)
head = nn.Linear(8, 1)
opt = torch.optim.Adam([*rnn.parameters(), *head.parameters()], lr=0.01)
for i in range(3):
    x, y = torch.randn(4, 15, 3), torch.randn(4, 1)
    o, _ = rnn(x)
    loss = F.mse_loss(head(o[:, -1]), y)
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% quadratic with good lr then converged
w = torch.tensor([4.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.9)
for i in range(15):
    opt.zero_grad()
    loss = (w**2).sum()
    loss.backward()
    opt.step()

# %% negative loss going down
w = torch.tensor([1.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for i in range(10):
    opt.zero_grad()
    loss = -(w**3).sum()
    loss.backward()
    opt.step()
    if w.item() > 5: break

# %% maximize option
w = torch.tensor([1.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.01, maximize=True)
for i in range(10):
    opt.zero_grad()
    score = (w * 2).sum()
    score.backward()
    opt.step()

# %% checkpointing
from torch.utils.checkpoint import checkpoint
l1, l2 = nn.Linear(3, 4), nn.Linear(4, 1)
opt = torch.optim.SGD([*l1.parameters(), *l2.parameters()], lr=0.1)
for i in range(2):
    h = checkpoint(lambda x: torch.tanh(l1(x)), torch.randn(4, 3), use_reentrant=False)
    opt.zero_grad()
    l2(h).pow(2).mean().backward()
    opt.step()

# %% retain grad and print
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 2
h.retain_grad()
y = h.pow(2).sum()
y.backward()
print(h.grad, x.grad)
z = torch.tanh(x)
print(z)

# %% multiple roots
x = torch.ones(2, requires_grad=True)
a, b = (x * 2).sum(), (x**2).sum()
torch.autograd.backward([a, b])
print(x.grad)

# %% lagrange multiplier ascent
x = torch.tensor([0.0, 0.0], requires_grad=True)
lam = torch.tensor(0.0, requires_grad=True)
for i in range(10):
    L = (x**2).sum() + lam * (x.sum() - 1)
    L.backward()
    with torch.no_grad():
        x -= 0.1 * x.grad
        lam += 0.1 * lam.grad
        x.grad.zero_(); lam.grad.zero_()

# %% gumbel
logits = torch.zeros(4, 3, requires_grad=True)
opt = torch.optim.Adam([logits], lr=0.1)
for i in range(3):
    y = F.gumbel_softmax(logits, tau=0.5, hard=True)
    opt.zero_grad()
    ((y - torch.eye(3)[[0, 1, 2, 0]]) ** 2).mean().backward()
    opt.step()

# %% label smoothing weights
net = nn.Linear(3, 4)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
crit = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2, 3, 4]), label_smoothing=0.1)
for i in range(3):
    opt.zero_grad()
    crit(net(torch.randn(5, 3)), torch.randint(0, 4, (5,))).backward()
    opt.step()

# %% huge logits fine
net = nn.Linear(3, 2)
with torch.no_grad():
    net.weight.mul_(100)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(8, 3)
for i in range(3):
    opt.zero_grad()
    F.cross_entropy(net(x), torch.randint(0, 2, (8,))).backward()
    opt.step()

# %% two models in one loop function
def fit(model, steps):
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(steps):
        opt.zero_grad()
        loss = model(torch.randn(6, 3)).pow(2).mean()
        loss.backward()
        opt.step()
    return loss.item()
models = [nn.Linear(3, 1) for _ in range(3)]
print([fit(m, 3) for m in models])

# %% class trainer with self.model
class Trainer:
    def __init__(self):
        self.model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
        self.opt = torch.optim.Adam(self.model.parameters())
        self.losses = []
    def step(self, x, y):
        self.opt.zero_grad()
        loss = F.mse_loss(self.model(x), y)
        loss.backward()
        self.opt.step()
        self.losses.append(loss.item())
t = Trainer()
for i in range(4):
    t.step(torch.randn(5, 3), torch.randn(5, 1))

# %% shuffled minibatch loader sum loss
from torch.utils.data import DataLoader, TensorDataset
ds = TensorDataset(torch.randn(12, 3), torch.randint(0, 2, (12,)))
net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for epoch in range(2):
    total, right = 0.0, 0
    for xb, yb in DataLoader(ds, batch_size=4, shuffle=True):
        out = net(xb)
        loss = F.cross_entropy(out, yb)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        total += loss.item() * len(xb)
        right += (out.argmax(1) == yb).sum().item()
    print(epoch, total / 12, right / 12)

# %% a head trained on a body in a ModuleList
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.ModuleList(nn.Linear(3, 3) for _ in range(2))
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        for layer in self.body:
            x = torch.tanh(layer(x))
        return self.head(x)

net = Net()
opt = torch.optim.SGD(net.head.parameters(), lr=0.1)
for i in range(3):
    opt.zero_grad()
    net(torch.randn(4, 3)).pow(2).mean().backward()
    opt.step()

# %% a list of layers whose parameters are all given
layers = [nn.Linear(3, 3), nn.Linear(3, 1)]
opt = torch.optim.SGD([p for layer in layers for p in layer.parameters()], lr=0.1)
for i in range(3):
    opt.zero_grad()
    layers[1](torch.tanh(layers[0](torch.randn(4, 3)))).pow(2).mean().backward()
    opt.step()

# %% slot attention normalises over the slots, and then over what they are made of
keys, queries, values = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)
opt = torch.optim.SGD([*keys.parameters(), *queries.parameters(), *values.parameters()], lr=0.01)
x, slots = torch.randn(2, 6, 4), torch.randn(2, 3, 4)
for i in range(4):
    weights = (queries(slots) @ keys(x).transpose(1, 2) / 2).softmax(1)
    weights = weights / weights.sum(-1, keepdim=True)
    opt.zero_grad()
    F.mse_loss(weights @ values(x), slots).backward()
    opt.step()

# %% linear attention adds up where its features are normalised
queries, keys, values = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)
opt = torch.optim.SGD([*keys.parameters(), *queries.parameters(), *values.parameters()], lr=0.01)
x, y = torch.randn(2, 6, 4), torch.randn(2, 6, 4)
for i in range(4):
    context = keys(x).softmax(1).transpose(1, 2) @ values(x)
    opt.zero_grad()
    F.mse_loss(queries(x).softmax(-1) @ context, y).backward()
    opt.step()

# %% bytes that wrap around and stay bytes
mixed = torch.arange(200, 256, dtype=torch.uint8)
for i in range(3):
    mixed = mixed * 31 + 7
w = torch.tensor(1.0, requires_grad=True)
(w * 2).backward()
print(mixed.sum().item(), w.grad)

# %% bytes that stay in their range
model = nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
pictures = torch.randint(10, 120, (8, 4), dtype=torch.uint8)
for i in range(4):
    opt.zero_grad()
    F.mse_loss(model((pictures * 2 - 10).float() / 256), torch.zeros(8, 1)).backward()
    opt.step()

# %% a dictionary of weights that is changed and loaded
model, average = nn.Linear(3, 1), nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(6, 3), torch.randn(6, 1)
for i in range(4):
    opt.zero_grad()
    F.mse_loss(model(x), y).backward()
    opt.step()
    kept = average.state_dict()
    for name in kept:
        kept[name] = 0.9 * kept[name] + 0.1 * model.state_dict()[name]
    average.load_state_dict(kept)
mean = average.state_dict()
for name in mean:
    mean[name].copy_(mean[name].round(decimals=3))

# %% a sign beside the size that it belongs to
model = nn.Linear(3, 4)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(8, 3), torch.randn(8, 4)
for i in range(4):
    h = model(x)
    opt.zero_grad()
    F.mse_loss(torch.sign(h) * torch.sqrt(h.abs() + 1e-3), y).backward()
    opt.step()

# %% a key padding mask as it should be
tokens = torch.tensor([[3, 4, 5, 0, 0], [6, 7, 0, 0, 0]])
embed, attend = nn.Embedding(10, 8, padding_idx=0), nn.MultiheadAttention(8, 2, batch_first=True)
h = embed(tokens)
mixed, _ = attend(h, h, h, key_padding_mask=tokens == 0)
mixed.pow(2).sum().backward()

# %% a mask that says what takes part, turned around where the scores are filled
tokens = torch.tensor([[3, 4, 5, 1, 1], [6, 7, 1, 1, 1]])
embed, q = nn.Embedding(10, 8), nn.Linear(8, 8)
h = embed(tokens)
mask = tokens != 1
scores = (q(h) @ h.transpose(1, 2)).masked_fill(~mask[:, None, :], -1e9)
(scores.softmax(-1) @ h).pow(2).sum().backward()

# %% attention that is to see one kind of token alone, at the same places of all rows
tokens = torch.tensor([[3, 4, 5, 1, 1], [6, 7, 2, 1, 1]])
embed, q = nn.Embedding(10, 8), nn.Linear(8, 8)
h = embed(tokens)
scores = (q(h) @ h.transpose(1, 2)).masked_fill((tokens != 1)[:, None, :], float("-inf"))
(scores.softmax(-1) @ h).pow(2).sum().backward()

# %% what is no padding is taken out of the scores of a vocabulary
tokens = torch.tensor([[3, 4, 5, 0, 0], [6, 7, 0, 0, 0]])
embed, head = nn.Embedding(10, 5, padding_idx=0), nn.Linear(5, 1)
logits = head(embed(tokens)).squeeze(-1).masked_fill(tokens == 0, -1e9)
logits.softmax(-1).pow(2).sum().backward()

# %% probabilities before the update as constants, with several updates for each sample
policy, x, a = nn.Linear(4, 3), torch.randn(16, 4), torch.randint(0, 3, (16,))
opt = torch.optim.SGD(policy.parameters(), lr=0.1)
gain = torch.randn(16)
for step in range(3):
    with torch.no_grad():
        old = F.log_softmax(policy(x), 1)[torch.arange(16), a]
    for epoch in range(2):
        new = F.log_softmax(policy(x), 1)[torch.arange(16), a]
        loss = -((new - old).exp() * gain).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()

# %% two ways to write a layer that are compared while one is trained
w, x, y = nn.Parameter(torch.randn(4, 2)), torch.randn(8, 4), torch.randn(8, 2)
opt = torch.optim.SGD([w], lr=0.1)
for step in range(4):
    one = x @ w
    two = torch.mm(x, w)
    apart = (one - two).abs().max()
    loss = (one - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(apart.item() < 1e-6)

# %% the change since the last step, which is none at first
w, x, y = nn.Parameter(torch.randn(4)), torch.randn(8, 4), torch.randn(8)
opt = torch.optim.SGD([w], lr=0.1)
for step in range(4):
    start = x @ w.detach()
    loss = (x @ w - y).pow(2).mean() + 0.1 * (x @ w - start).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a head that starts at zero, and the difference of what it makes of two views
body, head, x = nn.Linear(4, 4), nn.Linear(4, 2), torch.randn(6, 4)
nn.init.zeros_(head.weight)
opt = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
for step in range(2):
    opt.zero_grad()
    for part in range(2):
        one = head(torch.tanh(body(x)))
        two = head(torch.tanh(body(x + 0.1)))
        ((two - one).pow(2).mean() + (one - 1).pow(2).mean()).backward()
    opt.step()
