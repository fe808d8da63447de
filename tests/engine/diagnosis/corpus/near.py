"""Sound programs next to what rules look for: near to a mistake, and none."""
#: near: the rule that a program is near to

import copy, math; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)
from torch.distributions import Categorical, Normal
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

# %% an expectation over classes is exact
#: near: advantage_learns
# a mixture learnt with an amortised posterior: the expectation over 3 components is exact, so q learns by it
x = torch.cat([torch.randn(20, 1) * .3 + m for m in (-3., 0., 3.)])
means = nn.Parameter(torch.tensor([-1., 0.1, 1.]))
enc = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 3))
opt = torch.optim.Adam([means, *enc.parameters()], lr=3e-2)
for _ in range(30):
    log_q = enc(x).log_softmax(1)
    q = log_q.exp()
    rec = (q * Normal(means, 0.5).log_prob(x)).sum(1)
    entropy = -(q * log_q).sum(1)
    loss = -(rec + entropy).mean()
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item(), means.data)

# %% losses weighted by learned uncertainties
#: near: advantage_learns
# two tasks, weighted by learned uncertainties (Kendall et al.)
x = torch.randn(64, 4)
y, c = x.sum(1), (x[:, 0] > 0).long()
trunk, reg, cls = nn.Linear(4, 8), nn.Linear(8, 1), nn.Linear(8, 2)
s1, s2 = nn.Parameter(torch.zeros(())), nn.Parameter(torch.zeros(()))
opt = torch.optim.Adam([*trunk.parameters(), *reg.parameters(), *cls.parameters(), s1, s2], lr=1e-2)
for _ in range(20):
    h = torch.tanh(trunk(x))
    lp1 = Normal(reg(h)[:, 0], 1.0).log_prob(y).mean()
    lp2 = Categorical(logits=cls(h)).log_prob(c).mean()
    loss = -torch.exp(-s1) * lp1 + s1 / 2 - torch.exp(-s2) * lp2 + s2 / 2
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())

# %% what is called a reward is to become small
#: near: policy_sign
# as in pytorch-drl4vrp: the "reward" is the tour's length, which is to become small
actor, critic = nn.Linear(2, 1), nn.Linear(2, 1)
aopt = torch.optim.Adam(actor.parameters(), lr=1e-2); copt = torch.optim.Adam(critic.parameters(), lr=1e-2)
for _ in range(12):
    cities = torch.rand(16, 5, 2)
    mask, logps, tour = torch.zeros(16, 5), [], []
    for t in range(5):
        m = Categorical(logits=actor(cities).squeeze(-1) + mask)
        ptr = m.sample()
        logps.append(m.log_prob(ptr))
        mask = mask.scatter(1, ptr.unsqueeze(1), -1e9)
        tour.append(ptr)
    path = cities.gather(1, torch.stack(tour, 1).unsqueeze(-1).expand(-1, -1, 2))
    reward = (path - path.roll(1, 1)).norm(dim=-1).sum(1)
    tour_logp = torch.stack(logps, 1)
    critic_est = critic(cities.mean(1)).squeeze(-1)
    advantage = reward - critic_est
    actor_loss = torch.mean(advantage.detach() * tour_logp.sum(dim=1))
    critic_loss = torch.mean(advantage ** 2)
    aopt.zero_grad(); actor_loss.backward(); aopt.step()
    copt.zero_grad(); critic_loss.backward(); copt.step()
print(reward.mean().item())

# %% a baseline less the reward
#: near: policy_sign
policy = nn.Linear(4, 3)
opt = torch.optim.Adam(policy.parameters(), lr=3e-2)
baseline = 0.0
for _ in range(20):
    obs = torch.randn(32, 4)
    dist = Categorical(logits=policy(obs))
    action = dist.sample()
    reward = (action == obs[:, :3].argmax(1)).float()
    loss = (dist.log_prob(action) * (baseline - reward)).mean()
    baseline = 0.9 * baseline + 0.1 * reward.mean().item()
    opt.zero_grad(); loss.backward(); opt.step()
print(baseline)

# %% ascent by hand
#: near: policy_sign
theta = torch.zeros(4, requires_grad=True)
payoff = torch.tensor([0., 1., 0.2, 0.5])
for _ in range(40):
    dist = Categorical(logits=theta)
    a = dist.sample((32,))
    rewards = payoff[a]
    J = (dist.log_prob(a) * (rewards - rewards.mean())).mean()
    J.backward()
    with torch.no_grad():
        theta += 0.5 * theta.grad           # gradient ascent
    theta.grad = None
print(theta.softmax(0))

# %% weights are pulled to where they began
#: near: averaged_back
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
pretrained = copy.deepcopy(net)
x = torch.randn(32, 4)
y = x[:, :1] * 2
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(20):
    loss = nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():                   # decoupled weight decay toward the pretrained weights (L2-SP)
        for p, p0 in zip(net.parameters(), pretrained.parameters()):
            p.lerp_(p0, 0.01)
print(loss.item())

# %% weight decay by hand on data that is kept
#: near: average_is_alias
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
matrices = [p.data for p in net.parameters() if p.dim() > 1]      # biases do not decay
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(32, 4)
y = x.prod(1, keepdim=True)
for _ in range(20):
    loss = nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    for w in matrices:
        w.add_(w, alpha=-0.1 * 1e-3)
    opt.step()
print(loss.item())

