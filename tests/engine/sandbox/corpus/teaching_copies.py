"""Programs as people write them when they teach or learn: what they copy, for test_teaching.py."""

# %% deep and shallow copies of lists
import copy
a = [1, [2, 3], {'k': [4]}]
b, c = copy.copy(a), copy.deepcopy(a)
a[1].append(9)
a[2]['k'].append(8)
print(a, b, c, b[1] is a[1], c[1] is a[1])

# %% a list in itself
import copy
a = [1]
a.append(a)
b = copy.deepcopy(a)
print(b[1] is b, b is not a, len(b))

# %% a tree with parents
import copy
class Node:
    def __init__(self, name, parent=None):
        self.name, self.parent, self.children = name, parent, []
        if parent is not None: parent.children.append(self)
    def __repr__(self): return f'{self.name}({", ".join(map(repr, self.children))})'
root = Node('root')
left, right = Node('left', root), Node('right', root)
Node('leaf', left)
twin = copy.deepcopy(root)
left.children.clear()
print(root, twin, twin.children[0].parent is twin, twin.children[0].children[0].parent.parent is twin)

# %% a board that is undone
import copy
class Board:
    def __init__(self): self.cells, self.turn = [[' '] * 3 for _ in range(3)], 'x'
    def play(self, r, c):
        self.cells[r][c] = self.turn
        self.turn = 'o' if self.turn == 'x' else 'x'
history, board = [], Board()
for move in [(0, 0), (1, 1), (2, 2)]:
    history.append(copy.deepcopy(board))
    board.play(*move)
print([sum(c != ' ' for row in b.cells for c in row) for b in history], board.cells, history[1].turn)

# %% a __deepcopy__ as it is usually written
import copy
class Graph:
    def __init__(self, cache): self.edges, self.cache = {}, cache
    def __deepcopy__(self, memo):
        cls = self.__class__
        result = cls.__new__(cls)
        memo[id(self)] = result
        for k, v in self.__dict__.items():
            setattr(result, k, v if k == 'cache' else copy.deepcopy(v, memo))
        return result
cache = {'big': list(range(3))}
g = Graph(cache)
g.edges['me'] = [g]
pair = copy.deepcopy([g, g])
print(pair[0] is pair[1], pair[0].edges['me'][0] is pair[0], pair[0].cache is cache, pair[0].edges is g.edges)

# %% a __deepcopy__ that counts
import copy
class Counted:
    copies = 0
    def __init__(self, parts): self.parts = parts
    def __deepcopy__(self, memo):
        Counted.copies += 1
        if id(self) in memo: return memo[id(self)]
        return Counted(copy.deepcopy(self.parts, memo))
shared = [1, 2]
a, b = Counted(shared), Counted(shared)
x, y, z = copy.deepcopy((a, b, a))
print(Counted.copies, x.parts is y.parts, x is z, x.parts == shared, x.parts is shared)

# %% something that must not be copied
import copy
class Connection:
    def __deepcopy__(self, memo): return self
    def __copy__(self): raise TypeError('there is one connection only')
class Client:
    def __init__(self, c): self.connection, self.log = c, []
c = Client(Connection())
d = copy.deepcopy(c)
print(d.connection is c.connection, d.log is c.log)
try: copy.copy(c.connection)
except TypeError as e: print(e)

# %% a memo that keeps something as it is
import copy
big, small = [0] * 5, [1]
d = {'big': big, 'small': small, 'both': [big, small]}
e = copy.deepcopy(d, {id(big): big})
print(e['big'] is big, e['both'][0] is big, e['small'] is small, e['both'][1] is e['small'])

# %% one memo for two copies
import copy
class A:
    pass
a, b = A(), A()
a.other, b.other = b, a
memo = {}
x = copy.deepcopy(a, memo)
y = copy.deepcopy(b, memo)
print(x.other is y, y.other is x, memo[id(a)] is x)

