"""Sound programs around scaled gradients, weights of losses, optimizers made several times and frozen parts for
test_findings.py: nothing is found in them.
"""

import copy, math; import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)
from torch.utils.data import DataLoader, TensorDataset

# %% scaled gradients are scaled back before they are clipped
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")
for i in range(4):
    x = torch.randn(16, 4)
    opt.zero_grad()
    scaler.scale(F.mse_loss(net(x), x[:, :1])).backward()
    scaler.unscale_(opt)
    nn.utils.clip_grad_norm_(net.parameters(), 0.1)
    scaler.step(opt)
    scaler.update()

# %% the scaler is off
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", enabled=False)
for i in range(4):
    x = torch.randn(16, 4)
    opt.zero_grad()
    scaler.scale(F.mse_loss(net(x), x[:, :1])).backward()
    nn.utils.clip_grad_norm_(net.parameters(), 0.1)
    scaler.step(opt)
    scaler.update()

# %% the limit is scaled as the gradients are
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")
for i in range(4):
    x = torch.randn(16, 4)
    opt.zero_grad()
    scaler.scale(F.mse_loss(net(x), x[:, :1])).backward()
    limit = 0.1 * scaler.get_scale()
    nn.utils.clip_grad_norm_(net.parameters(), limit)
    scaler.step(opt)
    scaler.update()

# %% with an infinite limit the call tells the norm
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")
for i in range(4):
    x = torch.randn(16, 4)
    opt.zero_grad()
    scaler.scale(F.mse_loss(net(x), x[:, :1])).backward()
    print(nn.utils.clip_grad_norm_(net.parameters(), float("inf")) / scaler.get_scale())
    scaler.step(opt)
    scaler.update()

# %% the gradients are divided by hand before they are clipped
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(4):
    x = torch.randn(16, 4)
    opt.zero_grad()
    (F.mse_loss(net(x), x[:, :1]) * 1024.0).backward()
    for p in net.parameters():
        p.grad /= 1024.0
    nn.utils.clip_grad_norm_(net.parameters(), 0.1)
    opt.step()

# %% losses weighted by the exponential of what is learned
x = torch.randn(64, 4)
net, s = nn.Linear(4, 2), nn.Parameter(torch.zeros(2))
opt = torch.optim.Adam([*net.parameters(), s], lr=0.02)
for _ in range(10):
    out = net(x)
    a, b = F.mse_loss(out[:, 0], x.sum(1)), F.l1_loss(out[:, 1], x[:, 0])
    loss = torch.exp(-s[0]) * a + s[0] + torch.exp(-s[1]) * b + s[1]
    opt.zero_grad(); loss.backward(); opt.step()

# %% losses weighted by shares of one
x = torch.randn(64, 4)
net, s = nn.Linear(4, 2), nn.Parameter(torch.zeros(2))
opt = torch.optim.Adam([*net.parameters(), s], lr=0.02)
for _ in range(10):
    out, w = net(x), s.softmax(0)
    loss = w[0] * F.mse_loss(out[:, 0], x.sum(1)) + w[1] * F.l1_loss(out[:, 1], x[:, 0])
    opt.zero_grad(); loss.backward(); opt.step()

# %% a weight of losses whose logarithm is taken off
x = torch.randn(64, 4)
net, w = nn.Linear(4, 2), nn.Parameter(torch.ones(2))
opt = torch.optim.Adam([*net.parameters(), w], lr=0.02)
for _ in range(10):
    out = net(x)
    loss = w[0] * F.mse_loss(out[:, 0], x.sum(1)) + w[1] * F.l1_loss(out[:, 1], x[:, 0]) - w.log().sum()
    opt.zero_grad(); loss.backward(); opt.step()

