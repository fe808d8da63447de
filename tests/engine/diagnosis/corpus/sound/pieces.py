"""Small programs that come near to a defect and have none: numbers, shapes, functions, graphs, lessons."""
#: thread: after what

import copy, math; import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)

# %% a masked row keeps one entry
#: thread: forum, PyTorch forums: NaN in attention when a sequence is all padding
q = nn.Linear(4, 4)
x, mask = torch.randn(2, 3, 4), torch.tensor([[1, 1, 0], [1, 0, 0]]).bool()
h = q(x)
s = (h @ h.transpose(1, 2) / 2).masked_fill(~mask[:, None, :], float("-inf"))
out = torch.softmax(s, dim=-1) @ h
out.pow(2).mean().backward()

# %% a causal mask of minus infinity
#: thread: tutorial, minGPT attention
B, T, C = 2, 5, 8
qkv, proj = nn.Linear(C, 3 * C), nn.Linear(C, C)
opt = torch.optim.AdamW([*qkv.parameters(), *proj.parameters()], lr=1e-3)
tril = torch.tril(torch.ones(T, T))
for i in range(3):
    q, k, v = qkv(torch.randn(B, T, C)).split(C, dim=2)
    att = (q @ k.transpose(-2, -1)) / math.sqrt(C)
    att = F.softmax(att.masked_fill(tril == 0, float("-inf")), dim=-1)
    loss = proj(att @ v).pow(2).mean()
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()

# %% where with a safe branch
#: thread: issue, pytorch/pytorch: torch.where produces nan gradients for the branch that is not taken
x = torch.tensor([-1.0, 0.0, 4.0], requires_grad=True)
ok = x > 0
y = torch.where(ok, torch.where(ok, x, torch.ones(())).sqrt(), torch.zeros(()))
y.sum().backward()
print(x.grad)

# %% a square root with an epsilon
#: thread: issue, mpariente/pytorch_stoi: Fixing EPS application when applying sqrt
w = torch.zeros(3, requires_grad=True)
d = ((torch.randn(4, 3) * w) ** 2).sum(1)
loss = torch.sqrt(d + 1e-8).mean()
loss.backward()

# %% log of probabilities that are clamped
#: thread: issue, kpot/keras-transformer: add epsilon for stability
lin = nn.Linear(3, 2)
p = torch.softmax(lin(torch.randn(6, 3) * 50), dim=1)
entropy = -(p * p.clamp_min(1e-8).log()).sum(1).mean()
entropy.backward()

# %% an infinite bound that is never reached
#: thread: forum, Stack Overflow: running minimum initialised with inf
best = torch.tensor(float("inf"))
w = torch.randn(3, requires_grad=True)
for i in range(4):
    loss = (w - 1).pow(2).sum()
    w.grad = None
    loss.backward()
    w.data -= 0.1 * w.grad
    best = torch.minimum(best, loss.detach())
print(best)

# %% a NaN that is a marker in the data
#: thread: forum, PyTorch forums: ignore NaN targets in the loss
y = torch.tensor([1.0, float("nan"), 2.0, float("nan")])
lin = nn.Linear(2, 1)
x = torch.randn(4, 2)
known = ~torch.isnan(y)
loss = F.mse_loss(lin(x).squeeze(1)[known], y[known])
loss.backward()

# %% nan_to_num before the network
#: thread: forum, Stack Overflow: PyTorch regression, loss is nan from the first epoch
x = torch.from_numpy(np.array([[1.0, np.nan], [0.5, 2.0]], dtype=np.float32))
lin = nn.Linear(2, 1)
loss = lin(torch.nan_to_num(x)).pow(2).mean()
loss.backward()

# %% logsumexp of large values
#: thread: forum, Stack Overflow: PyTorch loss is nan after some epochs with my own softmax
w = torch.randn(4, 3, requires_grad=True)
z = torch.randn(5, 4) * 100 @ w
loss = (torch.logsumexp(z, 1) - z[:, 0]).mean()
loss.backward()

# %% softmax by hand with the maximum taken off
#: thread: tutorial, building makemore
w = torch.randn(4, 3, requires_grad=True)
z = torch.randn(5, 4) * 100 @ w
e = (z - z.max(1, keepdim=True).values).exp()
p = e / e.sum(1, keepdim=True)
loss = -(p[torch.arange(5), torch.tensor([0, 1, 2, 0, 1])] + 1e-12).log().mean()
loss.backward()

# %% a very small standard deviation
#: thread: forum, PyTorch forums: layer normalisation by hand
x = torch.full((3, 4), 2.0) + 1e-3 * torch.randn(3, 4)
g = torch.ones(4, requires_grad=True)
y = (x - x.mean(1, keepdim=True)) / (x.std(1, keepdim=True) + 1e-5) * g
y.pow(2).mean().backward()

