"""Sound programs around clipping, modes, schedules, steps and owners of parameters for test_findings.py: nothing is found in them."""

import copy, math; import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)

# %% DCGAN samples in training mode
G = nn.Sequential(nn.Linear(2, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3))
D = nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.3), nn.LeakyReLU(0.2), nn.Linear(8, 1))
og, od = torch.optim.Adam(G.parameters(), 1e-3, betas=(0.5, 0.9)), torch.optim.Adam(D.parameters(), 1e-3)
fixed = torch.randn(6, 2)
images = []
for i in range(4):
    real = torch.randn(8, 3)
    D.zero_grad()
    a = F.binary_cross_entropy_with_logits(D(real), torch.ones(8, 1))
    a.backward()
    fake = G(torch.randn(8, 2))
    b = F.binary_cross_entropy_with_logits(D(fake.detach()), torch.zeros(8, 1))
    b.backward()
    od.step()
    G.zero_grad()
    c = F.binary_cross_entropy_with_logits(D(fake), torch.ones(8, 1))
    c.backward()
    og.step()
    with torch.no_grad():
        images.append(G(fixed).detach())
    print((a + b).item(), c.item())

# %% MC dropout
net = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), 1e-2)
x, y = torch.randn(20, 3), torch.randn(20, 1)
net.train()
for i in range(5):
    opt.zero_grad(); F.mse_loss(net(x), y).backward(); opt.step()
xt, yt = torch.randn(5, 3), torch.randn(5, 1)
with torch.no_grad():
    draws = torch.stack([net(xt) for _ in range(10)])
print(draws.mean(0), draws.std(0), ((draws.mean(0) - yt) ** 2).mean().item())

# %% MC dropout with only dropout on
net = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), 1e-2)
x, y = torch.randn(20, 3), torch.randn(20, 1)
for i in range(5):
    opt.zero_grad(); F.mse_loss(net(x), y).backward(); opt.step()
net.eval()
for m in net.modules():
    if isinstance(m, nn.Dropout): m.train()
xt, yt = torch.randn(5, 3), torch.randn(5, 1)
with torch.no_grad():
    for _ in range(5):
        print(F.mse_loss(net(xt), yt).item())

# %% frozen backbone in eval with a new head
back = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.1))
head = nn.Linear(8, 1)
for p in back.parameters(): p.requires_grad_(False)
back.eval()
opt = torch.optim.SGD(head.parameters(), 0.1)
x, y = torch.randn(10, 3), torch.randn(10, 1)
for i in range(4):
    opt.zero_grad(); F.mse_loss(head(back(x)), y).backward(); opt.step()

# %% freezing batch norm only
net = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), 0.1)
x, y = torch.randn(10, 3), torch.randn(10, 1)
for i in range(6):
    net.train()
    if i > 2: net[1].eval()
    opt.zero_grad(); F.mse_loss(net(x), y).backward(); opt.step()

# %% fgsm in eval, training in train
net = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), 0.1)
x, y = torch.randn(10, 3), torch.randn(10, 1)
for i in range(4):
    net.eval()
    xa = x.clone().requires_grad_(True)
    F.mse_loss(net(xa), y).backward()
    adv = (xa + 0.1 * xa.grad.sign()).detach()
    net.train()
    opt.zero_grad()
    F.mse_loss(net(adv), y).backward()
    opt.step()

# %% mean teacher
student = nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.2), nn.ReLU(), nn.Linear(8, 2))
teacher = copy.deepcopy(student)
opt = torch.optim.SGD(student.parameters(), 0.1)
x, y = torch.randn(10, 3), torch.randint(0, 2, (10,))
for i in range(4):
    with torch.no_grad():
        t = teacher(x).softmax(1)
    s = student(x)
    loss = F.cross_entropy(s, y) + F.mse_loss(s.softmax(1), t)
    opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad():
        for p, q in zip(teacher.parameters(), student.parameters()): p.mul_(0.9).add_(q, alpha=0.1)
    print(loss.item())

# %% target network with batch norm, DQN
q = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
target = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
target.load_state_dict(q.state_dict())
opt = torch.optim.Adam(q.parameters(), 1e-3)
for i in range(4):
    s, a, r, s2 = torch.randn(8, 4), torch.randint(0, 2, (8, 1)), torch.randn(8, 1), torch.randn(8, 4)
    with torch.no_grad():
        best = r + 0.9 * target(s2).max(1, keepdim=True)[0]
    loss = F.smooth_l1_loss(q(s).gather(1, a), best)
    opt.zero_grad(); loss.backward(); nn.utils.clip_grad_value_(q.parameters(), 1.0); opt.step()
    if i % 2: target.load_state_dict(q.state_dict())

