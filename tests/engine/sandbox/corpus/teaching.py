"""Programs as people write them when they teach or learn, for test_teaching.py."""

# %% micrograd's Value class
import math
class Value:
    """stores a single scalar value and its gradient"""
    def __init__(self, data, _children=(), _op='', label=''):
        self.data = data
        self.grad = 0.0
        self._backward = lambda: None
        self._prev = set(_children)
        self._op = _op
        self.label = label
    def __repr__(self):
        return f"Value(data={self.data:.4f})"
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), '+')
        def _backward():
            self.grad += 1.0 * out.grad
            other.grad += 1.0 * out.grad
        out._backward = _backward
        return out
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), '*')
        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out._backward = _backward
        return out
    def __pow__(self, other):
        assert isinstance(other, (int, float)), "only supporting int/float powers for now"
        out = Value(self.data**other, (self,), f'**{other}')
        def _backward():
            self.grad += other * (self.data ** (other - 1)) * out.grad
        out._backward = _backward
        return out
    def __rmul__(self, other): return self * other
    def __radd__(self, other): return self + other
    def __truediv__(self, other): return self * other**-1
    def __neg__(self): return self * -1
    def __sub__(self, other): return self + (-other)
    def __rsub__(self, other): return other + (-self)
    def tanh(self):
        x = self.data
        t = (math.exp(2*x) - 1)/(math.exp(2*x) + 1)
        out = Value(t, (self, ), 'tanh')
        def _backward():
            self.grad += (1 - t**2) * out.grad
        out._backward = _backward
        return out
    def backward(self):
        topo = []
        visited = set()
        def build_topo(v):
            if v not in visited:
                visited.add(v)
                for child in v._prev:
                    build_topo(child)
                topo.append(v)
        build_topo(self)
        self.grad = 1.0
        for node in reversed(topo):
            node._backward()
import torch
a = Value(2.0, label='a'); b = Value(-3.0, label='b'); c = Value(10.0)
d = (a*b + c).tanh() + 2 * a - b / 4
d.label = 'd'
d.backward()
print(d, f"{a.grad:.5f} {b.grad:.5f} {c.grad:.5f}")
at = torch.tensor(2.0, requires_grad=True); bt = torch.tensor(-3.0, requires_grad=True); ct = torch.tensor(10.0, requires_grad=True)
dt = (at*bt + ct).tanh() + 2 * at - bt / 4
dt.backward()
print(round(at.grad.item(), 4), round(bt.grad.item(), 4), abs(at.grad.item() - a.grad) < 1e-4)

# %% a configuration as a dataclass
from dataclasses import dataclass, field, asdict, replace, fields
import torch
from torch import nn
@dataclass
class Config:
    sizes: list[int] = field(default_factory=lambda: [2, 4, 1])
    lr: float = 0.1
    steps: int = 3
    name: str = "mlp"
    def __post_init__(self):
        assert len(self.sizes) > 1
cfg = Config(lr=0.05)
print(cfg)
print(asdict(cfg), replace(cfg, steps=5).steps, [f.name for f in fields(cfg)])
torch.manual_seed(0)
layers = []
for i, o in zip(cfg.sizes[:-1], cfg.sizes[1:]):
    layers += [nn.Linear(i, o), nn.Tanh()]
model = nn.Sequential(*layers[:-1])
opt = torch.optim.SGD(model.parameters(), lr=cfg.lr)
x = torch.randn(8, 2); y = x.sum(1, keepdim=True)
for step in range(cfg.steps):
    opt.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    opt.step()
    print(f"{step:2d} {loss.item():.4f}")

# %% a frozen dataclass and object.__setattr__
from dataclasses import dataclass, FrozenInstanceError
@dataclass(frozen=True, order=True)
class Point:
    x: float
    y: float = 0.0
    norm: float = 0.0
    def __post_init__(self):
        object.__setattr__(self, 'norm', (self.x**2 + self.y**2) ** 0.5)
p = Point(3, 4)
print(p, p < Point(4, 0), hash(p) == hash(Point(3, 4)))
try:
    p.x = 5
except FrozenInstanceError as e:
    print(type(e).__name__, e)

# %% decorators with functools.wraps
import functools, time
import torch
def timed(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        start = time.perf_counter()
        out = fn(*args, **kwargs)
        wrapper.calls += 1
        wrapper.elapsed = time.perf_counter() - start
        return out
    wrapper.calls = 0
    return wrapper
def repeat(n=2):
    def decorate(fn):
        @functools.wraps(fn)
        def inner(*a, **k):
            for _ in range(n):
                r = fn(*a, **k)
            return r
        return inner
    return decorate
@timed
def square(x):
    "square it"
    return x * x
@repeat(n=3)
@timed
def cube(x):
    return x ** 3
print(square(torch.tensor(3.)), square.__name__, square.__doc__, square.calls, square.elapsed >= 0)
print(cube(torch.tensor(2.)), cube.__name__)

# %% a custom function with saved tensors
import torch
from torch.autograd import Function
class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, slope=0.1):
        ctx.save_for_backward(input)
        ctx.slope = slope
        ctx._private = 3
        return torch.where(input > 0, input, slope * input)
    @staticmethod
    def backward(ctx, grad_output):
        input, = ctx.saved_tensors
        assert ctx._private == 3
        grad_input = grad_output.clone()
        grad_input[input < 0] *= ctx.slope
        return grad_input, None
relu = MyReLU.apply
x = torch.tensor([-2., -1., 3.], requires_grad=True)
y = relu(x, 0.2)
print(y, type(y.grad_fn).__name__)
y.sum().backward()
print(x.grad)
print(torch.autograd.gradcheck(MyReLU.apply, (torch.tensor([-1., 2.], dtype=torch.double, requires_grad=True),)))

# %% an optimizer of one's own
import torch
from torch.optim import Optimizer
class MySGD(Optimizer):
    def __init__(self, params, lr=1e-2, momentum=0.9):
        if lr < 0.0:
            raise ValueError("Invalid learning rate: {}".format(lr))
        defaults = dict(lr=lr, momentum=momentum)
        super(MySGD, self).__init__(params, defaults)
    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group['params']:
                if p.grad is None:
                    continue
                state = self.state[p]
                if len(state) == 0:
                    state['v'] = torch.zeros_like(p)
                v = state['v']
                v.mul_(group['momentum']).add_(p.grad)
                p.add_(v, alpha=-group['lr'])
        return loss