# %% half of the units are at rest
#: thread: forum, Stack Overflow: all outputs of my network are the same, dying ReLU
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x, y = torch.randn(24, 4), torch.randn(24, 1)
for i in range(5):
    opt.zero_grad()
    F.mse_loss(net(x), y).backward()
    opt.step()

# %% a saturated gate of an LSTM
#: thread: forum, PyTorch forums: forget gate bias of one
lstm, head = nn.LSTM(3, 5), nn.Linear(5, 1)
with torch.no_grad():
    lstm.bias_hh_l0[5:10].fill_(3.0)
opt = torch.optim.Adam([*lstm.parameters(), *head.parameters()], lr=1e-2)
for i in range(3):
    out, _ = lstm(torch.randn(8, 2, 3))
    opt.zero_grad()
    head(out[-1]).pow(2).mean().backward()
    opt.step()

# %% a confident classifier at the end of training
#: thread: forum, PyTorch forums: gradients vanish when the loss is nearly zero
net = nn.Linear(2, 2)
opt = torch.optim.SGD(net.parameters(), lr=5.0)
x = torch.tensor([[2.0, 0.0], [0.0, 2.0], [2.0, 0.1], [0.1, 2.0]])
y = torch.tensor([0, 1, 0, 1])
for i in range(30):
    opt.zero_grad()
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    opt.step()

# %% biases start at zero
#: thread: forum, DeepLearning.AI community: Why don't weights get adjusted when initialized to 0?
net = nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 1))
for m in net:
    if isinstance(m, nn.Linear):
        nn.init.xavier_uniform_(m.weight)
        nn.init.zeros_(m.bias)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(4):
    opt.zero_grad()
    net(torch.randn(8, 3)).pow(2).mean().backward()
    opt.step()

# %% logistic regression starts at zero
#: thread: forum, DeepLearning.AI community: zero initialization works for logistic regression
w, b = torch.zeros(3, 1, requires_grad=True), torch.zeros(1, requires_grad=True)
opt = torch.optim.SGD([w, b], lr=0.5)
x = torch.randn(30, 3)
y = (x[:, :1] > 0).float()
for i in range(6):
    opt.zero_grad()
    F.binary_cross_entropy_with_logits(x @ w + b, y).backward()
    opt.step()

# %% the last layer starts at zero
#: thread: issue, labmlai/annotated_deep_learning_paper_implementations: zero initialisation of the last layer of a residual branch
net = nn.Sequential(nn.Linear(4, 8), nn.SiLU(), nn.Linear(8, 4))
nn.init.zeros_(net[2].weight)
nn.init.zeros_(net[2].bias)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for i in range(4):
    x = torch.randn(8, 4)
    opt.zero_grad()
    F.mse_loss(x + net(x), torch.randn(8, 4)).backward()
    opt.step()

# %% multi-label targets
#: thread: forum, PyTorch forums: multi-label classification with BCEWithLogitsLoss
net = nn.Linear(5, 4)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for i in range(3):
    opt.zero_grad()
    F.binary_cross_entropy_with_logits(net(torch.randn(8, 5)), torch.randint(0, 2, (8, 4)).float()).backward()
    opt.step()

# %% soft labels in cross entropy
#: thread: forum, PyTorch forums: label smoothing and mixup
net = nn.Linear(5, 4)
x, lam = torch.randn(8, 5), 0.3
y = F.one_hot(torch.randint(0, 4, (8,)), 4).float()
mixed, soft = lam * x + (1 - lam) * x.flip(0), lam * y + (1 - lam) * y.flip(0)
F.cross_entropy(net(mixed), soft).backward()

# %% probabilities go into nll_loss as logarithms
#: thread: forum, PyTorch forums: NLLLoss gives a negative loss
net = nn.Linear(5, 4)
p = F.softmax(net(torch.randn(8, 5)), dim=1)
F.nll_loss(torch.log(p + 1e-9), torch.randint(0, 4, (8,))).backward()

