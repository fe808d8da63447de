"""Attributes that the engine reads or sets by a name of the program's, and private names of the engine's that come by other ways."""
#: goal: what it tries, by which it is judged (`attacks.py` says what there is)

if __name__: raise SystemExit("these programs may do harm: `python -m tests.corpus FILE::NAME` runs one shut in")

# %% what a profile is sorted by
#: goal: sees
import torch
with torch.profiler.profile() as profile:
    torch.ones(2) + 1
table = profile.key_averages()
got = []
class Greater:
    def __gt__(self, other):
        got.append(other)
        return True
    __lt__ = __gt__
class Row:
    gi_frame = f_back = f_globals = Greater()
def read(thing, name):
    table[:] = [thing, Row()]
    try:
        table.table(sort_by=name)
    except Exception as e:
        print(e)
    return got.pop()
cell = []
cell.append(read(each, 'gi_frame') for each in cell)
frame = next(cell[0])
while frame is not None:
    print(frame, read(frame, 'f_globals'))
    frame = read(frame, 'f_back')

# %% the state of an older generator, set by matplotlib
#: goal: memory
import numpy as np
import matplotlib.pyplot as plt
r = np.random.RandomState(0)
plt.setp(r, state=('MT19937', r.get_state()[1], 700, 0, 0.0))
print('REACHED', r.randint(0, 2**32, dtype=np.uint32))

# %% the format of a text that is an estimator
#: goal: sees
from sklearn.base import BaseEstimator
class Text(BaseEstimator, str):
    def __init__(self, format=None): pass
def f(): pass
print(Text('{0.__globals__}').get_params()['format'](f))

# %% the file of a number that is an estimator
#: goal: marks
import numpy as np
from sklearn.base import BaseEstimator
class Number(BaseEstimator, np.float64):
    def __init__(self, tofile=None): pass
print(Number(1.0).get_params()['tofile'], 'REACHED')

# %% the format of a text that is a distribution
#: goal: sees
import torch
from torch.distributions import Distribution, constraints
got = []
class See(constraints.Constraint):
    def check(self, value):
        got.append(value)
        return torch.tensor(True)
class D(Distribution, str):
    arg_constraints = {'format': See()}
    def __new__(cls, *a): return str.__new__(cls, '{0.__globals__}')
    def __init__(self): Distribution.__init__(self, validate_args=True)
D()
def f(): pass
print(got[0](f))

# %% the memory of a number within an environment
#: goal: marks
import gymnasium as gym, numpy as np
class Number(gym.Env, np.float64): pass
print(gym.Wrapper(Number(1.0)).dumps, 'REACHED')

# %% a private method that stands in for a moment
#: goal: marks
import torch
class O(torch.optim.SGD):
    _parameters, _buffers = {}, {}
    def named_parameters(self, **options): return []
    named_buffers = named_parameters
    def get_submodule(self, path): return self
    def __call__(self): return self.step()
p = torch.nn.Parameter(torch.ones(6))
o = O([p], lr=.1)
p.sum().backward()
torch.func.functional_call(o, {'_update': lambda *a, **k: print('REACHED', type(a[0]))})

# %% the module within a compiled one
#: goal: marks
import torch
c = torch.compile(torch.nn.Linear(1, 1))
c._modules['_orig_mod'] = torch.ones(3)
print(type(c._array), 'REACHED')

# %% a private name whose weight is normed
#: goal: marks
import torch
class W:
    data, shape = 'REACHED', (2, 2)
    def reshape(self, *a): return torch.ones(2, 2)
    def size(self, *a): return 2
    def new_empty(self, *a): return torch.ones(2)
class P(torch.nn.Parameter):
    _forward_pre_hooks, _parameters = {}, {'_array': W()}
    def register_parameter(self, *a): pass
    register_buffer = register_forward_pre_hook = _register_state_dict_hook = register_parameter
p = P(torch.zeros(1), requires_grad=False)
torch.nn.utils.spectral_norm(p, '_array')
print('REACHED')

# %% a private name of a module that is a tensor, pruned
#: goal: marks
import torch
class X(torch.nn.Module, torch.nn.Parameter):
    def __init__(self, *a): torch.nn.Module.__init__(self)
    def register_parameter(self, name, value): print(type(value), 'REACHED')
torch.nn.utils.prune.identity(X(torch.ones(3)), '_array')

# %% a private name of a module that is a tensor, as a key
#: goal: marks
import torch
class X(torch.nn.ParameterDict, torch.nn.Parameter):
    def __init__(self, *a): torch.nn.ParameterDict.__init__(self)
print(type(X(torch.ones(3))['_array']), 'REACHED')

