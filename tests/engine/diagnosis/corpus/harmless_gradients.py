"""Sound programs for test_findings.py with second derivatives, targets, averages and draws: nothing may be found in them."""

import copy, math; import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)

# %% a gradient penalty with create_graph
D = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.Adam(D.parameters(), lr=1e-3)
for it in range(4):
    real, fake = torch.randn(8, 2) + 2, torch.randn(8, 2)
    mix = (0.5 * real + 0.5 * fake).requires_grad_(True)
    (g,) = torch.autograd.grad(D(mix).sum(), mix, create_graph=True)
    gp = ((g.norm(2, dim=1) - 1) ** 2).mean()
    loss = D(fake).mean() - D(real).mean() + 10 * gp
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a fast gradient sign
net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    x, y = torch.randn(8, 3), torch.randint(0, 2, (8,))
    x.requires_grad_()
    loss = F.cross_entropy(net(x), y)
    (g,) = torch.autograd.grad(loss, x)
    adversarial = (x + 0.1 * g.sign()).detach()
    loss = F.cross_entropy(net(adversarial), y)
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% first-order MAML with a single number
w = torch.tensor(0.5, requires_grad=True)
meta = torch.optim.SGD([w], lr=0.1)
for it in range(3):
    fast = w
    for k in range(2):
        (g,) = torch.autograd.grad((fast * 2.0 - 1.0) ** 2, fast)
        fast = fast - 0.1 * g
    loss = (fast * 3.0 - 1.0) ** 2
    meta.zero_grad()
    loss.backward()
    meta.step()

# %% a norm of gradients that weighs a loss
net = nn.Linear(3, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    out = net(torch.randn(8, 3))
    a, b = out[:, 0].pow(2).mean(), out[:, 1].abs().mean()
    (ga,) = torch.autograd.grad(a, net.weight, retain_graph=True)
    (gb,) = torch.autograd.grad(b, net.weight, retain_graph=True)
    weight = ga.norm() / (gb.norm() + 1e-6)
    loss = a + weight * b
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% scores of a fixed density as targets
score = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))
opt = torch.optim.Adam(score.parameters(), lr=1e-2)
for i in range(3):
    x = torch.randn(8, 2, requires_grad=True)
    (target,) = torch.autograd.grad((-0.5 * x.pow(2)).sum(), x)
    loss = F.mse_loss(score(x.detach()), target)
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a physics-informed loss whose last evaluation is not trained
net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
def residual(t):
    u = net(t)
    (du,) = torch.autograd.grad(u.sum(), t, create_graph=True)
    return du + u