# %% softmax only for the prediction
#: thread: issue, bowang-lab/Transformer-GCN-QA: Removes erroneous extra softmax
net = nn.Linear(5, 3)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for i in range(3):
    x, y = torch.randn(8, 5), torch.randint(0, 3, (8,))
    logits = net(x)
    probs = F.softmax(logits, dim=1)
    loss = F.cross_entropy(logits, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print((probs.argmax(1) == y).float().mean().item())

# %% attention inside, cross entropy outside
#: thread: issue, gitabcworld/MatchingNetworks: Double softmax
emb, q, out = nn.Linear(4, 6), nn.Linear(6, 1), nn.Linear(6, 3)
h = torch.tanh(emb(torch.randn(5, 7, 4)))
a = torch.softmax(q(h), dim=1)
loss = F.cross_entropy(out((a * h).sum(1)), torch.randint(0, 3, (5,)))
loss.backward()

# %% log softmax twice changes nothing
#: thread: issue, bhanML/Co-teaching: A question about your loss_coteaching function
net = nn.Linear(4, 3)
out = F.softmax(net(torch.randn(6, 4)), dim=1)
loss = -(torch.log(out + 1e-8) * F.one_hot(torch.randint(0, 3, (6,)), 3)).sum(1).mean()
loss.backward()

# %% softmax over the sequence in the first dimension
#: thread: issue, DEEP-PolyU/KEQA_WSDM19: Attention Weight Bug in Embedding
score = nn.Linear(4, 1)
seq = torch.randn(9, 2, 4)
w = F.softmax(score(seq), dim=0)
loss = (w * seq).sum(0).pow(2).mean()
loss.backward()

# %% softmax over the batch of a contrastive loss
#: thread: issue, openai/CLIP: both directions
a, b = nn.Linear(5, 4), nn.Linear(6, 4)
opt = torch.optim.Adam([*a.parameters(), *b.parameters()], lr=1e-2)
for i in range(3):
    za, zb = F.normalize(a(torch.randn(6, 5)), dim=1), F.normalize(b(torch.randn(6, 6)), dim=1)
    logits = za @ zb.t() * 5
    loss = (F.cross_entropy(logits, torch.arange(6)) + F.cross_entropy(logits.t(), torch.arange(6))) / 2
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a row and a column on purpose
#: thread: forum, PyTorch forums: pairwise distances by broadcasting
c = torch.randn(3, 2, requires_grad=True)
x = torch.randn(10, 2)
d = (x[:, None, :] - c[None, :, :]).pow(2).sum(-1)
loss = d.min(1).values.mean()
loss.backward()

# %% a pairwise ranking loss
#: thread: forum, PyTorch forums: RankNet
net = nn.Linear(4, 1)
s = net(torch.randn(6, 4)).squeeze(1)
rel = torch.tensor([3.0, 2.0, 2.0, 1.0, 0.0, 0.0])
diff = s[:, None] - s[None, :]
want = (rel[:, None] > rel[None, :]).float()
loss = (F.softplus(-diff) * want).sum() / want.sum()
loss.backward()

# %% a target that is a constant for all
#: thread: forum, PyTorch forums: mse_loss against a scalar
net = nn.Linear(3, 1)
out = net(torch.randn(8, 3))
loss = ((out - 1.0) ** 2).mean() + F.mse_loss(out, torch.tensor(0.5).expand_as(out))
loss.backward()

# %% quantile regression
#: thread: forum, PyTorch forums: pinball loss
net = nn.Linear(3, 3)
q = torch.tensor([0.1, 0.5, 0.9])
x, y = torch.randn(20, 3), torch.randn(20, 1)
e = y - net(x)
loss = torch.max(q * e, (q - 1) * e).mean()
loss.backward()

# %% a negative loss that is right
#: thread: forum, PyTorch forums: my loss is negative
net = nn.Linear(4, 4)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for i in range(5):
    x = torch.randn(8, 4)
    loss = -F.cosine_similarity(net(x), x, dim=1).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a loss that is maximised by maximize=True
#: thread: forum, PyTorch forums: gradient ascent with optim.SGD(maximize=True)
w = torch.tensor([0.5, -0.5], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1, maximize=True)
for i in range(6):
    opt.zero_grad()
    score = -(w - 2).pow(2).sum()
    score.backward()
    opt.step()

# %% min and max at once
#: thread: forum, PyTorch forums: Lagrange multipliers with two optimizers
x, lam = torch.tensor([2.0, 1.0], requires_grad=True), torch.tensor(0.0, requires_grad=True)
ox, ol = torch.optim.SGD([x], lr=0.05), torch.optim.SGD([lam], lr=0.05, maximize=True)
for i in range(10):
    lag = (x**2).sum() + lam * (1 - x.sum())
    ox.zero_grad()
    ol.zero_grad()
    lag.backward()
    ox.step()
    ol.step()

# %% a straight-through estimator
#: thread: issue, kornia/kornia: [feat] Added STE gradient estimator
class STE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return (x > 0).float()

    @staticmethod
    def backward(ctx, g):
        return F.hardtanh(g)

lin, out = nn.Linear(4, 6), nn.Linear(6, 1)
opt = torch.optim.SGD([*lin.parameters(), *out.parameters()], lr=0.05)
for i in range(3):
    loss = F.mse_loss(out(STE.apply(lin(torch.randn(8, 4)))), torch.randn(8, 1))
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% binarised weights with latent ones
#: thread: issue, jiecaoyu/XNOR-Net-PyTorch: how does the gradient pass through sign
w = nn.Parameter(torch.randn(4, 2))
opt = torch.optim.Adam([w], lr=1e-2)
for i in range(3):
    b = w + (w.sign() - w).detach()
    loss = (torch.randn(8, 4) @ b).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% rounding in a fake quantisation
#: thread: forum, PyTorch forums: quantisation aware training by hand
lin, scale = nn.Linear(4, 4), 0.05
opt = torch.optim.SGD(lin.parameters(), lr=0.05)
for i in range(3):
    w = lin.weight
    wq = w + (torch.round(w / scale) * scale - w).detach()
    loss = F.mse_loss(F.linear(torch.randn(8, 4), wq, lin.bias), torch.randn(8, 4))
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a custom function with the right derivative
#: thread: issue, pytorch/pytorch: Doc for gradient checking
class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, i):
        result = i.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result