w = torch.tensor([1.0, -2.0], requires_grad=True)
opt = MySGD([w], lr=0.1)
for _ in range(4):
    opt.zero_grad()
    (w ** 2).sum().backward()
    opt.step()
print(w, opt.param_groups[0]['lr'], len(opt.state))

# %% a generator of batches
import torch
def batches(x, y, size, shuffle=False):
    idx = torch.randperm(len(x)) if shuffle else torch.arange(len(x))
    for i in range(0, len(x), size):
        j = idx[i:i + size]
        yield x[j], y[j]
X = torch.arange(10.).reshape(5, 2)
Y = X.sum(1)
for k, (xb, yb) in enumerate(batches(X, Y, 2), start=1):
    print(k, xb.shape, yb.tolist())
print(sum(len(b) for b, _ in batches(X, Y, 3)), next(batches(X, Y, 4, shuffle=True))[0].size())
def chained():
    yield from range(2)
    got = yield 'ask'
    print('got', got)
g = chained()
print(next(g), next(g), next(g))
try:
    g.send('answer')
except StopIteration:
    print('over')

# %% closures and nonlocal
import torch
def make_counter():
    count = 0
    def step():
        nonlocal count
        count += 1
        return count
    return step
c = make_counter(); c(); print(c())
total = 0
def add(x):
    global total
    total += x
    return total
add(2); add(5); print(total)
fs = [lambda x, n=n: x ** n for n in range(1, 4)]
x = torch.tensor(2., requires_grad=True)
for f in fs:
    g, = torch.autograd.grad(f(x), x)
    print(g.item())

# %% match statements
import torch
from dataclasses import dataclass
@dataclass
class Node:
    op: str
    args: tuple
def evaluate(n):
    match n:
        case int() | float():
            return torch.tensor(float(n))
        case Node(op='add', args=(a, b)):
            return evaluate(a) + evaluate(b)
        case Node('mul', (a, b)):
            return evaluate(a) * evaluate(b)
        case Node(op=op) if op.startswith('re'):
            return torch.relu(evaluate(n.args[0]))
        case [first, *rest]:
            return sum((evaluate(r) for r in rest), evaluate(first))
        case {'value': v, **others}:
            return evaluate(v)
        case None:
            return None
        case _:
            raise ValueError(f"cannot evaluate {n!r}")
print(evaluate(Node('add', (1, Node('mul', (2, 3))))), evaluate(Node('relu', (-1,))), evaluate([1, 2, 3]), evaluate({'value': 4, 'x': 1}))
try:
    evaluate('what')
except ValueError as e:
    print(e)

# %% a trainer class
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import TensorDataset, DataLoader
class Net(nn.Module):
    def __init__(self, n_in, n_hidden, n_out):
        super().__init__()
        self.fc1 = nn.Linear(n_in, n_hidden)
        self.fc2 = nn.Linear(n_hidden, n_out)
        self._init_weights()
    def _init_weights(self):
        for m in self.modules():
            if isinstance(m, nn.Linear):
                nn.init.xavier_uniform_(m.weight)
                nn.init.zeros_(m.bias)
    def forward(self, x):
        return self.fc2(F.relu(self.fc1(x)))
class Trainer:
    def __init__(self, model, optimizer, loss_fn=nn.CrossEntropyLoss()):
        self.model, self.optimizer, self.loss_fn = model, optimizer, loss_fn
        self.history = {'loss': [], 'acc': []}
        self._epoch = 0
    def _step(self, xb, yb):
        self.optimizer.zero_grad()
        out = self.model(xb)
        loss = self.loss_fn(out, yb)
        loss.backward()
        self.optimizer.step()
        return loss.item(), (out.argmax(1) == yb).float().mean().item()
    def fit(self, loader, epochs):
        self.model.train()
        for _ in range(epochs):
            losses, accs = zip(*[self._step(xb, yb) for xb, yb in loader])
            self.history['loss'].append(sum(losses) / len(losses))
            self.history['acc'].append(sum(accs) / len(accs))
            self._epoch += 1
            print(f"epoch {self._epoch:>2} | loss {self.history['loss'][-1]:.3f} | acc {self.history['acc'][-1]:.2%}")
    @torch.no_grad()
    def evaluate(self, x, y):
        self.model.eval()
        return (self.model(x).argmax(dim=1) == y).float().mean().item()
def main():
    torch.manual_seed(0)
    x = torch.randn(20, 2); y = (x[:, 0] > 0).long()
    model = Net(2, 8, 2)
    trainer = Trainer(model, torch.optim.Adam(model.parameters(), lr=0.05))
    trainer.fit(DataLoader(TensorDataset(x, y), batch_size=5, shuffle=False), 2)
    print(trainer.evaluate(x, y) > 0.5, trainer._epoch)
if __name__ == "__main__":
    main()

# %% numpy and torch mixed
import numpy as np
import torch
rng = np.random.default_rng(0)
a = rng.normal(size=(3, 2)).astype(np.float32)
t = torch.from_numpy(a).requires_grad_()
loss = (t ** 2).sum()
loss.backward()
np.testing.assert_allclose(t.grad.numpy(), 2 * a, rtol=1e-6)
print(t.detach().numpy().shape, a.dtype, np.allclose(t.grad, 2 * a), isinstance(a, np.ndarray), type(a).__name__)
m = np.eye(2) @ np.array([[1, 2], [3, 4]])
print(m, m.T.ravel(), np.linalg.norm(m).round(3), m[m > 1].tolist(), m.mean(axis=0))
np.random.seed(1)
print(np.random.randint(0, 10, 5).tolist(), np.random.rand(2).round(3))
print(np.concatenate([a, a]).shape, np.stack([a, a]).sum().dtype, np.where(a > 0, 1, 0).sum() >= 0, np.linspace(0, 1, 3))
x = torch.tensor(np.arange(3), dtype=torch.float32)
print(x, np.asarray(x), float(np.sum(x.numpy())), np.pi.__class__.__name__)
print(a.base is None, a.T.base is a, np.float64(2.5) + 1, a.reshape(-1).size)

# %% seeds of everything
import random
import numpy as np
import torch
def set_seed(seed=42):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    if torch.cuda.is_available():
        torch.cuda.manual_seed_all(seed)
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False
set_seed(3)
print(random.random(), random.randint(1, 6), random.choice('abc'), np.random.randn(2), torch.rand(2))
device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')
print(device, device.type)
l = list(range(5)); random.shuffle(l); print(l, random.sample(range(10), 3), round(random.gauss(0, 1), 3))
r = random.Random(1); print(r.random())

