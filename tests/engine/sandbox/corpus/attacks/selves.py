"""Methods called with something else than their own objects, and what reads, sets, writes or calls whatever it is told to."""
#: goal: what it tries, by which it is judged (`attacks.py` says what there is)

if __name__: raise SystemExit("these programs may do harm: `python -m tests.corpus FILE::NAME` runs one shut in")

# %% an action of argparse sets anything
#: goal: marks
import argparse, torch
p = argparse.ArgumentParser()
a = p.add_argument('--x', dest='__module__')
try:
    a(p, torch.Tensor, '__main__')
except Exception as e: print(e)
x = torch.nn.Linear(2, 2).weight
print("REACHED", type(x._array))

# %% an error whose parts are put elsewhere while it is written
#: goal: memory
class A:
    def __str__(self):
        e.strerror = None
        junk.extend([["REACHED"] for k in range(2000)])
        return 'A'
junk = []
e = OSError(2, 'x', 'f')
e.errno = A()
e.strerror = [1]
said = str(e)
print(said, "" if "[1]" in said else "REACHED")

# %% the default of tyro
#: goal: marks
import dataclasses, torch, tyro, numpy as np
@dataclasses.dataclass
class D:
    _array: int = None
@dataclasses.dataclass
class R:
    _real: int = None
w = torch.nn.Linear(2, 2).weight
print("REACHED", type(tyro.cli(D, args=[], default=w)._array))
print("REACHED", tyro.cli(R, args=[], default=np.nditer(np.arange(3)))._real)
names = tyro.cli(R, args=[], default=globals())._real
print("REACHED", sorted(n for n in names['__builtins__'] if n[:2] == '__'))

# %% the __init__ of a data class, of an optimizer
#: goal: marks
import dataclasses, torch
@dataclasses.dataclass
class D:
    _update: object
p = torch.nn.Parameter(torch.ones(6))
o = torch.optim.SGD([p], lr=0.1)
D.__init__(o, lambda *given: print("REACHED", [type(g) for g in given]))
p.sum().backward()
o.step()

# %% the __eq__ of a data class, of streams
#: goal: marks
import dataclasses, contextlib
@dataclasses.dataclass
class D:
    _old_targets: object
class Out:
    def write(self, text): pass
    def flush(self): pass
    def __eq__(self, other):
        found.append(other)
        return False
found = []
a, b = contextlib.redirect_stdout(Out()), contextlib.redirect_stdout(Out())
with a:
    with b:
        D.__eq__(a, b)
print("REACHED" if found else "no", [type(x) for x in found])
tape = found[0].tape
print(type(tape), [n for n in dir(tape) if n[:1] != '_'])
print([type(getattr(tape, n)) for n in dir(tape) if n[:1] != '_'])

# %% what argparse prints to
#: goal: marks
import argparse
class P(argparse.ArgumentParser):
    def _print_message(self, message, file=None): found.append(file)
found = []
P().print_help()
print(type(found[0]), type(found[0].tape.recorder))
print("REACHED", type(found[0].tape.spare), len(found[0].tape.spare))

# %% the private call of a module, of something else
#: goal: sees
import torch
class Fake:
    _settings = ()
    _trains = False
    _is_function = True
    _calls = '__getattribute__'
real = torch.nn.ReLU._call(Fake(), '__builtins__')
print("REACHED", real['eval'], real['__import__']('os'))

# %% a lazy module becomes anything
#: goal: marks
import torch
class Handle:
    def remove(self): pass
class Both(torch.nn.Module, torch.optim.SGD): pass
class K:
    def __delattr__(self, name): pass
    initialize_parameters = lambda self, *a, **k: None
    has_uninitialized_params = lambda self: False
p = torch.nn.Parameter(torch.ones(6))
o = torch.optim.SGD([p], lr=0.1)
k = K()
k._initialize_hook = k._load_hook = Handle()
k.cls_to_become = Both
k._update = lambda *given: print("REACHED", [type(g) for g in given])
vars(k).update(vars(o))
torch.nn.LazyLinear._infer_parameters(k, k, (), {})
print(type(k))
p.sum().backward()
torch.optim.SGD.step(k)

# %% an item of a container that is none
#: goal: marks
import torch
class O(torch.optim.SGD):
    def _key(self, index): return '_update'
    def _inert(self): pass