# %% batch norm recalibrated
net = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), 0.1)
data = [(torch.randn(10, 3), torch.randn(10, 1)) for _ in range(3)]
for x, y in data:
    opt.zero_grad(); F.mse_loss(net(x), y).backward(); opt.step()
net.train()
with torch.no_grad():
    for x, y in data: net(x)
net.eval()
with torch.no_grad():
    print(F.mse_loss(net(data[0][0]), data[0][1]).item())

# %% accuracy from training outputs
net = nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.2), nn.Linear(8, 2))
opt = torch.optim.SGD(net.parameters(), 0.1)
x, y = torch.randn(10, 3), torch.randint(0, 2, (10,))
for i in range(4):
    out = net(x)
    loss = F.cross_entropy(out, y)
    opt.zero_grad(); loss.backward(); opt.step()
    print((out.argmax(1) == y).float().mean().item())

# %% clipping after unscaling by hand, norm logged later
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), 0.1)
x, y = torch.randn(10, 3), torch.randn(10, 1)
for i in range(4):
    opt.zero_grad()
    (F.mse_loss(net(x), y) * 128).backward()
    for p in net.parameters(): p.grad.div_(128)
    norm = nn.utils.clip_grad_norm_(net.parameters(), 0.5)
    opt.step()
    after = nn.utils.clip_grad_norm_(net.parameters(), float("inf"))
    print(norm.item(), after.item())

# %% per-sample clipping of DP-SGD
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), 0.1)
X, Y = torch.randn(6, 3), torch.randn(6, 1)
for step in range(3):
    total = [torch.zeros_like(p) for p in net.parameters()]
    for x, y in zip(X, Y):
        net.zero_grad()
        F.mse_loss(net(x), y).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        for t, p in zip(total, net.parameters()): t += p.grad
    opt.zero_grad()
    for t, p in zip(total, net.parameters()): p.grad = t / 6 + 0.01 * torch.randn_like(t)
    opt.step()

# %% LBFGS with clipping in the closure
net = nn.Linear(3, 1)
opt = torch.optim.LBFGS(net.parameters(), lr=0.5, max_iter=4)
x, y = torch.randn(10, 3), torch.randn(10, 1)
def closure():
    opt.zero_grad()
    loss = F.mse_loss(net(x), y)
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 0.5)
    return loss
for i in range(3): opt.step(closure)

# %% warm-up from zero and cosine to zero, per batch
net = nn.Linear(3, 1)
opt = torch.optim.AdamW(net.parameters(), lr=1e-2)
epochs, batches = 3, 5
total = epochs * batches
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: s / 3 if s < 3 else 0.5 * (1 + math.cos(math.pi * (s - 3) / (total - 3))))
for epoch in range(epochs):
    for b in range(batches):
        opt.zero_grad(); F.mse_loss(net(torch.randn(4, 3)), torch.randn(4, 1)).backward(); opt.step(); sched.step()

# %% warm restarts
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=1e-2)
epochs = 4
sched = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, T_0=5)
for epoch in range(epochs):
    for b in range(5):
        opt.zero_grad(); F.mse_loss(net(torch.randn(4, 3)), torch.randn(4, 1)).backward(); opt.step()
        sched.step(epoch + b / 5)

# %% step schedule per epoch
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=1e-2)
epochs = 6
sched = torch.optim.lr_scheduler.MultiStepLR(opt, milestones=[epochs // 2, epochs - 1], gamma=0.1)
for epoch in range(epochs):
    for b in range(3):
        opt.zero_grad(); F.mse_loss(net(torch.randn(4, 3)), torch.randn(4, 1)).backward(); opt.step()
    sched.step()

# %% plateau
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=1e-2)
sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=0, factor=0.1)
for epoch in range(6):
    opt.zero_grad(); loss = F.mse_loss(net(torch.ones(4, 3)), torch.zeros(4, 1)); loss.backward(); opt.step()
    sched.step(loss)