for i in range(3):
    loss = residual(torch.rand(16, 1, requires_grad=True)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(residual(torch.rand(16, 1, requires_grad=True)).abs().max().item())

# %% Q-learning with a target network
q = nn.Linear(4, 2)
target_net = copy.deepcopy(q)
opt = torch.optim.Adam(q.parameters(), lr=1e-3)
gamma = 0.99
for step in range(4):
    s, s2 = torch.randn(8, 4), torch.randn(8, 4)
    a, r, done = torch.randint(0, 2, (8, 1)), torch.randn(8), torch.zeros(8)
    q_sa = q(s).gather(1, a).squeeze(1)
    with torch.no_grad():
        target = r + gamma * target_net(s2).max(1)[0] * (1 - done)
    loss = F.smooth_l1_loss(q_sa, target)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 2 == 1:
        target_net.load_state_dict(q.state_dict())

# %% Q-learning with a target that is detached
q = nn.Linear(4, 2)
opt = torch.optim.Adam(q.parameters(), lr=1e-3)
for step in range(4):
    s, s2, r = torch.randn(8, 4), torch.randn(8, 4), torch.randn(8)
    target = r + 0.99 * q(s2).max(1)[0]
    loss = F.mse_loss(q(s)[:, 0], target.detach())
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a recursion that a network is to fulfil
u = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.Adam(u.parameters(), lr=1e-2)
for i in range(3):
    t, force = torch.rand(8, 1), torch.rand(8, 1)
    step = force + 0.9 * u(t)
    loss = F.mse_loss(u(t + 0.1), step)
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% two views of one sample
f = nn.Linear(4, 3)
opt = torch.optim.SGD(f.parameters(), lr=0.1)
for i in range(3):
    x = torch.randn(8, 4)
    a, b = f(x + 0.1 * torch.randn(8, 4)), f(x + 0.1 * torch.randn(8, 4))
    loss = F.mse_loss(a, b) + (1 - a.std(0)).relu().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% generalised advantages that are data, beside a critic that learns the returns
critic = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.Adam(critic.parameters(), lr=3e-3)
gamma, lam = 0.99, 0.95
for update in range(4):
    states, rewards = torch.randn(9, 4), torch.rand(8)
    values = critic(states).squeeze(-1)
    fixed, advantages, gae = values.detach(), torch.zeros(8), 0.0
    for t in reversed(range(8)):
        td_error = rewards[t] + gamma * fixed[t + 1] - fixed[t]
        gae = td_error + gamma * lam * gae
        advantages[t] = gae
    opt.zero_grad()
    F.mse_loss(values[:-1], advantages + fixed[:-1]).backward()
    opt.step()

# %% returns of n steps, bootstrapped by a value without a graph
critic = nn.Linear(4, 1)
opt = torch.optim.Adam(critic.parameters(), lr=3e-3)
gamma = 0.99
for update in range(4):
    states, rewards = torch.randn(9, 4), torch.rand(8)
    values = critic(states).squeeze(-1)
    running, errors = values[-1].detach(), []
    for t in reversed(range(8)):
        running = rewards[t] + gamma * running
        errors.append(running - values[t])
    opt.zero_grad()
    torch.stack(errors).pow(2).mean().backward()
    opt.step()

# %% accumulated means that are weighted by how many targets they have
net = nn.Linear(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for update in range(3):
    batches = []
    for kept in (2, 11, 3, 12):
        y = torch.randint(0, 3, (12,))
        y[kept:] = -100
        batches.append((torch.randn(12, 4), y))
    total = sum((y != -100).sum() for _, y in batches)
    opt.zero_grad()
    for x, y in batches:
        (F.cross_entropy(net(x), y) * (y != -100).sum() / total).backward()
    opt.step()

# %% accumulated means of a little more and a little less
net = nn.Linear(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for update in range(3):
    opt.zero_grad()
    for kept in (9, 11, 10, 12):
        x, y = torch.randn(12, 4), torch.randint(0, 3, (12,))
        y[kept:] = -100
        (F.cross_entropy(net(x), y) / 4).backward()
    opt.step()

# %% an actor and a critic with a detached advantage
actor, critic = nn.Linear(4, 3), nn.Linear(4, 1)
optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=1e-2)
for i in range(3):
    s, returns = torch.randn(10, 4), torch.rand(10)
    logp = F.log_softmax(actor(s), 1)
    act = torch.multinomial(logp.exp().detach(), 1)
    value = critic(s).squeeze(1)
    advantage = returns - value
    actor_loss = -(advantage.detach() * logp.gather(1, act).squeeze(1)).mean()
    critic_loss = advantage.pow(2).mean()
    optimizer.zero_grad()
    (actor_loss + critic_loss).backward()
    optimizer.step()

# %% a mean teacher that is a copy
student = nn.Linear(4, 2)
teacher = copy.deepcopy(student)
opt = torch.optim.SGD(student.parameters(), lr=0.1)
for i in range(3):
    x = torch.randn(8, 4)
    with torch.no_grad():
        t = teacher(x)
    loss = F.mse_loss(student(x + 0.1 * torch.randn(8, 4)), t)
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for p, e in zip(student.parameters(), teacher.parameters()):
            e.mul_(0.9).add_(p, alpha=0.1)

# %% a running mean of detached values
fc = nn.Linear(3, 3)
running_mean = torch.zeros(3)
opt = torch.optim.SGD(fc.parameters(), lr=0.01)
for i in range(5):
    h = fc(torch.randn(8, 3))
    running_mean = 0.9 * running_mean + 0.1 * h.detach().mean(0)
    loss = (h - running_mean).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a recurrence within each iteration, evaluated with its graph
cell = nn.RNNCell(2, 3)
opt = torch.optim.SGD(cell.parameters(), lr=0.1)
for epoch in range(4):
    h = torch.zeros(4, 3)
    for t in range(5):
        h = cell(torch.randn(4, 2), h)
    loss = h.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    h = torch.zeros(4, 3)
    for t in range(5):
        h = cell(torch.randn(4, 2), h)
    print(h.mean().item())

# %% the reparameterisation trick
enc, dec = nn.Linear(4, 2), nn.Linear(1, 4)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=1e-2)
x = torch.randn(16, 4)
for i in range(4):
    mu, logvar = enc(x).chunk(2, dim=1)
    z = mu + torch.exp(0.5 * logvar) * torch.randn_like(mu)
    kl = -0.5 * torch.mean(1 + logvar - mu.pow(2) - logvar.exp())
    loss = F.mse_loss(dec(z), x) + kl
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% log-probabilities of drawn actions
pi = nn.Linear(3, 1)
opt = torch.optim.Adam(pi.parameters(), lr=1e-2)
for i in range(4):
    mu = pi(torch.randn(8, 3))
    a = torch.normal(mu, 1.0)
    logp = -0.5 * (a - mu) ** 2
    loss = (logp * (a.detach() - 1) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% log-probabilities of drawn bits
pi = nn.Linear(3, 1)
opt = torch.optim.Adam(pi.parameters(), lr=1e-2)
for i in range(4):
    p = torch.sigmoid(pi(torch.randn(8, 3)))
    a = torch.bernoulli(p)
    logp = a * torch.log(p) + (1 - a) * torch.log(1 - p)
    loss = -(logp * a.mean()).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% contrastive divergence
W = nn.Parameter(torch.randn(4, 3) * 0.1)
opt = torch.optim.SGD([W], lr=0.1)
v = torch.bernoulli(torch.full((8, 4), 0.5))
def free(v):
    return -F.softplus(v @ W).sum(1).mean()
for i in range(3):
    h = torch.bernoulli(torch.sigmoid(v @ W))
    vk = torch.bernoulli(torch.sigmoid(h @ W.t()))
    loss = free(v) - free(vk)
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a straight-through draw
w = nn.Parameter(torch.zeros(6))
opt = torch.optim.SGD([w], lr=0.1)
for i in range(4):
    p = torch.sigmoid(w)
    m = p + (torch.bernoulli(p) - p).detach()
    loss = (m * torch.arange(6.0)).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% updates with a large gradient are left out
# skips updates with a large gradient norm
net = nn.Linear(6, 1)
opt = torch.optim.SGD(net.parameters(), lr=1e-1)
for it in range(30):
    x = torch.randn(4, 6) * (5 if it % 3 else 1)
    opt.zero_grad()
    loss = (net(x) - x[:, :1]).pow(2).mean()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    if norm < 3:
        opt.step()
print(loss.item())

# %% norms of single samples beside the step on all of them
# norms of single samples are measured, then one step on the batch
net = nn.Linear(6, 1)
opt = torch.optim.SGD(net.parameters(), lr=1e-1)
for it in range(6):
    x = torch.randn(4, 6)
    norms = []
    for row in x:
        opt.zero_grad()
        (net(row) - row[0]).pow(2).mean().backward()
        norms.append(nn.utils.clip_grad_norm_(net.parameters(), float("inf")).item())
    opt.zero_grad()
    loss = (net(x) - x[:, :1]).pow(2).mean()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
print(loss.item(), norms)

# %% an eikonal loss at each point
# an eikonal loss: each point has a gradient of its own
sdf = nn.Sequential(nn.Linear(3, 32), nn.Softplus(), nn.Linear(32, 1))
opt = torch.optim.Adam(sdf.parameters(), 1e-3)
for i in range(4):
    p = torch.randn(2, 20, 3, requires_grad=True)
    d = sdf(p)
    g = torch.autograd.grad(d.sum(), p, create_graph=True)[0]
    loss = d.abs().mean() + ((g.norm(2, dim=-1) - 1) ** 2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())

# %% gradient penalties over all dimensions of a sample
critic = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(128, 1))
opt = torch.optim.Adam(critic.parameters(), 1e-3)
for i in range(4):
    x = torch.randn(6, 1, 4, 4, requires_grad=True)
    out = critic(x)
    (g,) = torch.autograd.grad(out.sum(), x, create_graph=True)
    gp = (g.norm(2, dim=(1, 2, 3)) - 1).pow(2).mean() + (g.view(6, -1).norm(dim=1) - 1).pow(2).mean()
    gp = gp + (torch.sqrt(g.pow(2).sum(dim=[1, 2, 3]) + 1e-12) - 1).pow(2).mean()
    r1 = g.pow(2).sum(dim=1).mean()
    loss = out.mean() + 10 * gp + r1
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())