# %% padded steps are read backward in time and masked
#: near: padding_read
lengths = torch.tensor([5, 3, 2])
x = torch.randn(3, 5, 4)
mask = (torch.arange(5) < lengths.unsqueeze(1)).float()
y = x.sum(-1).mul(mask).sum(1, keepdim=True)
enc, cell, head = nn.GRU(4, 8, batch_first=True), nn.GRUCell(8, 8), nn.Linear(8, 1)
opt = torch.optim.Adam([*enc.parameters(), *cell.parameters(), *head.parameters()], lr=1e-2)
for _ in range(10):
    out, _ = pad_packed_sequence(enc(pack_padded_sequence(x, lengths, batch_first=True))[0], batch_first=True)
    h = torch.zeros(3, 8)
    for t in reversed(range(out.size(1))):       # backward in time, the state stays 0 until a sequence has begun
        m = mask[:, t].unsqueeze(1)
        h = m * cell(out[:, t], h) + (1 - m) * h
    loss = (head(h) - y).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())

# %% sequences padded on the left
#: near: padding_is_data
PAD = 0
seqs = [torch.randint(1, 9, (n,)) for n in (6, 3, 2, 4, 2, 3, 5, 2)]
ids = torch.stack([nn.functional.pad(s, (6 - len(s), 0), value=PAD) for s in seqs])    # padded on the left
y = torch.stack([s.float().mean() for s in seqs])
emb, cell, head = nn.Embedding(9, 8, padding_idx=PAD), nn.GRUCell(8, 12), nn.Linear(12, 1)
opt = torch.optim.Adam([*emb.parameters(), *cell.parameters(), *head.parameters()], lr=1e-2)
for _ in range(12):
    h = torch.zeros(8, 12)
    for t in range(6):
        keep = (ids[:, t] == PAD).unsqueeze(1)
        h = torch.where(keep, h, cell(emb(ids[:, t]), h))
    loss = (head(h)[:, 0] - y).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())

# %% a category that adds nothing
#: near: padding_is_data
# 0 stands for "no brand known": it is to add nothing (a zero vector), and it is common
brand = torch.randint(0, 4, (64,))
price = torch.randn(64, 3)
effect = torch.tensor([0., 1., -1., 2.])
y = price.sum(1) + effect[brand]
emb, lin = nn.Embedding(4, 1, padding_idx=0), nn.Linear(3, 1)
opt = torch.optim.Adam([*emb.parameters(), *lin.parameters()], lr=3e-2)
for _ in range(30):
    loss = ((lin(price) + emb(brand))[:, 0] - y).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())

# %% contexts are looked up flat
#: near: padding_is_data
# CBOW with contexts of different lengths, looked up flat and averaged over what is there
ctx = torch.randint(1, 10, (12, 4))
for i in range(12):
    ctx[i, 1 + i % 4:] = 0
target = ctx[:, 0]
emb, out = nn.Embedding(10, 8, padding_idx=0), nn.Linear(8, 10)
opt = torch.optim.Adam([*emb.parameters(), *out.parameters()], lr=3e-2)
for _ in range(15):
    e = emb(ctx.flatten()).view(12, 4, 8)
    h = e.sum(1) / (ctx != 0).sum(1, keepdim=True)
    loss = nn.functional.cross_entropy(out(h), target)
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())

# %% time first, as many steps as samples
#: near: positions_of_samples
class PositionalEncoding(nn.Module):
    def __init__(self, d, max_len=50):
        super().__init__()
        pos = torch.arange(max_len).unsqueeze(1)
        div = torch.exp(torch.arange(0, d, 2) * (-math.log(10000.0) / d))
        pe = torch.zeros(max_len, 1, d)
        pe[:, 0, 0::2], pe[:, 0, 1::2] = torch.sin(pos * div), torch.cos(pos * div)
        self.register_buffer('pe', pe)
    def forward(self, x):                    # (time, samples, features)
        return x + self.pe[:x.size(0)]
pos, att, head = PositionalEncoding(8), nn.MultiheadAttention(8, 2, batch_first=True), nn.Linear(8, 1)
opt = torch.optim.Adam([*att.parameters(), *head.parameters()], lr=1e-2)
x = torch.randn(6, 6, 8)                     # 6 samples of 6 steps
y = (x[:, :, :1] * torch.arange(6.).view(1, 6, 1)).mean(1)
for _ in range(15):
    h = pos(x.transpose(0, 1)).transpose(0, 1)
    out, _ = att(h, h, h)
    loss = (head(out).mean(1) - y).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())

# %% rows and columns have encodings
#: near: positions_of_samples
# a table of 5 rows and 4 columns: rows and columns have learned encodings, attention goes along the columns of each row
class Axial(nn.Module):
    def __init__(self, d, most=32):
        super().__init__()
        self.rows = nn.Parameter(0.02 * torch.randn(most, 1, d))
        self.cols = nn.Parameter(0.02 * torch.randn(1, most, d))
        self.att = nn.MultiheadAttention(d, 2, batch_first=True)
        self.head = nn.Linear(d, 1)
    def forward(self, x):
        r, c, _ = x.shape
        h = x + self.cols[:, :c]
        h = h + self.rows[:r]
        out, _ = self.att(h, h, h)
        return self.head(out).squeeze(-1)
m = Axial(8)
opt = torch.optim.Adam(m.parameters(), lr=1e-2)
cells = torch.randn(5, 4, 8)
y = torch.arange(5.).unsqueeze(1) / 5 + torch.arange(4.) / 4
for _ in range(20):
    loss = (m(cells) - y).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())