x = torch.randn(4, requires_grad=True)
Exp.apply(x).sum().backward()
print(torch.allclose(x.grad, x.exp()))

# %% a custom function of several inputs, one of them a number
#: thread: forum, PyTorch forums: function returned an incorrect number of gradients
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, power):
        ctx.save_for_backward(x, w)
        ctx.power = power
        return x**power * w

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        gx = g * w * ctx.power * x ** (ctx.power - 1) if ctx.needs_input_grad[0] else None
        gw = (g * x**ctx.power).sum(0) if ctx.needs_input_grad[1] else None
        return gx, gw, None

w = torch.randn(3, requires_grad=True)
Scale.apply(torch.rand(5, 3), w, 2).mean().backward()

# %% gradients are clipped inside a function
#: thread: forum, PyTorch forums: clip the gradient in the middle of the network
class Clip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return g.clamp(-0.01, 0.01)

a, b = nn.Linear(3, 3), nn.Linear(3, 1)
opt = torch.optim.SGD([*a.parameters(), *b.parameters()], lr=0.1)
for i in range(3):
    opt.zero_grad()
    b(Clip.apply(a(torch.randn(6, 3)))).pow(2).mean().backward()
    opt.step()

# %% checkpointing
#: thread: forum, PyTorch forums: torch.utils.checkpoint
from torch.utils.checkpoint import checkpoint
a, b = nn.Sequential(nn.Linear(4, 8), nn.Tanh()), nn.Linear(8, 1)
opt = torch.optim.Adam([*a.parameters(), *b.parameters()], lr=1e-2)
for i in range(3):
    h = checkpoint(a, torch.randn(6, 4), use_reentrant=False)
    opt.zero_grad()
    b(h).pow(2).mean().backward()
    opt.step()

# %% a hook that scales gradients
#: thread: forum, PyTorch forums: register_hook to scale the gradient
body, head = nn.Linear(4, 6), nn.Linear(6, 1)
for p in body.parameters():
    p.register_hook(lambda g: 0.1 * g)
opt = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
for i in range(3):
    opt.zero_grad()
    head(torch.tanh(body(torch.randn(8, 4)))).pow(2).mean().backward()
    opt.step()

# %% a hook masks some words of an embedding
#: thread: forum, PyTorch forums: freeze part of an embedding
emb, out = nn.Embedding(6, 4), nn.Linear(4, 2)
mask = torch.ones(6, 1)
mask[:2] = 0
emb.weight.register_hook(lambda g: g * mask)
opt = torch.optim.SGD([*emb.parameters(), *out.parameters()], lr=0.1)
for i in range(3):
    loss = F.cross_entropy(out(emb(torch.randint(0, 6, (8,)))), torch.randint(0, 2, (8,)))
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a padding index
#: thread: forum, PyTorch forums: padding_idx
emb, rnn, out = nn.Embedding(8, 4, padding_idx=0), nn.GRU(4, 5, batch_first=True), nn.Linear(5, 2)
opt = torch.optim.Adam([p for m in (emb, rnn, out) for p in m.parameters()], lr=1e-2)
for i in range(3):
    x = torch.tensor([[1, 2, 3, 0, 0], [4, 5, 6, 7, 0]])
    _, h = rnn(emb(x))
    opt.zero_grad()
    F.cross_entropy(out(h[-1]), torch.tensor([0, 1])).backward()
    opt.step()

# %% the accuracy is computed with argmax beside the loss
#: thread: forum, PyTorch forums: My encoder is not trained but the decoder is
enc, dec = nn.Linear(6, 4), nn.Linear(4, 3)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=1e-2)
for i in range(3):
    x, y = torch.randn(12, 6), torch.randint(0, 3, (12,))
    logits = dec(torch.relu(enc(x)))
    hits = (logits.argmax(1) == y).sum().item()
    loss = F.cross_entropy(logits, y)
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a detached copy for a log
#: thread: forum, PyTorch forums: detach for plotting
net = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
history = []
for i in range(4):
    x = torch.randn(10, 3)
    out = net(x)
    loss = F.mse_loss(out, x.sum(1, keepdim=True))
    opt.zero_grad()
    loss.backward()
    opt.step()
    history.append((loss.detach(), out.detach().mean().numpy()))