# %% __copy__ and slots
import copy
class Vector:
    __slots__ = ('x', 'y')
    def __init__(self, x, y): self.x, self.y = x, y
    def __eq__(self, o): return (self.x, self.y) == (o.x, o.y)
    def __copy__(self): return Vector(self.x, self.y)
class Segment:
    __slots__ = ['a', 'b', '__dict']
    def __init__(self, a, b): self.a, self.b = a, b
s = Segment(Vector(1, [2]), Vector(3, 4))
t, u = copy.copy(s), copy.deepcopy(s)
print(t.a is s.a, u.a is s.a, u.a == s.a, copy.copy(s.a) == s.a, u.a.y is s.a.y)

# %% dataclasses, replaced and taken apart
import copy
from dataclasses import asdict, astuple, dataclass, field, fields, replace
@dataclass
class Layer:
    size: int
    name: str = 'layer'
    tags: list = field(default_factory=list)
@dataclass(frozen=True)
class Config:
    layers: tuple
    rate: float = 0.1
    extra: dict = field(default_factory=dict, compare=False)
c = Config((Layer(2), Layer(3, 'out', ['last'])), extra={'seed': [1]})
d = replace(c, rate=0.5)
e = copy.deepcopy(c)
c.extra['seed'].append(2)
print(d, e == c, e.extra, d.layers[0] is c.layers[0], e.layers[0] is c.layers[0])
print(asdict(c), astuple(e), [f.name for f in fields(Layer)])
print(asdict(Layer(1), dict_factory=lambda items: [k for k, v in items]))

# %% frozen dataclasses with slots
import copy
from dataclasses import dataclass
@dataclass(frozen=True, slots=True)
class P:
    x: list
    y: int = 0
p = P([1])
q, r = copy.deepcopy(p), copy.copy(p)
p.x.append(2)
print(p, q, r, hash(P((1,))) == hash(P((1,))))
try: q.y = 3
except Exception as e: print(type(e).__name__, e)

# %% named tuples and enumerations
import copy
from collections import namedtuple
from enum import Enum, Flag, auto
from typing import NamedTuple
Point = namedtuple('Point', 'x y', defaults=[0])
class Sample(NamedTuple):
    data: list
    label: int = 0
class Color(Enum):
    RED = auto()
    BLUE = auto()
class Mode(Flag):
    R = auto()
    W = auto()
p, s = Point([1]), Sample([2])
q, t = copy.deepcopy(p), copy.deepcopy(s)
print(q, t, q.x is p.x, t._replace(label=5), p._asdict(), type(q).__name__)
print(copy.deepcopy(Color.RED) is Color.RED, copy.copy([Color.BLUE]), copy.deepcopy({Color.RED: [1]}), copy.deepcopy(Mode.R | Mode.W))

# %% namespaces and vars
import copy
from types import SimpleNamespace
args = SimpleNamespace(lr=0.1, sizes=[2, 3])
other = copy.deepcopy(args)
vars(other).update(lr=0.5, name='other')
other.sizes.append(4)
print(args, other, vars(args), args == SimpleNamespace(**vars(args)))
class Config:
    def __init__(self, **kw): self.__dict__.update(kw)
c = Config(a=1, b=[2])
d = Config(**vars(c))
d.b.append(3)
print(vars(c), sorted(vars(d)), d.__dict__ == c.__dict__)

# %% a dict with attributes
import copy
class Bunch(dict):
    def __getattr__(self, name):
        try: return self[name]
        except KeyError: raise AttributeError(name) from None
    def __setattr__(self, name, value): self[name] = value
b = Bunch(lr=0.1, sizes=[1])
b.name = 'x'
c, d = copy.copy(b), copy.deepcopy(b)
b.sizes.append(2)
print(type(c).__name__, c, d, d.name, hasattr(d, 'nothing'))

# %% subclasses of containers
import copy
from collections import Counter, OrderedDict, UserDict, UserList, defaultdict, deque
class Stack(list):
    limit = 3
class Table(defaultdict):
    pass