# %% the types of a function of NumPy's, out of a schedule's state
#: goal: memory
import torch, numpy as np
v = np.vectorize(lambda x: x)
s = torch.optim.lr_scheduler.LambdaLR(torch.optim.SGD([torch.nn.Parameter(torch.ones(6))]), lr_lambda=v)
s.load_state_dict({'lr_lambdas': [{'otypes': ['i4']}]})
print('REACHED', v.otypes)

# %% what a schedule keeps of a registry
#: goal: marks
import torch
from torch.distributions import biject_to
s = torch.optim.lr_scheduler.LambdaLR(torch.optim.SGD([torch.nn.Parameter(torch.ones(6))]), lr_lambda=lambda e: 1.0)
s.lr_lambdas[:] = [biject_to]
if s.state_dict()['lr_lambdas'][0]:
    print('REACHED')

# %% a module's names, out of a schedule's state
#: goal: marks
import torch, math
s = torch.optim.lr_scheduler.LambdaLR(torch.optim.SGD([torch.nn.Parameter(torch.ones(6))]), lr_lambda=lambda e: 1.0)
s.lr_lambdas[:] = [math]
s.load_state_dict({'lr_lambdas': [{'pi': 3}]})
import math
print('REACHED' if math.pi == 3 else '')

# %% a tangent that is no tensor
#: goal: marks
import torch, numpy as np
import torch.autograd.forward_ad as forward_ad
class Shaped:
    shape, dtype = (4,), np.dtype('f4')
    def __getitem__(self, key): print('REACHED')
class Tangent: _array = Shaped()
base = torch.zeros(4)
view = base[:2]
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return base
    @staticmethod
    def jvp(ctx, t): return Tangent()
with forward_ad.dual_level():
    F.apply(forward_ad.make_dual(torch.ones(4), torch.ones(4)))
    forward_ad.unpack_dual(view)

# %% a tangent of a dual that is no tensor
#: goal: marks
import torch, numpy as np
import torch.autograd.forward_ad as forward_ad
class Shaped: shape, dtype = (4,), np.dtype('f4')
class Tangent: _array = Shaped()
with forward_ad.dual_level():
    forward_ad.make_dual(torch.ones(4), Tangent())
    print('REACHED')

# %% a place of its own for a private name
#: goal: marks
import torch
class P(torch.nn.Parameter):
    __slots__ = ('_array',)
print(type(P(torch.zeros(1))._array), 'REACHED')

# %% a place of its own for a private method
#: goal: marks
import torch
class O(torch.optim.SGD):
    __slots__ = ('_update',)
p = torch.nn.Parameter(torch.ones(6))
o = O([p], lr=.1)
o._update = lambda *a, **k: print('REACHED', type(a[0]))
p.sum().backward()
o.step()

# %% a private name as a field
#: goal: marks
from dataclasses import dataclass
import torch
@dataclass(eq=False, repr=False)
class P(torch.nn.Parameter):
    _array: object
    def __new__(cls, a): return super().__new__(cls, torch.zeros(1), requires_grad=False)
P(5)
print('REACHED')

# %% a private name as a field with a place of its own
#: goal: marks
from dataclasses import dataclass
import torch
@dataclass(eq=False, slots=True)
class O(torch.optim.SGD):
    _update: object
print('REACHED')

# %% a private name as a field of a class before
#: goal: marks
from dataclasses import dataclass
import torch
p = torch.nn.Parameter(torch.ones(6))
@dataclass(eq=False)
class Data:
    _update: object
class O(Data, torch.optim.SGD):
    def __init__(self, update):
        torch.optim.SGD.__init__(self, [p], lr=.1)
        Data.__init__(self, update)
o = O(lambda *a, **k: print('REACHED', type(a[0])))
p.sum().backward()
o.step()

# %% a private name as an entry
#: goal: marks
import torch
class D(dict):
    def __init__(self):
        super().__init__()
        self.__dict__ = self
D()
class O(D, torch.optim.SGD):
    def __init__(self, *a, **k): torch.optim.SGD.__init__(self, *a, **k)
p = torch.nn.Parameter(torch.ones(6))
o = O([p], lr=.1)
o['_update'] = lambda *a, **k: print('REACHED', type(a[0]))
p.sum().backward()
o.step()

# %% a private name as an entry of a class before
#: goal: marks
import torch
class D(dict):
    def shut(self): self.__dict__ = self
class O(D, torch.optim.SGD):
    def __init__(self, *a, **k): torch.optim.SGD.__init__(self, *a, **k)