# %% hidden features for a second look
#: thread: forum, PyTorch forums: forward hooks to get features
net = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 2))
seen = {}
net[1].register_forward_hook(lambda m, i, o: seen.update(feat=o.detach()))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    opt.zero_grad()
    F.cross_entropy(net(torch.randn(6, 4)), torch.randint(0, 2, (6,))).backward()
    opt.step()
print(seen["feat"].shape)

# %% the same graph is walked twice on purpose
#: thread: forum, PyTorch forums: Jacobian row by row
x = torch.randn(3, requires_grad=True)
y = torch.stack([x.prod(), (x**2).sum(), x.exp().sum()])
rows = [torch.autograd.grad(y[i], x, retain_graph=True)[0] for i in range(3)]
print(torch.stack(rows).shape)

# %% a Hessian with create_graph
#: thread: forum, Stack Overflow: second derivative in PyTorch
x = torch.tensor([1.0, 2.0], requires_grad=True)
f = (x[0] ** 2 * x[1] + x[1] ** 3)
(g,) = torch.autograd.grad(f, x, create_graph=True)
h = torch.stack([torch.autograd.grad(g[i], x, retain_graph=True)[0] for i in range(2)])
print(h)

# %% a physics-informed network
#: thread: forum, PyTorch forums: PINN, derivative of the output with respect to the input
net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for i in range(3):
    t = torch.rand(10, 1, requires_grad=True)
    u = net(t)
    du = torch.autograd.grad(u.sum(), t, create_graph=True)[0]
    ddu = torch.autograd.grad(du.sum(), t, create_graph=True)[0]
    loss = (ddu + u).pow(2).mean() + (net(torch.zeros(1, 1)) - 1).pow(2).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% gradient norms as a measure only
#: thread: forum, PyTorch forums: influence of the inputs, no create_graph needed
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    x = torch.randn(6, 3, requires_grad=True)
    loss = net(x).pow(2).mean()
    g = torch.autograd.grad(loss, x, retain_graph=True)[0].norm().item()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(round(g, 4) > 0)