class Inventory(UserDict):
    def __setitem__(self, k, v): self.data[k] = int(v)
class Log(UserList): pass
s = Stack([[1], [2]])
s.name = 'stack'
t, u = copy.copy(s), copy.deepcopy(s)
print(t, u, t[0] is s[0], u[0] is s[0], u.name, type(u).__name__, type(s.copy()).__name__)
table = Table(list, {'a': [1]})
print(copy.deepcopy(table)['b'], dict(copy.copy(table)))
i, l = Inventory(x='3'), Log([[1]])
print(i.copy(), copy.deepcopy(i), type(i.copy()).__name__, l.copy(), copy.copy(l)[0] is l[0], copy.deepcopy(l)[0] is l[0])
print(copy.deepcopy(deque([[1]], 2)), copy.copy(Counter('aab')), copy.deepcopy(OrderedDict(a=[1])), {**defaultdict(int, a=1)}.copy())

# %% exceptions are copied
import copy
class Failed(Exception):
    def __init__(self, code):
        super().__init__(code)
        self.code, self.details = code, []
e = Failed(3)
e.details.append('why')
f = copy.deepcopy(e)
e.details.append('more')
print(f, f.args, f.details, repr(f), isinstance(f, Failed), copy.copy(ValueError('x', [1])).args)

# %% functions, classes and methods
import copy, functools
def f(a, b=[1]): return a, b
class A:
    table = {'k': [1]}
    def __init__(self): self.n = [1]
    def grow(self): self.n.append(2); return self.n
a = A()
g = copy.deepcopy(a.grow)
p = copy.deepcopy(functools.partial(f, [5], b={'x': [6]}))
print(copy.deepcopy(f) is f, copy.deepcopy(A) is A, g(), a.n, p(), copy.deepcopy(len) is len)
print(copy.deepcopy(lambda x: x + 1)(2), copy.copy(A).table is A.table)

# %% linked lists and iterators
import copy
class Link:
    def __init__(self, value, rest=None): self.value, self.rest = value, rest
    def __iter__(self):
        at = self
        while at is not None:
            yield at.value
            at = at.rest
chain = None
for k in range(100): chain = Link([k], chain)
twin = copy.deepcopy(chain)
chain.value[0] = -1
print(sum(v[0] for v in twin), next(iter(chain)))
try: copy.deepcopy(iter(chain))
except TypeError as e: print(e)

# %% a prototype
import copy
class Prototype:
    registry = {}
    def __init__(self, **attributes): vars(self).update(attributes)
    def clone(self, **changes):
        made = copy.deepcopy(self)
        for name, value in changes.items(): setattr(made, name, value)
        return made
base = Prototype(color='red', parts=[1])
car = base.clone(color='blue', wheels=4)
car.parts.append(2)
print(sorted(vars(car).items()), sorted(vars(base).items()), getattr(base, 'wheels', None))

# %% modules of PyTorch are copied
import copy, torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Linear(3, 1))
twin = copy.deepcopy(net)
with torch.no_grad(): net[0].weight.zero_()
print(twin[0].weight.abs().sum() > 0, type(twin[0].weight).__name__, twin[0].weight.requires_grad, len(list(twin.buffers())))
print(twin(torch.ones(4, 2)).shape, [n for n, _ in twin.named_parameters()])
shared = nn.Linear(2, 2)
pair = copy.deepcopy(nn.ModuleList([shared, shared]))
print(pair[0] is pair[1], len(list(pair.parameters())))

# %% a module of one's own is copied
import copy, torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2)
        self.b = nn.Linear(2, 2)
        self.b.weight = self.a.weight
        self.register_buffer('steps', torch.zeros(1))
        self.history, self._private = [], {'k': [1]}
    def forward(self, x): return self.b(self.a(x))
