"""Two networks and more that train each other, or do not, as they should."""
#: thread: after what

import copy, math; import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)

# %% a GAN that detaches for the discriminator
#: thread: tutorial, DCGAN
G, D = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3)), nn.Sequential(nn.Linear(3, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1), nn.Sigmoid())
og, od, bce = torch.optim.Adam(G.parameters(), 1e-3), torch.optim.Adam(D.parameters(), 1e-3), nn.BCELoss()
for i in range(4):
    D.zero_grad()
    real, label = torch.randn(6, 3), torch.ones(6)
    err_real = bce(D(real).view(-1), label)
    err_real.backward()
    fake = G(torch.randn(6, 4))
    label = torch.zeros(6)
    err_fake = bce(D(fake.detach()).view(-1), label)
    err_fake.backward()
    od.step()
    G.zero_grad()
    bce(D(fake).view(-1), torch.ones(6)).backward()
    og.step()

# %% a GAN without detach that clears in time
#: thread: issue, yunjey/pytorch-tutorial: Potential bug of GAN example
G, D = nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 6), nn.ReLU(), nn.Linear(6, 1))
og, od, bce = torch.optim.Adam(G.parameters()), torch.optim.Adam(D.parameters()), nn.BCEWithLogitsLoss()
for i in range(4):
    fake = G(torch.randn(8, 2))
    d_loss = bce(D(torch.randn(8, 3)), torch.ones(8, 1)) + bce(D(fake), torch.zeros(8, 1))
    od.zero_grad()
    og.zero_grad()
    d_loss.backward()
    od.step()
    fake = G(torch.randn(8, 2))
    g_loss = bce(D(fake), torch.ones(8, 1))
    od.zero_grad()
    og.zero_grad()
    g_loss.backward()
    og.step()

# %% a GAN whose generator comes first
#: thread: issue, eriklindernoren/PyTorch-GAN: Use of detach
G, D = nn.Linear(2, 3), nn.Linear(3, 1)
og, od, loss = torch.optim.Adam(G.parameters()), torch.optim.Adam(D.parameters()), nn.BCEWithLogitsLoss()
for i in range(4):
    og.zero_grad()
    gen = G(torch.randn(5, 2))
    g_loss = loss(D(gen), torch.ones(5, 1))
    g_loss.backward()
    og.step()
    od.zero_grad()
    d_loss = (loss(D(torch.randn(5, 3)), torch.ones(5, 1)) + loss(D(gen.detach()), torch.zeros(5, 1))) / 2
    d_loss.backward()
    od.step()

# %% five critic steps for one of the generator
#: thread: issue, caogang/wgan-gp: Why did u only backward the GP
G, D = nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 1))
og, od = torch.optim.Adam(G.parameters(), 1e-3), torch.optim.Adam(D.parameters(), 1e-3)
for i in range(2):
    for p in D.parameters():
        p.requires_grad = True
    for k in range(3):
        with torch.no_grad():
            fake = G(torch.randn(6, 2))
        real = torch.randn(6, 3)
        mix = torch.lerp(real, fake, torch.rand(6, 1)).requires_grad_()
        grad = torch.autograd.grad(D(mix).sum(), mix, create_graph=True)[0]
        loss = D(fake).mean() - D(real).mean() + 10 * (grad.norm(dim=1) - 1).pow(2).mean()
        od.zero_grad()
        loss.backward()
        od.step()
    for p in D.parameters():
        p.requires_grad = False
    og.zero_grad()
    (-D(G(torch.randn(6, 2))).mean()).backward()
    og.step()