# %% elastic weight consolidation
#: thread: forum, PyTorch forums: EWC in PyTorch
net = nn.Linear(4, 2)
F.cross_entropy(net(torch.randn(8, 4)), torch.randint(0, 2, (8,))).backward()
fisher = {n: p.grad.detach() ** 2 for n, p in net.named_parameters()}
old = {n: p.detach().clone() for n, p in net.named_parameters()}
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    loss = F.cross_entropy(net(torch.randn(8, 4)), torch.randint(0, 2, (8,)))
    loss = loss + 10 * sum((fisher[n] * (p - old[n]) ** 2).sum() for n, p in net.named_parameters())
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% L1 and L2 by hand
#: thread: forum, Stack Overflow: adding L1 regularization in PyTorch
net = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for i in range(4):
    loss = F.mse_loss(net(torch.randn(8, 4)), torch.randn(8, 1))
    loss = loss + 1e-3 * sum(p.abs().sum() for p in net.parameters()) + 1e-3 * sum(p.pow(2).sum() for p in net.parameters())
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% in-place activations that may be in place
#: thread: issue, osmr/imgclsmob: Inplace ReLU's are unnecessary and wrong
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(inplace=True), nn.Conv2d(4, 2, 3), nn.ReLU(inplace=True), nn.Flatten(), nn.Linear(32, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for i in range(3):
    opt.zero_grad()
    F.cross_entropy(net(torch.randn(6, 1, 8, 8)), torch.randint(0, 2, (6,))).backward()
    opt.step()

# %% a residual sum in place where nothing keeps it
#: thread: issue, charlesCXK/RGBD_Semantic_Segmentation_PyTorch: modified by an inplace operation
a, b = nn.Linear(4, 4), nn.Linear(4, 4)
x = torch.randn(5, 4)
out = a(x)
out += b(x)
F.relu(out).sum().backward()

# %% outputs are written into a fresh tensor
#: thread: forum, PyTorch forums: RNN cell, in-place assignment into a preallocated tensor
lin = nn.Linear(3, 2)
x = torch.randn(4, 3)
out = torch.zeros(4, 2)
for i in range(4):
    out[i] = lin(x[i])
out.pow(2).mean().backward()

# %% a buffer is updated in forward
#: thread: forum, PyTorch forums: running mean as a buffer
class Center(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("mean", torch.zeros(n))
        self.scale = nn.Parameter(torch.ones(n))

    def forward(self, x):
        if self.training:
            self.mean = 0.9 * self.mean + 0.1 * x.detach().mean(0)
        return (x - self.mean) * self.scale

net = Center(3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(4):
    opt.zero_grad()
    net(torch.randn(8, 3) + 1).pow(2).mean().backward()
    opt.step()

# %% doubles everywhere
#: thread: issue, pytorch/pytorch: Type Conversions
torch.set_default_dtype(torch.float64)
X = torch.from_numpy(np.linspace(0, 1, 12).reshape(6, 2))
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    opt.zero_grad()
    net(X).pow(2).mean().backward()
    opt.step()

# %% double weights of a tensor that is converted first
#: thread: forum, PyTorch forums: Input gradient is None after .to(device)
x = torch.rand(3).to(torch.float64).requires_grad_()
(x**2).sum().backward()
print(x.grad.dtype)

# %% an error that is caught on purpose
#: thread: tutorial, automatic differentiation: errors
w = torch.tensor([1.0, 2.0], requires_grad=True)
try:
    (w * 2).backward()
except RuntimeError as error:
    print(str(error)[:20])
(w * 2).sum().backward()

# %% retain_grad of an intermediate
#: thread: forum, Stack Overflow: Why is x.grad None after backward although requires_grad=True
x = torch.randn(3, requires_grad=True)
y = x * 10
y.retain_grad()
(y**2).sum().backward()
print(y.grad.shape, x.grad.shape)

# %% k-means under no_grad
#: thread: forum, PyTorch forums: k-means in PyTorch
with torch.no_grad():
    x = torch.randn(30, 2)
    c = x[:3].clone()
    for i in range(4):
        idx = torch.cdist(x, c).argmin(1)
        c = torch.stack([x[idx == k].mean(0) if (idx == k).any() else c[k] for k in range(3)])
print(c.shape)

# %% matrix factorisation with two embeddings
#: thread: forum, PyTorch forums: matrix factorization
u, v = nn.Embedding(6, 3), nn.Embedding(5, 3)
opt = torch.optim.SparseAdam([*u.parameters(), *v.parameters()]) if False else torch.optim.Adam([*u.parameters(), *v.parameters()], lr=1e-2)
for i in range(4):
    a, b, r = torch.randint(0, 6, (8,)), torch.randint(0, 5, (8,)), torch.rand(8)
    loss = F.mse_loss((u(a) * v(b)).sum(1), r)
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a graph convolution with a fixed adjacency
#: thread: issue, pytorch/examples: gcn
adj = torch.eye(6) + (torch.rand(6, 6) > 0.6).float()
adj = adj / adj.sum(1, keepdim=True)
w1, w2 = nn.Linear(4, 8, bias=False), nn.Linear(8, 3, bias=False)
opt = torch.optim.Adam([*w1.parameters(), *w2.parameters()], lr=1e-2, weight_decay=5e-4)
x, y, known = torch.randn(6, 4), torch.randint(0, 3, (6,)), torch.tensor([0, 1, 2])
for i in range(4):
    out = F.log_softmax(adj @ w2(F.dropout(F.relu(adj @ w1(x)), 0.5, training=True)), dim=1)
    loss = F.nll_loss(out[known], y[known])
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a learned loss weight for each task
#: thread: forum, Stack Overflow: learnable weight of a loss term is never updated
net, s = nn.Linear(3, 2), nn.Parameter(torch.zeros(2))
opt = torch.optim.Adam([*net.parameters(), s], lr=1e-2)
for i in range(4):
    out = net(torch.randn(8, 3))
    losses = torch.stack([out[:, 0].pow(2).mean(), (out[:, 1] - 1).abs().mean()])
    loss = (torch.exp(-s) * losses + s).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% Newton's method by hand
#: thread: tutorial, second-order optimisation
x = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
for i in range(5):
    f = x**4 - 3 * x
    (g,) = torch.autograd.grad(f, x, create_graph=True)
    (h,) = torch.autograd.grad(g, x)
    with torch.no_grad():
        x -= g.detach() / h
print(x.item())

# %% Langevin dynamics adds noise
#: thread: forum, PyTorch forums: SGLD
theta = torch.zeros(2, requires_grad=True)
for i in range(6):
    energy = (theta - 1).pow(2).sum() / 2
    theta.grad = None
    energy.backward()
    with torch.no_grad():
        theta += -0.1 * theta.grad + math.sqrt(0.2) * torch.randn(2)

# %% an RNN that gets its zero state each time
#: thread: issue, jeshraghian/snntorch: Basic S-CNN
lstm, head = nn.LSTM(3, 5, batch_first=True), nn.Linear(5, 1)
opt = torch.optim.Adam([*lstm.parameters(), *head.parameters()], lr=1e-2)
for i in range(3):
    h0 = (torch.zeros(1, 4, 5), torch.zeros(1, 4, 5))
    out, _ = lstm(torch.randn(4, 6, 3), h0)
    opt.zero_grad()
    head(out[:, -1]).pow(2).mean().backward()
    opt.step()

# %% a learned initial state
#: thread: forum, PyTorch forums: learn the initial hidden state
cell, head, h0 = nn.GRUCell(2, 4), nn.Linear(4, 1), nn.Parameter(torch.zeros(1, 4))
opt = torch.optim.Adam([*cell.parameters(), *head.parameters(), h0], lr=1e-2)
for i in range(3):
    h = h0.expand(5, -1)
    for t in range(4):
        h = cell(torch.randn(5, 2), h)
    opt.zero_grad()
    head(h).pow(2).mean().backward()
    opt.step()

# %% the state of a module that is only used to initialise another
#: thread: forum, PyTorch forums: copy the weights of one layer into another
a, b = nn.Linear(3, 3), nn.Linear(3, 3)
b.load_state_dict(a.state_dict())
opt = torch.optim.SGD(b.parameters(), lr=0.1)
for i in range(3):
    opt.zero_grad()
    b(torch.randn(6, 3)).pow(2).mean().backward()
    opt.step()

# %% a loop over layers in a ModuleList
#: thread: issue, pytorch/pytorch: Difference between using a python list and nn.ModuleList
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(4)])
        self.out = nn.Linear(4, 1)

    def forward(self, x):
        for layer in self.layers:
            x = x + torch.tanh(layer(x))
        return self.out(x)

net = Net()
opt = torch.optim.AdamW(net.parameters(), lr=1e-2)
for i in range(3):
    opt.zero_grad()
    net(torch.randn(6, 4)).pow(2).mean().backward()
    opt.step()

# %% an auxiliary head that is switched off late in training
#: thread: forum, PyTorch forums: deep supervision with an auxiliary loss
body, main, aux = nn.Linear(4, 6), nn.Linear(6, 2), nn.Linear(6, 2)
opt = torch.optim.SGD([*body.parameters(), *main.parameters(), *aux.parameters()], lr=0.1)
for i in range(6):
    x, y = torch.randn(8, 4), torch.randint(0, 2, (8,))
    h = torch.relu(body(x))
    loss = F.cross_entropy(main(h), y)
    if i < 4:
        loss = loss + 0.3 * F.cross_entropy(aux(h), y)
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% stochastic depth skips layers
#: thread: forum, PyTorch forums: stochastic depth, some layers have no gradient in some iterations
blocks, out = nn.ModuleList(nn.Linear(4, 4) for _ in range(3)), nn.Linear(4, 1)
opt = torch.optim.Adam([*blocks.parameters(), *out.parameters()], lr=1e-2)
for i in range(6):
    x = torch.randn(8, 4)
    for k, block in enumerate(blocks):
        if (i + k) % 3:
            x = x + torch.tanh(block(x))
    opt.zero_grad()
    out(x).pow(2).mean().backward()
    opt.step()

# %% a learning rate finder raises the rate until the loss grows
#: thread: forum, fast.ai: the learning rate finder
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=1e-4)
x, y = torch.randn(32, 3), torch.randn(32, 1)
rates, losses = [], []
for i in range(12):
    opt.zero_grad()
    loss = F.mse_loss(net(x), y)
    loss.backward()
    opt.step()
    rates.append(opt.param_groups[0]["lr"])
    losses.append(loss.item())
    opt.param_groups[0]["lr"] *= 1.8