# %% one cycle per batch
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=1e-2)
loader = [(torch.randn(4, 3), torch.randn(4, 1)) for _ in range(5)]
epochs = 3
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 0.1, epochs=epochs, steps_per_epoch=len(loader))
for epoch in range(epochs):
    for x, y in loader:
        opt.zero_grad(); F.mse_loss(net(x), y).backward(); opt.step(); sched.step()

# %% two optimizers on disjoint parts of one network
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
oa = torch.optim.SGD([net[0].weight, net[2].weight], lr=0.01, momentum=0.9)
ob = torch.optim.AdamW([net[0].bias, net[2].bias], lr=0.01)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(4):
    oa.zero_grad(); ob.zero_grad()
    F.mse_loss(net(x), y).backward()
    oa.step(); ob.step()

# %% pretraining and fine-tuning with two optimizers
net = nn.Linear(3, 1)
first = torch.optim.SGD(net.parameters(), lr=0.1)
second = torch.optim.Adam(net.parameters(), lr=0.01)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(6):
    opt = first if i < 3 else second
    opt.zero_grad(); F.mse_loss(net(x), y).backward(); opt.step()

# %% unfreezing and freezing with None
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, weight_decay=0.1)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(6):
    net[0].requires_grad_(i % 2 == 0)
    opt.zero_grad(); F.mse_loss(net(x), y).backward(); opt.step()

# %% WGAN toggles the critic's flags
G, D = nn.Linear(2, 3), nn.Linear(3, 1)
og, od = torch.optim.RMSprop(G.parameters(), 1e-3), torch.optim.RMSprop(D.parameters(), 1e-3)
for i in range(3):
    for p in D.parameters(): p.requires_grad = True
    for _ in range(2):
        D.zero_grad()
        loss = D(G(torch.randn(8, 2)).detach()).mean() - D(torch.randn(8, 3)).mean()
        loss.backward(); od.step()
        for p in D.parameters(): p.data.clamp_(-0.01, 0.01)
    for p in D.parameters(): p.requires_grad = False
    G.zero_grad()
    (-D(G(torch.randn(8, 2))).mean()).backward(); og.step()

# %% LR range test
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=1e-9)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(12):
    opt.zero_grad(); F.mse_loss(net(x), y).backward(); opt.step()
    for g in opt.param_groups: g["lr"] *= 10 if g["lr"] < 0.1 else 1

# %% gradients looked at, no optimizer step
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(4):
    opt.zero_grad()
    F.mse_loss(net(torch.randn(8, 3)), torch.randn(8, 1)).backward()
    print(net.weight.grad.norm())

# %% gradient variance over batches, then a step
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(2):
    norms = []
    for b in range(4):
        opt.zero_grad()
        F.mse_loss(net(torch.randn(8, 3)), torch.randn(8, 1)).backward()
        norms.append(net.weight.grad.norm().item())
    opt.step()
    print(norms)

# %% keeping the best of several random restarts
best = None
for k in range(3):
    net = nn.Linear(3, 1)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for i in range(3):
        opt.zero_grad(); loss = F.mse_loss(net(torch.ones(4, 3)), torch.zeros(4, 1)); loss.backward(); opt.step()
    if best is None or loss.item() < best: best = loss.item()