# %% weights of losses that are scaled to one sum after each step
x = torch.randn(64, 4)
net, w = nn.Linear(4, 2), nn.Parameter(torch.ones(2))
opt = torch.optim.Adam([*net.parameters(), w], lr=0.02)
for _ in range(10):
    out = net(x)
    loss = w[0] * F.mse_loss(out[:, 0], x.sum(1)) + w[1] * F.l1_loss(out[:, 1], x[:, 0])
    opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad():
        w.clamp_(min=0.1).mul_(2 / w.sum())

# %% a multiplier is trained to make the sum large
x = torch.randn(64, 4)
net, lam = nn.Linear(4, 1), nn.Parameter(torch.tensor(0.1))
down, up = torch.optim.SGD(net.parameters(), lr=0.02), torch.optim.SGD([lam], lr=0.02, maximize=True)
for _ in range(10):
    loss = F.mse_loss(net(x), x.sum(1, keepdim=True)) + lam * (net.weight.square().sum() + 0.1)
    down.zero_grad(); up.zero_grad()
    loss.backward()
    down.step(); up.step()

# %% a weighted sum of predictions is compared with data
x = torch.randn(64, 4)
one, two, w = nn.Linear(4, 1), nn.Linear(4, 1), nn.Parameter(torch.ones(2))
opt = torch.optim.Adam([*one.parameters(), *two.parameters(), w], lr=0.02)
for _ in range(10):
    loss = F.mse_loss(w[0] * one(x).mean() + w[1] * two(x).sum(), x.sum())
    opt.zero_grad(); loss.backward(); opt.step()

# %% weights of losses that are numbers
x = torch.randn(64, 4)
net, w = nn.Linear(4, 2), torch.tensor([1.0, 0.5])
opt = torch.optim.Adam(net.parameters(), lr=0.02)
for _ in range(10):
    out = net(x)
    loss = w[0] * F.mse_loss(out[:, 0], x.sum(1)) + w[1] * F.l1_loss(out[:, 1], x[:, 0])
    opt.zero_grad(); loss.backward(); opt.step()

# %% plain gradient descent made anew for each epoch
x = torch.randn(60, 4)
y, net = x.sum(1, keepdim=True), nn.Linear(4, 1)
for epoch in range(5):
    opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0)
    for b in torch.randperm(60).split(20):
        loss = F.mse_loss(net(x[b]), y[b])
        opt.zero_grad(); loss.backward(); opt.step()

# %% Adam made anew with another rate each time
x = torch.randn(60, 4)
y, net = x.sum(1, keepdim=True), nn.Linear(4, 1)
for epoch in range(5):
    opt = torch.optim.Adam(net.parameters(), lr=0.01 * 0.8 ** epoch)
    for b in torch.randperm(60).split(20):
        loss = F.mse_loss(net(x[b]), y[b])
        opt.zero_grad(); loss.backward(); opt.step()

# %% Adam made anew for each fold
x = torch.randn(60, 4)
y = x.sum(1, keepdim=True)
for fold in range(3):
    net = nn.Linear(4, 1)
    opt = torch.optim.Adam(net.parameters(), lr=0.01)
    for b in torch.randperm(60).split(20):
        loss = F.mse_loss(net(x[b]), y[b])
        opt.zero_grad(); loss.backward(); opt.step()

# %% Adam made anew for each task
tasks = [(x := torch.randn(20, 4), x[:, k : k + 1]) for k in range(4)]
net = nn.Linear(4, 1)
for x, y in tasks:
    opt = torch.optim.Adam(net.parameters(), lr=0.01)
    for _ in range(5):
        loss = F.mse_loss(net(x), y)
        opt.zero_grad(); loss.backward(); opt.step()

# %% Adam made anew for each task of a list by its number
xs = [torch.randn(20, 4) for _ in range(4)]
net = nn.Linear(4, 1)
def learn(net, x):
    opt = torch.optim.Adam(net.parameters(), lr=0.01)
    for _ in range(5):
        loss = F.mse_loss(net(x), x[:, :1])
        opt.zero_grad(); loss.backward(); opt.step()