p = torch.nn.Parameter(torch.ones(6))
o = O([p], lr=0.1)
torch.nn.Sequential.__setitem__(o, 0, lambda *given: print("REACHED", [type(g) for g in given]))
p.sum().backward()
o.step()

# %% a distribution that is none is expanded
#: goal: marks
import torch
class Fake(torch.nn.Module):
    _expanding = ()
    _kept = ('_update',)
    def _update(self, *given): print("REACHED", [type(g) for g in given])
    def _get_checked_instance(self, cls, instance=None): return instance
    def _expand_into(self, new, shape): return ()
p = torch.nn.Parameter(torch.ones(6))
o = torch.optim.SGD([p], lr=0.1)
try: torch.distributions.Normal.expand(Fake(), [2], _instance=o)
except Exception as e: print(e)
p.sum().backward()
o.step()

# %% an item of a list of parameters that is a class
#: goal: sees
import torch
class Fake:
    _size = 1
    def _key(index): return '__getattribute__'
read = torch.nn.ParameterList.__getitem__(Fake, 0)
names = read(torch.nn.Module.forward, '__globals__') if not isinstance(torch.nn.Module.forward, str) else None
print("REACHED", names['__builtins__']['eval'])

# %% a call of environments that are tracebacks
#: goal: sees
import gymnasium
venv = gymnasium.vector.SyncVectorEnv([lambda: gymnasium.make('CartPole-v1')])
def get(thing, name):
    venv.envs = [thing]
    return venv.call(name)[0]
class C:
    def __enter__(self): return self
    def __exit__(self, kind, error, tb):
        frame = get(get(tb, 'tb_frame'), 'f_back')
        print("REACHED", frame, get(frame, 'f_builtins')['eval'])
        return True
with C(): 1 / 0

# %% the settings of a scaler that is a class
#: goal: sees
import torch, sklearn.preprocessing
class Fake:
    _settings = ('__getattribute__',)
read = sklearn.preprocessing.StandardScaler.get_params(Fake)['__getattribute__']
print("REACHED", read(torch.nn.Module.forward, '__globals__')['__builtins__']['eval'])

# %% a step of an optimizer that is none
#: goal: marks
import torch
p = torch.nn.Parameter(torch.ones(6))
o = torch.optim.SGD([p], lr=0.1)
p.sum().backward()
class Fake:
    param_groups, state, defaults = o.param_groups, o.state, o.defaults
    _step_pre_hooks, _step_post_hooks = {}, {}
    def _looked_at(self, group): return group
    def _start(self, p, group): return {}
    def _wrote(self, p): pass
    def _update(self, *given): print("REACHED", [type(g) for g in given])
torch.optim.SGD.step(Fake())

# %% the __eq__ of a namespace, of something else
#: goal: marks
import argparse, optparse, contextlib
class U:
    def __eq__(self, other):
        found.append(other)
        return True
found = []
class Out:
    def write(self, text): pass
    def flush(self): pass
r = contextlib.redirect_stdout(Out())
with r:
    argparse.Namespace.__eq__(r, argparse.Namespace(_new_target=U(), _old_targets=U()))
    v = optparse.Values()
    v._new_target, v._old_targets = U(), U()
    optparse.Values.__eq__(r, v)
print("REACHED", found)

# %% an error whose arguments are put elsewhere while it is written
#: goal: memory
class A:
    def __repr__(self):
        e.args = ()
        junk.extend([["REACHED"] for k in range(3000)])
        junk.extend([(k, "REACHED") for k in range(3000)])
        return 'A'
junk = []
for kind in (KeyError, ValueError):
    e = kind(slice(A(), [1], (k for k in ())))
    said = str(e) if kind is KeyError else repr(e)
    print(said, "REACHED" if "[1]" not in said or "generator" not in said else "")

# %% the redirection of another name of sys
#: goal: sees
import contextlib
class Fake:
    names = ['modules', 'nothing']
    @property
    def _stream(self): return self.names.pop(0)
    _old_targets = []
    _new_target = None
f = Fake()
contextlib.redirect_stdout.__enter__(f)
print("REACHED", f._old_targets[0]['os'])

# %% a catch of warnings that is none
#: goal: sees
import warnings
class Fake: pass
f = Fake()
warnings.catch_warnings.__init__(f)
print("REACHED", f._module, f._module.sys.modules['os'])

# %% the token of NumPy's context
#: goal: marks
import numpy as np
class Fake:
    def __getattr__(self, name): return None