# %% a cycle of two generators
#: thread: issue, junyanz/pytorch-CycleGAN-and-pix2pix: Question about detach in Cycle-GAN?
A, B, D = nn.Linear(3, 3), nn.Linear(3, 3), nn.Linear(3, 1)
og, od = torch.optim.Adam([*A.parameters(), *B.parameters()]), torch.optim.Adam(D.parameters())
for i in range(3):
    x = torch.randn(5, 3)
    fake = A(x)
    D.requires_grad_(False)
    g = F.mse_loss(D(fake), torch.ones(5, 1)) + 10 * F.l1_loss(B(fake), x)
    og.zero_grad()
    g.backward()
    og.step()
    D.requires_grad_(True)
    d = 0.5 * (F.mse_loss(D(torch.randn(5, 3)), torch.ones(5, 1)) + F.mse_loss(D(fake.detach()), torch.zeros(5, 1)))
    od.zero_grad()
    d.backward()
    od.step()

# %% DQN with a target network
#: thread: tutorial, reinforcement learning DQN
policy = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
target = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
target.load_state_dict(policy.state_dict())
opt = torch.optim.AdamW(policy.parameters(), lr=1e-3, amsgrad=True)
for i in range(4):
    s, a, r, s2 = torch.randn(8, 4), torch.randint(0, 2, (8, 1)), torch.randn(8), torch.randn(8, 4)
    q = policy(s).gather(1, a)
    with torch.no_grad():
        nxt = target(s2).max(1).values
    loss = F.smooth_l1_loss(q, (nxt * 0.99 + r).unsqueeze(1))
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(policy.parameters(), 100)
    opt.step()
    tau, ts, ps = 0.05, target.state_dict(), policy.state_dict()
    for key in ps:
        ts[key] = ps[key] * tau + ts[key] * (1 - tau)
    target.load_state_dict(ts)

