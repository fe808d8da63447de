"""NaN, infinities and what they come from, as people ask about them."""
#: thread: where people asked, and how they called it
#: cause: the kinds of findings that name the cause
#: shows?: true after the broken program, false after the mended one
#: raises?: how the broken program ends
#: missed?: why it is not found today

import copy, math; import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)

# %% cross entropy by hand takes log of zero
#: thread: issue, maudzung/RTM3D: Nan loss occurs while training
#: cause: nan, inf
#: shows: not math.isfinite(loss.item())
net = nn.Linear(3, 1)
x, y = torch.randn(8, 3) * 400, torch.ones(8, 1)
y[:4] = 0
pred = torch.sigmoid(net(x))
loss = -(y * torch.log(pred) + (1 - y) * torch.log(1 - pred)).mean()  # <- -
# + loss = F.binary_cross_entropy_with_logits(net(x), y)
loss.backward()

# %% softmax and log by hand
#: thread: forum, Stack Overflow: PyTorch loss is nan after some epochs with my own softmax
#: cause: nan, inf
#: shows: bool(torch.isnan(loss))
W = torch.randn(4, 3, requires_grad=True)
x, y = torch.randn(6, 4) * 60, torch.randint(0, 3, (6,))
logits = x @ W
# + logits = logits - logits.max(1, keepdim=True).values
e = torch.exp(logits)  # <-
probs = e / e.sum(1, keepdim=True)
loss = -torch.log(probs[torch.arange(6), y] + 1e-9).mean()
loss.backward()

# %% the gradient of a norm at zero
#: thread: issue, pytorch/pytorch: Gradient of zero norm is nan
#: cause: nan_gradient
#: shows: bool(torch.isnan(w.grad).any())
w = torch.zeros(3, requires_grad=True)
x = torch.randn(5, 3)
d = (x * w).pow(2).sum(1)
dist = torch.sqrt(d)  # <- -
# + dist = torch.sqrt(d + 1e-12)
loss = dist.mean()
loss.backward()

# %% distance of a point to itself
#: thread: issue, open-mmlab/mmrotate: [BUG] Gaussian distance/divergence losses grad nan issue
#: cause: nan_gradient
#: shows: bool(torch.isnan(emb.weight.grad).any())
emb = nn.Embedding(5, 4)
z = emb(torch.tensor([0, 1, 2, 3]))
diff = z.unsqueeze(0) - z.unsqueeze(1)
# + eye = torch.eye(4, dtype=torch.bool)
dist = (diff**2).sum(-1).sqrt()  # <- -
# + dist = ((diff**2).sum(-1) + eye.float()).sqrt()
loss = torch.exp(-dist).sum()
loss.backward()

# %% the unused branch of where
#: thread: issue, pytorch/pytorch: torch.where produces nan gradients for the branch that is not taken
#: cause: nan_gradient
#: shows: bool(torch.isnan(x.grad).any())
x = torch.tensor([-1.0, 0.0, 4.0], requires_grad=True)
safe = torch.where(x > 0, torch.sqrt(x), torch.zeros(3))  # <- -
# + safe = torch.where(x > 0, torch.sqrt(torch.where(x > 0, x, torch.ones(3))), torch.zeros(3))
safe.sum().backward()

# %% a fully masked row
#: thread: forum, PyTorch forums: NaN in attention when a sequence is all padding
#: cause: nan
#: shows: bool(torch.isnan(out).any())
proj = nn.Linear(4, 4)
x = torch.randn(2, 3, 4)
mask = torch.tensor([[1, 1, 0], [0, 0, 0]]).bool()
q = proj(x)
scores = q @ q.transpose(1, 2) / 2
scores = scores.masked_fill(~mask[:, None, :], float("-inf"))  # <- -
# + scores = scores.masked_fill(~mask[:, None, :], -1e9)
out = torch.softmax(scores, dim=-1) @ q  # <-
out.sum().backward()