# %% types of typing
from __future__ import annotations
import torch
from typing import NamedTuple, TypedDict, Protocol, Optional, Callable, Iterable, Any, Union, TypeVar, Generic
from collections import namedtuple
class Batch(NamedTuple):
    x: torch.Tensor
    y: torch.Tensor
    weight: float = 1.0
class Options(TypedDict, total=False):
    lr: float
    momentum: float
class HasForward(Protocol):
    def forward(self, x: torch.Tensor) -> torch.Tensor: ...
T = TypeVar('T')
class Box(Generic[T]):
    def __init__(self, item: T):
        self.item = item
    def get(self) -> T:
        return self.item
def loss(b: Batch, f: Callable[[torch.Tensor], torch.Tensor], o: Optional[Options] = None) -> torch.Tensor:
    return b.weight * ((f(b.x) - b.y) ** 2).mean()
b = Batch(torch.ones(2), torch.zeros(2))
print(loss(b, lambda x: 3 * x, {'lr': 0.1}), b._fields, b._replace(weight=2.0).weight, b._asdict().keys())
Point = namedtuple('Point', 'x y')
p = Point(1, y=2)
print(p, p.x + p.y, Point._fields, Box[int](3).get(), *p)
x, y = p
o: Options = {'lr': 0.1}
n: Union[int, None] = None
print(o, n, x, y)

# %% enumerations and abstract classes
from enum import Enum, auto, IntEnum
from abc import ABC, abstractmethod
import torch
class Activation(Enum):
    RELU = 'relu'
    TANH = 'tanh'
    def __call__(self, x):
        return getattr(torch, self.value)(x)
class Level(IntEnum):
    LOW = auto()
    HIGH = auto()
class Layer(ABC):
    def __init__(self): self.params = []
    @abstractmethod
    def forward(self, x): ...
    def __call__(self, x): return self.forward(x)
class Scale(Layer):
    def __init__(self, k):
        super().__init__()
        self.k = k
    def forward(self, x): return self.k * x
for act in Activation:
    print(act, act.name, act.value, act(torch.tensor([-1., 1.])))
print(Level.HIGH > Level.LOW, Activation('relu') is Activation.RELU, Activation['TANH'], list(Level), len(Activation))
try:
    Layer()
except TypeError as e:
    print(str(e)[:30])
print(Scale(2)(torch.ones(2)), issubclass(Scale, Layer), isinstance(Scale(1), Layer))

# %% context managers
from contextlib import contextmanager, nullcontext, suppress
import time
import torch
@contextmanager
def timer(label):
    t0 = time.perf_counter()
    try:
        yield
    finally:
        print(label, time.perf_counter() - t0 < 60)
class Frozen:
    def __init__(self, module): self.module = module
    def __enter__(self):
        for p in self.module.parameters(): p.requires_grad_(False)
        return self.module
    def __exit__(self, exc_type, exc, tb):
        for p in self.module.parameters(): p.requires_grad_(True)
        return exc_type is ValueError
lin = torch.nn.Linear(2, 1)
with timer("block"), torch.no_grad():
    lin(torch.ones(1, 2))
with Frozen(lin) as m:
    print([p.requires_grad for p in m.parameters()])
with Frozen(lin):
    raise ValueError('swallowed')
print([p.requires_grad for p in lin.parameters()])
training = False
with nullcontext() if training else torch.no_grad():
    print(lin(torch.ones(1, 2)).requires_grad)
with suppress(ZeroDivisionError):
    1 / 0
print('end')

# %% errors that are shown
import torch
x = torch.ones(2, requires_grad=True)
y = (x * x).sum()
y.backward()
try:
    y.backward()
except RuntimeError as e:
    print(type(e).__name__, str(e)[:50])
try:
    torch.ones(2) + torch.ones(3)
except RuntimeError as err:
    print(err)
def check(v):
    try:
        return 1 / v
    except ZeroDivisionError:
        return float('inf')
    except (TypeError, ValueError) as e:
        return e.args
    else:
        return None
    finally:
        print('checked', v)
print(check(2), check(0), check('a'))
class ShapeError(Exception):
    def __init__(self, want, got):
        super().__init__(f"want {want}, got {got}")
        self.want, self.got = want, got
try:
    try:
        raise ShapeError((2,), (3,))
    except ShapeError as e:
        raise RuntimeError("outer") from e
except RuntimeError as e:
    print(e, '<-', e.__cause__, e.__cause__.want)
try:
    raise ExceptionGroup("many", [ValueError(1), TypeError(2)])
except* ValueError as g:
    print('values', g.exceptions)
except* TypeError as g:
    print('types', len(g.exceptions))
try:
    assert x.shape == (3,), f"shape {tuple(x.shape)}"
except AssertionError as e:
    print('assert', e)

# %% properties and special methods
import torch
class Vector:
    count = 0
    __slots__ = ('_data',)
    def __init__(self, *xs):
        self._data = torch.tensor(xs, dtype=torch.float32)
        Vector.count += 1
    @property
    def norm(self): return self._data.norm().item()
    @norm.setter
    def norm(self, value): self._data = self._data / self._data.norm() * value
    @classmethod
    def zeros(cls, n): return cls(*[0.0] * n)
    @staticmethod
    def dot(a, b): return (a._data * b._data).sum().item()
    def __len__(self): return len(self._data)
    def __getitem__(self, i): return self._data[i].item()
    def __setitem__(self, i, v): self._data[i] = v
    def __iter__(self): return (v.item() for v in self._data)
    def __contains__(self, v): return any(v == w for w in self)
    def __eq__(self, o): return isinstance(o, Vector) and bool((self._data == o._data).all())
    def __hash__(self): return hash(tuple(self))
    def __bool__(self): return self.norm > 0
    def __add__(self, o): return Vector(*(a + b for a, b in zip(self, o)))
    __radd__ = __add__
    def __matmul__(self, o): return Vector.dot(self, o)
    def __str__(self): return f"<{', '.join(f'{v:g}' for v in self)}>"
    def __repr__(self): return f"{type(self).__name__}({list(self)})"
    def __lt__(self, o): return self.norm < o.norm
    def __call__(self, s): return Vector(*(s * v for v in self))
    def __neg__(self): return self(-1)
    def __abs__(self): return self.norm
    def __format__(self, spec): return format(self.norm, spec)