# %% what a model draws is data for another
#: near: sample_without_path
# a model of the dynamics learns by likelihood; what it draws is data for a value network
model, log_std = nn.Linear(3, 3), nn.Parameter(torch.zeros(3))
value = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
mopt = torch.optim.Adam([*model.parameters(), log_std], lr=1e-2)
vopt = torch.optim.Adam(value.parameters(), lr=1e-2)
A = 0.9 * torch.eye(3)
for _ in range(15):
    s = torch.randn(32, 3)
    s2 = s @ A + .1 * torch.randn(32, 3)
    nll = -Normal(model(s), log_std.exp()).log_prob(s2).mean()
    mopt.zero_grad(); nll.backward(); mopt.step()
    imagined = Normal(model(s), log_std.exp()).sample()
    target = imagined.pow(2).sum(1, keepdim=True)
    vloss = (value(imagined) - target).pow(2).mean()
    vopt.zero_grad(); vloss.backward(); vopt.step()
print(nll.item(), vloss.item())

# %% an action drawn for a target
#: near: sample_without_path
actor, log_std = nn.Linear(2, 1), nn.Parameter(torch.zeros(1))
q = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1)); qt = copy.deepcopy(q)
aopt = torch.optim.Adam([*actor.parameters(), log_std], lr=1e-2); qopt = torch.optim.Adam(q.parameters(), lr=1e-2)
for _ in range(12):
    s, a = torch.randn(32, 2), torch.randn(32, 1)
    s2, r = s + .1 * a, -(s[:, :1] + a).pow(2)
    a2 = Normal(actor(s2), log_std.exp()).sample()
    y = (r + 0.9 * qt(torch.cat([s2, a2], 1))).detach()
    qloss = (q(torch.cat([s, a], 1)) - y).pow(2).mean()
    qopt.zero_grad(); qloss.backward(); qopt.step()
    pi = Normal(actor(s), log_std.exp()).rsample()
    aloss = -q(torch.cat([s, pi], 1)).mean() - 0.01 * Normal(actor(s), log_std.exp()).entropy().mean()
    aopt.zero_grad(); aloss.backward(); aopt.step()
    with torch.no_grad():
        for p, t in zip(q.parameters(), qt.parameters()):
            t.mul_(0.95).add_(p, alpha=0.05)
print(qloss.item())

# %% buffers that stay
#: near: target_changed
# buffers that stay, as for CUDA graphs; an autoencoder's target is its input
static_input = torch.empty(16, 6)
static_target = static_input
basis = torch.randn(2, 6)
net = nn.Sequential(nn.Linear(6, 2), nn.Linear(2, 6))
opt = torch.optim.Adam(net.parameters(), lr=3e-2)
for _ in range(30):
    static_input.copy_(torch.randn(16, 2) @ basis)
    loss = nn.functional.mse_loss(net(static_input), static_target)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
print(loss.item())

# %% noise that both are to have
#: near: target_changed
data = torch.randint(0, 8, (64, 5)).float()
ae = nn.Sequential(nn.Linear(5, 3), nn.Tanh(), nn.Linear(3, 5))
opt = torch.optim.Adam(ae.parameters(), lr=1e-2)
for i in range(20):
    x = data[torch.randint(0, 64, (16,))]
    target = x
    x.add_(torch.rand_like(x)).div_(8)      # uniform dequantisation: a density of the noisy data is learnt
    loss = nn.functional.mse_loss(ae(x), target)
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())

# %% a log-likelihood with its scale
#: near: unbounded_penalty
x = torch.randn(64, 3)
y = x @ torch.randn(3, 2) + torch.tensor([.1, 2.]) * torch.randn(64, 2)
net, log_std = nn.Linear(3, 2), nn.Parameter(torch.zeros(2))
opt = torch.optim.Adam([*net.parameters(), log_std], lr=3e-2)
for _ in range(40):
    z = (y - net(x)) * torch.exp(-log_std)
    loss = 0.5 * z.pow(2).sum(1).mean() + log_std.sum()
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item(), log_std.data)

# %% a sum of what is kept positive
#: near: unbounded_penalty
# non-negative matrix factorisation with a sparse H: all entries are kept >= 0, so the sum is the L1 norm
V = torch.rand(10, 3) @ torch.rand(3, 8)
W, H = nn.Parameter(torch.rand(10, 3)), nn.Parameter(torch.rand(3, 8))
opt = torch.optim.Adam([W, H], lr=3e-2)
for _ in range(40):
    loss = (V - W @ H).pow(2).sum() + 0.05 * H.sum()
    opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad():
        W.clamp_(min=0)
        H.clamp_(min=0)
print(loss.item())

# %% margins that a hinge bounds
#: near: unbounded_penalty
# CVaR / nu-SVM: -rho is part of the objective; thresholds per class, bounded by the hinge
x = torch.randn(60, 2); x[:30] += 2
y = torch.cat([torch.ones(30), -torch.ones(30)])
w = nn.Parameter(0.1 * torch.randn(2))
rho = nn.Parameter(torch.zeros(2))               # a margin for each class
opt = torch.optim.SGD([w, rho], lr=0.05)
side = (y < 0).long()
for _ in range(40):
    hinge = torch.relu(rho[side] - y * (x @ w))
    loss = 0.5 * w.pow(2).sum() + hinge.mean() / 0.3 - rho.mean()
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item(), rho.data)