# %% a sweep over learning rates makes a model for each
#: thread: issue, source-separation/tutorial: Gradient Descent, Signs of Healthy Training
results = {}
for lr in (0.01, 0.1):
    torch.manual_seed(1)
    net = nn.Linear(2, 1)
    opt = torch.optim.SGD(net.parameters(), lr=lr)
    for i in range(4):
        opt.zero_grad()
        loss = F.mse_loss(net(torch.randn(8, 2)), torch.zeros(8, 1))
        loss.backward()
        opt.step()
    results[lr] = loss.item()
print(results)

# %% batches are moved to the device
#: thread: forum, Stack Overflow: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 2).to(device)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    x, y = torch.randn(6, 3).to(device), torch.randint(0, 2, (6,)).to(device)
    opt.zero_grad()
    F.cross_entropy(net(x), y).backward()
    opt.step()

# %% batches are made and cast by the types of the device
#: thread: example, eriklindernoren/PyTorch-GAN: wgan_gp.py
cuda = torch.cuda.is_available()
Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor
net = nn.Linear(3, 2)
if cuda:
    net.cuda()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(5):
    x, y = Tensor(np.random.normal(0, 1, (6, 3))), torch.randn(6, 2).type(Tensor)
    opt.zero_grad()
    ((net(x) - y) ** 2).mean().backward()
    opt.step()

# %% a model that is moved to the CPU
#: thread: tutorial, devices: .to("cpu")
device = torch.device("cpu")
net = nn.Linear(3, 2).to(device)
net(torch.randn(4, 3)).sum().backward()