v = Vector(3, 4)
v[0] = 3.0
print(v, repr(v), v.norm, len(v), v[1], 4.0 in v, v == Vector(3, 4), bool(Vector.zeros(2)), v @ v, -v, abs(v), f"{v:.3f}")
v.norm = 1
print(round(v.norm, 4), Vector.count > 3, sorted([Vector(2, 0), Vector(1, 0)]), v + Vector(1, 1))

# %% __getattr__ that passes on
import torch
class Wrapper(torch.nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module
    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.module, name)
    def forward(self, *a): return self.module(*a)
class Config:
    def __init__(self, **kw): self.__dict__.update(kw)
    def __getattr__(self, name):
        if name.startswith('_'):
            raise AttributeError(name)
        return f"<no {name}>"
torch.manual_seed(0)
w = Wrapper(torch.nn.Linear(2, 3))
print(w.in_features, w.out_features, w(torch.ones(1, 2)).shape, hasattr(w, 'nothing'))
c = Config(lr=0.1, depth=2)
print(c.lr, c.depth, c.missing, vars(c), c.__dict__)

# %% a dictionary whose entries are its attributes
import copy, torch
class AttrDict(dict):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.__dict__ = self
class Run(AttrDict):
    start = 1
    @property
    def doubled(self): return self.lr * 2
    def told(self): return f"{type(self).__name__} {self.lr}"
h = Run({"lr": 0.1, "sizes": [3, 4], "values": 7, "doubled": 9, "start": 2})
h.steps = 5
h["w"] = torch.ones(3, requires_grad=True)
(h.w * h.lr).sum().backward()
print(h.w.grad, h.values, h["steps"], h.doubled, h.start, Run.start, h.told(), sorted(h), "w" in vars(h), h.__dict__ is h)
del h.steps
h.update(extra=1)
h.lr = 3
print("steps" in h, hasattr(h, "steps"), getattr(h, "nope", "none"), h.extra, h["lr"], len(h), copy.copy(h).lr, isinstance(h, dict))
for attempt in (lambda: h.missing, lambda: delattr(h, "missing"), lambda: setattr(h, "doubled", 1)):
    try:
        attempt()
    except AttributeError as e:
        print(type(e).__name__)

# %% text in all formats
import torch
x = torch.tensor(3.14159)
name, n, d = 'loss', 7, {'a': 1}
print("%s = %.3f (%d, %5.1f%%)" % (name, x.item(), n, 99.5))
print("{} {:>8.3f} {name!r}".format(name, x.item(), name='z'))
print("{0[a]} {1.shape}".format(d, x), '{:,}'.format(1234567), '{:08b}'.format(n), "{:^9}|{:<5}|".format('mid', 'l'))
print(f"{name=} {n:03d} {x:.2f} {x.item():10.4e} {d['a']} {n!r:>4} {'nested' + f'{n}'}", f"{n:>{n}}")
print("a,b".split(','), '-'.join(map(str, [1, 2])), ' pad '.strip(), 'abc'.upper().center(9, '*'), 'x' * 3)
print('line1\nline2\ttab', r'raw\n', b'bytes', '''multi
line''')
print(repr('q"uote'), 'abc'[::-1], 'abc'.replace('b', 'B'), 'a' in 'abc', 'abc'.find('c'), ord('a'), chr(98))
print("{:d} {:.1%} {:+}".format(3, 0.25, 5), "{k}".format(**{'k': 'v'}), "{x} {y}".format_map({'x': 1, 'y': 2}))
fmt = "{:.2f}".format
print(list(map(fmt, [1, 2.345])), str.format("{}-{}", 1, 2))
print(1, 2, 3, sep=', ', end='!\n')

# %% types and introspection
import torch
from torch import nn
x = torch.ones(2)
m = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
print(type(x), type(x) is torch.Tensor, type(x) == torch.Tensor, type(3).__name__, type(m).__name__, x.__class__.__name__)
print(m.__class__.__name__, m[0].__class__, isinstance(m, nn.Module), isinstance(3, (int, float)), issubclass(nn.Linear, nn.Module))
print(hasattr(x, 'grad'), hasattr(x, 'nothing'), getattr(x, 'nothing', 'default'), getattr(m[0], 'in_features'))
setattr(x, 'label', 'my tensor'); print(x.label, callable(m), id(x) == id(x))
class A:
    kind = 'base'
    def __init__(self): self.v = 1
    def who(self): return self.__class__.__name__
class B(A):
    pass
b = B()
print(b.who(), vars(b), B.__name__, B.kind, isinstance(b, A), type(b) is A, type(b)().v, dir(b)[-3:])
delattr(b, 'v'); print(hasattr(b, 'v'))
def f(a, b=2, *args, c, **kw): return a, b, args, c, kw
print(f(1, c=3), f(1, 2, 3, 4, c=5, d=6), f.__name__, type(f), type(print), type(None), type(lambda: 0).__name__)
print(type(x.grad_fn), type((x.requires_grad_() * 2).grad_fn).__name__, x.dtype, isinstance(x.dtype, torch.dtype), type(x.shape))
for name, p in m.named_parameters():
    print(name, tuple(p.shape), p.requires_grad, type(p).__name__)

# %% arguments, stars and unpacking
import torch
first, *middle, last = range(5)
print(first, middle, last)
(a, b), c = (1, 2), 3
a, b = b, a
print(a, b, c, [*middle, *'xy'], {**{'p': 1}, 'q': 2}, (*range(2),))
def total(*args, scale=1.0, **named):
    return scale * (sum(args) + sum(named.values()))
print(total(1, 2, x=3, scale=2), total(*[1, 2], **{'y': 4}))
def pos(a, /, b, *, c): return a + b + c
print(pos(1, b=2, c=3))
xs = torch.arange(6.).reshape(2, 3)
r1, r2 = xs
print(r1, r2, xs[..., -1], xs[:, 1:], xs[0, ::2], *xs.shape)
if (n := len(xs)) > 1:
    print(n, [y := 1, y ** 2], [w for v in xs if (w := v.sum()) > 3])
z = 5 if n == 2 else 6
print(z, 1 < z <= 5 != 4, not z, z and n, None or 'or', ~z, z ^ 3, z << 2)
d = dict(a=1); d |= {'b': 2}; print(d, d.get('c', 0), d.setdefault('e', []), d.pop('a'), *d.items())
s = {1, 2} | {3} - {1}; print(s, frozenset(s) & {2}, {k: v for k, v in zip('ab', (1, 2))}, {v % 2 for v in range(4)})
del d['b'], s
print(d)