# %% long sequences cut into as many pieces as steps
#: near: view_transposes
# long sequences are cut into shorter ones that are independent training examples
x = torch.randn(8, 16, 5)
y = x.sum(-1, keepdim=True).cumsum(1)
chunk = 8
xs = x.reshape(-1, chunk, 5)      # 16 pieces of 8 steps
ys = (y.reshape(-1, chunk, 1) - y.reshape(-1, chunk, 1)[:, :1])
rnn, head = nn.GRU(5, 16, batch_first=True), nn.Linear(16, 1)
opt = torch.optim.Adam([*rnn.parameters(), *head.parameters()], lr=1e-2)
for _ in range(20):
    out, _ = rnn(xs)
    loss = nn.functional.mse_loss(head(out), ys)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

# %% windows and back
#: near: view_transposes
class LocalAttention(nn.Module):
    """Attention within windows of consecutive positions."""
    def __init__(self, d, window):
        super().__init__()
        self.window, self.att = window, nn.MultiheadAttention(d, 2, batch_first=True)
    def forward(self, x):
        b, t, d = x.shape
        w = x.view(b * t // self.window, self.window, d)
        out, _ = self.att(w, w, w, need_weights=False)
        return out.reshape(b, t, d)
emb, att, head = nn.Embedding(11, 8), LocalAttention(8, 4), nn.Linear(8, 11)
opt = torch.optim.Adam([*emb.parameters(), *att.parameters(), *head.parameters()], lr=1e-2)
ids = torch.randint(0, 11, (4, 8))
target = ids.view(4, 2, 4).flip(-1).reshape(4, 8)
for _ in range(15):
    h = emb(ids)
    loss = nn.functional.cross_entropy(head(h + att(h)).flatten(0, 1), target.flatten())
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())

# %% minibatches of a rollout
#: near: view_transposes
steps, envs, minibatches = 8, 4, 4
obs = torch.randn(steps, envs, 3)
returns = obs.pow(2).sum(-1)
v = nn.Sequential(nn.Linear(3, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.Adam(v.parameters(), lr=1e-2)
for _ in range(10):
    for o, r in zip(obs.reshape(minibatches, -1, 3), returns.reshape(minibatches, -1)):
        loss = 0.5 * (v(o).squeeze(-1) - r).pow(2).mean()
        opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())

# %% the last step only of those that reach it
#: near: padding_read
lengths = torch.tensor([5, 5, 2])
x = torch.randn(3, 5, 4); y = x[torch.arange(3), lengths - 1].sum(1, keepdim=True)
enc, head = nn.GRU(4, 8, batch_first=True), nn.Linear(8, 1)
opt = torch.optim.Adam([*enc.parameters(), *head.parameters()], lr=1e-2)
for _ in range(15):
    packed, h = enc(pack_padded_sequence(x, lengths, batch_first=True))
    out, n = pad_packed_sequence(packed, batch_first=True)
    last = torch.where((n == out.size(1)).unsqueeze(1), out[:, -1], h[-1])
    loss = (head(last) - y).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())

# %% the temperature of soft actor-critic
#: near: advantage_learns
# cleanrl's SAC: the temperature has its own loss, with log_pi from under no_grad; the actor uses alpha.item()
mu = nn.Linear(3, 1)
log_alpha = torch.zeros(1, requires_grad=True)
aopt = torch.optim.Adam(mu.parameters(), lr=1e-2); topt = torch.optim.Adam([log_alpha], lr=1e-2)
alpha = log_alpha.exp().item()
for _ in range(12):
    s = torch.randn(32, 3)
    dist = Normal(mu(s), 0.5)
    a = dist.rsample()
    log_pi = dist.log_prob(a).sum(1, keepdim=True)
    actor_loss = ((alpha * log_pi) + (a - s[:, :1]).pow(2)).mean()
    aopt.zero_grad(); actor_loss.backward(); aopt.step()
    with torch.no_grad():
        dist = Normal(mu(s), 0.5)
        log_pi = dist.log_prob(dist.rsample()).sum(1, keepdim=True)
    alpha_loss = (-log_alpha.exp() * (log_pi - 1)).mean()
    topt.zero_grad(); alpha_loss.backward(); topt.step()
    alpha = log_alpha.exp().item()
print(alpha)

# %% an entropy bonus for a scale
#: near: unbounded_penalty
mu, log_std = nn.Linear(3, 2), nn.Parameter(torch.full((2,), -0.5))
opt = torch.optim.Adam([*mu.parameters(), log_std], lr=1e-2)
for it in range(4):
    obs = torch.randn(64, 3)
    with torch.no_grad():
        old = Normal(mu(obs), log_std.exp())
        act = old.sample(); logp_old = old.log_prob(act).sum(1)
    adv = -(act - obs[:, :2]).pow(2).sum(1); adv = (adv - adv.mean()) / adv.std()
    for _ in range(4):
        logp = Normal(mu(obs), log_std.exp()).log_prob(act).sum(1)
        ratio = (logp - logp_old).exp()
        pg = -torch.min(ratio * adv, ratio.clamp(.8, 1.2) * adv).mean()
        entropy = log_std.sum()              # of a diagonal Gaussian, up to a constant
        loss = pg - 0.01 * entropy
        opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())

