"""Programs as people write them, for the rolled view: training loops of many kinds."""

from __future__ import annotations

SCRIPT = """
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import TensorDataset, DataLoader

torch.manual_seed(0)

class Head(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(1))
        self.temperature = nn.Parameter(torch.ones(1))
        self.out = nn.Linear(width, 1)

    def forward(self, h):
        return self.out(torch.tanh(h * self.scale))

class Net(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.fc1 = nn.Linear(8, width)
        self.bn1 = nn.BatchNorm1d(width)
        self.fc2 = nn.Linear(width, width)
        self.head = Head(width)

    def forward(self, x):
        x = torch.relu(self.bn1(self.fc1(x)))
        x = torch.relu(self.fc2(x))
        return self.head(x)

X = torch.randn(256, 8)
y = X[:, 0] * 2 - X[:, 1] + 0.1 * torch.randn(256)
loader = DataLoader(TensorDataset(X, y), batch_size=32, shuffle=True)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=50, gamma=0.5)
losses = []

step = 0
while step < 40:
    for bx, by in loader:
        prediction = model(bx)
        loss = F.mse_loss(prediction, by)
        if step == 27:
            loss = loss + torch.log(bx[0, 1] - 100)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
        if step % 20 == 0:
            print(step, loss.item())
        step += 1
        if step >= 40:
            break
print(sum(losses) / len(losses))
"""
"""Batches from a loader, batch normalisation, a schedule; in one iteration the loss becomes NaN by an operation of its own."""

RNN = """
import torch
torch.manual_seed(0)
W = torch.randn(3, 8, requires_grad=True)
U = (torch.randn(8, 8) * 0.3).requires_grad_()
b = torch.zeros(8, requires_grad=True)
V = torch.randn(8, 1, requires_grad=True)
x = torch.randn(12, 4, 3)
y = torch.randn(12, 4, 1)
lr = 0.01
for epoch in range(10):
    h = torch.zeros(4, 8)
    loss = 0
    for t in range(12):
        h = torch.tanh(x[t] @ W + h @ U + b)
        out = h @ V
        loss = loss + ((out - y[t]) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        for p in (W, U, b, V):
            p -= lr * p.grad
            p.grad = None
    print(epoch, loss.item())
"""
"""Time steps in epochs, and updates by hand."""

