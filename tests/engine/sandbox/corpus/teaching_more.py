"""Programs as people write them when they teach or learn: more of them, for test_teaching.py."""

# %% a tape by hand with operator overloading
import torch
class Tape:
    current = None
    def __init__(self): self.entries = []
    def __enter__(self):
        Tape.current, self._outer = self, Tape.current
        return self
    def __exit__(self, *exc):
        Tape.current = self._outer
        return False
    def gradient(self, y, xs):
        grads = {id(y): 1.0}
        for out, parents in reversed(self.entries):
            g = grads.get(id(out), 0.0)
            for parent, local in parents:
                grads[id(parent)] = grads.get(id(parent), 0.0) + g * local
        return [grads.get(id(x), 0.0) for x in xs]
class Var:
    __array_priority__ = 1000
    def __init__(self, v): self.v = float(v)
    def _record(self, value, *parents):
        out = Var(value)
        if Tape.current is not None:
            Tape.current.entries.append((out, parents))
        return out
    def __add__(self, o):
        o = o if isinstance(o, Var) else Var(o)
        return self._record(self.v + o.v, (self, 1.0), (o, 1.0))
    def __mul__(self, o):
        o = o if isinstance(o, Var) else Var(o)
        return self._record(self.v * o.v, (self, o.v), (o, self.v))
    __radd__, __rmul__ = __add__, __mul__
x, y = Var(3), Var(4)
with Tape() as tape:
    z = x * y + 2 * x
print(z.v, tape.gradient(z, [x, y]), len(tape.entries))

# %% dual numbers
import math
from dataclasses import dataclass
from functools import wraps
@dataclass
class Dual:
    re: float
    du: float = 0.0
    def __add__(self, o): o = lift(o); return Dual(self.re + o.re, self.du + o.du)
    def __radd__(self, o): return self + o
    def __mul__(self, o): o = lift(o); return Dual(self.re * o.re, self.re * o.du + self.du * o.re)
    def __rmul__(self, o): return self * o
    def __neg__(self): return -1 * self
    def __sub__(self, o): return self + (-lift(o))
    def __rsub__(self, o): return lift(o) - self
    def __truediv__(self, o): o = lift(o); return Dual(self.re / o.re, (self.du * o.re - self.re * o.du) / o.re ** 2)
    def __pow__(self, n): return Dual(self.re ** n, n * self.re ** (n - 1) * self.du)
def lift(x): return x if isinstance(x, Dual) else Dual(x)
def unary(f, df):
    def g(x):
        x = lift(x)
        return Dual(f(x.re), df(x.re) * x.du)
    return g
sin, exp = unary(math.sin, math.cos), unary(math.exp, math.exp)
def derivative(f):
    @wraps(f)
    def df(x): return f(Dual(x, 1.0)).du
    return df
@derivative
def h(x):
    """x sin x + exp(-x)"""
    return x * sin(x) + exp(-x) / 2 - 1
print(h.__name__, h.__doc__, round(h(1.0), 6), derivative(lambda x: x ** 3)(2.0))

# %% a logger of metrics
import torch
from collections import defaultdict
class AverageMeter:
    """Computes and stores the average and current value"""
    def __init__(self, name, fmt=':f'):
        self.name = name
        self.fmt = fmt
        self.reset()
    def reset(self):
        self.val = self.avg = self.sum = self.count = 0
    def update(self, val, n=1):
        self.val = val
        self.sum += val * n
        self.count += n
        self.avg = self.sum / self.count
    def __str__(self):
        fmtstr = '{name} {val' + self.fmt + '} ({avg' + self.fmt + '})'
        return fmtstr.format(**self.__dict__)