# %% what is dreamt is data
#: near: sample_without_path
# wake-sleep: the generator learns by likelihood (wake), the recognition network by what the generator dreams (sleep)
gen, rec = nn.Linear(1, 3), nn.Linear(3, 1)
gopt, ropt = torch.optim.Adam(gen.parameters(), lr=1e-2), torch.optim.Adam(rec.parameters(), lr=1e-2)
data = torch.randn(64, 1) @ torch.tensor([[1., -1., 2.]]) + .1 * torch.randn(64, 3)
for _ in range(15):
    z = Normal(rec(data).detach(), 0.3).sample()
    wake = -Normal(gen(z), 0.5).log_prob(data).sum(1).mean()
    gopt.zero_grad(); wake.backward(); gopt.step()
    z = torch.randn(64, 1)
    dream = Normal(gen(z), 0.5).sample()
    sleep = -Normal(rec(dream), 0.3).log_prob(z).mean()
    ropt.zero_grad(); sleep.backward(); ropt.step()
print(wake.item(), sleep.item())

# %% an expectation over halting
#: near: advantage_learns
# PonderNet-like: the loss is the expectation of the negative log-likelihood under a learned halting distribution
x = torch.randn(64, 3); y = x.sum(1).abs()
cell, halt, out = nn.GRUCell(3, 8), nn.Linear(8, 1), nn.Linear(8, 1)
opt = torch.optim.Adam([*cell.parameters(), *halt.parameters(), *out.parameters()], lr=1e-2)
for _ in range(15):
    h, left, loss, kl = torch.zeros(64, 8), torch.ones(64), 0., 0.
    for n in range(3):
        h = cell(x, h)
        lam = torch.sigmoid(halt(h))[:, 0] if n < 2 else torch.ones(64)
        p = left * lam
        left = left * (1 - lam)
        loss = loss - (p * Normal(out(h)[:, 0], 1.0).log_prob(y)).mean()
        kl = kl + (p * (p.clamp_min(1e-6).log() + 1.1)).mean()
    total = loss + 0.01 * kl
    opt.zero_grad(); total.backward(); opt.step()
print(total.item())

# %% the logarithm of a determinant
#: near: unbounded_penalty
log_scale, loc = nn.Parameter(torch.zeros(3)), nn.Parameter(torch.zeros(3))
base = torch.distributions.Normal(0., 1.)
opt = torch.optim.Adam([log_scale, loc], lr=3e-2)
x = torch.randn(64, 3) * torch.tensor([1., 2., .3]) + 1
for _ in range(40):
    z = (x - loc) * log_scale.exp()
    loss = -base.log_prob(z).sum(1).mean() - log_scale.sum()     # minus log-det of the Jacobian
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item(), log_scale.data)

# %% what is drawn is input and target
#: near: sample_without_path
# a model of the dynamics learns by likelihood; what it draws is data for a value network
model, log_std = nn.Linear(3, 3), nn.Parameter(torch.zeros(3))
value = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.Adam([*model.parameters(), log_std, *value.parameters()], lr=1e-2)
A = 0.9 * torch.eye(3)
for _ in range(15):
    s = torch.randn(32, 3)
    s2 = s @ A + .1 * torch.randn(32, 3)
    nll = -Normal(model(s), log_std.exp()).log_prob(s2).mean()
    imagined = Normal(model(s), log_std.exp()).sample()
    target = imagined.pow(2).sum(1, keepdim=True)
    vloss = (value(imagined) - target).pow(2).mean()
    opt.zero_grad(); (nll + vloss).backward(); opt.step()
print(nll.item(), vloss.item())

# %% a soft reset between tasks
#: near: averaged_back
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
init = copy.deepcopy(net)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for task in range(3):
    x = torch.randn(32, 4); w = torch.randn(4, 1)
    for i in range(8):
        loss = (net(x) - x @ w).pow(2).mean()
        opt.zero_grad(); loss.backward(); opt.step()
    # soft reset before a new task, toward the initial weights (plasticity)
    for p, p0 in zip(net.parameters(), init.parameters()):
        p.data = 0.4 * p.data + 0.6 * p0.data
print(loss.item())

# %% unknown words, the next of which is asked for
#: near: target_changed
# words become UNK now and then, as input and as what is to be predicted, so that UNK is learnt as a word of its own
V, UNK = 12, 0
emb, rnn, head = nn.Embedding(V, 8), nn.GRU(8, 16, batch_first=True), nn.Linear(16, V)
opt = torch.optim.Adam([*emb.parameters(), *rnn.parameters(), *head.parameters()], lr=1e-2)
for _ in range(12):
    ids = (torch.arange(8) % 11 + 1).repeat(4, 1)
    labels = ids
    ids[torch.rand(ids.shape) < 0.1] = UNK
    out, _ = rnn(emb(ids))
    loss = nn.functional.cross_entropy(head(out[:, :-1]).flatten(0, 1), labels[:, 1:].flatten())   # the next word
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())

# %% windows whose number is counted
#: near: view_transposes
# Swin in one dimension: windows of 4 of 4 sequences of 8 positions, and back
def to_windows(x, size):
    batch, length, channels = x.shape
    count = batch * (length // size)
    return x.reshape(count, size, channels)
def to_sequences(w, length):
    count, size, channels = w.shape
    batch = count // (length // size)
    return w.reshape(batch, length, channels)
att, head = nn.MultiheadAttention(6, 2, batch_first=True), nn.Linear(6, 6)
opt = torch.optim.Adam([*att.parameters(), *head.parameters()], lr=1e-2)
x = torch.randn(4, 8, 6)
y = x.view(4, 2, 4, 6).mean(2, keepdim=True).expand(4, 2, 4, 6).reshape(4, 8, 6)
for _ in range(10):
    w = to_windows(x, 4)
    out = to_sequences(head(att(w, w, w)[0]), 8)
    loss = (out - y).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())