# %% itertools, functools, operator, collections
import itertools, functools, operator
from collections import defaultdict, Counter, deque, OrderedDict
from functools import reduce, partial, lru_cache
import torch
for lr, m in itertools.product([0.1, 0.2], [0, 1]):
    print(lr, m, end=' ')
print(list(itertools.chain([1], [2, 3])), list(itertools.islice(itertools.count(5), 3)), list(itertools.accumulate([1, 2, 3])))
print(list(zip(*[iter(range(4))] * 2)), list(itertools.combinations('abc', 2)), [(k, len(list(g))) for k, g in itertools.groupby('aab')])
@lru_cache(maxsize=None)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(30), fib.cache_info().hits, reduce(operator.mul, [1, 2, 3, 4]), partial(pow, 2)(5), functools.reduce(torch.add, [torch.ones(1)] * 3))
dd = defaultdict(list)
for k, v in [('a', 1), ('b', 2), ('a', 3)]:
    dd[k].append(v)
print(dict(dd), Counter('abca').most_common(1), deque([1, 2, 3], maxlen=2), OrderedDict(x=1))
rows = [{'n': 2, 'v': 'b'}, {'n': 1, 'v': 'a'}]
print(sorted(rows, key=operator.itemgetter('n'))[0], max(rows, key=lambda r: r['n'])['v'], sorted('bca', reverse=True))
class P:
    def __init__(self, x): self.x = x
    def double(self, k=2): return self.x * k
print([p.x for p in sorted([P(2), P(1)], key=operator.attrgetter('x'))], operator.methodcaller('double', 3)(P(5)))
print(any(x > 2 for x in range(4)), all([]), min(3, 1), sum([[1], [2]], []), list(map(lambda x: x + 1, filter(None, [0, 1]))), list(reversed([1, 2])), divmod(7, 2), round(2.567, 1), abs(-3), pow(2, 3, 5), bin(5), hex(255))

# %% a dataset of one's own
import torch
from torch.utils.data import Dataset, DataLoader, random_split, Subset
class Squares(Dataset):
    def __init__(self, n, transform=None):
        self.x = torch.arange(n, dtype=torch.float32)
        self.transform = transform
    def __len__(self):
        return len(self.x)
    def __getitem__(self, idx):
        x = self.x[idx]
        if self.transform:
            x = self.transform(x)
        return {'x': x, 'y': x ** 2}
def collate(items):
    return torch.stack([i['x'] for i in items]), torch.stack([i['y'] for i in items])
ds = Squares(7, transform=lambda v: v / 10)
ds.name = 'squares'
for batch in DataLoader(ds, batch_size=3):
    print(batch['x'], batch['y'].shape)
train, test = random_split(ds, [5, 2], generator=torch.Generator().manual_seed(0))
print(len(train), len(test), ds.name)
for x, y in DataLoader(ds, batch_size=4, collate_fn=collate, drop_last=True):
    print(x.shape, y.sum())
it = iter(DataLoader(Subset(ds, [0, 2, 4])))
print(next(it)['x'])

# %% hooks and gradients of every kind
import torch
from torch import nn
grads = {}
def save(name):
    def hook(grad):
        grads[name] = grad.clone()
    return hook
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 3
y.register_hook(save('y'))
y.retain_grad()
z = (y ** 2).sum()
h = x.register_hook(lambda g: g * 0.5)
z.backward()
print(grads['y'], y.grad, x.grad, x.grad_fn, y.grad_fn.next_functions[0][0].__class__.__name__)
h.remove()
net = nn.Sequential(nn.Linear(2, 2), nn.Tanh())
acts = []
handle = net[1].register_forward_hook(lambda mod, inp, out: acts.append((mod.__class__.__name__, tuple(out.shape))))
net(torch.ones(1, 2))
handle.remove()
print(acts)
a = torch.tensor(2., requires_grad=True)
g1, = torch.autograd.grad(a ** 4, a, create_graph=True)
g2, = torch.autograd.grad(g1, a)
print(g1, g2, (a * a).grad_fn._saved_self, a._version, torch.is_grad_enabled())
print(torch.autograd.functional.hessian(lambda v: (v ** 3).sum(), torch.tensor([1., 2.])))
J = torch.autograd.functional.jacobian(lambda v: v.exp(), torch.zeros(2)); print(J)

# %% saving and loading
import torch, copy, io
from torch import nn
torch.manual_seed(0)
net = nn.Linear(2, 1)
best = copy.deepcopy(net.state_dict())
with torch.no_grad():
    net.weight.add_(1)
print({k: v.shape for k, v in net.state_dict().items()})
net.load_state_dict(best)
other = nn.Linear(2, 1)
print(other.load_state_dict(net.state_dict()), torch.equal(other.weight, net.weight))
buffer = io.BytesIO()
torch.save({'model': net.state_dict(), 'epoch': 3}, buffer)
buffer.seek(0)
state = torch.load(buffer)
print(state['epoch'], torch.equal(state['model']['weight'], net.weight), sorted(state['model']))
twin = copy.deepcopy(net); twin.weight.data.zero_(); print(net.weight.abs().sum() > 0, copy.copy([1, 2]))
for p, q in zip(net.parameters(), twin.parameters()):
    q.data.copy_(p.data)
    q.requires_grad = False
print(torch.equal(net.weight, twin.weight), sum(p.numel() for p in net.parameters() if p.requires_grad))

# %% inheritance, mixins and super
import torch
from torch import nn
class Named:
    registry = {}
    def __init_subclass__(cls, **kw):
        super().__init_subclass__(**kw)
        cls.tag = cls.__name__.lower()
        Named.registry[cls.tag] = cls