# %% data are put on the device where they are made, by a class of tensors
#: thread: example, deeplearningzerotoall/PyTorch: XOR on the device, with torch.FloatTensor
device = "cuda" if torch.cuda.is_available() else "cpu"
X = torch.FloatTensor([[0, 0], [0, 1], [1, 0], [1, 1]]).to(device)
Y = torch.FloatTensor([[0], [1], [1], [0]]).to(device)
linear, sigmoid = torch.nn.Linear(2, 1, bias=True), torch.nn.Sigmoid()
model = torch.nn.Sequential(linear, sigmoid).to(device)
criterion = torch.nn.BCELoss().to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=1)
for step in range(20):
    optimizer.zero_grad()
    cost = criterion(model(X), Y)
    cost.backward()
    optimizer.step()

# %% a batch of a class of its own knows how to get to the device
#: thread: example, programs with a graph library, whose batches have a method `to`
class Batch(tuple):
    def to(self, device):
        return Batch(t.to(device) for t in self)

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 2).to(device)
optimizer = torch.optim.Adam(net.parameters())
for _ in range(3):
    batch = Batch((torch.randn(4, 3), torch.randint(0, 2, (4,)))).to(device)
    optimizer.zero_grad()
    F.cross_entropy(net(batch[0]), batch[1]).backward()
    optimizer.step()

# %% data are made on the device
#: thread: forum, PyTorch forums: torch.randn(..., device=device)
device = "cuda" if torch.cuda.is_available() else "cpu"
net = nn.Linear(3, 2).to(device)
x = torch.randn(4, 3, device=device)
net(x).pow(2).mean().backward()

# %% a function moves whole batches
#: thread: issue, meta-pytorch/tnt: copy_data_to_device
def to_device(batch, device):
    return {key: value.to(device) for key, value in batch.items()}

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 1)
net.to(device)
batch = to_device({"x": torch.randn(5, 3), "y": torch.randn(5, 1)}, device)
F.mse_loss(net(batch["x"]), batch["y"]).backward()

# %% the state is kept for a second network
#: thread: forum, PyTorch forums: load_state_dict of a target network in a loop
net, target = nn.Linear(3, 1), nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(4):
    opt.zero_grad()
    net(torch.randn(6, 3)).pow(2).mean().backward()
    opt.step()
    state = net.state_dict()
    target.load_state_dict(state)
print(torch.equal(net.weight, target.weight))

# %% the Brier score of a forecast is only reported
#: thread: forum, Cross Validated: Brier score and cross entropy
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(16, 3)
y = (x[:, :1] > 0).float()
for i in range(4):
    logits = net(x)
    opt.zero_grad()
    F.binary_cross_entropy_with_logits(logits, y).backward()
    opt.step()
    with torch.no_grad():
        print(F.mse_loss(torch.sigmoid(logits), y).item())

# %% the shapes of a network are looked at first
#: thread: tutorial, MNIST CNN: torch.Tensor(1, 1, 8, 8) to see the shapes
net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(72, 3))
print(net(torch.Tensor(1, 1, 8, 8)).shape)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    opt.zero_grad()
    F.cross_entropy(net(torch.randn(5, 1, 8, 8)), torch.randint(0, 3, (5,))).backward()
    opt.step()

# %% a recurrent network of one layer is given dropout
#: thread: issue, graykode/nlp-tutorial: Seq2Seq with dropout=0.5
rnn, out = nn.RNN(4, 5, dropout=0.5), nn.Linear(5, 2)
opt = torch.optim.Adam([*rnn.parameters(), *out.parameters()], lr=1e-2)
for i in range(3):
    _, h = rnn(torch.randn(6, 3, 4))
    opt.zero_grad()
    F.cross_entropy(out(h[-1]), torch.randint(0, 2, (3,))).backward()
    opt.step()

# %% two networks of one class, one of which leaves a layer out
#: thread: tutorial, batch normalization: a network with and one without
class Net(nn.Module):
    def __init__(self, normalise):
        super().__init__()
        self.normalise, self.norm, self.fc = normalise, nn.LayerNorm(3), nn.Linear(3, 1)

    def forward(self, x):
        return self.fc(self.norm(x) if self.normalise else x)

nets = [Net(False), Net(True)]
opts = [torch.optim.Adam(net.parameters(), lr=1e-2) for net in nets]
for i in range(3):
    x, y = torch.randn(8, 3), torch.randn(8, 1)
    for net, opt in zip(nets, opts):
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()

# %% a learned alignment where retain_graph is a habit
#: thread: tutorial, GAN from scratch: D_loss.backward(retain_graph=True)
G, D = nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1), nn.Sigmoid())
og, od = torch.optim.Adam(G.parameters()), torch.optim.Adam(D.parameters())
for i in range(3):
    fake = G(torch.randn(6, 2))
    og.zero_grad()
    torch.log(1 - D(fake)).mean().backward()
    og.step()
    d_loss = -(torch.log(D(torch.randn(6, 3))) + torch.log(1 - D(fake.detach()))).mean()
    od.zero_grad()
    d_loss.backward(retain_graph=True)
    od.step()