for k in range(4):
    learn(net, xs[k])

# %% weights are set back and trained with a new Adam
x = torch.randn(60, 4)
y, net = x.sum(1, keepdim=True), nn.Linear(4, 1)
start = copy.deepcopy(net.state_dict())
for trial in range(4):
    net.load_state_dict(start)
    opt = torch.optim.Adam(net.parameters(), lr=0.01)
    for b in torch.randperm(60).split(20):
        loss = F.mse_loss(net(x[b]), y[b])
        opt.zero_grad(); loss.backward(); opt.step()

# %% a penalty grows from stage to stage, each with its optimizer
w, mu = torch.zeros(3, requires_grad=True), 1.0
target = torch.tensor([1.0, 2.0, 3.0])
for stage in range(4):
    opt = torch.optim.Adam([w], lr=0.05)
    for _ in range(10):
        loss = (w - target).square().sum() + mu * (w.sum() - 1).square()
        opt.zero_grad(); loss.backward(); opt.step()
    mu *= 10

# %% two groups of parameters are fitted in turns
x = torch.randn(40, 6)
u, v = torch.randn(40, 2, requires_grad=True), torch.randn(2, 6, requires_grad=True)
for turn in range(4):
    first = torch.optim.Adam([u], lr=0.05)
    for _ in range(5):
        loss = F.mse_loss(u @ v, x)
        first.zero_grad(); loss.backward(); first.step()
    second = torch.optim.Adam([v], lr=0.05)
    for _ in range(5):
        loss = F.mse_loss(u @ v, x)
        second.zero_grad(); loss.backward(); second.step()

# %% an optimizer is made anew where it is wanted
x = torch.randn(60, 4)
y, net, opt = x.sum(1, keepdim=True), nn.Linear(4, 1), None
for epoch in range(5):
    if opt is None:
        opt = torch.optim.Adam(net.parameters(), lr=0.01)
    for b in torch.randperm(60).split(20):
        loss = F.mse_loss(net(x[b]), y[b])
        opt.zero_grad(); loss.backward(); opt.step()

# %% a model is fitted to each sample for a few steps
x = torch.randn(12, 4)
net = nn.Linear(4, 1)
for i in range(6):
    seen = x[2 * i : 2 * i + 2]
    opt = torch.optim.Adam(net.parameters(), lr=0.01)
    for _ in range(3):
        loss = F.mse_loss(net(seen), seen[:, :1])
        opt.zero_grad(); loss.backward(); opt.step()

# %% a backbone that was trained before is frozen and set to evaluation
x, y = torch.randn(32, 4), torch.randint(0, 2, (32,))
body, head = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.ReLU()), nn.Linear(6, 2)
opt = torch.optim.Adam([*body.parameters(), *head.parameters()], lr=0.01)
for _ in range(5):
    loss = F.cross_entropy(head(body(x)), y)
    opt.zero_grad(); loss.backward(); opt.step()
body.requires_grad_(False).eval()
new = nn.Linear(6, 2)
opt = torch.optim.Adam(new.parameters(), lr=0.01)
for _ in range(4):
    loss = F.cross_entropy(new(body(x + 1)), 1 - y)
    opt.zero_grad(); loss.backward(); opt.step()

# %% a discriminator is frozen for each step of the generator
G, D = nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
og, od = torch.optim.Adam(G.parameters(), 1e-3), torch.optim.Adam(D.parameters(), 1e-3)
for _ in range(4):
    D.requires_grad_(True)
    fake = G(torch.randn(8, 2))
    loss = F.binary_cross_entropy_with_logits(D(torch.randn(8, 3)), torch.ones(8, 1))
    loss = loss + F.binary_cross_entropy_with_logits(D(fake.detach()), torch.zeros(8, 1))
    od.zero_grad(); loss.backward(); od.step()
    D.requires_grad_(False)
    loss = F.binary_cross_entropy_with_logits(D(fake), torch.ones(8, 1))
    og.zero_grad(); loss.backward(); og.step()