class Base(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim
    def extra_repr(self): return f"dim={self.dim}"
class Res(Named, Base):
    def __init__(self, dim, scale=0.5):
        super().__init__(dim)
        self.scale = scale
        self.lin = nn.Linear(dim, dim, bias=False)
        self.register_buffer('steps', torch.zeros(()))
        self.alpha = nn.Parameter(torch.tensor(1.0))
    def forward(self, x):
        self.steps += 1
        return x + self.scale * self.alpha * self.lin(x)
class Deep(Res):
    def __init__(self, *args, **kwargs):
        super(Deep, self).__init__(*args, **kwargs)
    def forward(self, x):
        return super().forward(super().forward(x))
m = Deep(2)
print(Named.registry.keys(), m.tag, m(torch.zeros(1, 2)), m.steps, m)
print([n for n, _ in m.named_parameters()], list(dict(m.named_buffers())), [type(c).__name__ for c in m.children()])
class Singleton:
    _instance = None
    def __new__(cls, *args, **kwargs):
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance
print(Singleton() is Singleton())
class Celsius(float):
    def __new__(cls, v): return super().__new__(cls, v)
    def f(self): return self * 9 / 5 + 32
print(Celsius(100).f())
class Stack(list):
    def push(self, x): self.append(x); return self
print(Stack().push(1).push(2), isinstance(Stack(), list))
class Registry(dict):
    def register(self, fn):
        self[fn.__name__] = fn
        return fn
ops = Registry()
@ops.register
def double(x): return 2 * x
print(ops['double'](4), list(ops))

# %% descriptors and class tricks
import torch
class Positive:
    def __set_name__(self, owner, name): self.name = '_' + name
    def __get__(self, obj, owner=None):
        return self if obj is None else getattr(obj, self.name)
    def __set__(self, obj, value):
        if value <= 0:
            raise ValueError(f"{self.name[1:]} must be positive")
        setattr(obj, self.name, value)
class Layer:
    width = Positive()
    def __init__(self, width): self.width = width
    def __setattr__(self, name, value):
        if name == 'frozen':
            raise AttributeError('cannot')
        super().__setattr__(name, value)
l = Layer(3)
print(l.width)
try: l.width = -1
except ValueError as e: print(e)
try: l.frozen = 1
except AttributeError as e: print(e)
from functools import cached_property, total_ordering
class Data:
    def __init__(self, x): self.x = x
    @cached_property
    def mean(self):
        print('computing')
        return self.x.mean().item()
d = Data(torch.tensor([1., 3.]))
print(d.mean, d.mean)
@total_ordering
class V:
    def __init__(self, n): self.n = n
    def __eq__(self, o): return self.n == o.n
    def __lt__(self, o): return self.n < o.n
print(V(1) <= V(2), V(3) > V(2), V(1) != V(1))
class Pair:
    __match_args__ = ('a', 'b')
    def __init__(self, a, b): self.a, self.b = a, b
match Pair(1, 2):
    case Pair(1, b): print('pair', b)

# %% private names
import torch
class Account:
    __total = 0
    def __init__(self, v):
        self.__v = v
        self._w = v + 1
        Account.__total += v
    def value(self): return self.__v, self._w, Account.__total
    def __helper(self): return 'helped'
    def use(self): return self.__helper()
a = Account(5)
print(a.value(), a.use(), hasattr(a, '__v'), a._Account__v, a._w)
a._w += 1
_hidden = 3
print(a._w, _hidden, getattr(a, '_w'))
for _ in range(2):
    pass
_, b = 1, 2
print(b)

# %% Newton's method and learning rates
import math
import torch
x = torch.tensor(3.0, requires_grad=True)
for i in range(5):
    y = x ** 3 - 2 * x - 5
    dy, = torch.autograd.grad(y, x)
    with torch.no_grad():
        x -= y / dy
print(f"{x.item():.5f}", math.isclose((x ** 3 - 2 * x).item(), 5, abs_tol=1e-3))
p = torch.nn.Parameter(torch.tensor(1.0))
opt = torch.optim.SGD([p], lr=1.0)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lr_lambda=lambda e: 0.5 ** e)
for e in range(3):
    opt.zero_grad(); (p ** 2).backward(); opt.step(); sched.step()
    print(e, sched.get_last_lr(), opt.param_groups[0]['lr'])
for g in opt.param_groups:
    g['lr'] = 0.01
print(opt.param_groups[0]['lr'], math.sqrt(2), math.pi, math.floor(2.7), math.log(math.e), math.inf > 1, math.nan != math.nan)
while True:
    p.data *= 0.5
    if p.item() < 1e-2: break
else:
    print('never')
print(p.item() < 0.01)

# %% a linear regression by hand
import torch
torch.manual_seed(1)
true_w, true_b = torch.tensor([2.0, -3.4]), 4.2
X = torch.randn(50, 2)
y = X @ true_w + true_b
w = torch.zeros(2, requires_grad=True); b = torch.zeros(1, requires_grad=True)
def squared_loss(y_hat, y): return (y_hat - y.reshape(y_hat.shape)) ** 2 / 2
def sgd(params, lr, batch_size):
    with torch.no_grad():
        for param in params:
            param -= lr * param.grad / batch_size
            param.grad.zero_()
for epoch in range(3):
    for i in range(0, 50, 10):
        l = squared_loss(X[i:i+10] @ w + b, y[i:i+10])
        l.sum().backward()
        sgd([w, b], 0.3, 10)
    with torch.no_grad():
        print(f'epoch {epoch + 1}, loss {float(squared_loss(X @ w + b, y).mean()):.3f}')
w.grad = None
print(w.grad, w.detach().numpy().round(1), b.item() > 3)

# %% numerical gradients in NumPy
import numpy as np
def numerical_gradient(f, x, h=1e-5):
    grad = np.zeros_like(x)
    it = np.nditer(x, flags=['multi_index'], op_flags=['readwrite'])
    while not it.finished:
        i = it.multi_index
        old = x[i]
        x[i] = old + h; up = f(x)
        x[i] = old - h; down = f(x)
        x[i] = old
        grad[i] = (up - down) / (2 * h)
        it.iternext()
    return grad
def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
class Affine:
    def __init__(self, W, b): self.W, self.b, self.x = W, b, None
    def forward(self, x):
        self.x = x
        return np.dot(x, self.W) + self.b
    def backward(self, dout):
        self.dW, self.db = self.x.T @ dout, dout.sum(axis=0)
        return dout @ self.W.T