net = Net()
net.history.append('made')
twin = copy.deepcopy(net)
twin.history.append('copied')
twin.steps += 1
print(net.history, twin.history, net.steps, twin.steps, twin.a.weight is twin.b.weight, twin.a.weight is net.a.weight)
print(twin._private is net._private, twin.training, len(list(twin.parameters())), len(twin.state_dict()))
twin(torch.ones(1, 2)).sum().backward()
print(net.a.weight.grad, twin.a.weight.grad is not None)

# %% hooks go with a copied module
import copy, torch
from torch import nn
seen = []
net = nn.Linear(1, 1, bias=False)
handle = net.register_forward_hook(lambda m, i, o: seen.append(m is net))
twin = copy.deepcopy(net)
net(torch.ones(1)); twin(torch.ones(1))
handle.remove()
net(torch.ones(1)); twin(torch.ones(1))
print(seen)

# %% tensors are copied
import copy, torch
x = torch.tensor([1., 2.], requires_grad=True)
(x * x).sum().backward()
y = copy.deepcopy(x)
print(y, y.requires_grad, y.is_leaf, y.grad, y.grad is x.grad)
with torch.no_grad(): x += 1
print(x, y)
d = copy.deepcopy({'w': x, 'again': x, 'plain': torch.ones(2)})
print(d['w'] is d['again'], d['w'] is x, d['plain'])
try: copy.deepcopy(x * 2)
except RuntimeError as e: print('Only Tensors created explicitly' in str(e))
print(copy.deepcopy(x.detach() * 2), copy.deepcopy(torch.nn.Parameter(torch.ones(1))))

# %% the best model is kept
import copy, torch
from torch import nn
torch.manual_seed(1)
net = nn.Linear(1, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.linspace(0, 1, 8).unsqueeze(1), torch.linspace(0, 2, 8).unsqueeze(1)
best, kept = float('inf'), None
for step in range(10):
    loss = ((net(x) - y) ** 2).mean()
    if loss.item() < best: best, kept = loss.item(), copy.deepcopy(net.state_dict())
    opt.zero_grad(); loss.backward(); opt.step()
state = net.state_dict()
net.load_state_dict(kept)
print(abs(((net(x) - y) ** 2).mean().item() - best) < 1e-6, list(kept), torch.equal(kept['weight'], state['weight']))

# %% a model and its optimizer are copied together
import copy, torch
from torch import nn
net = nn.Linear(2, 1)
opt = torch.optim.Adam(net.parameters(), lr=0.01)
net(torch.ones(3, 2)).sum().backward()
opt.step()
net2, opt2 = copy.deepcopy((net, opt))
print(opt2.param_groups[0]['params'][0] is net2.weight, len(opt2.state), opt2.param_groups[0]['lr'])
before = net.weight.clone()
net2(torch.ones(3, 2)).sum().backward()
opt2.step()
print(torch.equal(net.weight, before), torch.equal(net2.weight, before))

# %% a target network
import copy, torch
from torch import nn
online = nn.Linear(1, 1)
target = copy.deepcopy(online).requires_grad_(False)
with torch.no_grad():
    for p in online.parameters(): p.add_(1.0)
    for t, p in zip(target.parameters(), online.parameters()): t.mul_(0.9).add_(p, alpha=0.1)
print([p.requires_grad for p in target.parameters()], [round((p - t).item(), 4) for t, p in zip(target.parameters(), online.parameters())])

# %% an averaged model
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel
net = nn.Linear(1, 1, bias=False)
avg = AveragedModel(net)
with torch.no_grad():
    for k in range(3):
        net.weight.fill_(float(k))
        avg.update_parameters(net)
print(avg.module.weight, avg.n_averaged, avg.module is net)

# %% a layer many times
import copy, torch
from torch import nn
def clones(module, n): return nn.ModuleList([copy.deepcopy(module) for _ in range(n)])
layers = clones(nn.Linear(2, 2), 3)
print(len(layers), layers[0].weight is layers[1].weight, torch.equal(layers[0].weight, layers[2].weight))
encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, dropout=0.0, batch_first=True), 2, enable_nested_tensor=False)
print(encoder(torch.ones(1, 3, 4)).shape, encoder.layers[0] is encoder.layers[1])