GPT = """
import math
import torch
from torch import nn
from torch.nn import functional as F
torch.manual_seed(1)
LAYERS = 2

class CausalSelfAttention(nn.Module):
    def __init__(self, d, heads, block):
        super().__init__()
        self.c_attn = nn.Linear(d, 3 * d)
        self.c_proj = nn.Linear(d, d)
        self.attn_dropout = nn.Dropout(0.1)
        self.resid_dropout = nn.Dropout(0.1)
        self.register_buffer("bias", torch.tril(torch.ones(block, block)).view(1, 1, block, block))
        self.n_head, self.n_embd = heads, d

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.bias[:, :, :T, :T] == 0, float("-inf"))
        att = F.softmax(att, dim=-1)
        att = self.attn_dropout(att)
        y = att @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.resid_dropout(self.c_proj(y))

class NewGELU(nn.Module):
    def forward(self, x):
        return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))

class Block(nn.Module):
    def __init__(self, d, heads, block):
        super().__init__()
        self.ln_1 = nn.LayerNorm(d)
        self.attn = CausalSelfAttention(d, heads, block)
        self.ln_2 = nn.LayerNorm(d)
        self.mlp = nn.ModuleDict(dict(
            c_fc=nn.Linear(d, 4 * d), c_proj=nn.Linear(4 * d, d), act=NewGELU(), dropout=nn.Dropout(0.1)))
        m = self.mlp
        self.mlpf = lambda x: m.dropout(m.c_proj(m.act(m.c_fc(x))))

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        x = x + self.mlpf(self.ln_2(x))
        return x

class GPT(nn.Module):
    def __init__(self, vocab, d=32, heads=4, block=16, layers=LAYERS):
        super().__init__()
        self.block_size = block
        self.transformer = nn.ModuleDict(dict(
            wte=nn.Embedding(vocab, d), wpe=nn.Embedding(block, d), drop=nn.Dropout(0.1),
            h=nn.ModuleList([Block(d, heads, block) for _ in range(layers)]), ln_f=nn.LayerNorm(d)))
        self.lm_head = nn.Linear(d, vocab, bias=False)
        self.apply(self._init_weights)
        for pn, p in self.named_parameters():
            if pn.endswith("c_proj.weight"):
                torch.nn.init.normal_(p, mean=0.0, std=0.02 / math.sqrt(2 * layers))

    def _init_weights(self, module):
        if isinstance(module, nn.Linear):
            torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)
            if module.bias is not None:
                torch.nn.init.zeros_(module.bias)
        elif isinstance(module, nn.Embedding):
            torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)
        elif isinstance(module, nn.LayerNorm):
            torch.nn.init.zeros_(module.bias)
            torch.nn.init.ones_(module.weight)

    def configure_optimizers(self):
        decay, no_decay = [], []
        for mn, m in self.named_modules():
            for pn, p in m.named_parameters(recurse=False):
                (decay if p.dim() >= 2 else no_decay).append(p)
        return torch.optim.AdamW([{"params": decay, "weight_decay": 0.1}, {"params": no_decay, "weight_decay": 0.0}],
                                 lr=3e-3, betas=(0.9, 0.95))

    def forward(self, idx, targets=None):
        b, t = idx.size()
        pos = torch.arange(0, t, dtype=torch.long).unsqueeze(0)
        tok_emb = self.transformer.wte(idx)
        pos_emb = self.transformer.wpe(pos)
        x = self.transformer.drop(tok_emb + pos_emb)
        for block in self.transformer.h:
            x = block(x)
        x = self.transformer.ln_f(x)
        logits = self.lm_head(x)
        loss = None
        if targets is not None:
            loss = F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1)
        return logits, loss

    @torch.no_grad()
    def generate(self, idx, n):
        for _ in range(n):
            idx_cond = idx if idx.size(1) <= self.block_size else idx[:, -self.block_size:]
            logits, _ = self(idx_cond)
            logits = logits[:, -1, :]
            probs = F.softmax(logits, dim=-1)
            idx_next = torch.multinomial(probs, num_samples=1)
            idx = torch.cat((idx, idx_next), dim=1)
        return idx

text = "to be or not to be that is the question whether tis nobler in the mind to suffer " * 4
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
data = torch.tensor([stoi[c] for c in text])
model = GPT(len(chars))
optimizer = model.configure_optimizers()
model.train()
for it in range(3):
    ix = torch.randint(len(data) - 17, (4,))
    x = torch.stack([data[i:i + 16] for i in ix])
    y = torch.stack([data[i + 1:i + 17] for i in ix])
    logits, loss = model(x, y)
    model.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    print(it, loss.item())
model.eval()
out = model.generate(torch.zeros((1, 1), dtype=torch.long), 6)
print("".join(chars[i] for i in out[0].tolist()))
"""
"""A transformer of two blocks, initialised by a method of its own, trained with clipping; then it generates."""

WGAN = """
import torch
from torch import nn
torch.manual_seed(0)
G = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2))
D = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
opt_g = torch.optim.Adam(G.parameters(), lr=1e-3, betas=(0.5, 0.9))
opt_d = torch.optim.Adam(D.parameters(), lr=1e-3, betas=(0.5, 0.9))

def gradient_penalty(D, real, fake):
    eps = torch.rand(real.size(0), 1)
    mix = (eps * real + (1 - eps) * fake).requires_grad_(True)
    score = D(mix)
    grad = torch.autograd.grad(score, mix, torch.ones_like(score), create_graph=True, retain_graph=True)[0]
    return ((grad.norm(2, dim=1) - 1) ** 2).mean()

for step in range(6):
    for _ in range(3):
        real = torch.randn(8, 2) + 3
        z = torch.randn(8, 2)
        fake = G(z).detach()
        d_loss = D(fake).mean() - D(real).mean() + 10 * gradient_penalty(D, real, fake)
        opt_d.zero_grad()
        d_loss.backward()
        opt_d.step()
    z = torch.randn(8, 2)
    g_loss = -D(G(z)).mean()
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()
    print(step, d_loss.item(), g_loss.item())
"""
"""Two optimizers, and a gradient penalty (`create_graph`)."""