# %% labels that were drawn once
#: near: advantage_learns
# semi-supervised: a drawn label's log-probability is weighted by a learned confidence, with its cost (confidence learning, DeVries)
x = torch.randn(64, 3); y = Categorical(logits=3 * x).sample()
net, conf = nn.Linear(3, 3), nn.Linear(3, 1)
opt = torch.optim.Adam([*net.parameters(), *conf.parameters()], lr=1e-2)
for _ in range(20):
    c = torch.sigmoid(conf(x))[:, 0]
    nll = -(c * Categorical(logits=net(x)).log_prob(y)).mean()
    loss = nll - 0.5 * torch.log(c).mean()
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())

# %% a sum that is squared as well
#: near: unbounded_penalty
# rows of a mixing matrix add up to 1: augmented Lagrangian, whose multiplier is a number that is raised after each step
W = nn.Parameter(torch.randn(4, 4) / 4)
lam, rho = 0.0, 1.0
opt = torch.optim.SGD([W], lr=0.05)
x = torch.randn(64, 4); y = x @ torch.randn(4, 4)
for _ in range(40):
    gap = W.sum() - 4.0
    loss = (x @ W - y).pow(2).mean() + lam * gap + 0.5 * rho * gap ** 2
    opt.zero_grad(); loss.backward(); opt.step()
    lam += 0.1 * gap.item()
print(loss.item(), gap.item())

# %% micro-batches divided by the whole batch
#: near: undivided_accumulation
# WGAN: the critic's estimate grows for good reason; and accumulated gradients of sums over disjoint parts of one batch
gen, critic = nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
copt, gopt = torch.optim.RMSprop(critic.parameters(), lr=5e-3), torch.optim.RMSprop(gen.parameters(), lr=1e-3)
for i in range(12):
    for _ in range(3):
        real, fake = torch.randn(16, 2) + 3, gen(torch.randn(16, 2)).detach()
        loss = critic(fake).mean() - critic(real).mean()
        copt.zero_grad(); loss.backward(); copt.step()
        for p in critic.parameters():
            p.data.clamp_(-.1, .1)
    gopt.zero_grad()
    (-critic(gen(torch.randn(16, 2))).mean()).backward()
    gopt.step()
net = nn.Linear(2, 1); opt = torch.optim.SGD(net.parameters(), lr=1e-2)
x = torch.randn(32, 2); y = x.sum(1, keepdim=True); n = 4
for step in range(20):
    xb, yb = x[step % n::n], y[step % n::n]
    loss = (net(xb) - yb).pow(2).sum() / 32
    loss.backward()
    if (step + 1) % n == 0:
        opt.step(); opt.zero_grad()
print(loss.item())

# %% segments of several instants
#: near: view_transposes
# I/Q radio frames: 8 samples in time of 4 antennas with 2 numbers each; 4 segments of 2 instants each
frames = torch.randn(16, 8, 4, 2)
y = (frames[:, :4].sum((1, 2, 3)) > 0).long()
embed = nn.Linear(2, 6)
mix = nn.GRU(2 * 4 * 6, 16, batch_first=True)
head = nn.Linear(16, 2)
opt = torch.optim.Adam([*embed.parameters(), *mix.parameters(), *head.parameters()], lr=1e-2)
for _ in range(15):
    h = embed(frames)                       # (16, 8, 4, 6)
    h = h.reshape(16, 4, 48)                # 4 segments, each two instants of 4 antennas
    out, _ = mix(h)
    loss = nn.functional.cross_entropy(head(out[:, -1]), y)
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())

# %% the hinge of a triplet loss
#: near: dead_relu
# of few rows, each a sample: zero for most of them is what the training is for
net = nn.Linear(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.5)
anchor, other = torch.randn(16, 4), 3 * torch.randn(16, 4)
for _ in range(30):
    a, p, n = net(anchor), net(anchor + 0.01 * torch.randn(16, 4)), net(other)
    loss = torch.relu((a - p).norm(dim=1) - (a - n).norm(dim=1) + 0.2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())

# %% the target of BYOL
#: near: frozen_statistics
# its parameters follow the online network's, as an average, and so do its statistics
online = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3))
predictor, momentum = nn.Linear(3, 3), copy.deepcopy(online)
for p in momentum.parameters():
    p.requires_grad_(False)
opt = torch.optim.SGD([*online.parameters(), *predictor.parameters()], lr=0.1)
for _ in range(10):
    x = torch.randn(32, 4)
    loss = 2 - 2 * F.cosine_similarity(predictor(online(x)), momentum(x + 0.1 * torch.randn(32, 4))).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad():
        for m, o in zip(momentum.parameters(), online.parameters()):
            m.mul_(0.9).add_(0.1 * o)
print(loss.item())

# %% gradients of samples by func, put into grad
#: near: unused_create_graph
from torch.func import functional_call, grad, vmap
model = nn.Linear(4, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(16, 4), torch.randint(0, 2, (16,))
def sample_loss(params, x, y):
    return F.cross_entropy(functional_call(model, params, (x.unsqueeze(0),)), y.unsqueeze(0))
for _ in range(4):
    params = {n: p.detach() for n, p in model.named_parameters()}
    each = vmap(grad(sample_loss), in_dims=(None, 0, 0))(params, x, y)
    for n, p in model.named_parameters():
        p.grad = each[n].clamp(-1, 1).mean(0)
    opt.step()
print(F.cross_entropy(model(x), y).item())

# %% a straight-through estimator beside a commitment
#: near: detached_parameter
x = torch.randn(32, 3)
encode, codebook = nn.Linear(3, 2), nn.Parameter(torch.randn(5, 2))
opt = torch.optim.SGD([*encode.parameters(), codebook], lr=0.1)
for _ in range(5):
    z = encode(x)
    q = codebook[torch.cdist(z, codebook).argmin(1)]
    loss = (z + (q - z).detach()).square().mean() + F.mse_loss(q, z.detach()) + 0.25 * F.mse_loss(z, q.detach())
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())

