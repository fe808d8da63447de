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