# %% PCGrad
net = nn.Linear(3, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(8, 3), torch.randn(8, 2)
for i in range(3):
    grads = []
    for k in range(2):
        opt.zero_grad()
        F.mse_loss(net(x)[:, k], y[:, k]).backward()
        grads.append([p.grad.clone() for p in net.parameters()])
    opt.zero_grad()
    for p, a, b in zip(net.parameters(), *grads): p.grad = a + b
    opt.step()

# %% SAM
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(3):
    F.mse_loss(net(x), y).backward()
    with torch.no_grad():
        eps = [0.05 * p.grad / (p.grad.norm() + 1e-12) for p in net.parameters()]
        for p, e in zip(net.parameters(), eps): p.add_(e)
    opt.zero_grad()
    F.mse_loss(net(x), y).backward()
    with torch.no_grad():
        for p, e in zip(net.parameters(), eps): p.sub_(e)
    opt.step(); opt.zero_grad()

# %% skipping bad batches
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(6):
    opt.zero_grad()
    loss = F.mse_loss(net(torch.randn(8, 3)), torch.randn(8, 1))
    loss.backward()
    if loss.item() > 2: continue
    opt.step()

# %% LoRA
base = nn.Linear(6, 6)
base.requires_grad_(False)
A, B = nn.Parameter(torch.randn(2, 6) * 0.1), nn.Parameter(torch.zeros(6, 2))
opt = torch.optim.Adam([A, B], lr=1e-2)
x, y = torch.randn(8, 6), torch.randn(8, 6)
for i in range(5):
    opt.zero_grad(); F.mse_loss(base(x) + x @ A.t() @ B.t(), y).backward(); opt.step()

# %% optimising an input through a parameter
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
z = nn.Parameter(torch.randn(1, 3))
net.requires_grad_(False)
opt = torch.optim.Adam([z], lr=0.1)
for i in range(4):
    opt.zero_grad(); (net(z) - 1).pow(2).sum().backward(); opt.step()

# %% perceptual loss with an unfrozen network
vgg = nn.Sequential(nn.Linear(3, 4), nn.ReLU())
net = nn.Linear(3, 3)
for p in vgg.parameters(): p.requires_grad = False
opt = torch.optim.Adam(net.parameters(), lr=0.1)
x = torch.randn(8, 3)
for i in range(4):
    opt.zero_grad(); F.mse_loss(vgg(net(x)), vgg(x)).backward(); opt.step()

# %% relu outputs for counts
net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1), nn.ReLU())
opt = torch.optim.Adam(net.parameters(), lr=0.05)
x = torch.randn(30, 3)
y = torch.randint(0, 5, (30, 1)).float()
for i in range(4):
    opt.zero_grad(); F.mse_loss(net(x), y).backward(); opt.step()

# %% tanh policy with targets at the edge
net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1), nn.Tanh())
opt = torch.optim.Adam(net.parameters(), lr=0.05)
x = torch.randn(30, 3)
y = torch.sign(torch.randn(30, 1))
for i in range(4):
    opt.zero_grad(); F.mse_loss(net(x), y).backward(); opt.step()

# %% XOR with a sigmoid and squares
net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1), nn.Sigmoid())
opt = torch.optim.SGD(net.parameters(), lr=1.0)
x = torch.tensor([[0., 0], [0, 1], [1, 0], [1, 1]]); y = torch.tensor([[0.], [1], [1], [0]])
for i in range(20):
    opt.zero_grad(); F.mse_loss(net(x), y).backward(); opt.step()

# %% attention pooling over instances
attn, out = nn.Linear(4, 1), nn.Linear(4, 1)
opt = torch.optim.Adam([*attn.parameters(), *out.parameters()], lr=0.01)
for i in range(4):
    bag, y = torch.randn(7, 4), torch.ones(1)
    a = torch.softmax(attn(bag), dim=0)
    z = (a * bag).sum(0)
    loss = F.binary_cross_entropy_with_logits(out(z), y)
    opt.zero_grad(); loss.backward(); opt.step()

# %% several heads of pooling
attn, out = nn.Linear(4, 3), nn.Linear(12, 1)
opt = torch.optim.Adam([*attn.parameters(), *out.parameters()], lr=0.01)
for i in range(4):
    bag, y = torch.randn(7, 4), torch.ones(1)
    a = torch.softmax(attn(bag), dim=0)
    z = (a.t() @ bag).reshape(-1)
    loss = F.binary_cross_entropy_with_logits(out(z), y)
    opt.zero_grad(); loss.backward(); opt.step()

# %% two graphs on shared features
enc, a, b = nn.Linear(3, 4), nn.Linear(4, 1), nn.Linear(4, 1)
opt = torch.optim.SGD([*enc.parameters(), *a.parameters(), *b.parameters()], lr=0.01)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(4):
    h = torch.tanh(enc(x))
    opt.zero_grad()
    F.mse_loss(a(h), y).backward(retain_graph=True)
    F.l1_loss(b(h), y).backward()
    opt.step()

# %% a mutual information estimate shuffles one side
net = nn.Linear(2, 1)
opt = torch.optim.Adam(net.parameters(), lr=0.01)
x, y = torch.randn(20, 1), torch.randn(20, 1)
for i in range(4):
    joint = net(torch.cat([x, y], 1)).mean()
    marginal = net(torch.cat([x[torch.randperm(20)], y[torch.randperm(20)]], 1)).exp().mean().log()
    loss = -(joint - marginal)
    opt.zero_grad(); loss.backward(); opt.step()