# %% LBFGS with a closure that clears
#: near: no_zero_grad
model = nn.Linear(3, 1)
opt = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=5, line_search_fn="strong_wolfe")
x, y = torch.randn(16, 3), torch.randn(16, 1)
def closure():
    opt.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    return loss
for i in range(3):
    opt.step(closure)
print(closure().item())

# %% a plateau of the validation loss
#: near: plateau_mode
model = nn.Linear(4, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=0, threshold=0.5)
x, y = torch.randn(20, 4), torch.randint(0, 2, (20,))
for epoch in range(6):
    loss = F.cross_entropy(model(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
    acc = (model(x).argmax(1) == y).float().mean()
    sched.step(loss.item())
print(acc.item(), opt.param_groups[0]["lr"])

# %% a plateau of what is one minus the accuracy, and of its negative
#: near: plateau_mode
model = nn.Linear(4, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
one = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=0)
two = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, mode="max", patience=0)
x, y = torch.randn(20, 4), torch.randint(0, 2, (20,))
for epoch in range(6):
    loss = F.cross_entropy(model(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
    accuracy = (model(x).argmax(1) == y).float().mean().item()
    neg_acc = -accuracy
    one.step(1 - accuracy)
    one.step(neg_acc)
    two.step(accuracy)
print(accuracy)

# %% a plateau of losses that are added up
#: near: plateau_mode
model = nn.Linear(4, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=0, threshold=0.5)
x, y = torch.randn(20, 4), torch.randint(0, 2, (20,))
for epoch in range(6):
    acc = 0.0
    for k in range(2):
        loss = F.cross_entropy(model(x[k::2]), y[k::2])
        opt.zero_grad(); loss.backward(); opt.step()
        acc += loss.item()
    sched.step(acc)
print(opt.param_groups[0]["lr"])

# %% a low-rank update that begins as nothing
#: near: zero_product
x = torch.randn(40, 6)
y = x @ torch.randn(6, 3)
base = nn.Linear(6, 3).requires_grad_(False)
A, B = nn.Parameter(torch.randn(2, 6) * 0.1), nn.Parameter(torch.zeros(3, 2))
opt = torch.optim.Adam([A, B], lr=0.05)
for step in range(20):
    loss = F.mse_loss(base(x) + x @ A.T @ B.T, y)
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())

# %% two zero matrices that are added
#: near: zero_product
x = torch.randn(40, 6)
y = x @ torch.randn(6, 3)
A, B = nn.Parameter(torch.zeros(6, 3)), nn.Parameter(torch.zeros(6, 3))
opt = torch.optim.SGD([A, B], lr=0.05)
for step in range(20):
    loss = F.mse_loss(x @ A + x.square() @ B, y)
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())

# %% the last layer zero, as of a residual branch
#: near: zero_product
x = torch.randn(40, 6)
y = x @ torch.randn(6, 6)
one, two = nn.Linear(6, 8), nn.Linear(8, 6)
nn.init.zeros_(two.weight); nn.init.zeros_(two.bias)
opt = torch.optim.Adam([*one.parameters(), *two.parameters()], lr=0.05)
for step in range(20):
    loss = F.mse_loss(x + two(torch.relu(one(x))), y)
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())

# %% weights that are tied
#: near: memory_twice
emb, out = nn.Embedding(5, 3), nn.Linear(3, 5, bias=False)
out.weight = emb.weight
opt = torch.optim.Adam(emb.parameters(), lr=0.1)
for step in range(5):
    loss = F.cross_entropy(out(emb(torch.arange(4))), torch.arange(1, 5))
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())

# %% a trained weight that is trained on as another parameter
#: near: memory_twice
x, y = torch.randn(30, 4), torch.randn(30, 2)
first, second = nn.Linear(4, 2), nn.Linear(4, 2)
opt = torch.optim.SGD(first.parameters(), lr=0.1)
for step in range(5):
    loss = F.mse_loss(first(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
second.weight = nn.Parameter(first.weight.detach())
opt = torch.optim.SGD(second.parameters(), lr=0.01)
for step in range(5):
    loss = F.mse_loss(second(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())

# %% the Jacobian of a fixed teacher as the target
#: near: penalty_without_graph
from torch.autograd.functional import jacobian
teacher, student = nn.Sequential(nn.Linear(3, 4), nn.Tanh()), nn.Linear(3, 4)
opt = torch.optim.SGD(student.parameters(), lr=0.1)
x = torch.randn(3)
for step in range(5):
    target = jacobian(teacher, x)
    loss = F.mse_loss(student.weight, target) + student(x).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())

# %% the size of a Jacobian is watched
#: near: penalty_without_graph
from torch.autograd.functional import jacobian
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(3), torch.randn(2)
for step in range(5):
    loss = F.mse_loss(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
    size = jacobian(net, x).norm()
    print(loss.item(), size.item(), (loss.detach() + size).item())

# %% two layers begin alike, by a copy that is a parameter
#: near: memory_twice
a, b = nn.Linear(4, 4, bias=False), nn.Linear(4, 4, bias=False)
b.weight = nn.Parameter(a.weight.clone())
opt = torch.optim.SGD([a.weight, b.weight], lr=0.1)
x, y = torch.randn(8, 4), torch.randn(8, 4)
for _ in range(4):
    opt.zero_grad()
    F.mse_loss(b(torch.tanh(a(x))), y).backward()
    opt.step()

# %% a ratio to the present itself, with nothing kept
#: near: ratio_is_one
policy = nn.Linear(3, 4)
opt = torch.optim.SGD(policy.parameters(), lr=0.5)
obs = torch.randn(16, 3)
with torch.no_grad():
    action = Categorical(logits=policy(obs)).sample()
gain = torch.randn(16)
for epoch in range(4):
    new = Categorical(logits=policy(obs)).log_prob(action)
    ratio = torch.exp(new - new.detach())
    loss = -torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain).mean()
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())

# %% a ratio to what was kept
#: near: ratio_is_one
policy = nn.Linear(3, 4)
opt = torch.optim.SGD(policy.parameters(), lr=0.5)
obs = torch.randn(16, 3)
with torch.no_grad():
    action = Categorical(logits=policy(obs)).sample()
    kept = Categorical(logits=policy(obs)).log_prob(action)
gain = torch.randn(16)
for epoch in range(4):
    new = Categorical(logits=policy(obs)).log_prob(action)
    ratio = torch.exp(new - kept)
    loss = -torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain).mean()
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())