# %% a frozen batch normalisation that keeps no statistics
x, y = torch.randn(32, 4), torch.randint(0, 2, (32,))
body = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6, track_running_stats=False), nn.ReLU())
head = nn.Linear(6, 2)
opt = torch.optim.Adam([*body.parameters(), *head.parameters()], lr=0.01)
for _ in range(5):
    loss = F.cross_entropy(head(body(x)), y)
    opt.zero_grad(); loss.backward(); opt.step()
body.requires_grad_(False)
new = nn.Linear(6, 2)
opt = torch.optim.Adam(new.parameters(), lr=0.01)
for _ in range(4):
    loss = F.cross_entropy(new(body(x)), 1 - y)
    opt.zero_grad(); loss.backward(); opt.step()

# %% the last of the training is done with all parts frozen but the head, without normalisation
x, y = torch.randn(32, 4), torch.randint(0, 2, (32,))
body, head = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.ReLU()), nn.Linear(6, 2)
opt = torch.optim.Adam([*body.parameters(), *head.parameters()], lr=0.01)
for _ in range(5):
    loss = F.cross_entropy(head(body(x)), y)
    opt.zero_grad(); loss.backward(); opt.step()
body.requires_grad_(False).eval()
with torch.no_grad():
    seen = body(x)
for _ in range(4):
    loss = F.cross_entropy(head(seen), y)
    opt.zero_grad(); loss.backward(); opt.step()

# %% a hook is registered in every iteration and removed after it
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(6):
    handle = net.weight.register_hook(lambda g: g * 0.5)
    x = torch.randn(32, 4)
    loss = F.mse_loss(net(x), x[:, :1] * 3)
    opt.zero_grad(); loss.backward(); opt.step()
    handle.remove()