f = Fake()
np.errstate.__enter__(f)
print("REACHED", f._token, f._token.var, f._token.old_value)

# %% the type behind a look-alike that is safe to load
#: goal: marks
import torch
torch.serialization.add_safe_globals([(type, 'a.b')])
real = torch.serialization.get_safe_globals()[0]
N = real('N', (torch.optim.SGD,), {'_update': lambda self, *given: print("REACHED", [str(g.dtype) for g in given[:2]])})
p = torch.nn.Parameter(torch.ones(6))
o = N([p], lr=0.1)
p.sum().backward()
o.step()

# %% an option for a parser that is none
#: goal: marks
import optparse, torch
class Real:
    def add_option(self, option): found.append(option)
class Fake: _real = Real()
found = []
optparse.OptionParser.add_option(Fake(), '--x')
found[0].take_action('store', '__module__', '--x', '__main__', torch.Tensor, None)
print("REACHED", type(torch.nn.Linear(2, 2).weight._array))

# %% a file for an archive that is none
#: goal: marks
import zipfile, io
class Zip:
    compression = 0
    def writestr(self, info, data): found.append(info)
class Fake:
    _zip = Zip()
    _memory = io.BytesIO()
found = []
zipfile.ZipFile.writestr(Fake(), 'a', b'b')
print("REACHED", found[0].from_file('/etc/passwd').file_size)

# %% the switches of a backend that is none
#: goal: marks
import torch
p = torch.nn.Parameter(torch.ones(6))
o = torch.optim.SGD([p], lr=0.1)
flags = torch.backends.cudnn.flags(enabled=True).func
f = flags(o, _update=lambda *given: print("REACHED", [type(g) for g in given]))
p.sum().backward()
next(f)
o.step()

# %% a module put into a class of the program
#: goal: memory
import torch, numpy as np
class K: pass
class D:
    def get_submodule(self, name): return K
class M(torch.nn.Module):
    def forward(self, name):
        if name == '__array_interface__':
            return {'data': (id(secret), True), 'shape': (80,), 'typestr': '|u1', 'version': 3}
        raise AttributeError(name)
secret = "what stands in memory"
torch.nn.Module.set_submodule(D(), '__getattr__', M())
found = np.asarray(K())
print(found.dtype, "REACHED" if b"what stands" in bytes(found.tolist()) else "")

# %% a decorator of classes that is none
#: goal: sees
import torch, warnings
class Fake:
    def __call__(self, function):
        found.append(function)
        return function
found = []
torch.no_grad.__call__(Fake(), warnings.catch_warnings)
f = Fake()
found[0](f)
print("REACHED", f._module.sys.modules['os'])

# %% a field of two data classes has in one the name that it got in the other
#: goal: marks
import dataclasses, torch
f = dataclasses.field(default=None)
@dataclasses.dataclass
class A:
    x: object = f
@dataclasses.dataclass
class B:
    _update: object = f
class E(A, torch.optim.SGD): pass
E = dataclasses.dataclass(E)
p = torch.nn.Parameter(torch.ones(6))
o = torch.optim.SGD([p], lr=0.1)
e = E(lambda *given: print("REACHED", [type(g) for g in given]))
print(vars(e))
torch.optim.SGD.__init__(e, [p], lr=0.1)
p.sum().backward()
e.step()

# %% what wraps a class hands out its methods
#: goal: marks
import contextlib, functools, torch
class Stranger:
    training = False
    def children(self): return []
for wrap in (functools.lru_cache, functools.cache, contextlib.contextmanager, torch.func.vmap, torch.func.grad,
             torch.distributions.utils.lazy_property):
    s = Stranger()
    try:
        wrap(torch.nn.Module).train(s)
        if s.training: print("REACHED")
    except Exception as e: print(e)

# %% getters of kinds of properties
#: goal: marks
from torch import distributions as D
class Stranger:
    event_dim, total_count = 3, 5
for found in (D.Multinomial.support, D.VonMises.variance, D.Categorical.probs):
    try: print("REACHED", found.fget(Stranger()))
    except AttributeError as e: print("REACHED", e)
    except TypeError as e: print(e)

# %% a cached property that has another name when its function has run
#: goal: marks
import functools, torch
def value(self):
    cached.__init__(value)
    class B: _pickled = cached
    return 5
cached = functools.cached_property(value)
class E(torch.nn.Module):
    x = cached