# %% the target network is not detached, and nobody updates it
#: thread: issue, boyu-ai/Hands-on-RL: dqn时序差分目标没加detach
q, tq = nn.Linear(3, 2), nn.Linear(3, 2)
tq.load_state_dict(q.state_dict())
tq.requires_grad_(False)
opt = torch.optim.Adam(q.parameters(), lr=1e-2)
for i in range(4):
    s, s2, r, a = torch.randn(6, 3), torch.randn(6, 3), torch.randn(6, 1), torch.randint(0, 2, (6, 1))
    loss = F.mse_loss(q(s).gather(1, a), r + 0.98 * tq(s2).max(1)[0].view(-1, 1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if i % 2:
        tq.load_state_dict(q.state_dict())

# %% double DQN selects with one and evaluates with the other
#: thread: issue, PacktPublishing/Deep-Reinforcement-Learning-Hands-On: Chapter 7: 03_dqn_double.py
net, tgt = nn.Linear(3, 4), nn.Linear(3, 4)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for i in range(3):
    s, s2, r, a = torch.randn(6, 3), torch.randn(6, 3), torch.randn(6), torch.randint(0, 4, (6,))
    sav = net(s).gather(1, a.unsqueeze(-1)).squeeze(-1)
    best = net(s2).max(1)[1]
    nxt = tgt(s2).gather(1, best.unsqueeze(-1)).squeeze(-1)
    loss = nn.MSELoss()(sav, r + 0.9 * nxt.detach())
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% REINFORCE with normalised returns
#: thread: example, pytorch/examples reinforcement_learning
policy = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
for episode in range(3):
    logs, rewards, R, returns = [], [], 0, []
    for t in range(6):
        logp = F.log_softmax(policy(torch.randn(4)), dim=0)
        action = torch.multinomial(logp.detach().exp(), 1)
        logs.append(logp[action].squeeze())
        rewards.append(float(action.item()))
    for r in rewards[::-1]:
        R = r + 0.99 * R
        returns.insert(0, R)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + 1e-8)
    loss = torch.stack([-l * r for l, r in zip(logs, returns)]).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% actor and critic with a shared body
#: thread: example, pytorch/examples actor_critic
body, pi, v = nn.Linear(4, 8), nn.Linear(8, 2), nn.Linear(8, 1)
opt = torch.optim.Adam([*body.parameters(), *pi.parameters(), *v.parameters()], lr=3e-2)
for ep in range(3):
    saved = []
    for t in range(5):
        h = F.relu(body(torch.randn(4)))
        probs = F.softmax(pi(h), dim=-1)
        a = torch.multinomial(probs, 1)
        saved.append((torch.log(probs[a]).squeeze(), v(h), float(a.item())))
    pl, vl = [], []
    for logp, value, r in saved:
        adv = r - value.item()
        pl.append(-logp * adv)
        vl.append(F.smooth_l1_loss(value, torch.tensor([r])))
    opt.zero_grad()
    (torch.stack(pl).sum() + torch.stack(vl).sum()).backward()
    opt.step()

# %% PPO with old log probabilities
#: thread: forum, PyTorch forums: PPO ratio is always 1 in the first epoch
pi, vf = nn.Linear(3, 2), nn.Linear(3, 1)
opt = torch.optim.Adam([*pi.parameters(), *vf.parameters()], lr=1e-2)
for it in range(2):
    s, R = torch.randn(16, 3), torch.randn(16)
    with torch.no_grad():
        logp = F.log_softmax(pi(s), dim=1)
        a = torch.multinomial(logp.exp(), 1)
        old = logp.gather(1, a).squeeze(1)
        adv = R - vf(s).squeeze(1)
    for epoch in range(3):
        logp = F.log_softmax(pi(s), dim=1)
        entropy = -(logp.exp() * logp).sum(1).mean()
        ratio = torch.exp(logp.gather(1, a).squeeze(1) - old)
        clipped = torch.clamp(ratio, 0.8, 1.2) * adv
        loss = -torch.min(ratio * adv, clipped).mean() + 0.5 * F.mse_loss(vf(s).squeeze(1), R) - 0.01 * entropy
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_([*pi.parameters(), *vf.parameters()], 0.5)
        opt.step()

# %% DDPG lets the actor's loss run through the critic
#: thread: issue, boyu-ai/Hands-on-RL: DDPG actor update without detach of the critic
actor, critic = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1), nn.Tanh()), nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
ta, tc = copy.deepcopy(actor), copy.deepcopy(critic)
oa, oc = torch.optim.Adam(actor.parameters(), 1e-3), torch.optim.Adam(critic.parameters(), 1e-2)
for i in range(4):
    s, a, r, s2 = torch.randn(8, 3), torch.randn(8, 1), torch.randn(8, 1), torch.randn(8, 3)
    with torch.no_grad():
        y = r + 0.9 * tc(torch.cat([s2, ta(s2)], 1))
    lc = F.mse_loss(critic(torch.cat([s, a], 1)), y)
    oc.zero_grad()
    lc.backward()
    oc.step()
    la = -critic(torch.cat([s, actor(s)], 1)).mean()
    oa.zero_grad()
    la.backward()
    oa.step()
    for net, tgt in ((actor, ta), (critic, tc)):
        for p, t in zip(net.parameters(), tgt.parameters()):
            t.data.copy_(0.95 * t.data + 0.05 * p.data)

# %% soft actor-critic learns its temperature
#: thread: forum, PyTorch forums: SAC alpha loss
net, q = nn.Linear(3, 2), nn.Linear(4, 1)
log_alpha = torch.zeros(1, requires_grad=True)
on, oal, oq = torch.optim.Adam(net.parameters(), 1e-3), torch.optim.Adam([log_alpha], 1e-3), torch.optim.Adam(q.parameters(), 1e-3)
for i in range(3):
    s = torch.randn(8, 3)
    mu, ls = net(s).chunk(2, 1)
    std = ls.clamp(-5, 2).exp()
    u = mu + std * torch.randn_like(mu)
    a = torch.tanh(u)
    logp = -0.5 * ((u - mu) / std) ** 2 - torch.log(std) - torch.log(1 - a.pow(2) + 1e-6)
    pl = (log_alpha.exp().detach() * logp - q(torch.cat([s, a], 1))).mean()
    on.zero_grad()
    pl.backward()
    on.step()
    al = -(log_alpha * (logp + 1.0).detach()).mean()
    oal.zero_grad()
    al.backward()
    oal.step()
    ql = F.mse_loss(q(torch.cat([s, a.detach()], 1)), torch.randn(8, 1))
    oq.zero_grad()
    ql.backward()
    oq.step()