MAML = """
import torch
import torch.nn.functional as F
torch.manual_seed(0)
W1 = (torch.randn(16, 1) * 0.5).requires_grad_()
b1 = torch.zeros(16, requires_grad=True)
W2 = (torch.randn(1, 16) * 0.5).requires_grad_()
b2 = torch.zeros(1, requires_grad=True)
params = [W1, b1, W2, b2]
meta = torch.optim.SGD(params, lr=0.01)

def net(x, params):
    w1, b1, w2, b2 = params
    return F.linear(torch.tanh(F.linear(x, w1, b1)), w2, b2)

for it in range(5):
    meta_loss = 0
    for task in range(3):
        amp = torch.rand(1) * 4 + 1
        x = torch.randn(10, 1)
        y = amp * torch.sin(x)
        fast = params
        for k in range(2):
            inner = F.mse_loss(net(x, fast), y)
            grads = torch.autograd.grad(inner, fast, create_graph=True)
            fast = [p - 0.05 * g for p, g in zip(fast, grads)]
        xq = torch.randn(10, 1)
        meta_loss = meta_loss + F.mse_loss(net(xq, fast), amp * torch.sin(xq))
    meta.zero_grad()
    meta_loss.backward()
    meta.step()
    print(it, meta_loss.item())
"""
"""An inner loop whose steps are differentiated."""

ACCUMULATION = """
import torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
X, Y = torch.randn(64, 4), torch.randn(64, 1)
for i, (x, y) in enumerate(zip(X.split(4), Y.split(4))):
    loss = ((model(x) - y) ** 2).mean() / 4
    loss.backward()
    if (i + 1) % 4 == 0:
        opt.step()
        opt.zero_grad()
"""
"""Gradients accumulate over four batches."""

CHAIN_OF_WEIGHTS = """
import torch
torch.manual_seed(0)
Ws = [torch.randn(4, 4, requires_grad=True) for _ in range(12)]
h = torch.ones(1, 4)
for W in Ws:
    h = torch.tanh(h @ W)
h.sum().backward()
"""
"""Depth without modules."""

ENSEMBLE = """
import torch
from torch import nn
torch.manual_seed(0)
models = [nn.Linear(3, 1) for _ in range(5)]
x = torch.randn(8, 3)
y = torch.randn(8, 1)
opt = torch.optim.SGD([p for m in models for p in m.parameters()], lr=0.1)
for step in range(10):
    total = 0
    for m in models:
        total = total + ((m(x) - y) ** 2).mean()
    opt.zero_grad()
    total.backward()
    opt.step()
"""
"""Five models, each with parameters of its own."""

GENERATION = """
import torch
from torch import nn
torch.manual_seed(0)
emb = nn.Embedding(10, 8)
rnn = nn.GRUCell(8, 16)
head = nn.Linear(16, 10)
params = [*emb.parameters(), *rnn.parameters(), *head.parameters()]
opt = torch.optim.Adam(params, lr=0.01)
data = torch.randint(0, 10, (4, 9))
for epoch in range(5):
    h = torch.zeros(4, 16)
    loss = 0
    for t in range(8):
        h = rnn(emb(data[:, t]), h)
        loss = loss + nn.functional.cross_entropy(head(h), data[:, t + 1])
    opt.zero_grad()
    loss.backward()
    opt.step()
    acc = (head(h).argmax(1) == data[:, 8]).float().mean()
    print(epoch, loss.item(), acc.item())
with torch.no_grad():
    h = torch.zeros(1, 16)
    token = torch.tensor([0])
    for _ in range(12):
        h = rnn(emb(token), h)
        token = torch.multinomial(torch.softmax(head(h), -1), 1)[:, 0]
        print(token.item())
"""
"""Time steps, a metric, and generation after training."""