class ProgressMeter(object):
    def __init__(self, num_batches, meters, prefix=""):
        self.batch_fmtstr = self._get_batch_fmtstr(num_batches)
        self.meters, self.prefix = meters, prefix
    def display(self, batch):
        entries = [self.prefix + self.batch_fmtstr.format(batch)]
        entries += [str(meter) for meter in self.meters]
        print('\t'.join(entries))
    def _get_batch_fmtstr(self, num_batches):
        num_digits = len(str(num_batches // 1))
        fmt = '{:' + str(num_digits) + 'd}'
        return '[' + fmt + '/' + fmt.format(num_batches) + ']'
losses = AverageMeter('Loss', ':.4f'); top1 = AverageMeter('Acc', ':6.2f')
p = ProgressMeter(12, [losses, top1], prefix="Epoch: [{}]".format(3))
for i in range(3):
    losses.update(1.0 / (i + 1), 4); top1.update(10.0 * i, 4)
    p.display(i)
history = defaultdict(lambda: defaultdict(list))
history['train']['loss'].append(1.0)
print({k: dict(v) for k, v in history.items()})

# %% accuracy and a confusion matrix
import torch
def accuracy(output, target, topk=(1,)):
    with torch.no_grad():
        maxk = max(topk)
        _, pred = output.topk(maxk, 1, True, True)
        pred = pred.t()
        correct = pred.eq(target.view(1, -1).expand_as(pred))
        return [correct[:k].reshape(-1).float().sum(0).mul_(100.0 / target.size(0)).item() for k in topk]
out = torch.tensor([[.1, .7, .2], [.5, .2, .3], [.2, .3, .5], [.6, .3, .1]])
y = torch.tensor([1, 2, 2, 1])
print(accuracy(out, y, (1, 2)))
cm = torch.zeros(3, 3, dtype=torch.long)
for t, p in zip(y, out.argmax(1)):
    cm[t.item(), p] += 1
print(cm.tolist(), cm.diag().sum().item() / cm.sum().item())
tp = ((out.argmax(1) == 1) & (y == 1)).sum().item(); print(f"precision {tp / max((out.argmax(1) == 1).sum().item(), 1):.2f}")

# %% k-means without gradients
import torch
torch.manual_seed(3)
pts = torch.cat([torch.randn(6, 2) * .1 + torch.tensor(c) for c in ([0., 0.], [3., 3.])])
centers = pts[[0, -1]].clone()
for it in range(10):
    d = torch.cdist(pts, centers)
    label = d.argmin(dim=1)
    new = torch.stack([pts[label == k].mean(0) for k in range(2)])
    if torch.allclose(new, centers): break
    centers = new
print(it < 9, label.tolist(), centers.round().tolist())

# %% logistic regression from scratch
import torch
from torch import optim
torch.manual_seed(0)
N = 40
X = torch.cat([torch.randn(N, 2) + 2, torch.randn(N, 2) - 2]); Y = torch.cat([torch.ones(N), torch.zeros(N)])
w, b = torch.zeros(2, requires_grad=True), torch.zeros((), requires_grad=True)
def sigmoid(z): return 1 / (1 + torch.exp(-z))
def bce(p, y, eps=1e-7):
    p = p.clamp(eps, 1 - eps)
    return -(y * p.log() + (1 - y) * (1 - p).log()).mean()
opt = optim.SGD([{'params': [w]}, {'params': b, 'lr': 0.5}], lr=0.1, weight_decay=1e-3)
for step in range(1, 41):
    opt.zero_grad()
    loss = bce(sigmoid(X @ w + b), Y)
    loss.backward()
    opt.step()
    if not step % 20: print(f'{step=} loss={loss:.3f} acc={((X @ w + b > 0) == Y.bool()).float().mean():.2f}')
print(w.grad.shape, b.shape, [g['lr'] for g in opt.param_groups])

# %% a variational autoencoder
import torch
from torch import nn
from torch.nn import functional as F
class VAE(nn.Module):
    def __init__(self, d=6, h=5, z=2):
        super(VAE, self).__init__()
        self.encoder = nn.Sequential(nn.Linear(d, h), nn.ReLU(inplace=True))
        self.mu, self.logvar = nn.Linear(h, z), nn.Linear(h, z)
        self.decoder = nn.Sequential(nn.Linear(z, h), nn.ReLU(), nn.Linear(h, d), nn.Sigmoid())
    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        return mu + torch.randn_like(std) * std if self.training else mu
    def forward(self, x):
        h = self.encoder(x)
        mu, logvar = self.mu(h), self.logvar(h)
        return self.decoder(self.reparameterize(mu, logvar)), mu, logvar
def loss_function(recon, x, mu, logvar):
    bce = F.binary_cross_entropy(recon, x, reduction='sum')
    return bce + -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
torch.manual_seed(1)
vae = VAE(); x = torch.rand(4, 6)
opt = torch.optim.Adam(vae.parameters(), lr=1e-2)
first = None
for _ in range(15):
    l = loss_function(*[(r, x, m, v) for r, m, v in [vae(x)]][0])
    first = first or l.item()
    opt.zero_grad(); l.backward(); opt.step()
vae.eval()
print(l.item() < first, vae(x)[0].shape, sum(p.numel() for p in vae.parameters()))

# %% a generator against a discriminator
import torch, torch.nn as nn
torch.manual_seed(4)
G = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
D = nn.Sequential(nn.Linear(1, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
criterion = nn.BCEWithLogitsLoss()
g_opt = torch.optim.Adam(G.parameters(), lr=1e-2, betas=(0.5, 0.999)); d_opt = torch.optim.Adam(D.parameters(), lr=1e-2)
real_label, fake_label = torch.ones(8, 1), torch.zeros(8, 1)
for it in range(5):
    real, noise = torch.randn(8, 1) * 0.5 + 3, torch.randn(8, 2)
    fake = G(noise)
    d_loss = criterion(D(real), real_label) + criterion(D(fake.detach()), fake_label)
    d_opt.zero_grad(); d_loss.backward(); d_opt.step()
    g_loss = criterion(D(fake), real_label)
    g_opt.zero_grad(); g_loss.backward(); g_opt.step()
    print(f'[{it}] D {d_loss.item():.3f} G {g_loss.item():.3f}')
def requires_grad(model, flag=True):
    for p in model.parameters():
        p.requires_grad = flag
requires_grad(D, False); print(all(not p.requires_grad for p in D.parameters()))

# %% policy gradients on a bandit
import torch
import random
random.seed(0); torch.manual_seed(0)
class Bandit:
    def __init__(self, probs): self.probs = probs
    def pull(self, arm): return 1.0 if random.random() < self.probs[arm] else 0.0
env = Bandit([0.2, 0.9])
logits = torch.zeros(2, requires_grad=True)
opt = torch.optim.Adam([logits], lr=0.1)
baseline, rewards = 0.0, []
for episode in range(60):
    probs = torch.softmax(logits, dim=0)
    arm = torch.multinomial(probs, 1).item()
    r = env.pull(arm)
    baseline += 0.1 * (r - baseline)
    loss = -torch.log(probs[arm]) * (r - baseline)
    opt.zero_grad(); loss.backward(); opt.step()
    rewards.append(r)
print(torch.softmax(logits, 0)[1] > 0.5, len(rewards), max(rewards))

# %% a linked list and a binary tree of tensors
import torch
class Node:
    __slots__ = ['value', 'next']
    def __init__(self, value, next=None): self.value, self.next = value, next
class LinkedList:
    def __init__(self, items=()):
        self.head = None; self._size = 0
        for i in reversed(list(items)): self.push(i)
    def push(self, v): self.head = Node(v, self.head); self._size += 1
    def __iter__(self):
        node = self.head
        while node is not None:
            yield node.value
            node = node.next
    def __len__(self): return self._size
ll = LinkedList([torch.tensor(1.), torch.tensor(2.)])
print(sum(ll), len(ll), [v.item() for v in ll])
class Tree:
    def __init__(self, value, left=None, right=None): self.value, self.left, self.right = value, left, right
    def insert(self, v):
        side = 'left' if v < self.value else 'right'
        child = getattr(self, side)
        if child is None: setattr(self, side, Tree(v))
        else: child.insert(v)
        return self
    def __iter__(self):
        if self.left: yield from self.left
        yield self.value
        if self.right: yield from self.right
    def depth(self): return 1 + max((c.depth() for c in (self.left, self.right) if c), default=0)
t = Tree(5)
for v in (3, 8, 1, 4): t.insert(v)
print(list(t), t.depth())

# %% iterators of one's own
import torch
class Countdown:
    def __init__(self, n): self.n = n
    def __iter__(self): return self
    def __next__(self):
        if self.n <= 0: raise StopIteration
        self.n -= 1
        return self.n
print(list(Countdown(3)), max(Countdown(4)), [a + b for a, b in zip(Countdown(2), Countdown(2))])
class Batches:
    def __init__(self, *tensors, size=2):
        assert all(len(t) == len(tensors[0]) for t in tensors)
        self.tensors, self.size = tensors, size
    def __len__(self): return -(-len(self.tensors[0]) // self.size)
    def __iter__(self):
        for s in range(0, len(self.tensors[0]), self.size):
            yield tuple(t[s:s + self.size] for t in self.tensors)
for i, (x, y) in enumerate(Batches(torch.arange(5), torch.arange(5) ** 2)):
    print(i, x.tolist(), y.tolist())
it = iter([1, 2, 3]); print(next(it), next(it, None), list(it), next(it, 'end'))
def infinite():
    n = 0
    while True:
        n += 1
        yield n
for n in infinite():
    if n > 3: break
print(n)
rows = ((i, j) for i in range(2) for j in range(2) if i != j); print(list(rows), sum(x * x for x in range(4)))
print(list(iter(lambda c=Countdown(3): next(c), 0)))

# %% events and callbacks
import torch
class Callback:
    def on_epoch_begin(self, trainer): pass
    def on_epoch_end(self, trainer): pass
class Printer(Callback):
    def on_epoch_end(self, trainer): print(f"{trainer.epoch}: {trainer.loss:.3f}")
class StopAt(Callback):
    def __init__(self, value): self.value = value
    def on_epoch_end(self, trainer):
        if trainer.loss < self.value: raise StopTraining(trainer.epoch)
class StopTraining(Exception): pass
class Runner:
    def __init__(self, w, callbacks=None):
        self.w, self.callbacks, self.epoch = w, callbacks or [], 0
    def emit(self, event):
        for cb in self.callbacks:
            getattr(cb, f"on_{event}")(self)
    def run(self, n):
        try:
            for self.epoch in range(n):
                self.emit('epoch_begin')
                l = (self.w ** 2).sum(); l.backward()
                with torch.no_grad(): self.w -= 0.2 * self.w.grad
                self.w.grad = None
                self.loss = l.item()
                self.emit('epoch_end')
        except StopTraining as stop:
            print('stopped at', stop, stop.args)
        else: print('all epochs')
        finally: print('done')
Runner(torch.tensor([1., 2.], requires_grad=True), [Printer(), StopAt(0.3)]).run(10)
handlers = {}
def on(name):
    def register(f):
        handlers.setdefault(name, []).append(f)
        return f
    return register
@on('start')
@on('stop')
def show(*args, **kwargs): print('event', args, sorted(kwargs))
for h in handlers['start'] + handlers['stop']: h(1, k=2)

# %% class decorators and factories
import torch
from torch import nn
MODELS = {}
def register(cls=None, *, name=None):
    def wrap(c):
        MODELS[name or c.__name__] = c
        c.registered = True
        return c
    return wrap if cls is None else wrap(cls)
@register
class Small(nn.Module):
    hidden = 2
    def __init__(self, **kwargs):
        super().__init__()
        for k, v in kwargs.items(): setattr(self, k, v)
        self.net = nn.Linear(1, self.hidden)
    def forward(self, x): return self.net(x)
@register(name='big')
class Big(Small):
    hidden = 8
def build(kind, *args, **kwargs):
    try: return MODELS[kind](*args, **kwargs)
    except KeyError: raise ValueError(f"unknown model {kind!r}, choose from {sorted(MODELS)}") from None
print(build('big').net, build('Small', dropout=0.1).dropout, Big.registered, list(MODELS))
try: build('huge')
except ValueError as e: print(e)
def add_repr(cls):
    def __repr__(self): return f"{cls.__name__}({', '.join(f'{k}={v}' for k, v in vars(self).items())})"
    cls.describe = __repr__
    return cls
@add_repr
class P:
    def __init__(self, a, b): self.a = a; self.b = b
print(P(1, 2).describe())
class Counter:
    def __init__(self, fn): self.fn, self.n = fn, 0
    def __call__(self, *a):
        self.n += 1
        return self.fn(*a)
@Counter
def double(x): return 2 * x
double(1); print(double(2), double.n)

# %% gradients flow or do not
import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
cases = {
    'plain': lambda: (x * 2).sum(),
    'detached': lambda: (x.detach() * 2 + x).sum(),
    'data': lambda: (x.data * x).sum(),
    'clone': lambda: x.clone().pow(2).sum(),
    'indexed': lambda: x[1] * 5,
    'masked': lambda: x[x > 1.5].sum(),
    'where': lambda: torch.where(x > 2, x, torch.zeros_like(x)).sum(),
    'max': lambda: x.max(),
    'cat': lambda: torch.cat([x, x * 2]).sum(),
    'stack': lambda: torch.stack([x, x]).mean(),
    'view': lambda: x.view(3, 1).mm(torch.ones(1, 2)).sum(),
    'expand': lambda: x.unsqueeze(0).expand(4, -1).sum(),
    'norm': lambda: x.norm(),
    'cumsum': lambda: x.cumsum(0)[-1],
    'sort': lambda: x.sort(descending=True).values[0] * 3,
    'einsum': lambda: torch.einsum('i,i->', x, x),
    'prod': lambda: x.prod(),
    'clamp': lambda: x.clamp(max=2.5).sum(),
}
for name, f in cases.items():
    x.grad = None
    out = f()
    out.backward()
    print(f"{name:>9} {x.grad}")
with torch.no_grad(): y = x * 2
print(y.requires_grad, torch.is_tensor(y), (x * 2).requires_grad)
with torch.set_grad_enabled(False): print((x * 2).grad_fn)
@torch.no_grad()
def predict(v): return v * 2
print(predict(x).requires_grad)
try: y.sum().backward()
except RuntimeError as e: print(str(e)[:60])

# %% gradient accumulation and clipping
import torch
from torch import nn
torch.manual_seed(0)
m = nn.Linear(3, 1); data = torch.randn(8, 3); target = data.sum(1, keepdim=True)
opt = torch.optim.SGD(m.parameters(), lr=0.1); accumulate = 4
opt.zero_grad()
for i in range(8):
    loss = nn.functional.mse_loss(m(data[i:i + 1]), target[i:i + 1]) / accumulate
    loss.backward()
    if (i + 1) % accumulate == 0:
        norm = nn.utils.clip_grad_norm_(m.parameters(), 1.0)
        print(i, f"{norm:.3f}", m.weight.grad.norm() <= 1)
        opt.step(); opt.zero_grad()
full = nn.functional.mse_loss(m(data), target); g = torch.autograd.grad(full, list(m.parameters()))
print([tuple(t.shape) for t in g], torch.nn.utils.parameters_to_vector(m.parameters()).shape)
ema = {k: v.clone() for k, v in m.state_dict().items()}
for k, v in m.state_dict().items(): ema[k].mul_(0.9).add_(v, alpha=0.1)
print(sorted(ema))

# %% schedules of one's own
import math
import torch
class WarmupCosine:
    def __init__(self, opt, warmup, total, base=0.1):
        self.opt, self.warmup, self.total, self.base, self.t = opt, warmup, total, base, 0
    def rate(self):
        if self.t < self.warmup: return self.base * (self.t + 1) / self.warmup
        p = (self.t - self.warmup) / (self.total - self.warmup)
        return 0.5 * self.base * (1 + math.cos(math.pi * p))
    def step(self):
        for g in self.opt.param_groups: g['lr'] = self.rate()
        self.t += 1
class Halve(torch.optim.lr_scheduler.LRScheduler):
    def __init__(self, optimizer, every=2, last_epoch=-1):
        self.every = every
        super().__init__(optimizer, last_epoch)
    def get_lr(self): return [b * 0.5 ** (self.last_epoch // self.every) for b in self.base_lrs]
w = torch.nn.Parameter(torch.ones(1))
opt = torch.optim.SGD([w], lr=0.1)
s = WarmupCosine(opt, 2, 6)
for _ in range(6): s.step(); print(f"{opt.param_groups[0]['lr']:.4f}", end=' ')
print()
opt = torch.optim.SGD([w], lr=0.8); h = Halve(opt)
for _ in range(4): opt.step(); h.step(); print(h.get_last_lr(), end=' ')
print(h.last_epoch, isinstance(h, torch.optim.lr_scheduler.LRScheduler))

# %% annotations everywhere
from __future__ import annotations
import torch
from torch import Tensor, nn
from typing import Optional, List, Dict, Tuple, Union, Callable, Iterator, Any, Sequence, Literal, Final, ClassVar
from collections.abc import Iterable, Mapping
Array = Union[Tensor, List[float]]
EPS: Final[float] = 1e-8
class Layer(nn.Module):
    scale: ClassVar[float] = 2.0
    bias: Optional[Tensor]
    def __init__(self, n: int, act: Callable[[Tensor], Tensor] = torch.tanh, *, kind: Literal['a', 'b'] = 'a') -> None:
        super().__init__()
        self.weight: Tensor = nn.Parameter(torch.ones(n))
        self.act = act
        self.kind = kind
    def forward(self, x: Tensor) -> Tensor:
        return self.act(self.weight * x * self.scale)
def summary(m: nn.Module) -> Dict[str, Tuple[int, ...]]:
    return {n: tuple(p.shape) for n, p in m.named_parameters()}
def mean(xs: Iterable[float] | Sequence[float], default: float | None = None) -> float | None:
    xs = list(xs)
    return sum(xs) / len(xs) if xs else default
def groups(d: Mapping[str, Any]) -> Iterator[str]: yield from d
layer: Layer = Layer(2, kind='b')
print(layer(torch.ones(2)), summary(layer), mean([]), mean([1, 2]), list(groups({'a': 1})), layer.kind, EPS)
def f(a: int, b: "str" = 'x') -> None: ...
print(f(1), isinstance(layer, nn.Module), isinstance([], list | tuple))

# %% sets, dicts and sorting by hand
import torch
params = {'w': torch.tensor([1., -2.]), 'b': torch.tensor([0.5])}
grads = {k: torch.zeros_like(v) for k, v in params.items()}
for (name, p), i in zip(sorted(params.items()), range(10)):
    print(i, name, p.tolist(), name in grads, 'c' not in params)
merged = {**params, 'c': torch.ones(1)}; merged.pop('w'); merged.update(d=torch.zeros(1), **{'e': torch.ones(2)})
print(list(merged), {k: v.shape[0] for k, v in merged.items()}, dict(sorted({'b': 1, 'a': 2}.items(), key=lambda kv: kv[1])))
words = 'the cat the dog'.split(); freq = {}
for w in words: freq[w] = freq.get(w, 0) + 1
print(freq, sorted(freq, key=freq.get, reverse=True)[0], set(words) - {'cat'} == {'the', 'dog'}, list(dict.fromkeys(words)))
nested = {'a': {'b': [1, {'c': torch.tensor(3)}]}}
print(nested['a']['b'][1]['c'].item(), [*nested], len(nested), nested.get('z', {}).get('y'))
m = [[1, 2, 3], [4, 5, 6]]; print([list(r) for r in zip(*m)], [x for row in m for x in row if x % 2], m[0][::-1], m[-1][1:])
stack, queue = [1, 2], [1, 2]; stack.append(3); stack.pop(); queue.insert(0, 9); queue.remove(1); queue.extend([7]); print(stack, queue, queue.index(7), queue.count(9))
a = [3, 1, 2]; a.sort(); b = a[:]; b[0] = 99; a[1:2] = [7, 8]; del a[0]; print(a, b, a == [7, 8, 3], a is b, tuple(a), (1,) + (2,), [0] * 3)

# %% recursion and memoization
import functools
import torch
def fact(n): return 1 if n <= 1 else n * fact(n - 1)
@functools.cache
def binom(n, k): return 1 if k in (0, n) else binom(n - 1, k - 1) + binom(n - 1, k)
def power(x, n):
    if n == 0: return torch.ones_like(x)
    half = power(x, n // 2)
    return half * half * (x if n % 2 else 1)
def flatten(xs):
    for x in xs:
        if isinstance(x, (list, tuple)): yield from flatten(x)
        else: yield x
def hanoi(n, a='A', b='B', c='C'): return [] if n == 0 else hanoi(n - 1, a, c, b) + [(a, c)] + hanoi(n - 1, b, a, c)
x = torch.tensor(2., requires_grad=True); y = power(x, 5); y.backward()
print(fact(20), binom(20, 10), y.item(), x.grad.item(), list(flatten([1, [2, (3, [4])]])), len(hanoi(4)))
def deep(n): return n if n == 0 else deep(n - 1)
try: deep(10 ** 6)
except RecursionError as e: print('too deep')
mutual = {'even': lambda n: True if n == 0 else mutual['odd'](n - 1), 'odd': lambda n: False if n == 0 else mutual['even'](n - 1)}
print(mutual['even'](10))

# %% an experiment with settings in a namespace
from types import SimpleNamespace
import torch
args = SimpleNamespace(lr=0.1, epochs=2, hidden=4, optimizer='sgd', seed=0)
args.batch_size = 4
print(args, vars(args)['lr'], args.hidden * 2, hasattr(args, 'momentum'), getattr(args, 'momentum', 0.9))
torch.manual_seed(args.seed)
OPTS = dict(sgd=torch.optim.SGD, adam=torch.optim.Adam)
class Config(dict):
    def __getattr__(self, key):
        try: return self[key]
        except KeyError: raise AttributeError(key) from None
    def __setattr__(self, key, value): self[key] = value
c = Config(lr=0.3); c.depth = 2
print(c.lr, c.depth, c, hasattr(c, 'x'))
model = torch.nn.Sequential(torch.nn.Linear(2, args.hidden), torch.nn.Tanh(), torch.nn.Linear(args.hidden, 1))
opt = OPTS[args.optimizer](model.parameters(), lr=args.lr)
x, y = torch.randn(8, 2), torch.ones(8, 1)
for epoch in range(args.epochs):
    for xb, yb in zip(x.split(args.batch_size), y.split(args.batch_size)):
        loss = torch.nn.functional.mse_loss(model(xb), yb); opt.zero_grad(); loss.backward(); opt.step()
    print(f'{epoch}: {loss.item():.4f}')
def run(**overrides):
    cfg = {**vars(args), **overrides}
    return f"{cfg['lr']}-{cfg['epochs']}"
print(run(), run(lr=1))

# %% a convolution written out
import torch
import torch.nn.functional as F
def conv2d(x, w, stride=1, padding=0):
    x = F.pad(x, (padding,) * 4)
    H, W = x.shape; k = w.shape[0]
    oh, ow = (H - k) // stride + 1, (W - k) // stride + 1
    out = torch.zeros(oh, ow)
    for i in range(oh):
        for j in range(ow):
            out[i, j] = (x[i * stride:i * stride + k, j * stride:j * stride + k] * w).sum()
    return out
torch.manual_seed(0)
x, w = torch.randn(5, 5), torch.randn(3, 3, requires_grad=True)
ours, theirs = conv2d(x, w, 2, 1), F.conv2d(x[None, None], w[None, None], stride=2, padding=1)[0, 0]
print(torch.allclose(ours, theirs, atol=1e-5), ours.shape)
ours.sum().backward(); g = w.grad.clone(); w.grad.zero_()
theirs.sum().backward(); print(torch.allclose(g, w.grad, atol=1e-5))
im = torch.arange(16.).view(1, 1, 4, 4); print(F.max_pool2d(im, 2).flatten().tolist(), F.avg_pool2d(im, 2)[0, 0], F.unfold(im, 2).shape, F.interpolate(im, scale_factor=2).shape)
class LeNet(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.features = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3), torch.nn.ReLU(), torch.nn.MaxPool2d(2), torch.nn.Flatten())
        self.classifier = torch.nn.Linear(4 * 3 * 3, 10)
    def forward(self, x): return F.log_softmax(self.classifier(self.features(x)), dim=-1)
out = LeNet()(torch.randn(2, 1, 8, 8)); print(out.shape, F.nll_loss(out, torch.tensor([1, 2])).item() > 0)

# %% tensors as sequences and in conditions
import torch
t = torch.tensor([[1, 2], [3, 4]])
for row in t:
    for v in row: print(int(v), end=' ')
print(len(t), t.tolist(), t.shape[0], t.numel(), t.ndim, t.size(), 3 in t, (t > 2).any().item(), bool((t > 0).all()))
if t.sum() > 5: print('large', f"{t.float().mean():.2f}", t.max().item(), float(t[0, 0]))
a, b = t.unbind(); c = [x.item() for x in t.flatten()]
print(a, b, c, sorted(t.flatten().tolist(), reverse=True), list(map(int, a)), max(t.flatten()), sum(a), divmod(int(a[1]), 2))
idx = torch.tensor([1, 0]); print(t[idx], t[:, -1], t[t > 1], t[None].shape, t[..., 0], t.gather(1, idx[:, None]).T)
t[0] = 0; t[:, 1] += 10; t[t == 0] = -1; print(t, t.clone().fill_(2), t.new_zeros(2), torch.full_like(t, 7)[0])
x = torch.linspace(0, 1, 5); print(x[1:-1], x.flip(0), x.roll(1), torch.arange(3) ** 2 % 2, -x[-1], 2 ** x[0], x // 0.5, 1 - x[4], x.reshape(-1, 1).shape)
print(repr(t), str(x), f"{x[1]:.3f}", '%s' % t.dtype, t.dtype, t.device, t.T.is_contiguous(), hash(t) == hash(t), t.equal(t.clone()))

# %% text processing before a model
import re
import string
from collections import Counter
import torch
corpus = ["The cat sat.", "A dog sat, too!", "The cat ran..."]
def tokenize(s): return re.sub(rf"[{re.escape(string.punctuation)}]", "", s.lower()).split()
tokens = [tokenize(s) for s in corpus]
counts = Counter(w for ts in tokens for w in ts)
vocab = {w: i for i, (w, _) in enumerate(sorted(counts.items(), key=lambda p: (-p[1], p[0])), start=1)}
vocab['<pad>'] = 0
inv = dict(map(reversed, vocab.items()))
longest = max(map(len, tokens))
batch = torch.tensor([[vocab[w] for w in ts] + [0] * (longest - len(ts)) for ts in tokens])
print(counts.most_common(2), batch, [inv[i] for i in batch[0].tolist()])
emb = torch.nn.Embedding(len(vocab), 3, padding_idx=0)
mask = (batch != 0).unsqueeze(-1)
pooled = (emb(batch) * mask).sum(1) / mask.sum(1)
pooled.sum().backward(); print(pooled.shape, emb.weight.grad[0], emb.weight.grad[vocab['sat']] > 0)
one_hot = torch.nn.functional.one_hot(batch, len(vocab)); print(one_hot.shape, one_hot.sum().item())
pairs = [(a, b) for ts in tokens for a, b in zip(ts, ts[1:])]; print(pairs[:3], "-".join(c for c in "abc" if c != 'b'), 'x'.join(['1', '2']), "%-5s|" % 'ab', ' '.join(w.capitalize() for w in tokens[0]))

# %% checkpoints of a training that goes on
import copy, time
import torch
from torch import nn
torch.manual_seed(0)
def make(): 
    m = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1)); return m, torch.optim.Adam(m.parameters(), lr=0.05)
def train(m, opt, x, y, n):
    for _ in range(n):
        opt.zero_grad(); l = ((m(x) - y) ** 2).mean(); l.backward(); opt.step()
    return l.item()
x = torch.randn(16, 2); y = x.prod(1, keepdim=True)
m, opt = make(); start = time.time(); train(m, opt, x, y, 5)
saved = {'model': copy.deepcopy(m.state_dict()), 'optim': copy.deepcopy(opt.state_dict()), 'epoch': 5}
went = train(m, opt, x, y, 5)
m2, opt2 = make(); m2.load_state_dict(saved['model']); opt2.load_state_dict(saved['optim'])
print(abs(train(m2, opt2, x, y, 5) - went) < 1e-6, saved['epoch'], time.time() - start < 60, list(saved['model']))
n = sum(p.numel() for p in m.parameters()); print(f"{n:,} parameters, {n * 4 / 1024:.2f} KiB")

# %% a report as a table
import torch
from datetime import datetime, timedelta
rows = [('relu', torch.relu), ('tanh', torch.tanh), ('gelu', torch.nn.functional.gelu)]
print(f"{'name':<8}|{'f(1)':^10}|{'slope':>8}")
print('-' * 28)
for name, f in rows:
    x = torch.tensor(1., requires_grad=True); y = f(x); y.backward()
    print(f"{name:<8}|{y.item():^10.4f}|{x.grad.item():>8.3f}")
print("=" * 28, sep='')
print(*[f"{i:02}" for i in range(3)], sep=', ', end=';\n')
d = datetime(2024, 1, 31) + timedelta(days=1); print(d.strftime('%Y-%m-%d'), d.year, d.isoformat(), datetime.now() > d)
print('\n'.join(f"{k!s:>5}: {v!r}" for k, v in {'a': 1, 'bb': 'x'}.items()))
print("tab\tsep", 'it''s', "it's", 'a' 'b', """x
y""", f"{'{'}{1 + 1}{'}'}", f"{3.14159:.{2}f}", f"{1e6:,.0f}", f"{0.5:%}", f"{255:#x}", f"{'mid':*^9}")

# %% many small functions of torch
import torch
torch.manual_seed(0)
x = torch.randn(3, 4, requires_grad=True)
outs = [x.abs(), x.exp().log(), x.sin() + x.cos(), x.sigmoid(), torch.softmax(x, 1), torch.log_softmax(x, -1), x.t() @ x, x.std(0), x.var(), x.median(), x.min(1).values, x.topk(2).values, x.square().sqrt(), x.tril(), torch.triu(x), x.mean((0, 1)), x.logsumexp(0), torch.atan2(x, x + 5), torch.hypot(x, x), x.diff(), torch.outer(x[0], x[1]), torch.dot(x[0], x[1]), x.permute(1, 0), x.transpose(0, 1), x.squeeze(), x.unsqueeze(0), x.repeat(2, 1), x.chunk(2, 1)[0], torch.cumprod(x, 0), x.lerp(x * 2, 0.5), torch.lerp(x, x * 2, 0.1), torch.maximum(x, -x), torch.bmm(x[None], x.t()[None]), torch.linalg.norm(x), x.frac(), x.sign(), x.round(), x.floor(), torch.addmm(torch.zeros(3, 3), x, x.t())]
total = sum(o.sum() for o in outs)
total.backward()
print(len(outs), f"{total.item():.3f}", x.grad.shape, torch.isfinite(x.grad).all())
print(torch.eye(2), torch.zeros(1, dtype=torch.int32), torch.tensor([True, False]).sum(), torch.arange(0, 1, 0.25), torch.logspace(0, 2, 3), torch.empty(2, 0).shape, torch.full((2,), 3.5), torch.ones_like(x[0]))
print(torch.allclose(x, x), torch.equal(x, x + 1), torch.isnan(x).any(), torch.unique(torch.tensor([1, 1, 2])), torch.bincount(torch.tensor([0, 2, 2])), torch.meshgrid(torch.arange(2), torch.arange(2), indexing='ij')[0])

# %% what PyTorch leaves to classes that inherit from its own
import torch, torch.nn as nn, enum, abc, typing, dataclasses, collections
from torch.distributions import Distribution, Transform, constraints
class Conv(nn.Conv2d):
    def _conv_forward(self, i, w, b): return super()._conv_forward(i, w*1, b)
    def reset_parameters(self): super().reset_parameters()
print(Conv(1,1,3)(torch.ones(1,1,4,4)).shape)
class BN(nn.BatchNorm1d):
    def _check_input_dim(self, x): pass
BN(2)(torch.ones(3,2))
class Enc(nn.TransformerEncoderLayer):
    def _sa_block(self, x, *a, **k): return super()._sa_block(x, *a, **k)
Enc(4,2)(torch.ones(3,1,4))
class E(enum.Enum):
    A=1
    @classmethod
    def _missing_(cls, v): return cls.A
    def _generate_next_value_(name, s, c, l): return name
print(E(3))
class M(nn.Module):
    def __init__(self): super().__init__(); self._cache={}; self._n=0; self._modules_list=[]
    def _forward_impl(self,x): return x
    def _init_weights(self): pass
    def _get_name(self): return 'Mine'
    def _load_from_state_dict(self,*a,**k): super()._load_from_state_dict(*a,**k)
    def _apply(self, fn): return super()._apply(fn)
M().load_state_dict({}); print(M())
class T(Transform):
    bijective=True; domain=constraints.real; codomain=constraints.real
    def _call(self,x): return x+1
    def _inverse(self,y): return y-1
    def log_abs_det_jacobian(self,x,y): return torch.zeros_like(x)
print(T()(torch.zeros(1)))
class S(torch.optim.lr_scheduler.LRScheduler):
    def get_lr(self): return [1.]
    def _get_closed_form_lr(self): return [1.]
class A(abc.ABC):
    @abc.abstractmethod
    def _f(self): ...
class B(A):
    def _f(self): return 1
B()._f()
class NT(typing.NamedTuple):
    a: int
class D(Distribution):
    arg_constraints={}
    def __init__(self): self._p=torch.ones(1); super().__init__(validate_args=False)
    def _helper(self): return self._p
D()._helper()
class Drop(nn.Dropout):
    def _mine(self): return 1
Drop()(torch.ones(2))
class O(torch.optim.Optimizer):
    def __init__(self,p): super().__init__(p,{}); self._n=0
    def _init_group(self,g): pass
    @torch.no_grad()
    def step(self, closure=None):
        for g in self.param_groups:
            for p in g['params']: p.add_(p.grad, alpha=-.1)
p=nn.Parameter(torch.ones(2)); p.sum().backward(); O([p]).step(); print(p)
class AttrDict(dict):
    def __init__(self,*a,**k): super().__init__(*a,**k); self.__dict__=self
print(AttrDict(a=1).a)