# %% MAML with second derivatives
#: thread: issue, dragen1860/MAML-Pytorch: 2nd Order or 1st Order Approximation?
w, b = torch.randn(2, 1, requires_grad=True), torch.zeros(1, requires_grad=True)
opt = torch.optim.Adam([w, b], lr=1e-2)
for it in range(3):
    outer = 0
    for task in range(2):
        xs, ys, xq, yq = torch.randn(5, 2), torch.randn(5, 1), torch.randn(5, 2), torch.randn(5, 1)
        gw, gb = torch.autograd.grad(F.mse_loss(xs @ w + b, ys), (w, b), create_graph=True)
        outer = outer + F.mse_loss(xq @ (w - 0.1 * gw) + b - 0.1 * gb, yq)
    opt.zero_grad()
    outer.backward()
    opt.step()

# %% first-order MAML that says so
#: thread: issue, facebookresearch/higher: Potential bug with first order MAML using only higher
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for it in range(3):
    fast = copy.deepcopy(net)
    inner = torch.optim.SGD(fast.parameters(), lr=0.1)
    for k in range(2):
        inner.zero_grad()
        F.mse_loss(fast(torch.randn(6, 2)), torch.randn(6, 1)).backward()
        inner.step()
    grads = torch.autograd.grad(F.mse_loss(fast(torch.randn(6, 2)), torch.randn(6, 1)), list(fast.parameters()))
    opt.zero_grad()
    for p, g in zip(net.parameters(), grads):
        p.grad = g
    opt.step()

# %% Reptile moves towards the adapted weights
#: thread: forum, PyTorch forums: Reptile in PyTorch
net = nn.Linear(2, 1)
for it in range(3):
    before = {k: v.clone() for k, v in net.state_dict().items()}
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for k in range(3):
        opt.zero_grad()
        F.mse_loss(net(torch.randn(6, 2)), torch.randn(6, 1)).backward()
        opt.step()
    after = net.state_dict()
    net.load_state_dict({k: before[k] + 0.5 * (after[k] - before[k]) for k in before})

# %% an exponential moving average of the weights
#: thread: forum, PyTorch forums: EMA of model parameters
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
ema = copy.deepcopy(model).requires_grad_(False)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for i in range(6):
    opt.zero_grad()
    F.mse_loss(model(torch.randn(8, 4)), torch.randn(8, 1)).backward()
    opt.step()
    with torch.no_grad():
        for e, p in zip(ema.parameters(), model.parameters()):
            e.mul_(0.99).add_(p, alpha=0.01)

# %% a momentum encoder and a queue
#: thread: issue, facebookresearch/moco: momentum update of the key encoder
q, k = nn.Linear(6, 4), nn.Linear(6, 4)
k.load_state_dict(q.state_dict())
for p in k.parameters():
    p.requires_grad = False
queue = F.normalize(torch.randn(4, 10), dim=0)
opt = torch.optim.SGD(q.parameters(), lr=0.05)
for i in range(3):
    x = torch.randn(5, 6)
    zq = F.normalize(q(x), dim=1)
    with torch.no_grad():
        for a, b in zip(q.parameters(), k.parameters()):
            b.data = b.data * 0.9 + a.data * 0.1
        zk = F.normalize(k(x + 0.1), dim=1)
    logits = torch.cat([(zq * zk).sum(1, keepdim=True), zq @ queue.clone().detach()], 1) / 0.2
    loss = F.cross_entropy(logits, torch.zeros(5, dtype=torch.long))
    opt.zero_grad()
    loss.backward()
    opt.step()
    queue = torch.cat([queue[:, 5:], zk.t()], 1)