NESTED = """
import torch
from torch import nn
torch.manual_seed(0)
class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.ih = nn.Linear(3, 6)
        self.hh = nn.Linear(6, 6, bias=False)
    def forward(self, x, h):
        return torch.tanh(self.ih(x) + self.hh(h))
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = Cell()
        self.out = nn.Linear(6, 1)
    def forward(self, x):
        h = torch.zeros(x.size(0), 6)
        for t in range(x.size(1)):
            h = self.cell(x[:, t], h)
        return self.out(h)
model = Model()
opt = torch.optim.RMSprop(model.parameters(), lr=0.01)
X, Y = torch.randn(16, 5, 3), torch.randn(16, 1)
for epoch in range(4):
    model.train()
    for i in range(0, 16, 4):
        loss = nn.functional.mse_loss(model(X[i:i+4]), Y[i:i+4])
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
    model.eval()
    with torch.no_grad():
        val = nn.functional.mse_loss(model(X), Y)
        print(epoch, loss.item(), val.item())
"""
"""Epochs, batches, time steps; clipping; evaluation."""

RECURSION = """
import torch
torch.manual_seed(0)
W = (torch.randn(4, 8) * 0.4).requires_grad_()
def tree(depth):
    if depth == 0:
        return torch.randn(4)
    left = tree(depth - 1)
    right = tree(depth - 1)
    return torch.tanh(W @ torch.cat([left, right]))
opt = torch.optim.SGD([W], lr=0.1)
for step in range(4):
    loss = tree(4).pow(2).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""
"""A function that calls itself twice."""

REINFORCE = """
import torch
from torch import nn
torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
for episode in range(6):
    state = torch.randn(4)
    log_probs, rewards = [], []
    for t in range(8 + episode % 3):
        logits = policy(state)
        probs = torch.softmax(logits, dim=-1)
        action = torch.multinomial(probs, 1).item()
        log_probs.append(torch.log(probs[action]))
        state = 0.9 * state + 0.1 * torch.randn(4) + (action - 0.5)
        rewards.append(float(-state.abs().sum()))
    returns, R = [], 0.0
    for r in reversed(rewards):
        R = r + 0.99 * R
        returns.insert(0, R)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + 1e-6)
    loss = -(torch.stack(log_probs) * returns).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(episode, loss.item())
"""
"""Episodes of different length."""

MOVING_AVERAGE = """
import copy
import torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))
teacher = copy.deepcopy(model)
for p in teacher.parameters():
    p.requires_grad_(False)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
X = torch.randn(40, 2)
Y = (X[:, 0] > 0).long()
for epoch in range(12):
    out = model(X)
    with torch.no_grad():
        target = teacher(X)
    loss = criterion(out, Y) + 0.1 * nn.functional.mse_loss(out, target)
    acc = (out.argmax(1) == Y).float().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for p, q in zip(model.parameters(), teacher.parameters()):
            q.mul_(0.99).add_(p, alpha=0.01)
    print(epoch, float(loss), float(acc))
"""
"""A teacher that follows the model."""

PROGRAMS = {
    "script": SCRIPT,
    "rnn": RNN,
    "gpt": GPT,
    "wgan": WGAN,
    "maml": MAML,
    "accumulation": ACCUMULATION,
    "chain of weights": CHAIN_OF_WEIGHTS,
    "ensemble": ENSEMBLE,
    "generation": GENERATION,
    "nested": NESTED,
    "recursion": RECURSION,
    "reinforce": REINFORCE,
    "moving average": MOVING_AVERAGE,
}