# %% mixup
net = nn.Linear(3, 4)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(12, 3), torch.randint(0, 4, (12,))
for i in range(4):
    perm = torch.randperm(12)
    xm = 0.7 * x + 0.3 * x[perm]
    out = net(xm)
    loss = 0.7 * F.cross_entropy(out, y) + 0.3 * F.cross_entropy(out, y[perm])
    opt.zero_grad(); loss.backward(); opt.step()

# %% sampling two batches from different permutations
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
X, Y = torch.randn(20, 3), torch.randn(20, 1)
for epoch in range(3):
    perm = torch.randperm(20)
    Xs, Ys = X[perm], Y[perm]
    for i in range(0, 20, 5):
        opt.zero_grad(); F.mse_loss(net(Xs[i:i+5]), Ys[i:i+5]).backward(); opt.step()

# %% hypernetwork makes weights in forward
class Hyper(nn.Module):
    def __init__(self):
        super().__init__()
        self.gen = nn.Linear(2, 6)
    def forward(self, z, x):
        w = self.gen(z).view(2, 3)
        return F.linear(x, w)
net = Hyper()
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for i in range(4):
    opt.zero_grad(); net(torch.randn(2), torch.randn(5, 3)).pow(2).mean().backward(); opt.step()

# %% a function makes a model per call, trained inside
def fit(x, y):
    m = nn.Linear(3, 1)
    o = torch.optim.SGD(m.parameters(), lr=0.1)
    for _ in range(3):
        o.zero_grad(); loss = F.mse_loss(m(x), y); loss.backward(); o.step()
    return loss.item()
for k in range(3): print(fit(torch.randn(6, 3), torch.randn(6, 1)))

# %% inner loop with fresh parameters by hand (test-time adaptation)
net = nn.Linear(3, 3)
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for i in range(3):
    delta = nn.Parameter(torch.zeros(3))
    for _ in range(2):
        loss = (net(torch.randn(5, 3)) + delta).pow(2).mean()
        g, = torch.autograd.grad(loss, delta)
        delta.data -= 0.1 * g
    opt.zero_grad(); (net(torch.randn(5, 3)) + delta.detach()).pow(2).mean().backward(); opt.step()

# %% validation loop evaluates properly, then trains
net = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.Dropout(0.3), nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
def run_epoch(train):
    net.train(train)
    with torch.set_grad_enabled(train):
        for _ in range(2):
            loss = F.mse_loss(net(torch.randn(6, 3)), torch.randn(6, 1))
            if train: opt.zero_grad(); loss.backward(); opt.step()
    return loss.item()
for e in range(3): run_epoch(True); run_epoch(False)

# %% accumulation divided in the learning rate
accum = 4
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1 / accum)
for i in range(8):
    F.mse_loss(net(torch.randn(4, 3)), torch.randn(4, 1)).backward()
    if (i + 1) % accum == 0: opt.step(); opt.zero_grad()

# %% accumulation of sums, divided at the step
accum, n = 4, 16
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(8):
    F.mse_loss(net(torch.randn(4, 3)), torch.randn(4, 1), reduction="sum").backward()
    if (i + 1) % accum == 0:
        for p in net.parameters(): p.grad /= n
        opt.step(); opt.zero_grad()

# %% actor and critic with one loss each and a shared body
body, actor, critic = nn.Linear(4, 8), nn.Linear(8, 2), nn.Linear(8, 1)
oa = torch.optim.Adam([*body.parameters(), *actor.parameters()], lr=1e-3)
oc = torch.optim.Adam(critic.parameters(), lr=1e-3)
for i in range(3):
    s, r = torch.randn(6, 4), torch.randn(6)
    h = torch.tanh(body(s))
    logp = F.log_softmax(actor(h), 1)
    a = torch.multinomial(logp.detach().exp(), 1).squeeze(1)
    v = critic(h.detach()).squeeze(1)
    oc.zero_grad(); F.mse_loss(v, r).backward(); oc.step()
    oa.zero_grad(); (-(logp.gather(1, a[:, None]).squeeze(1) * (r - v.detach())).mean()).backward(); oa.step()

# %% stochastic depth by hand
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.drop = nn.Linear(4, 4), nn.Dropout(0.1)
    def forward(self, x):
        return x + self.drop(torch.relu(self.fc(x)))