# %% BYOL stops the gradient of one branch
#: thread: issue, lucidrains/byol-pytorch: stop gradient
online, pred = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 4)), nn.Linear(4, 4)
target = copy.deepcopy(online)
target.requires_grad_(False)
opt = torch.optim.Adam([*online.parameters(), *pred.parameters()], lr=1e-2)
for i in range(3):
    a, b = torch.randn(8, 6), torch.randn(8, 6)
    p = F.normalize(pred(online(a)), dim=1)
    with torch.no_grad():
        z = F.normalize(target(b), dim=1)
    loss = 2 - 2 * (p * z.detach()).sum(1).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    for t, o in zip(target.parameters(), online.parameters()):
        t.data.lerp_(o.data, 0.05)

# %% SimSiam detaches the other view
#: thread: issue, facebookresearch/simsiam: z.detach()
f, h = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 4)), nn.Linear(4, 4)
opt = torch.optim.SGD([*f.parameters(), *h.parameters()], lr=0.05)
for i in range(3):
    x1, x2 = torch.randn(8, 5), torch.randn(8, 5)
    z1, z2 = f(x1), f(x2)
    p1, p2 = h(z1), h(z2)
    loss = -(F.cosine_similarity(p1, z2.detach()).mean() + F.cosine_similarity(p2, z1.detach()).mean()) / 2
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% SimCLR masks the diagonal with minus infinity
#: thread: forum, PyTorch forums: NT-Xent loss
f = nn.Linear(5, 4)
opt = torch.optim.Adam(f.parameters(), lr=1e-2)
for i in range(3):
    x = torch.randn(6, 5)
    z = F.normalize(torch.cat([f(x), f(x + 0.1 * torch.randn_like(x))]), dim=1)
    sim = z @ z.t() / 0.5
    sim = sim.masked_fill(torch.eye(12, dtype=torch.bool), float("-inf"))
    loss = F.cross_entropy(sim, torch.arange(12).roll(6))
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% VQ-VAE copies gradients straight through
#: thread: issue, AntixK/PyTorch-VAE: straight-through estimator in VQ-VAE
enc, dec, code = nn.Linear(6, 3), nn.Linear(3, 6), nn.Embedding(8, 3)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters(), *code.parameters()], lr=1e-2)
for i in range(3):
    x = torch.randn(10, 6)
    z = enc(x)
    idx = torch.cdist(z, code.weight).argmin(1)
    q = code(idx)
    st = z + (q - z).detach()
    loss = F.mse_loss(dec(st), x) + F.mse_loss(q, z.detach()) + 0.25 * F.mse_loss(z, q.detach())
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a VAE with the trick
#: thread: example, pytorch/examples vae
fc1, fc21, fc22, fc3, fc4 = nn.Linear(10, 8), nn.Linear(8, 2), nn.Linear(8, 2), nn.Linear(2, 8), nn.Linear(8, 10)
opt = torch.optim.Adam([p for m in (fc1, fc21, fc22, fc3, fc4) for p in m.parameters()], lr=1e-3)
for i in range(4):
    x = torch.rand(16, 10)
    h = F.relu(fc1(x))
    mu, logvar = fc21(h), fc22(h)
    z = mu + torch.exp(0.5 * logvar) * torch.randn_like(mu)
    rec = torch.sigmoid(fc4(F.relu(fc3(z))))
    loss = F.binary_cross_entropy(rec, x, reduction="sum") - 0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% Gumbel softmax with hard samples