# %% weights are pruned further in every round, each by a mask of its own
net = nn.Linear(6, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for count in range(1, 6):
    size = net.weight.detach().abs()
    mask = (size > size.sort().values[0, count - 1]).float()
    with torch.no_grad():
        net.weight.mul_(mask)
    net.weight.register_hook(lambda g, m=mask: g * m)
    for step in range(3):
        x = torch.randn(16, 6)
        loss = F.mse_loss(net(x), x[:, :1] * 3)
        opt.zero_grad(); loss.backward(); opt.step()

# %% several hooks of one line, hooks of what is made anew, and hooks that only look
net = nn.Linear(6, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for factor in (0.5, 0.5, 0.9):
    net.weight.register_hook(lambda g, f=factor: g * f)
norms = []
for step in range(6):
    h = torch.tanh(net(torch.randn(16, 6)))
    h.register_hook(lambda g: g * 0.5)
    net.bias.register_hook(lambda g: norms.append(g.norm().item()))
    loss = (h - 1).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()

# %% losses times the exponential of trained weights, with their logarithms
trunk, a, b, s = nn.Linear(4, 8), nn.Linear(8, 1), nn.Linear(8, 3), nn.Parameter(torch.zeros(2))
opt = torch.optim.Adam([s, *trunk.parameters(), *a.parameters(), *b.parameters()], lr=0.02)
for step in range(8):
    x = torch.randn(32, 4); h = torch.tanh(trunk(x))
    losses = torch.stack([F.mse_loss(a(h), x.sum(1, keepdim=True)), F.cross_entropy(b(h), x[:, :3].argmax(1))])
    total = (torch.exp(-s) * losses + s).sum()
    opt.zero_grad(); total.backward(); opt.step()

# %% losses times the exponential of trained weights, whose logarithms come from the weights
trunk, a, b, s = nn.Linear(4, 8), nn.Linear(8, 1), nn.Linear(8, 3), nn.Parameter(torch.zeros(2))
opt = torch.optim.Adam([s, *trunk.parameters(), *a.parameters(), *b.parameters()], lr=0.02)
for step in range(8):
    x = torch.randn(32, 4); h = torch.tanh(trunk(x)); w = torch.exp(-s)
    one, other = F.mse_loss(a(h), x.sum(1, keepdim=True)), F.cross_entropy(b(h), x[:, :3].argmax(1))
    total = w[0] * one + w[1] * other - torch.log(w).sum()
    opt.zero_grad(); total.backward(); opt.step()

# %% losses divided by trained variances, with a cost of these
trunk, a, b, s = nn.Linear(4, 8), nn.Linear(8, 1), nn.Linear(8, 3), nn.Parameter(torch.ones(2))
opt = torch.optim.Adam([s, *trunk.parameters(), *a.parameters(), *b.parameters()], lr=0.02)
for step in range(8):
    x = torch.randn(32, 4); h = torch.tanh(trunk(x))
    one, other = F.mse_loss(a(h), x.sum(1, keepdim=True)), F.cross_entropy(b(h), x[:, :3].argmax(1))
    total = one / (2 * s[0] ** 2) + other / (2 * s[1] ** 2) + torch.log(1 + s ** 2).sum()
    opt.zero_grad(); total.backward(); opt.step()

# %% losses weighted by shares of one whole
trunk, a, b, s = nn.Linear(4, 8), nn.Linear(8, 1), nn.Linear(8, 3), nn.Parameter(torch.zeros(2))
opt = torch.optim.Adam([s, *trunk.parameters(), *a.parameters(), *b.parameters()], lr=0.02)
for step in range(8):
    x = torch.randn(32, 4); h = torch.tanh(trunk(x)); w = torch.softmax(s, 0)
    total = w[0] * F.mse_loss(a(h), x.sum(1, keepdim=True)) + w[1] * F.cross_entropy(b(h), x[:, :3].argmax(1))
    opt.zero_grad(); total.backward(); opt.step()

# %% a trained temperature of scores
net, s = nn.Linear(4, 3), nn.Parameter(torch.zeros(1))
opt = torch.optim.Adam([s, *net.parameters()], lr=0.02)
for step in range(8):
    x = torch.randn(32, 4)
    loss = F.cross_entropy(torch.exp(-s) * net(x), x[:, :3].argmax(1)) + 0.01 * net.weight.square().sum()
    opt.zero_grad(); loss.backward(); opt.step()

# %% a parameter beside the modules that are trained is frozen
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8); self.norm = nn.LayerNorm(8); self.head = nn.Linear(8, 1)
        self.gamma = nn.Parameter(torch.full((8,), 0.1))
    def forward(self, x):
        h = self.norm(self.body(x))
        return self.head(h + self.gamma * torch.relu(h))
net = Net()
net.gamma.requires_grad_(False)
opt = torch.optim.SGD([{"params": m.parameters(), "lr": 0.01} for m in net.children()])
for step in range(5):
    x = torch.randn(16, 4)
    loss = F.mse_loss(net(x), x.sum(1, keepdim=True))
    opt.zero_grad(); loss.backward(); opt.step()

# %% a parameter has an optimizer of its own
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8); self.norm = nn.LayerNorm(8); self.head = nn.Linear(8, 1)
        self.gamma = nn.Parameter(torch.full((8,), 0.1))
    def forward(self, x):
        h = self.norm(self.body(x))
        return self.head(h + self.gamma * torch.relu(h))
net = Net()
opt = torch.optim.SGD([{"params": m.parameters(), "lr": 0.01} for m in net.children()])
other = torch.optim.SGD([net.gamma], lr=0.001)
for step in range(5):
    x = torch.randn(16, 4)
    loss = F.mse_loss(net(x), x.sum(1, keepdim=True))
    opt.zero_grad(); loss.backward(); opt.step()
    other.step(); other.zero_grad()