p = torch.nn.Parameter(torch.ones(6))
o = O([p], lr=.1)
D().shut()
o['_update'] = lambda *a, **k: print('REACHED', type(a[0]))
p.sum().backward()
o.step()

# %% a tangent set by its private name
#: goal: marks
import numpy as np, torch
import torch.autograd.forward_ad as forward_ad
class Shaped:
    shape, dtype = (4,), np.dtype('f4')
    def __getitem__(self, key): print('REACHED')
class Tangent: _array = Shaped()
base = torch.zeros(4)
view = base[:2]
for level in range(5):
    base._tangent = level + 1, Tangent()
    with forward_ad.dual_level():
        forward_ad.unpack_dual(view)

# %% the class of a function's nodes
#: goal: marks
import torch
class G(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): return g
class Node:
    def __init__(self, ctx=None): print('REACHED', type(ctx))
G._backward_cls = Node
G.apply(torch.ones(2, requires_grad=True)).sum().backward()

# %% the class of a function's contexts
#: goal: marks
import torch
class G(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
class Context:
    def __init__(self): print('REACHED')
G._ctx_cls = Context
G.apply(torch.ones(2, requires_grad=True))

# %% the class of a function's nodes, read
#: goal: marks
import torch
class G(torch.autograd.Function): pass
print('REACHED', G._backward_cls)

# %% what a function saves, which is no tensor the second time
#: goal: marks
import torch
class Kept:
    asked = 0
    def __iter__(self):
        self.asked += 1
        return iter([torch.ones(2)] if self.asked == 1 else ['REACHED'])
class G(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.to_save = Kept()
        return x * 2
    @staticmethod
    def backward(ctx, g):
        print(ctx.saved_tensors)
        return g
G.apply(torch.ones(2, requires_grad=True)).sum().backward()

# %% a private method out of a state dict
#: goal: marks
import torch
from torch import nn
class Called(nn.Parameter):
    def __call__(self, *a, **k): print('REACHED', type(a[0]))
class O(torch.optim.SGD):
    _parameters, _buffers, _load_state_dict_pre_hooks = {'_update': nn.Parameter(torch.ones(1))}, {}, {}
    _non_persistent_buffers_set = set()
p = nn.Parameter(torch.ones(6))
o = O([p], lr=.1)
about = {'assign_to_params_buffers': True}
nn.Module._load_from_state_dict(o, {'_update': Called(torch.ones(1))}, '', about, False, [], [], [])
print(vars(o).keys())
p.sum().backward()
o.step()

# %% what a schedule keeps of what is no schedule
#: goal: marks
import torch
from torch.optim.lr_scheduler import LRScheduler
if '_array' in LRScheduler.state_dict(torch.Tensor):
    print('REACHED')

# %% a state for what is no schedule
#: goal: marks
import math
from torch.optim.lr_scheduler import LRScheduler
LRScheduler.load_state_dict(math, {'pi': 3})
print('REACHED' if math.pi == 3 else '')

# %% what carries a tangent and is no tensor
#: goal: marks
import torch
import torch.autograd.forward_ad as forward_ad
class Thing: _view, _array = None, 0
class View:
    def replay(self, array): print('REACHED')
base, thing = Thing(), Thing()
View.base, thing._view = base, View()
for level in range(5):
    base._tangent = level, base
    with forward_ad.dual_level():
        forward_ad.unpack_dual(thing)

# %% fields that nobody may read, compared by a data class
#: goal: marks
import dataclasses, numpy as np
class Probe:
    def __eq__(self, other):
        print("REACHED", other)
        return True
D = dataclasses.make_dataclass('D', ['tofile', 'dump'], init=False)
class E(D, np.float64): pass
a, b = E(1.0), E(1.0)
b.tofile = b.dump = Probe()
D.__eq__(a, b)

# %% a data class that is made of a class when another inherits from it
#: goal: marks
import dataclasses, numpy as np
class Probe:
    def __eq__(self, other):
        print("REACHED", other)
        return True
class D:
    dump: int
class E(D, np.float64): pass
a, b = E(1.0), E(1.0)
b.dump = Probe()
try: dataclasses.dataclass(init=False)(D)
except Exception as e: print(e)
D.__eq__(a, b)

# %% a field by letters that Python reads as others
#: goal: marks
import dataclasses, numpy as np
class Probe:
    def __eq__(self, other):
        print("REACHED", other)
        return True
D = dataclasses.make_dataclass('D', ['\U0001d41dump'], init=False)
class E(D, np.float64): pass
a, b = E(1.0), E(1.0)
b.dump = Probe()
D.__eq__(a, b)

# %% the state of a data class, for an object of another
#: goal: marks
import dataclasses
import torchvision.models as m
@dataclasses.dataclass(frozen=True, slots=True)
class D:
    x: int
    y: int
w = m.AlexNet_Weights.DEFAULT.value
D.__setstate__(w, ['set', 'X'])
print("REACHED" if w.resize_size == 'set' else "")

# %% what the engine keeps, told to __setattr__
#: goal: marks
import torch
class P(torch.nn.Parameter):
    def __setattr__(self, n, v):
        if n[:1] == '_': print("REACHED", n, type(v))
        super().__setattr__(n, v)
p = P(torch.ones(3))
(p * 2).sum().backward()
torch.optim.Adam([p]).step()

# %% what the engine keeps, told to __setattr__ of an optimizer, a loader, a profiler
#: goal: marks
import torch
def __setattr__(self, n, v):
    if n in ('_watching', '_ready', '_within', '_before'): print("REACHED", n, type(v))
for base, make in ((torch.profiler.profile, lambda K: K().__enter__()), (torch.autograd.profiler.record_function, lambda K: K('x').__enter__()),
                   (torch.amp.autocast, lambda K: K('cpu').__enter__()), (torch.utils.data.DataLoader, lambda K: list(K([1, 2])))):
    class K(base):
        def __setattr__(self, n, v):
            if n[:1] == '_' and n in ('_watching', '_ready', '_within', '_before'): print("REACHED", n, type(v))
            super().__setattr__(n, v)
    try: make(K)
    except Exception as e: print(e)

# %% what the engine keeps, asked of __getattr__
#: goal: marks
import torch
class Fake: pass
class P(torch.nn.Parameter):
    def __getattr__(self, name):
        if name[:1] == '_': print("REACHED", name)
        raise AttributeError(name)
for make in (lambda: object.__new__(P), lambda: P.__new__(P)):
    try: make() + torch.ones(1)
    except Exception as e: print(e)

# %% who watches, kept by a profiler of one's own
#: goal: marks
import torch
class K(torch.profiler.profile): pass
k = K(); k.__enter__()
try: print("REACHED", k._watching.before)
except Exception as e: print(e)
class R(torch.autograd.profiler.record_function): pass
r = R('x'); r.__enter__()
print("REACHED", r._within[0].before)

# %% who watches, put there
#: goal: marks
import torch
class K(torch.profiler.profile): pass
class Mine:
    marked = ()
    spans = []
    class before:
        def __getattr__(self, name): return lambda *a, **o: found.append((name, a)) or 0
    before = before()
found = []
k = K(); k.__enter__()
k._watching = Mine()
k.__exit__(None, None, None)
p = torch.ones(2, requires_grad=True)
(p * 2).sum().backward()
print("REACHED", found)

# %% the source of random numbers of a class of one's own
#: goal: marks
import torch
class G(torch.Generator): pass
print("REACHED", G().stream)

# %% attributes by the dict of mnist1d
#: goal: marks
import mnist1d.data as d, torch
class V(d.ObjectView, torch.nn.ReLU): pass
v = V({'_settings': (), '_trains': False, '_calls': '__getattribute__'})
print("REACHED", v._calls)

# %% a parameter of an estimator whose name answers for itself
#: goal: marks
import torch, sklearn.base
class N(str):
    n = 0
    def __hash__(self):
        N.n += 1
        return hash('x') if N.n <= LIMIT else hash('__class__')
    def __eq__(self, other): return other == 'x' or str.__eq__(self, other) if N.n <= LIMIT else str.__eq__(self, other)
class Name(str):
    def __hash__(self): return 7
    def partition(self, sep): return (N('__class__'), '', '')
class K(sklearn.base.BaseEstimator):
    def __init__(self, x=None): pass
class Both(sklearn.base.BaseEstimator, torch.nn.ReLU): pass
for LIMIT in range(0, 6):
    N.n = 0
    e = K()
    given = dict.fromkeys([Name('x')], Both)
    try: torch.func.functional_call(torch.nn.Identity(), {}, (e,), given)
    except Exception as x: print(type(x))
    try: e.set_params(**given)
    except Exception as x: print(type(x))
    N.n = 1000
    if type(e) is Both: print("REACHED")

# %% everything in an object's dict, shown by vars
#: goal: marks
import torch
class K(torch.profiler.profile): pass
class R(torch.autograd.profiler.record_function): pass
class G(torch.Generator): pass
k, r = K(), R('x')
k.__enter__(); r.__enter__()
for thing in (k, r, G()):
    for name in ('_watching', '_within', 'stream'):
        if vars(thing).get(name) or thing.__dict__.get(name): print("REACHED", name)