e = E()
e.x
if '_pickled' in vars(e): print("REACHED")

# %% a field that a descriptor gives to two classes
#: goal: marks
import dataclasses, torch
f = dataclasses.field(default=None)
class Gives:
    def __get__(self, thing, cls=None): return f
@dataclasses.dataclass
class A: x: object = Gives()
@dataclasses.dataclass
class B: _pickled: object = Gives()
@dataclasses.dataclass
class E(A, torch.nn.Module): pass
if '_pickled' in vars(E(5)): print("REACHED")

# %% members of an enumeration that is made by a call
#: goal: marks
import enum, torch
class Base(torch.nn.Module, enum.Enum): pass
X = Base('X', {'a': (), '_pickled': ()})
print("REACHED")

# %% the streams of the sandbox, by way of argparse
#: goal: marks
import argparse
class Fake:
    def _get_formatter(self): return self
    def add_text(self, t): pass
    def format_help(self): return ''
    def _print_message(self, m, file=None): found.append(file)
    def exit(self): pass
class P(argparse.ArgumentParser):
    def print_usage(self, file=None): found.append(file)
found = []
a = argparse.ArgumentParser().add_argument('--v', action='version', version='x')
a(Fake(), None, None)
try: P().error('x')
except SystemExit: pass
print("REACHED" if any(hasattr(f, 'close') or hasattr(f, 'pending') for f in found) else "")

# %% a namespace that is a tensor, too
#: goal: marks
import argparse, torch, numpy as np
class Node:
    edges = (); saved = _saved = (); versions = None; extra = _extra = None; shape = (2,); dtype = np.dtype('float32'); sequence = 0; materializes = True; keeps = False; several = False
    def __getattr__(self, n):
        print("asked", n); raise AttributeError(n)
    def apply_arrays(self, g):
        print("REACHED", type(g), g)
        return ()
class N(torch.nn.Module, argparse.Namespace, torch.Tensor):
    def __init__(self, *a): pass
p = argparse.ArgumentParser()
p.set_defaults(_node=Node(), _needs=True, _array=np.ones(2, np.float32), _nr=0, _grad=None, _counter=None, _view=None, _meta=None)
ns = p.parse_known_args([], N())
try:
    y = torch.add(ns[0], torch.ones(2, requires_grad=True)); print(y)
    y.sum().backward()
except BaseException as e: print(type(e), e)

# %% a list of argparse that says what its copy is
#: goal: marks
import argparse, torch, numpy as np
w = torch.nn.Parameter(torch.ones(2))
class S:
    made = None
    __slots__ = ('_array',)
    def __new__(cls, *a):
        return S.made if S.made is not None else object.__new__(cls)
s = S()
raw = np.zeros(2, np.float32)
s._array = raw
S.made = w
p = argparse.ArgumentParser()
p.add_argument('--x', action='append', default=s)
try: p.parse_args(['--x', '1'])
except Exception as e: print(type(e), e)
raw[:] = 7
print("REACHED" if w.tolist() == [7, 7] else "nothing")

# %% a dict of the user's that says what its copy is
#: goal: marks
import torch, numpy as np
from collections import UserDict
w = torch.nn.Parameter(torch.ones(2))
class U(UserDict):
    __copy__ = None
    __slots__ = ('_array',)
    made = None
    def __new__(cls, *a):
        return U.made if U.made is not None else object.__new__(cls)
u = U()
raw = np.zeros(2, np.float32)
u._array = raw
U.made = w
try: u.copy()
except Exception as e: print(type(e), e)
raw[:] = 7
print("REACHED" if w.tolist() == [7, 7] else "nothing")

# %% a tensor's maker makes something else
#: goal: marks
import torch
w = torch.nn.Parameter(torch.ones(2))
class Own: pass
o = torch.nn.Parameter.__new__(Own, w)
print("REACHED", type(o._array))
o._array[:] = 7
print(w)

# %% an enumeration whose members a tensor's maker makes
#: goal: marks
import torch, enum
w = torch.nn.Parameter(torch.ones(2))
class E(enum.Enum): pass
E._member_type_ = torch.nn.Parameter
F = E('F', {'a': w})
print("REACHED", type(F.a._array))

# %% a protocol takes the __init__ of a generator as it is
#: goal: marks
import typing, torch
class P(typing.Protocol): pass
class Q(P, torch.Generator): pass
Q()
class R(Q): pass
f = super(R, R).__init__
class S: pass
s = S()
f(s)
print("REACHED", s.stream)