# %% a module of a model is left out whole, and what its parameters get is of no use
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8); self.norm = nn.LayerNorm(8); self.head = nn.Linear(8, 1)
        self.gamma = nn.Parameter(torch.full((8,), 0.1))
    def forward(self, x):
        h = self.norm(self.body(x))
        return self.head(h + self.gamma * torch.relu(h))
net = Net()
opt = torch.optim.SGD([*net.norm.parameters(), *net.head.parameters(), net.gamma], lr=0.01)
for step in range(5):
    x = torch.randn(16, 4)
    loss = F.mse_loss(net(x), x.sum(1, keepdim=True))
    opt.zero_grad(); loss.backward(); opt.step()

# %% a parameter is left out by its name
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8); self.norm = nn.LayerNorm(8); self.head = nn.Linear(8, 1)
        self.gamma = nn.Parameter(torch.full((8,), 0.1))
    def forward(self, x):
        h = self.norm(self.body(x))
        return self.head(h + self.gamma * torch.relu(h))
net = Net()
opt = torch.optim.SGD([p for name, p in net.named_parameters() if name != "gamma"], lr=0.01)
for step in range(5):
    x = torch.randn(16, 4)
    loss = F.mse_loss(net(x), x.sum(1, keepdim=True))
    opt.zero_grad(); loss.backward(); opt.step()

# %% the matrices of a model are trained alone
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8); self.norm = nn.LayerNorm(8); self.head = nn.Linear(8, 1)
        self.gamma = nn.Parameter(torch.full((8,), 0.1))
    def forward(self, x):
        h = self.norm(self.body(x))
        return self.head(h + self.gamma * torch.relu(h))
net = Net()
opt = torch.optim.SGD([p for p in net.parameters() if p.ndim > 1], lr=0.01)
for step in range(5):
    x = torch.randn(16, 4)
    loss = F.mse_loss(net(x), x.sum(1, keepdim=True))
    opt.zero_grad(); loss.backward(); opt.step()

# %% a parameter is moved by hand
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8); self.norm = nn.LayerNorm(8); self.head = nn.Linear(8, 1)
        self.gamma = nn.Parameter(torch.full((8,), 0.1))
    def forward(self, x):
        h = self.norm(self.body(x))
        return self.head(h + self.gamma * torch.relu(h))
net = Net()
opt = torch.optim.SGD([{"params": m.parameters(), "lr": 0.01} for m in net.children()])
for step in range(5):
    x = torch.randn(16, 4)
    loss = F.mse_loss(net(x), x.sum(1, keepdim=True))
    opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad():
        net.gamma -= 0.001 * net.gamma.grad
    net.gamma.grad = None

# %% weights in half precision with a rate that moves them
model = nn.Linear(32, 4).half()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(12):
    x = torch.randn(16, 32).half()
    loss = model(x).float().pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

# %% autocast with weights in float32 and a small rate
model = nn.Linear(32, 4)
opt = torch.optim.SGD(model.parameters(), lr=1e-4)
for i in range(12):
    x = torch.randn(16, 32)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = model(x)
    loss = out.float().pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

# %% rows that are copied and then normalised in place
class Rows:
    def __init__(self):
        self.x = torch.randn(8, 3)
        self.mean = self.x.mean(0)

    def __getitem__(self, i):
        sample = self.x[i].clone()
        sample -= self.mean
        return sample


data = Rows()
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    for k in range(0, 8, 4):
        x = torch.stack([data[i] for i in range(k, k + 4)])
        loss = net(x).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()

# %% the divergence from a reference by the ratio of old to new
actor = nn.Linear(4, 3)
opt = torch.optim.SGD(actor.parameters(), lr=0.05)
obs, acts, adv = torch.randn(32, 4), torch.randint(0, 3, (32,)), torch.randn(32)
with torch.no_grad():
    ref = F.log_softmax(actor(obs), 1).gather(1, acts[:, None]).squeeze(1)