# %% a module with a __deepcopy__ of its own
import copy, torch
from torch import nn
class Frozen(nn.Module):
    def __init__(self, big):
        super().__init__()
        self.big, self.head = big, nn.Linear(2, 1)
    def __deepcopy__(self, memo):
        memo[id(self.big)] = self.big
        made = Frozen(copy.deepcopy(self.big, memo))
        made.head = copy.deepcopy(self.head, memo)
        return made
big = nn.Linear(2, 2)
net = nn.ModuleDict({'a': Frozen(big), 'b': Frozen(big)})
twin = copy.deepcopy(net)
print(twin['a'].big is big, twin['b'].big is big, twin['a'].head is net['a'].head, torch.equal(twin['a'].head.weight, net['a'].head.weight))

# %% a parameter with a __deepcopy__ of its own
import copy, torch
class Fixed(torch.nn.Parameter):
    def __deepcopy__(self, memo):
        made = super().__deepcopy__(memo)
        made.requires_grad_(False)
        return made
t = Fixed(torch.ones(2))
u = copy.deepcopy(t)
a, b = copy.deepcopy([t, t])
print(type(u).__name__, u.requires_grad, u.sum().item(), u is t, a is b, t.requires_grad)
memo = {}
w = torch.ones(2)
print(w.__deepcopy__({}), w.__deepcopy__(memo) is memo[id(w)], torch.nn.Parameter(w).__deepcopy__({}).requires_grad)

# %% arrays are copied
import copy
import numpy as np
a = np.arange(6.).reshape(2, 3)
b, c = copy.copy(a), copy.deepcopy({'a': a, 'b': [a, a]})
a[0, 0] = 9
print(b[0, 0], c['a'][0, 0], c['b'][0] is c['a'], c['b'][0].flags.owndata, a.__deepcopy__({})[0, 0])
o = np.array([[1], {'k': 2}], dtype=object)
p = copy.deepcopy(o)
o[0].append(3)
print(p, o, copy.deepcopy(np.float64(2.5)), copy.deepcopy(np.random.RandomState(0)).randint(9) == np.random.RandomState(0).randint(9))

# %% generators of random numbers are copied
import copy, random
import numpy as np
r, g = random.Random(3), np.random.default_rng(3)
r2, g2 = copy.deepcopy(r), copy.deepcopy(g)
print(r.random() == r2.random(), g.random() == g2.random(), r.random() == r2.random())

# %% objects that become arrays
import numpy as np
class Celsius:
    def __init__(self, degrees): self.degrees = degrees
    def __float__(self): return float(self.degrees)
    def __int__(self): return int(self.degrees)
    def __index__(self): return int(self.degrees)
class Series:
    def __init__(self, values): self.values = list(values)
    def __len__(self): return len(self.values)
    def __getitem__(self, k): return self.values[k]
class Squares:
    def __iter__(self): return (k * k for k in range(4))
print(np.array([Celsius(20), Celsius(30)], dtype=float), np.array(Series([1, 2.5, 3])), np.array([Series([1, 2]), Series([3, 4])]))
print(np.array(list(Squares())), np.fromiter(Squares(), float), np.arange(5)[Celsius(2)], np.zeros(Celsius(3)), np.mean(Series([1, 2])))
print(np.array([Celsius(1), None]).dtype, np.array(Celsius(5), dtype=object)[()].degrees, np.full(2, Celsius(4), dtype=float))

# %% a vector with an __array__ of its own
import numpy as np
class Vec:
    def __init__(self, *v): self.v = list(v)
    def __array__(self, dtype=None, copy=None): return np.array(self.v, dtype=dtype)
    def __add__(self, o): return Vec(*(np.asarray(self) + np.asarray(o)).tolist())
    __radd__ = __add__
    def __repr__(self): return f'Vec{tuple(self.v)}'