rng = np.random.RandomState(0)
layer = Affine(rng.randn(3, 2), np.zeros(2))
x = rng.randn(4, 3)
out = layer.forward(x); layer.backward(out)
num = numerical_gradient(lambda W: 0.5 * ((x @ W) ** 2).sum(), layer.W)
print(np.abs(num - layer.dW).max() < 1e-6, softmax(x).sum(1), np.argmax(x, 1).tolist())
onehot = np.eye(3)[[0, 2]]; onehot[0, 1] += 0.5
print(onehot, onehot.shape, np.r_[1:3, 7], np.c_[[1, 2], [3, 4]].tolist(), np.meshgrid([0, 1], [2])[0].tolist())
a = np.arange(6).reshape(2, 3); a.shape = (3, 2); print(a.tolist(), a.dtype.name, a.flags['C_CONTIGUOUS'], a.nbytes)
print(np.einsum('ij->j', a), np.dtype('float32'), np.random.default_rng(1).integers(0, 5, 3).tolist(), np.finfo(np.float32).eps)

# %% attention written out
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
class SelfAttention(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        assert d % heads == 0
        self.h, self.dk = heads, d // heads
        self.qkv = nn.Linear(d, 3 * d, bias=False)
        self.out = nn.Linear(d, d)
        self.register_buffer('mask', torch.tril(torch.ones(8, 8)).view(1, 1, 8, 8))
    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).split(C, dim=2)
        q, k, v = (t.view(B, T, self.h, self.dk).transpose(1, 2) for t in (q, k, v))
        att = (q @ k.transpose(-2, -1)) / math.sqrt(self.dk)
        att = att.masked_fill(self.mask[:, :, :T, :T] == 0, float('-inf'))
        att = F.softmax(att, dim=-1)
        return self.out((att @ v).transpose(1, 2).contiguous().view(B, T, C)), att
torch.manual_seed(0)
y, att = SelfAttention(8, 2)(torch.randn(2, 5, 8))
print(y.shape, att.shape, torch.allclose(att.sum(-1), torch.ones(2, 2, 5)), att[0, 0, 0])
pe = torch.zeros(5, 8)
pos = torch.arange(5).unsqueeze(1); div = torch.exp(torch.arange(0, 8, 2) * (-math.log(10000.0) / 8))
pe[:, 0::2], pe[:, 1::2] = torch.sin(pos * div), torch.cos(pos * div)
print(pe.sum().item() > 0)

# %% a character model
import torch
from torch import nn
text = "hello world"
chars = sorted(set(text))
stoi = {ch: i for i, ch in enumerate(chars)}
itos = {i: ch for ch, i in stoi.items()}
encode = lambda s: [stoi[c] for c in s]
decode = lambda l: ''.join([itos[i] for i in l])
print(decode(encode("hold")), len(chars))
data = torch.tensor(encode(text), dtype=torch.long)
class Bigram(nn.Module):
    def __init__(self, vocab):
        super().__init__()
        self.table = nn.Embedding(vocab, vocab)
    def forward(self, idx, targets=None):
        logits = self.table(idx)
        loss = None if targets is None else nn.functional.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))
        return logits, loss
    @torch.no_grad()
    def generate(self, idx, n):
        for _ in range(n):
            logits, _ = self(idx)
            nxt = logits[:, -1].argmax(-1, keepdim=True)
            idx = torch.cat((idx, nxt), dim=1)
        return idx
torch.manual_seed(0)
m = Bigram(len(chars)); opt = torch.optim.AdamW(m.parameters(), lr=0.1)
for i in range(20):
    _, loss = m(data[None, :-1], data[None, 1:])
    opt.zero_grad(set_to_none=True); loss.backward(); opt.step()
print(f"{loss.item():.2f}", len(m.generate(torch.zeros(1, 1, dtype=torch.long), 5)[0]))

# %% warnings and numbers
import warnings, math, random, statistics, fractions, decimal, string, textwrap, json, re, bisect, heapq, cmath, datetime, struct
import torch
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter('always')
    warnings.warn('careful', UserWarning)
    print(len(caught), caught[0].message, caught[0].category.__name__)