#: thread: forum, PyTorch forums: Gumbel-Softmax, hard=True
enc, dec = nn.Linear(5, 4), nn.Linear(4, 5)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=1e-2)
for i in range(3):
    x = torch.randn(8, 5)
    y = F.gumbel_softmax(enc(x), tau=1.0, hard=True)
    loss = F.mse_loss(dec(y), x)
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a normalising flow
#: thread: issue, gisilvs/AEF: affine coupling
s, t = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1)), nn.Linear(1, 1)
opt = torch.optim.Adam([*s.parameters(), *t.parameters()], lr=1e-2)
for i in range(4):
    x = torch.randn(16, 2)
    a, b = x[:, :1], x[:, 1:]
    logs = torch.tanh(s(a))
    z = torch.cat([a, b * torch.exp(logs) + t(a)], 1)
    loss = (0.5 * z.pow(2).sum(1) - logs.sum(1)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a diffusion model predicts the noise
#: thread: issue, labmlai/annotated_deep_learning_paper_implementations: DDPM
net = nn.Sequential(nn.Linear(3, 16), nn.SiLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
abar = torch.cumprod(1 - torch.linspace(1e-4, 0.2, 10), 0)
for i in range(4):
    x, t = torch.randn(16, 2), torch.randint(0, 10, (16,))
    eps = torch.randn_like(x)
    xt = abar[t].sqrt()[:, None] * x + (1 - abar[t]).sqrt()[:, None] * eps
    loss = F.mse_loss(net(torch.cat([xt, t[:, None] / 10], 1)), eps)
    opt.zero_grad()
    loss.backward()
    opt.step()
with torch.no_grad():
    x = torch.randn(4, 2)
    for t in range(9, -1, -1):
        x = x - 0.1 * net(torch.cat([x, torch.full((4, 1), t / 10)], 1))

# %% a Siamese network with a margin
#: thread: issue, roman-vygon/triplet_loss_kws: triplet loss
f = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
opt = torch.optim.Adam(f.parameters(), lr=1e-2)
crit = nn.TripletMarginLoss(margin=1.0)
for i in range(3):
    loss = crit(f(torch.randn(8, 6)), f(torch.randn(8, 6)), f(torch.randn(8, 6)))
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% style transfer trains the picture, not the network
#: thread: tutorial, neural style transfer
net = nn.Sequential(nn.Conv2d(1, 3, 3, padding=1), nn.ReLU(), nn.Conv2d(3, 3, 3, padding=1)).eval()
net.requires_grad_(False)
content = net(torch.rand(1, 1, 6, 6)).detach()
img = torch.rand(1, 1, 6, 6).requires_grad_(True)
opt = torch.optim.Adam([img], lr=0.05)
for i in range(4):
    with torch.no_grad():
        img.clamp_(0, 1)
    opt.zero_grad()
    out = net(img)
    gram = (out.flatten(2) @ out.flatten(2).transpose(1, 2)).mean()
    loss = F.mse_loss(out, content) + 0.01 * gram
    loss.backward()
    opt.step()

# %% an adversarial example with the sign of the gradient
#: thread: tutorial, adversarial example generation
model = nn.Sequential(nn.Flatten(), nn.Linear(16, 3)).eval()
data, target = torch.rand(2, 1, 4, 4), torch.tensor([0, 2])
data.requires_grad = True
loss = F.nll_loss(F.log_softmax(model(data), dim=1), target)
model.zero_grad()
loss.backward()
perturbed = torch.clamp(data + 0.1 * data.grad.data.sign(), 0, 1)
print(model(perturbed).argmax(1))

# %% PGD with several steps and projections
#: thread: forum, PyTorch forums: PGD attack implementation
model = nn.Linear(8, 3).eval()
x, y = torch.rand(4, 8), torch.randint(0, 3, (4,))
delta = torch.zeros_like(x, requires_grad=True)
for i in range(4):
    loss = F.cross_entropy(model(x + delta), y)
    loss.backward()
    delta.data = (delta + 0.05 * delta.grad.detach().sign()).clamp(-0.1, 0.1)
    delta.grad.zero_()

# %% domain adaptation reverses a gradient
#: thread: forum, PyTorch forums: Gradient reversal layer
class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, alpha):
        ctx.alpha = alpha
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return -ctx.alpha * g, None

f, c, d = nn.Linear(4, 6), nn.Linear(6, 2), nn.Linear(6, 1)
opt = torch.optim.Adam([*f.parameters(), *c.parameters(), *d.parameters()], lr=1e-2)
for i in range(3):
    h = torch.relu(f(torch.randn(8, 4)))
    loss = F.cross_entropy(c(h), torch.randint(0, 2, (8,))) + F.binary_cross_entropy_with_logits(d(Reverse.apply(h, 0.5)), torch.ones(8, 1))
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a hypernetwork makes weights
#: thread: forum, PyTorch forums: Hypernetwork, weights that are outputs
hyper = nn.Linear(3, 8)
opt = torch.optim.Adam(hyper.parameters(), lr=1e-2)
for i in range(3):
    w = hyper(torch.randn(3)).view(2, 4)
    loss = F.linear(torch.randn(5, 4), w).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% tied embeddings
#: thread: issue, pytorch/examples: word_language_model --tied
emb, rnn = nn.Embedding(10, 6), nn.GRU(6, 6)
dec = nn.Linear(6, 10)
dec.weight = emb.weight
opt = torch.optim.Adam({id(p): p for m in (emb, rnn, dec) for p in m.parameters()}.values(), lr=1e-2)
for i in range(3):
    x = torch.randint(0, 10, (5, 2))
    o, _ = rnn(emb(x))
    loss = F.cross_entropy(dec(o[:-1]).flatten(0, 1), x[1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% LoRA with a frozen base and a zero start
#: thread: issue, tenstorrent/tt-blacksmith: [Trainer] Fix Bug Where Zero Grad was Left Out
base = nn.Linear(8, 8).requires_grad_(False)
A, B = nn.Parameter(torch.randn(8, 2) * 0.1), nn.Parameter(torch.zeros(2, 8))
opt = torch.optim.AdamW([A, B], lr=1e-2)
for i in range(5):
    x = torch.randn(16, 8)
    loss = F.mse_loss(base(x) + x @ A @ B, torch.randn(16, 8))
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% prompts are learned in front of a frozen model
#: thread: issue, zjunlp/HVPNeT: prompt tuning
model = nn.Sequential(nn.Linear(6, 6), nn.Tanh(), nn.Linear(6, 2))
for p in model.parameters():
    p.requires_grad = False
prompt = nn.Parameter(torch.randn(1, 2) * 0.1)
opt = torch.optim.Adam([prompt], lr=0.05)
for i in range(4):
    x = torch.cat([prompt.expand(8, -1), torch.randn(8, 4)], 1)
    loss = F.cross_entropy(model(x), torch.randint(0, 2, (8,)))
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% mutual learning of two peers
#: thread: issue, bhanML/Co-teaching: A question about your loss_coteaching function
a, b = nn.Linear(5, 3), nn.Linear(5, 3)
oa, ob = torch.optim.Adam(a.parameters(), 1e-2), torch.optim.Adam(b.parameters(), 1e-2)
for i in range(3):
    x, y = torch.randn(12, 5), torch.randint(0, 3, (12,))
    la, lb = a(x), b(x)
    pick_b = F.cross_entropy(la, y, reduction="none").argsort()[:8]
    pick_a = F.cross_entropy(lb, y, reduction="none").argsort()[:8]
    loss_a, loss_b = F.cross_entropy(la[pick_a], y[pick_a]), F.cross_entropy(lb[pick_b], y[pick_b])
    oa.zero_grad()
    loss_a.backward()
    oa.step()
    ob.zero_grad()
    loss_b.backward()
    ob.step()

# %% a mixture of experts that does not use all of them
#: thread: forum, PyTorch forums: Mixture of experts with top-1 routing
gate, experts = nn.Linear(4, 3), nn.ModuleList(nn.Linear(4, 1) for _ in range(3))
opt = torch.optim.Adam([*gate.parameters(), *experts.parameters()], lr=1e-2)
for i in range(4):
    x = torch.randn(10, 4)
    w = F.softmax(gate(x), 1)
    top, idx = w.max(1)
    out = torch.zeros(10, 1)
    for k, e in enumerate(experts):
        m = idx == k
        if m.any():
            out = out.index_put((m.nonzero()[:, 0],), e(x[m]) * top[m, None])
    loss = F.mse_loss(out, torch.randn(10, 1))
    opt.zero_grad()
    loss.backward()
    opt.step()