# %% standard deviation of a batch of one
#: thread: forum, Stack Overflow: torch.std returns nan for batch size 1
#: cause: nan
#: shows: bool(torch.isnan(loss))
lin = nn.Linear(4, 3)
feats = lin(torch.randn(1, 4))
mean, std = feats.mean(dim=0), feats.std(dim=0)  # <- -
# + mean, std = feats.mean(dim=0), feats.std(dim=0, unbiased=False)
loss = ((feats - mean) / (std + 1e-5)).pow(2).sum() + std.sum()
loss.backward()

# %% arccos of exactly one
#: thread: issue, ronghuaiyang/arcface-pytorch: Request to avoid loss to NaN
#: cause: inf_gradient, nan_gradient
#: shows: not bool(torch.isfinite(weight.grad).all())
weight = torch.tensor([[1.0, 0.0], [0.6, 0.8]], requires_grad=True)
x = torch.tensor([[1.0, 0.0], [0.6, -0.8]])
cosine = F.normalize(x) @ F.normalize(weight).t()
# + cosine = cosine.clamp(-1 + 1e-6, 1 - 1e-6)
sine = torch.sqrt(1.0 - torch.pow(cosine, 2))  # <- -
# + sine = torch.sqrt((1.0 - torch.pow(cosine, 2)).clamp(1e-6, 1))
phi = cosine * math.cos(0.5) - sine * math.sin(0.5)
loss = F.cross_entropy(30 * phi, torch.tensor([0, 1]))
loss.backward()

# %% focal loss with a gamma below one
#: thread: issue, kornia/kornia: NaN gradients on backward pass with focal loss
#: cause: nan_gradient, inf_gradient
#: shows: not bool(torch.isfinite(prediction.grad).all())
prediction = torch.tensor([[-100.0, -100.0, 100.0, 100.0]], requires_grad=True)
target = torch.tensor([[0.0, 1.0, 0.0, 1.0]])
probs = torch.sigmoid(prediction)
eps, gamma = 1e-8, 0.5
# + eps = 1e-3
pos = torch.pow(1.0 - probs, gamma) * target * torch.log(probs + eps)  # <- -
# + pos = torch.pow(1.0 - probs + eps, gamma) * target * torch.log(probs + eps)
neg = torch.pow(probs, gamma) * (1.0 - target) * torch.log(1.0 - probs + eps)  # <- -
# + neg = torch.pow(probs + eps, gamma) * (1.0 - target) * torch.log(1.0 - probs + eps)
loss = -(pos + neg).mean()
loss.backward()

# %% division by a count that is zero
#: thread: issue, NVIDIA/apex: ZeroDivisionError: float division by zero
#: cause: nan
#: shows: bool(torch.isnan(loss))
model = nn.Linear(4, 2)
x, valid = torch.randn(6, 4), torch.zeros(6)
per_item = model(x).pow(2).mean(1)
loss = (per_item * valid).sum() / valid.sum()  # <- -
# + loss = (per_item * valid).sum() / valid.sum().clamp(min=1)
loss.backward()

# %% mean of an empty selection
#: thread: forum, PyTorch forums: loss is nan when no positive sample is in the batch
#: cause: nan
#: shows: bool(torch.isnan(loss))
model = nn.Linear(4, 1)
x, label = torch.randn(6, 4), torch.zeros(6, dtype=torch.bool)
score = model(x).squeeze(1)
pos_loss = F.softplus(-score[label]).mean()  # <- -
# + pos_loss = F.softplus(-score[label]).sum() / max(int(label.sum()), 1)
neg_loss = F.softplus(score[~label]).mean()
loss = pos_loss + neg_loss
loss.backward()

# %% exp overflows in a VAE
#: thread: forum, PyTorch forums: VAE, KL divergence becomes inf
#: cause: inf, nan
#: shows: not math.isfinite(loss.item())
enc = nn.Linear(4, 4)
x = torch.randn(5, 4) * 300
mu, logvar = enc(x).chunk(2, dim=1)
# + logvar = logvar.clamp(-10, 10)
kl = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())  # <-
loss = kl / 5
loss.backward()