warnings.filterwarnings('ignore')
print(json.loads(json.dumps({'a': [1, 2.5, None, True]})), json.dumps({'b': 1}, indent=2), re.sub(r'\d+', '#', 'a1b22'), re.findall(r'[a-z]', 'a1b'))
print(statistics.mean([1, 2, 3]), fractions.Fraction(1, 3) + 1, decimal.Decimal('0.1') * 3, string.ascii_lowercase[:3], textwrap.dedent("  x"))
m = re.match(r'(?P<k>\w+)=(\d+)', 'lr=10'); print(m.group('k'), m.groups(), bool(re.search('z', 'abc')))
h = []; [heapq.heappush(h, v) for v in (3, 1, 2)]; print(heapq.heappop(h), bisect.bisect([1, 3, 5], 4), cmath.sqrt(-1), struct.pack('f', 1.0).hex())
print(datetime.timedelta(days=1).total_seconds(), datetime.date(2024, 1, 2).isoformat(), 7 // 2, 7 % 3, 2 ** 10, 1e-3, 0x1F, 0b11, 1_000, 3 + 4j, int('12'), float('1e3'), complex(1, 2).conjugate())

# %% sys, gc, weakref
import sys, gc, weakref
import torch
print(sys.version_info >= (3, 11), sys.maxsize > 0, sys.float_info.epsilon, len(sys.argv))
print('to stdout', file=sys.stdout); sys.stdout.write('written\n'); sys.stdout.flush()
print('to stderr', file=sys.stderr)
x = torch.ones(2, requires_grad=True)
y = (x * 2).exp()
ref = weakref.ref(y.grad_fn) if False else weakref.ref(y)
print(ref() is y)
del y
gc.collect()
print(ref() is None)
def main():
    print('in main')
    return 0
if __name__ == '__main__':
    sys.exit(main())

# %% PyTorch's names in many ways
import torch
import torch as th
import torch.nn, torch.optim, torch.nn.functional
import torch.nn.functional as F, torch.optim as optim
from torch import nn, optim, Tensor, tensor, autograd
from torch.nn import Linear, Module, Parameter, functional
from torch.nn.parameter import Parameter as P2
from torch.optim.lr_scheduler import StepLR, CosineAnnealingLR
from torch.utils.data import DataLoader, Dataset
from torch.autograd import grad, Variable
from torch.nn.utils import clip_grad_norm_, parameters_to_vector
from torch.nn.modules.linear import Linear as L2
from torch.func import vmap
print(th is torch, F is torch.nn.functional, functional is F, L2 is Linear, P2 is Parameter, Variable(tensor([1.])).requires_grad)
print(torch.float32, torch.get_default_dtype(), torch.tensor([1, 2]).dtype, torch.int64 == torch.long, nn.Linear is torch.nn.Linear)
t: Tensor = torch.ones(2, requires_grad=True)
print(grad((t * 3).sum(), t), clip_grad_norm_([torch.nn.Parameter(torch.ones(1))], 1.0))
print(torch.nn.__class__.__name__ == 'module' or True, vmap(torch.sum)(torch.ones(2, 2)), torch.finfo(torch.float32).eps, torch.pi, torch.inf)

# %% a tensor of one's own in a graph walk
import torch
def walk(fn, depth=0, seen=None):
    seen = set() if seen is None else seen
    if fn is None or fn in seen:
        return
    seen.add(fn)
    print('  ' * depth + type(fn).__name__ + (f" shape {tuple(fn.variable.shape)}" if hasattr(fn, 'variable') else ''))
    for nxt, _ in fn.next_functions:
        walk(nxt, depth + 1, seen)
x = torch.ones(2, requires_grad=True)
w = torch.ones(2, 2, requires_grad=True)
out = torch.tanh(w @ x).sum()
walk(out.grad_fn)
print(out.grad_fn.name(), x.is_leaf, out.is_leaf, out.grad_fn.next_functions[0][0] is not None)
def topo(fn):
    order, stack, seen = [], [fn], set()
    while stack:
        f = stack.pop()
        if f is None or f in seen: continue
        seen.add(f); order.append(f.name())
        stack.extend(g for g, _ in f.next_functions)
    return order
print(topo(out.grad_fn))

# %% an RNN step by step
import torch
import torch.nn as nn
torch.manual_seed(2)
cell = nn.RNNCell(3, 4)
h = torch.zeros(1, 4)
outs = []
for t in range(3):
    h = cell(torch.full((1, 3), float(t)), h)
    outs.append(h)
seq = torch.stack(outs, dim=1)
print(seq.shape, seq[0, -1])
lstm = nn.LSTM(3, 4, batch_first=True)
o, (hn, cn) = lstm(torch.ones(2, 5, 3))
print(o.shape, hn.shape, torch.allclose(o[:, -1], hn[0]))
o.mean().backward()
print({n: round(p.grad.norm().item(), 3) for n, p in lstm.named_parameters()})
torch.nn.utils.clip_grad_norm_(lstm.parameters(), max_norm=0.1)
print(sum(p.grad.norm() ** 2 for p in lstm.parameters()).sqrt() <= 0.1001)

# %% early stopping and a best model
import copy
import torch
from torch import nn, optim
class EarlyStopping:
    def __init__(self, patience=2, min_delta=0.0):
        self.patience, self.min_delta = patience, min_delta
        self.best, self.count, self.state = float('inf'), 0, None
    def __call__(self, loss, model):
        if loss < self.best - self.min_delta:
            self.best, self.count, self.state = loss, 0, copy.deepcopy(model.state_dict())
        else:
            self.count += 1
        return self.count >= self.patience
torch.manual_seed(0)
model = nn.Linear(1, 1); opt = optim.SGD(model.parameters(), lr=1.2)
x = torch.linspace(-1, 1, 10).unsqueeze(1); y = 2 * x + 1
stop = EarlyStopping()
for epoch in range(50):
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
    if stop(round(loss.item(), 3), model):
        print(f"stopped at {epoch}")
        break
else:
    print("ran through")
model.load_state_dict(stop.state)
print(stop.best <= 0.01, [round(p.item(), 2) for p in model.parameters()])

# %% containers of modules
import torch
from torch import nn
from collections import OrderedDict
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])
        self.heads = nn.ModuleDict({'a': nn.Linear(2, 1), 'b': nn.Linear(2, 2)})
        self.scales = nn.ParameterList([nn.Parameter(torch.ones(1) * i) for i in range(2)])
        self.named = nn.ParameterDict({'g': nn.Parameter(torch.ones(1))})
        self.seq = nn.Sequential(OrderedDict([('lin', nn.Linear(2, 2)), ('act', nn.ReLU())]))
    def forward(self, x, head='a'):
        for block in self.blocks:
            x = torch.tanh(block(x))
        x = self.seq(x) * self.scales[1] * self.named['g']
        return self.heads[head](x)
net = Net()
print(net(torch.ones(1, 2)).shape, net(torch.ones(1, 2), head='b').shape, len(list(net.parameters())), net.seq.act, net.heads.keys())
print(net)
net.apply(lambda m: m.reset_parameters() if hasattr(m, 'reset_parameters') else None)
net.train(False); print(net.training, net.blocks[0].training, [n for n, m in net.named_children()])
for name, module in net.named_modules():
    if isinstance(module, nn.Linear): print(name, end=' ')
print()
net.extra = nn.Linear(1, 1); del net.extra; print(hasattr(net, 'extra'))
m = nn.Linear(2, 1); m.weight = nn.Parameter(torch.ones(1, 2)); m.bias = None; print(m(torch.ones(1, 2)))

# %% gradient descent on many functions
import math
import torch
functions = {
    'sphere': lambda p: (p ** 2).sum(),
    'rosenbrock': lambda p: (1 - p[0]) ** 2 + 100 * (p[1] - p[0] ** 2) ** 2,
    'ackley': lambda p: -20 * torch.exp(-0.2 * torch.sqrt(0.5 * (p ** 2).sum())) - torch.exp(0.5 * torch.cos(2 * math.pi * p).sum()) + math.e + 20,
}
optimizers = {
    'SGD': lambda ps: torch.optim.SGD(ps, lr=1e-3, momentum=0.9),
    'Adam': lambda ps: torch.optim.Adam(ps, lr=0.05),
    'RMSprop': lambda ps: torch.optim.RMSprop(ps, lr=0.01),
}
results = {}
for fname, f in functions.items():
    for oname, make in optimizers.items():
        p = torch.tensor([0.5, -0.5], requires_grad=True)
        opt = make([p])
        path = [p.detach().clone()]
        for _ in range(10):
            opt.zero_grad()
            loss = f(p)
            loss.backward()
            opt.step()
            path.append(p.detach().clone())
        results[fname, oname] = loss.item()
        print(f"{fname:<12}{oname:>8}: {loss.item():8.4f} {len(path)}")
print(min(results, key=results.get))
def closure():
    opt.zero_grad(); l = functions['sphere'](q); l.backward(); return l
q = torch.tensor([2.0], requires_grad=True); opt = torch.optim.LBFGS([q]); opt.step(closure); print(abs(q.item()) < 1e-4)