net = nn.Sequential(Block(), Block(), nn.Linear(4, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x, y = torch.randn(12, 4), torch.randn(12, 1)
for e in range(3):
    net.train(); opt.zero_grad(); F.mse_loss(net(x), y).backward(); opt.step()
    net.eval()
    with torch.no_grad(): print(F.mse_loss(net(x), y).item())

# %% an expert that is never chosen
experts = nn.ModuleList([nn.Linear(3, 1) for _ in range(3)])
gate = nn.Linear(3, 3)
opt = torch.optim.SGD([*experts.parameters(), *gate.parameters()], lr=0.1)
x, y = torch.randn(6, 3), torch.randn(6, 1)
for i in range(4):
    w = F.softmax(gate(x), 1)
    out = sum(w[:, k:k+1] * experts[k](x) for k in range(3))
    opt.zero_grad(); F.mse_loss(out, y).backward(); opt.step()

# %% training to an exact fit
w = torch.zeros(1, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.5)
for i in range(6):
    opt.zero_grad(); ((w - 1) ** 2).sum().backward(); opt.step()

# %% step demo with momentum on one gradient
w = torch.zeros(1, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1, momentum=0.9)
w.grad = torch.ones(1)
for i in range(5):
    opt.step()
    print(w.item())

# %% schedule demo
w = torch.zeros(1, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=5)
for i in range(15):
    opt.step(); sched.step(); print(sched.get_last_lr())

# %% half precision that moves
net = nn.Linear(3, 1).half()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(6, 3).half(), torch.randn(6, 1).half()
for i in range(4):
    opt.zero_grad(); F.mse_loss(net(x), y).backward(); opt.step()

# %% a layer with a rate of its own, zero on purpose
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
opt = torch.optim.SGD([{"params": net[0].parameters(), "lr": 0.0}, {"params": net[2].parameters()}], lr=0.1)
for i in range(4):
    opt.zero_grad(); F.mse_loss(net(torch.randn(6, 3)), torch.randn(6, 1)).backward(); opt.step()

# %% distillation with teacher in train mode, logged
teacher = nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.1), nn.Linear(8, 2))
to = torch.optim.SGD(teacher.parameters(), 0.1)
x, y = torch.randn(12, 3), torch.randint(0, 2, (12,))
for i in range(3): to.zero_grad(); F.cross_entropy(teacher(x), y).backward(); to.step()
teacher.eval()
student = nn.Linear(3, 2)
so = torch.optim.SGD(student.parameters(), 0.1)
for i in range(3):
    with torch.no_grad(): t = F.softmax(teacher(x), 1)
    so.zero_grad(); F.kl_div(F.log_softmax(student(x), 1), t, reduction="batchmean").backward(); so.step()

# %% an LSTM with dropout between layers
rnn, out = nn.LSTM(3, 4, 2, dropout=0.2), nn.Linear(4, 1)
opt = torch.optim.Adam([*rnn.parameters(), *out.parameters()], lr=0.01)
for i in range(3):
    h, _ = rnn(torch.randn(5, 2, 3))
    opt.zero_grad(); F.mse_loss(out(h[-1]), torch.randn(2, 1)).backward(); opt.step()

# %% truncated backpropagation with a step per chunk
rnn, out = nn.RNN(1, 4), nn.Linear(4, 1)
opt = torch.optim.SGD([*rnn.parameters(), *out.parameters()], lr=0.01)
h = torch.zeros(1, 1, 4)
for chunk in torch.randn(4, 3, 1, 1):
    h = h.detach()
    o, h = rnn(chunk, h)
    opt.zero_grad(); out(o).pow(2).mean().backward(); opt.step()

# %% a teacher that was trained first, and only evaluates from then on
net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4))
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for _ in range(3):
    x = torch.randn(8, 6)
    opt.zero_grad()
    F.cross_entropy(net(x), x[:, :4].argmax(1)).backward()
    opt.step()
teacher = net
teacher.eval()
student = nn.Linear(6, 4)
optimizer = torch.optim.Adam(student.parameters(), lr=5e-3)
for step in range(4):
    x = torch.randn(8, 6)
    with torch.no_grad():
        t = teacher(x)
    loss = F.mse_loss(student(x), t)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% a function trains a teacher, freezes it and returns it
def train_teacher():
    net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4))
    opt = torch.optim.Adam(net.parameters(), lr=5e-3)
    for _ in range(3):
        x = torch.randn(8, 6)
        opt.zero_grad()
        F.cross_entropy(net(x), x[:, :4].argmax(1)).backward()
        opt.step()
    for p in net.parameters():
        p.requires_grad_(False)
    return net