# %% cross entropy where every label is ignored
#: thread: forum, Stack Overflow: cross entropy returns nan with ignore_index
#: cause: nan
#: shows: bool(torch.isnan(loss))
model = nn.Linear(4, 3)
labels = torch.full((5,), -100)
logits = model(torch.randn(5, 4))
loss = F.cross_entropy(logits, labels)  # <- -
# + loss = F.cross_entropy(logits, labels, reduction="sum") / max(int((labels != -100).sum()), 1)
loss.backward()

# %% a rate of zero under a logarithm
#: thread: issue, pytorch/pytorch: Prevent numerical issues with poisson_nll_loss when log_input=False
#: cause: inf, nan, inf_gradient, nan_gradient
#: shows: not math.isfinite(loss.item())
param = torch.zeros(1, requires_grad=True)
samples = torch.tensor([3.0, 5.0, 4.0])
loss = (param - samples * torch.log(param)).mean()  # <- -
# + loss = (param - samples * torch.log(param + 1e-8)).mean()
loss.backward()

# %% input data that has a NaN
#: thread: forum, Stack Overflow: PyTorch regression, loss is nan from the first epoch
#: cause: nan, nan_input
#: shows: bool(torch.isnan(loss))
table = np.array([[1.0, 2.0], [np.nan, 0.5], [0.3, 0.1]], dtype=np.float32)
# + table = np.nan_to_num(table)
x = torch.from_numpy(table)  # <-
y = torch.randn(3, 1)
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(3):
    loss = F.mse_loss(model(x), y)  # <-
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% the learning rate is far too high
#: thread: forum, PyTorch forums: Loss becomes nan in linear regression
#: cause: diverging
#: shows: not losses[-1] < losses[0]
x = torch.arange(20.0).unsqueeze(1)
y = 3 * x + 2
model = nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)  # <- -
# + optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
losses = []
for epoch in range(30):
    loss = F.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()  # <-
    optimizer.step()  # <-
    losses.append(loss.item())

# %% the loss is maximised
#: thread: issue, KanishJebaMathewM/Truxify: fix(ml): fix actor loss calculation sign error in PIRL policy gradient
#: cause: diverging, uphill
#: shows: float(q.mean()) < float(first)
#: missed: whether a loss is to rise or to fall is not said anywhere
actor = nn.Linear(3, 2)
critic = lambda a: -(a - 1).pow(2).sum(1)
optimizer = torch.optim.SGD(actor.parameters(), lr=0.2)
states = torch.randn(16, 3)
for i in range(25):
    q = critic(actor(states))
    if i == 0:
        first = q.mean().detach()
    actor_loss = q.mean()  # <- -
    # + actor_loss = -q.mean()
    optimizer.zero_grad()
    actor_loss.backward()  # <-
    optimizer.step()  # <-

# %% log of a variance that becomes negative
#: thread: forum, Stack Overflow: negative log likelihood of a Gaussian returns nan
#: cause: nan
#: shows: bool(torch.isnan(loss))
net = nn.Linear(3, 2)
x, y = torch.randn(10, 3), torch.randn(10)
mu, var = net(x).unbind(1)
# + var = F.softplus(var) + 1e-6
nll = 0.5 * (torch.log(var) + (y - mu) ** 2 / var)  # <-
loss = nll.mean()
loss.backward()

# %% targets that are missing are left out behind the square
#: thread: issue, pytorch/pytorch: Incorrect gradients in NaN-ignoring MSE
#: cause: nan_gradient
#: shows: bool(torch.isnan(model.weight.grad).any())
model = nn.Linear(4, 2)
x, y = torch.randn(8, 4), torch.randn(8, 2)
y[3, 0] = float("nan")
missing = torch.isnan(y)
r = (model(x) - y) ** 2  # <- -
loss = torch.where(missing, torch.zeros_like(r), r).mean()  # -
# + loss = (torch.where(missing, model(x), model(x) - y) * ~missing).pow(2).mean()
loss.backward()