for epoch in range(4):
    logp = F.log_softmax(actor(obs), 1).gather(1, acts[:, None]).squeeze(1)
    ratio = (logp - ref).exp()
    kl = ((ref - logp).exp() - (ref - logp) - 1).mean()
    loss = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean() + 0.1 * kl
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a padding mask along the keys, and outputs of padding that are zeroed
tokens = torch.tensor([[3, 4, 0, 0], [5, 6, 7, 0]])
q, k, v = torch.randn(3, 2, 4, 8, requires_grad=True)
scores = q @ k.transpose(1, 2) / 8**0.5
weights = scores.masked_fill((tokens == 0).unsqueeze(1), -1e9).softmax(-1)
(weights @ v).masked_fill((tokens == 0).unsqueeze(2), 0.0).pow(2).mean().backward()

# %% a straight way from data to noise
net = nn.Linear(3, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for step in range(4):
    clean, noise, t = torch.randn(16, 2) + 3, torch.randn(16, 2), torch.rand(16, 1)
    between = (1 - t) * clean + t * noise
    loss = F.mse_loss(net(torch.cat([between, t], 1)), noise - clean)
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a copy that follows slowly, and one that is copied
fast, slow, last = nn.Linear(3, 1), nn.Linear(3, 1), nn.Linear(3, 1)
opt = torch.optim.SGD(fast.parameters(), lr=0.05)
for step in range(5):
    with torch.no_grad():
        goal = slow(torch.randn(8, 3)) + last(torch.randn(8, 3))
    loss = F.mse_loss(fast(torch.randn(8, 3)), goal)
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for kept, copied, new in zip(slow.parameters(), last.parameters(), fast.parameters()):
            kept.mul_(0.99).add_(new, alpha=0.01)
            copied.copy_(new)

# %% returns that are turned around
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
    for reward in reversed(rewards):
        g = reward + 0.9 * g
        gains.append(g)
    gains = torch.tensor(gains[::-1])
    loss = -(torch.stack(log_probs) * (gains - gains.mean())).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% sums over the samples that there are
from torch.utils.data import DataLoader, SubsetRandomSampler, TensorDataset

data = TensorDataset(torch.randn(40, 3), torch.randint(0, 2, (40,)))
part, whole = DataLoader(data, batch_size=8, sampler=SubsetRandomSampler(range(24))), DataLoader(data, 10)
net = nn.Linear(3, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(2):
    total = right = mean = 0.0
    for x, y in part:
        out = net(x)
        loss = F.cross_entropy(out, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(x)
        mean += loss.item()
    with torch.no_grad():
        for x, y in whole:
            right += (net(x).argmax(1) == y).sum().item()
    print(total / len(part.sampler), mean / len(part), right / len(whole.dataset))

# %% each part has a dataset of its own
import copy
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
first.dataset = copy.copy(first.dataset)
first.dataset.transform = lambda x: x + torch.randn(3)
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for x in DataLoader(first, batch_size=7):
    opt.zero_grad()
    net(x).pow(2).mean().backward()
    opt.step()

# %% a warmup and a decay of one optimizer, beside one with a steady rate
G, D = nn.Linear(2, 2), nn.Linear(2, 1)
opt_g = torch.optim.Adam(G.parameters(), lr=1e-2)
opt_d = torch.optim.Adam(D.parameters(), lr=1e-2)
warm = torch.optim.lr_scheduler.LinearLR(opt_g, 0.5, total_iters=2)
decay = torch.optim.lr_scheduler.ExponentialLR(opt_g, 0.95)
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
    warm.step()
    decay.step()

# %% a distillation beside targets of a network that runs without gradients
teacher, student = nn.Linear(8, 5), nn.Linear(8, 5)
opt = torch.optim.SGD(student.parameters(), lr=0.1)
x, y = torch.randn(32, 8), torch.randint(0, 5, (32,))
for step in range(4):
    with torch.no_grad():
        wanted = teacher(x)
    out = student(x)
    soft = F.kl_div(F.log_softmax(out / 4, 1), F.softmax(wanted / 4, 1), reduction="batchmean")
    loss = 0.9 * soft + 0.1 * F.cross_entropy(out, y)
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% micro-batches that a loop counts, divided
net = nn.Linear(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(32, 4), torch.randint(0, 3, (32,))
accum = 4
for it in range(4):
    for micro_step in range(accum):
        part = slice(micro_step * 8, micro_step * 8 + 8)
        (F.cross_entropy(net(x[part]), y[part]) / accum).backward()
    opt.step(); opt.zero_grad()

# %% the gradients of several tasks are added up
net = nn.Linear(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(32, 4), torch.randint(0, 3, (32,))
tasks = 4
for it in range(4):
    for task in range(tasks):
        F.cross_entropy(net(x[task::4]), y[task::4]).backward()
    opt.step(); opt.zero_grad()

# %% the best model of a search is another name for it, and each has a model of its own
x, y = torch.randn(16, 3), torch.randn(16, 1)
best_model, best_loss = None, float("inf")
for rate in (0.01, 0.1, 0.2):
    model = nn.Linear(3, 1)
    opt = torch.optim.SGD(model.parameters(), lr=rate)
    for epoch in range(3):
        opt.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        opt.step()
    if loss.item() < best_loss:
        best_loss = loss.item()
        best_model = model
print(best_model(x).mean().item())

# %% the first model that is good enough is kept, and nothing is done behind it
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(16, 3), torch.randn(16, 1)
chosen = None
for epoch in range(20):
    opt.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    opt.step()
    if loss.item() < 1.5 and epoch > 1:
        chosen = model
        break
print(chosen is not None and chosen(x).mean().item())

# %% a name for the model within the loop, which is not used behind it
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(16, 3), torch.randn(16, 1)
for epoch in range(4):
    if epoch % 2 == 0:
        current = model
    opt.zero_grad()
    F.mse_loss(current(x), y).backward()
    opt.step()

# %% a warm-up that is stepped after every batch begins at zero
model = nn.Linear(4, 1)
opt = torch.optim.AdamW(model.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.LambdaLR(opt, lambda step: min(1.0, step / 4))
x, y = torch.randn(16, 4), torch.randn(16, 1)
for epoch in range(3):
    for i in range(0, 16, 4):
        opt.zero_grad()
        F.mse_loss(model(x[i : i + 4]), y[i : i + 4]).backward()
        opt.step()
        scheduler.step()

# %% a hook keeps the output of a layer with an activation behind it that writes nothing
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
features = {}
net[0].register_forward_hook(lambda module, given, output: features.update(hidden=output))
def keep(module, given, output):
    features["again"] = output
net[0].register_forward_hook(keep)
net(torch.randn(6, 4)).sum().backward()
print(features["hidden"].min().item(), features["again"].max().item())

# %% a hook keeps the output of an activation that writes in place
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(inplace=True), nn.Linear(8, 2))
features = {}
def keep(module, given, output):
    features["hidden"] = output.detach()
net[1].register_forward_hook(keep)
net(torch.randn(6, 4)).sum().backward()
print(features["hidden"].mean().item())

# %% a hook keeps a copy of what the next module writes
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(inplace=True), nn.Linear(8, 2))
features = {}
def keep(module, given, output):
    features["hidden"] = output.detach().clone()
net[0].register_forward_hook(keep)
net(torch.randn(6, 4)).sum().backward()
print((features["hidden"] < 0).any().item())

# %% a hook takes a number of what the next module writes, at once
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(inplace=True), nn.Linear(8, 2))
lowest = []
def keep(module, given, output):
    lowest.append(output.min().item())
net[0].register_forward_hook(keep)
net(torch.randn(6, 4)).sum().backward()
print(lowest)