v = Vec(1, 2, 3)
print(np.asarray(v), np.sin(v).shape, np.dot(v, v), np.stack([v, v]).shape, v + v, v + np.ones(3), np.asarray(v, dtype=float).dtype, np.linalg.norm(v))

# %% operators that come before NumPy's
import numpy as np
class Var:
    __array_priority__ = 100
    def __init__(self, v): self.v = v
    def __mul__(self, o): return Var(self.v * (o.v if isinstance(o, Var) else o))
    __rmul__ = __mul__
    def __repr__(self): return f'Var({self.v})'
class Quiet:
    __array_ufunc__ = None
    def __rmul__(self, o): return 'mine'
    def __radd__(self, o): return 'mine too'
print(np.array([1., 2.]) * Var(3.), Var(2.) * np.ones(2), np.float64(2) * Var(1.), np.ones(2) * Quiet(), np.ones(2) + Quiet())

# %% arrays of objects of one's own
import numpy as np
class Dual:
    def __init__(self, a, b=0.0): self.a, self.b = a, b
    def __add__(self, o): o = o if isinstance(o, Dual) else Dual(o); return Dual(self.a + o.a, self.b + o.b)
    def __mul__(self, o): o = o if isinstance(o, Dual) else Dual(o); return Dual(self.a * o.a, self.a * o.b + self.b * o.a)
    __radd__, __rmul__ = __add__, __mul__
    def sqrt(self): return Dual(self.a ** 0.5, self.b / (2 * self.a ** 0.5))
    def __lt__(self, o): return self.a < o.a
    def __repr__(self): return f'{self.a:g}+{self.b:g}e'
xs = np.array([Dual(1., 1.), Dual(4., 1.)], dtype=object)
print(xs * xs + 1, xs.sum(), np.sqrt(xs), 2 * xs, np.dot(xs, xs), xs.tolist()[0], sorted(xs)[-1], xs.dtype)

# %% objects that become tensors
import torch
class Values:
    def __init__(self, v): self.v = v
    def __len__(self): return len(self.v)
    def __getitem__(self, k): return self.v[k]
class Number:
    def __float__(self): return 2.5
    def __index__(self): return 3
print(torch.tensor([float(Number())]), torch.zeros(Number()), torch.tensor(list(Values([1, 2]))), torch.tensor([[*Values([1., 2.])]]))
try: torch.tensor(Number())
except Exception as e: print(type(e).__name__)

# %% attributes looked up late
import copy
class Lazy:
    def __init__(self, source): self._source, self.calls = source, []
    def __getattr__(self, name):
        if name.startswith('_'): raise AttributeError(name)
        self.calls.append(name)
        return self._source[name]
    def __dir__(self): return ['x']
lazy = Lazy({'x': [1]})
twin = copy.deepcopy(lazy)
twin.x.append(2)
print(lazy.x, twin.x, lazy.calls, hasattr(twin, '_nothing'))

# %% weak dicts are copied
import copy, weakref
class Key:
    def __init__(self, n): self.n = n
keys = [Key(1), Key(2)]
cache = weakref.WeakKeyDictionary({k: [k.n] for k in keys})
twin = copy.deepcopy(cache)
cache[keys[0]].append(5)
print(sorted(v for v in twin.values()), len(copy.copy(cache)), [k in twin for k in keys], twin.__deepcopy__({})[keys[1]])

# %% saved and loaded
import torch
class Box:
    def __init__(self): self.items, self.t = [1, {'k': (2,)}], torch.ones(2)
a = {'model': torch.nn.Linear(1, 1).state_dict(), 'step': 3, 'items': [1, (2, 3)]}
import io
buffer = io.BytesIO()
torch.save(a, buffer)
buffer.seek(0)
b = torch.load(buffer)
print(sorted(b), b['step'], b['items'], torch.equal(a['model']['weight'], b['model']['weight']), b['model']['weight'] is a['model']['weight'])