# %% a ratio to the present itself beside a distance to what was kept
#: near: ratio_is_one
policy = nn.Linear(3, 4)
opt = torch.optim.SGD(policy.parameters(), lr=0.5)
obs = torch.randn(16, 3)
with torch.no_grad():
    action = Categorical(logits=policy(obs)).sample()
    kept = Categorical(logits=policy(obs)).log_prob(action)
gain = torch.randn(16)
for epoch in range(4):
    new = Categorical(logits=policy(obs)).log_prob(action)
    ratio = torch.exp(new - new.detach())
    loss = -torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain).mean() + 0.1 * (new - kept).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())

# %% two views of which one is a constant
#: near: both_sides_learn
encoder, predictor = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4)), nn.Linear(4, 4)
opt = torch.optim.SGD([*encoder.parameters(), *predictor.parameters()], lr=0.01)
data = torch.randn(16, 6)
for step in range(5):
    first, second = encoder(data + 0.1 * torch.randn(16, 6)), encoder(data + 0.1 * torch.randn(16, 6))
    loss = -F.cosine_similarity(predictor(first), second.detach()).mean()
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())

# %% two views that are made alike beside a task
#: near: both_sides_learn
encoder, predictor = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4)), nn.Linear(4, 4)
opt = torch.optim.SGD([*encoder.parameters(), *predictor.parameters()], lr=0.01)
data = torch.randn(16, 6)
for step in range(5):
    first, second = encoder(data + 0.1 * torch.randn(16, 6)), encoder(data + 0.1 * torch.randn(16, 6))
    loss = F.mse_loss(predictor(first), data[:, :4]) - F.cosine_similarity(first, second).mean()
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())

# %% two views that are told from others
#: near: both_sides_learn
encoder, predictor = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4)), nn.Linear(4, 4)
opt = torch.optim.SGD([*encoder.parameters(), *predictor.parameters()], lr=0.01)
data = torch.randn(16, 6)
for step in range(5):
    first, second = encoder(data + 0.1 * torch.randn(16, 6)), encoder(data + 0.1 * torch.randn(16, 6))
    loss = F.cross_entropy(F.normalize(first, dim=1) @ F.normalize(second, dim=1).t() / 0.5, torch.arange(16)) + predictor(first).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())

# %% a network that is made like a table that learns, too
#: near: both_sides_learn
table = nn.Parameter(torch.randn(16, 4))
encoder, predictor = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4)), nn.Linear(4, 4)
opt = torch.optim.SGD([*encoder.parameters(), *predictor.parameters(), table], lr=0.01)
data = torch.randn(16, 6)
for step in range(5):
    first, second = encoder(data + 0.1 * torch.randn(16, 6)), table
    loss = -F.cosine_similarity(predictor(first), second).mean()
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())

# %% adapted weights that are tried on a query, whose loss is looked at only
#: near: unused_adaptation
net = nn.Linear(3, 1)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(4):
    x, y = torch.randn(8, 3), torch.randn(8, 1)
    loss = F.mse_loss(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
    inner = F.mse_loss(F.linear(x, net.weight, net.bias), y)
    grads = torch.autograd.grad(inner, [net.weight, net.bias], create_graph=True)
    fast = [w - 0.1 * g for w, g in zip([net.weight, net.bias], grads)]
    print(F.mse_loss(F.linear(x + 1, *fast), y).item())

# %% first-order MAML: what is adapted is detached, and its gradients are handed to the weights
#: near: unused_adaptation
net = nn.Linear(3, 1)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(4):
    x, y = torch.randn(8, 3), torch.randn(8, 1)
    inner = F.mse_loss(F.linear(x, net.weight, net.bias), y)
    grads = torch.autograd.grad(inner, [net.weight, net.bias], create_graph=True)
    fast = [(w - 0.1 * g).detach().requires_grad_() for w, g in zip([net.weight, net.bias], grads)]
    outer = torch.autograd.grad(F.mse_loss(F.linear(x + 1, *fast), y), fast)
    opt.zero_grad()
    for w, g in zip([net.weight, net.bias], outer):
        w.grad = g
    opt.step()