# %% an enumeration keeps how a module is shown
#: goal: marks
import torch, enum
class E(torch.nn.Linear, enum.Enum): pass
class S:
    def __getattr__(self, n):
        print("REACHED asked", n); raise AttributeError(n)
for f in (E._value_repr_, vars(E)['_value_repr_']):
    try: f(S())
    except Exception as e: print(type(e), e)

# %% typing.Union made once more
#: goal: marks
import typing
def mine(self, parameters): return int
typing.Union.__init__(mine)
print("REACHED", typing.Union[str, bytes])

# %% what a member of an enumeration stands in for
#: goal: marks
import torch, enum
class E(torch.distributions.Distribution, enum.Enum):
    def __init__(self, x): pass
    mean = 1
class S: pass
try: vars(E)['mean'].fget(S())
except NotImplementedError as e: print("REACHED")

# %% the class of a Function's nodes, by vars
#: goal: marks
import torch, numpy as np
class D(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): return g
class Node:
    several = False; shape = (3,); dtype = np.dtype('float32'); sequence = 0; materializes = True; keeps = False
    edges = (); metadata = {}; extra = None; _extra = None; _saved = (); saved = (); versions = None
    def __getattr__(self, n):
        print("asked", n); raise AttributeError(n)
    def apply_arrays(self, *g): print("REACHED", [type(x) for x in g]); return ()
class Ctx:
    def __getattr__(self, n):
        print("ctx asked", n); raise AttributeError(n)
c = Ctx()
try:
    n = vars(D)['_backward_cls'](c)
    print("REACHED", n)
    for k, v in dict(edges=((Node(), 0),), argument_edges=(0,), shape=((3,),), dtype=(np.dtype('float32'),), several=True, sequence=1, materialize_grads=True).items():
        setattr(c, k, v)
    torch.autograd.backward([torch.autograd.graph.GradientEdge(n, 0)], [torch.ones(3)])
except Exception as e: print(type(e), e)

# %% a property of a generator's is given what it keeps
#: goal: marks
import torch
class G(torch.Generator):
    @property
    def stream(self): raise AttributeError("x")
    @stream.setter
    def stream(self, value): print("REACHED", value)
try: G()
except Exception as e: print(type(e), e)
class H(torch.Generator):
    def __setattr__(self, n, v): print("REACHED", n, v); object.__setattr__(self, n, v)
try: H()
except Exception as e: print(type(e), e)
class K(torch.Generator): pass
k = K()
for f in (lambda: k.stream, lambda: vars(k)):
    try: print(f())
    except Exception as e: print(type(e), e)

# %% the step of an optimizer, put into a program's class
#: goal: marks
import torch
class O(torch.optim.Optimizer): pass
class S:
    def __getattr__(self, n):
        print("REACHED asked", n); raise AttributeError(n)
O([torch.nn.Parameter(torch.ones(2))], {'lr': 1})
for f in (lambda: O.step, lambda: vars(O)['step']):
    try: f()(S())
    except Exception as e: print(type(e), e)
@torch.no_grad()
class B(torch.nn.Module): pass
class R(B): pass
try: super(R, R).__init__(S())
except Exception as e: print(type(e), e)

# %% the object of a method, by a name of two hashes that a partial keeps
#: goal: marks
import functools, torch, contextlib
class N(str):
    def __hash__(self): return 7
    def __eq__(self, other): return str.__eq__(self, other)
class S:
    def __getattr__(self, n):
        print("REACHED asked", n); raise AttributeError(n)
p = functools.partial(torch.nn.Linear.extra_repr)
p.keywords[N('self')] = S()
try: p()
except Exception as e: print(type(e), e)

# %% a node of a program's own is called with a parameter
#: goal: marks
import torch
w = torch.nn.Parameter(torch.ones(3))
class N(torch.autograd.graph.Node):
    def apply_arrays(self, g):
        print("REACHED", type(g)); g[:] = 7; return ()
n = N()
n.shape = (3,)
with torch.no_grad(): n(w)
print(w)

# %% a type of a program's own for the elements of tensors
#: goal: marks
import torch
print("REACHED", torch.dtype('x', 'O'))

# %% a type of elements that inherits
#: goal: marks
import torch
class D(torch.dtype): pass
print("REACHED", D('x', [('x', 'O'), ('y', 'i8')]).itemsize)