teacher = train_teacher()
student = nn.Linear(6, 4)
optimizer = torch.optim.Adam(student.parameters(), lr=5e-3)
for step in range(4):
    x = torch.randn(8, 6)
    loss = F.mse_loss(student(x), teacher(x))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% the ratio to probabilities that were kept, whose difference is zero in the first epoch alone
policy = nn.Linear(4, 3)
opt = torch.optim.SGD(policy.parameters(), lr=0.1)
x, a, gain = torch.randn(16, 4), torch.randint(0, 3, (16,)), torch.randn(16)
old = F.log_softmax(policy(x), 1)[torch.arange(16), a].detach()
for epoch in range(4):
    new = F.log_softmax(policy(x), 1)[torch.arange(16), a]
    loss = -((new - old).exp() * gain).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a loss after every step of an adaptation, so that what the last one gives is not used
net = nn.Linear(3, 1)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(4):
    x, y = torch.randn(8, 3), torch.randn(8, 1)
    fast, loss = [net.weight, net.bias], 0.0
    for inner in range(2):
        loss = loss + F.mse_loss(F.linear(x + 1, *fast), y)
        grads = torch.autograd.grad(F.mse_loss(F.linear(x, *fast), y), fast, create_graph=True)
        fast = [w - 0.1 * g for w, g in zip(fast, grads)]
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% the logarithm of a deviation, whose double is that of the variance
enc = nn.Linear(6, 4)
x = torch.randn(16, 6)
mu, logstd = enc(x).chunk(2, 1)
z = mu + torch.randn_like(mu) * logstd.exp()
kl = -0.5 * (1 + 2 * logstd - mu.pow(2) - (2 * logstd).exp()).sum(1).mean()
((z**2).mean() + kl).backward()

# %% the root of a variance that is also in the divergence
enc = nn.Linear(6, 4)
x = torch.randn(16, 6)
mu, logvar = enc(x).chunk(2, 1)
variance = logvar.exp()
z = mu + torch.randn_like(mu) * variance.sqrt()
kl = 0.5 * (variance + mu.pow(2) - 1 - logvar).sum(1).mean()
((z**2).mean() + kl).backward()

# %% a focal loss of each sample, and the perplexity of the mean beside it
net = nn.Linear(4, 3)
x, y = torch.randn(32, 4), torch.randint(0, 3, (32,))
ce = F.cross_entropy(net(x), y, reduction="none")
loss = ((1 - torch.exp(-ce)) ** 2 * ce).mean()
loss.backward()
print(torch.exp(ce.mean()).item(), (torch.exp(-loss) * loss.detach() * 0).item())

# %% losses that are weighted by a learnt uncertainty
net, s = nn.Linear(4, 3), nn.Parameter(torch.zeros(()))
optimizer = torch.optim.SGD([*net.parameters(), s], lr=0.01)
x, y = torch.randn(32, 4), torch.randint(0, 3, (32,))
loss = torch.exp(-s) * F.cross_entropy(net(x), y) + s
loss.backward()
optimizer.step()

# %% a filled row of padding that a mask leaves out of the mean
words, head = nn.Embedding(10, 4, padding_idx=0), nn.Linear(4, 2)
nn.init.normal_(words.weight)
optimizer = torch.optim.SGD([*words.parameters(), *head.parameters()], lr=0.1)
tokens = torch.tensor([[3, 1, 0, 0, 0], [2, 5, 7, 4, 0], [9, 8, 0, 0, 0], [6, 3, 2, 1, 5]])
mask = (tokens != 0).unsqueeze(2)
mean = (words(tokens) * mask).sum(1) / mask.sum(1)
loss = F.cross_entropy(head(mean), torch.tensor([0, 1, 0, 1]))
loss.backward()
optimizer.step()

# %% a LambdaLR whose factor is a rate divided by the optimizer's
lr, low = 0.05, 0.01
net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=lr)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: max(low, lr * 0.9**step) / lr)
x, y = torch.randn(32, 4), torch.randn(32, 1)
for step in range(5):
    loss = F.mse_loss(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()

# %% a LambdaLR that multiplies by a number which is the rate by chance
net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - 0.1 * step)
x, y = torch.randn(32, 4), torch.randn(32, 1)
for step in range(5):
    loss = F.mse_loss(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
