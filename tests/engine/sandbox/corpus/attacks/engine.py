"""The engine's own entry points: names and attributes it stores or follows, files, hooks."""
#: goal: what it tries, by which it is judged (`attacks.py` says what there is)

if __name__: raise SystemExit("these programs may do harm: `python -m tests.corpus FILE::NAME` runs one shut in")

# %% torch.load unpickles
#: goal: starts
import torch, io
torch.load(io.BytesIO(b"cos\nsystem\n(S'touch @TARGET@'\ntR."), weights_only=False)

# %% torch.load opens a file
#: goal: reads
import torch
print(torch.load('@SECRET@', weights_only=False))

# %% torch.load tells whether files exist
#: goal: marks
import torch
try:
    torch.load('@SECRET@')
except FileNotFoundError:
    print('there are none')
else:
    print('REACHED')

# %% torch.load with a pickle module
#: goal: marks
import torch, io
class P:
    def load(*a, **k): return 'REACHED'
    Unpickler = load
print(torch.load(io.BytesIO(b'x'), pickle_module=P()))

# %% torch.save writes a file
#: goal: writes
import torch
torch.save(torch.ones(1), '@TARGET@')

# %% torch.save pickles
#: goal: starts
import torch, io
class A:
    def __reduce__(self): return (print, ('REACHED',))
b = io.BytesIO()
torch.save(A(), b)
b.seek(0)
torch.load(b, weights_only=False)

# %% hub
#: goal: connects
import torch
torch.hub.load_state_dict_from_url('http://127.0.0.1:@PORT@/x')

# %% jit script
#: goal: marks
import torch
@torch.jit.script
def f(x): return x
print('REACHED', f.graph)

# %% compile
#: goal: marks
import torch
print('REACHED', torch.compile(lambda x: x)._torchdynamo_orig_callable)

# %% cpp extension
#: goal: starts
from torch.utils import cpp_extension
cpp_extension.load('x', ['/x.cpp'], extra_cflags=['; touch @TARGET@'])

# %% library and ops
#: goal: starts
import torch
torch.ops.load_library('@SECRET@')
torch.classes.load_library('@SECRET@')

# %% torch.package
#: goal: reads
import torch.package
print(torch.package.PackageImporter('@SECRET@'))

# %% from_file
#: goal: reads
import torch
print(bytes(torch.from_file('@SECRET@', size=10, dtype=torch.uint8).tolist()))

# %% storage from a file
#: goal: reads
import torch
print(torch.UntypedStorage.from_file('@SECRET@', False, 10))

# %% tensorboard
#: goal: writes
from torch.utils.tensorboard import SummaryWriter
SummaryWriter('@TARGET@')

# %% numpy behind functional
#: goal: sees
import torch
print(torch.nn.functional.np, torch.nn.functional.math)

# %% modules behind modules
#: goal: sees
import torch
for where in (torch, torch.nn, torch.nn.functional, torch.optim, torch.utils, torch.utils.data, torch.autograd, torch.linalg):
    for name in ('sys', 'os', 'np', 'engine', 'builtins', 'importlib', 'math', 'warnings', 'context', 'dtypes'):
        try:
            print(getattr(where, name))
        except AttributeError:
            pass

# %% star import brings modules
#: goal: sees
from torch.nn.functional import *
from torch.nn import *
from torch import *
print(np, math, sys, context)

# %% torch C
#: goal: sees
import torch
print(torch._C._autograd, torch._C.__dict__)

# %% engine by its real name
#: goal: sees
import engine
print(engine)

# %% engine's sandbox
#: goal: sees
from engine.sandbox.processes import child
print(child)

# %% register_buffer with python's own name
#: goal: memory
import torch, numpy as np
m = torch.nn.Module()
m.register_buffer('__array_interface__', torch.ones(1))
m._buffers['__array_interface__'] = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
print(hex(int(np.asarray(m)[0])))

# %% buffers with python's own name
#: goal: memory
import torch, numpy as np
I = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
for place in ('_buffers', '_parameters', '_modules'):
    m = torch.nn.Linear(1, 1)
    getattr(m, place)['__array_interface__'] = I
    try:
        print(hex(int(np.asarray(m)[0])))
    except TypeError:
        pass

# %% register_parameter of python's own name
#: goal: marks
import torch
m = torch.nn.Module()
m.register_parameter('__class__', torch.nn.Parameter(torch.ones(1)))
print('REACHED', m.__class__)

# %% add_module of python's own name
#: goal: marks
import torch
m = torch.nn.Module()
m.add_module('__class__', torch.nn.Linear(1, 1))
print('REACHED')

# %% module dict of python's own name
#: goal: marks
import torch
torch.nn.ModuleDict({'__class__': torch.nn.Linear(1, 1)})
print('REACHED')

# %% parameter dict of python's own name
#: goal: memory
import torch, numpy as np
d = torch.nn.ParameterDict({'__array_interface__': torch.ones(1)})
d['__array_struct__'] = torch.ones(1)
print('REACHED')

# %% parameter dict of anything
#: goal: memory
import torch, numpy as np
d = torch.nn.ParameterDict()
d['__array_interface__'] = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
print(hex(int(np.asarray(d)[0])))

# %% buffer name that changes
#: goal: memory
import torch, numpy as np
class S(str):
    def startswith(self, *a): return False
    def __getitem__(self, k): return 'x'
    def __eq__(self, other): return False
    __hash__ = str.__hash__
m = torch.nn.Module()
m.register_buffer(S('__array_interface__'), torch.ones(1))
print('REACHED')

# %% setstate of a module
#: goal: memory
import torch, numpy as np
m = torch.nn.Linear(1, 1)
m.__setstate__({'__array_interface__': {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}})
print(hex(int(np.asarray(m)[0])))

# %% setstate of an optimizer
#: goal: memory
import torch, numpy as np
o = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1)
o.__setstate__({'__array_interface__': {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}})
print(hex(int(np.asarray(o)[0])))

# %% load_state_dict of a scheduler
#: goal: memory
import torch, numpy as np
I = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
o = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1)
for make in (lambda: torch.optim.lr_scheduler.StepLR(o, 1), lambda: torch.optim.lr_scheduler.LambdaLR(o, lambda e: 1.0),
             lambda: torch.optim.lr_scheduler.CyclicLR(o, 0.1, 1.0), lambda: torch.optim.lr_scheduler.ReduceLROnPlateau(o)):
    s = make()
    try:
        s.load_state_dict({**s.state_dict(), '__array_interface__': I})
        print(hex(int(np.asarray(s)[0])))
    except (AttributeError, TypeError, ValueError):
        pass

# %% load_state_dict of a lambda that is an object
#: goal: memory
import torch, numpy as np
I = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
class L:
    def __call__(self, e): return 1.0
l = L()
o = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1)
s = torch.optim.lr_scheduler.LambdaLR(o, l)
d = s.state_dict()
d['lr_lambdas'] = [{'__array_interface__': I}]
s.load_state_dict(d)
print(hex(int(np.asarray(l)[0])))

# %% load_state_dict follows attributes
#: goal: marks
import torch
m = torch.nn.Linear(1, 1)
print(m.load_state_dict({'weight.__class__': torch.ones(1), '__class__.x': torch.ones(1)}, strict=False))
print('REACHED', m.get_submodule('__class__'))

# %% get_parameter follows attributes
#: goal: marks
import torch
m = torch.nn.Linear(1, 1)
for path in ('__class__.forward', 'forward.__globals__', '__dict__.training', '__init__.__globals__.np'):
    for way in (m.get_parameter, m.get_buffer, m.get_submodule):
        try:
            print('REACHED', way(path))
        except (AttributeError, KeyError):
            pass

# %% set_submodule at python's own name
#: goal: marks
import torch
m = torch.nn.Sequential(torch.nn.Linear(1, 1))
m.set_submodule('0.__class__', torch.nn.Linear(1, 1))
print('REACHED')

# %% functional_call at python's own name
#: goal: memory
import torch, numpy as np
class T:
    pass
m = torch.nn.Linear(1, 1)
torch.func.functional_call(m, {'__array_interface__': torch.ones(1), '__dict__.x': torch.ones(1)}, (torch.ones(1),))
print('REACHED')

# %% weight_norm of python's own name
#: goal: marks
import torch
m = torch.nn.Linear(1, 1)
torch.nn.utils.weight_norm(m, name='__class__')
print('REACHED')

# %% activation by name
#: goal: marks
import torch
t = torch.nn.TransformerEncoderLayer(2, 1, activation='__builtins__')
print('REACHED', t.activation)

# %% a wrapped module's function by name
#: goal: marks
import torch
for kind in (torch.nn.ReLU, torch.nn.Tanhshrink, torch.nn.Softsign, torch.nn.Hardswish, torch.nn.MSELoss, torch.nn.MaxPool1d):
    class A(kind, calls='__builtins__'): pass
    a = A.__new__(A)
    a._calls = '__builtins__'
    try:
        out = a(torch.ones(1))
        print('' if isinstance(out, torch.Tensor) else 'REACHED')
    except (AttributeError, TypeError):
        pass

# %% a wrapped module's settings
#: goal: memory
import torch, numpy as np
m = torch.nn.ReLU.__mro__[1](**{'__array_interface__': 1})
print('REACHED')

# %% hooks get what they should not
#: goal: sees
import torch
class M(torch.nn.Linear):
    pass
m = M(1, 1)
m.register_forward_hook(lambda *a: print(a))
m.register_full_backward_hook(lambda *a: print(a))
m.register_state_dict_pre_hook(lambda *a: print(a))
m(torch.ones(1)).sum().backward()
m.state_dict()

# %% a handle's dict of hooks
#: goal: sees
import torch
h = torch.ones(1, requires_grad=True).register_hook(print)
print(h.hooks_dict_ref(), h.__getstate__(), h.__setstate__)

# %% saved tensors hooks return anything
#: goal: marks
import torch
class A: pass
with torch.autograd.graph.saved_tensors_hooks(lambda t: A(), lambda x: 'REACHED'):
    x = torch.ones(2, requires_grad=True)
    y = (x * x).sum()
try:
    y.backward()
finally:
    print(x.grad)
print(y.grad_fn.__class__.__base__)

# %% the node of a function
#: goal: sees
import torch
x = torch.ones(1, requires_grad=True)
n = (x * 2).grad_fn
for name in ('op', 'rule', 'run', 'apply', 'extra', 'stream', 'inputs', '_tape', 'ctx', 'engine'):
    thing = getattr(n, name, None)
    print(thing)
    for inner in ('function', 'rule', 'forward', 'module', 'source', 'globals'):
        print(getattr(thing, inner, None))

# %% a context's node
#: goal: sees
import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        print(ctx._node, ctx._tape, ctx.__dict__, vars(ctx))
        return x
    @staticmethod
    def backward(ctx, g): return g
F.apply(torch.ones(1, requires_grad=True))

# %% a function whose forward is replaced
#: goal: marks
import torch
class F(torch.autograd.Function):
    forward = staticmethod(lambda ctx, x: (setattr(ctx, '__class__', int), x)[1])
    backward = staticmethod(lambda ctx, g: g)
print('REACHED', F.apply(torch.ones(1, requires_grad=True)))

# %% torch_function gets types
#: goal: marks
import torch
class T:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return 'REACHED', func.__globals__, types[0].__base__
print(torch.add(T(), T()))

# %% data loader workers
#: goal: starts
import torch
from torch.utils.data import DataLoader
def init(k):
    import os
    os.system('touch @TARGET@')
for x in DataLoader([1, 2], num_workers=2, worker_init_fn=init, multiprocessing_context='fork'): pass

# %% data loader collates
#: goal: sees
from torch.utils.data import DataLoader
for x in DataLoader([1, 2], collate_fn=lambda b: vars()): print(x)

# %% a state of a generator
#: goal: memory
import torch
g = torch.Generator()
s = g.get_state()
s[:] = 255
g.set_state(s)
print(torch.rand(3, generator=g))
g.set_state(torch.zeros(1, dtype=torch.uint8))
print('REACHED')

# %% as_strided beyond its memory
#: goal: memory
import torch
x = torch.ones(4)
for size, stride, offset in (((1000,), (1,), 0), ((2,), (2 ** 62,), 0), ((2,), (1,), 2 ** 62), ((2,), (-1,), 0), ((4,), (1,), 2)):
    try:
        print('REACHED', x.as_strided(size, stride, offset))
    except (RuntimeError, TypeError, OverflowError):
        pass
torch.ones(1).expand(5).as_strided((5,), (1,))
print('REACHED')

# %% set_ and resize_ beyond memory
#: goal: memory
import torch
x = torch.ones(4)
x.set_(torch.ones(1), 0, (1000,), (1,))
print('REACHED', x[-1])

# %% a pointer of a tensor
#: goal: memory
import torch, numpy as np
p = torch.ones(4).data_ptr()
class A:
    def __array__(self, *a, **k): return np.zeros(1)
print(torch.frombuffer(bytearray(4), dtype=torch.float32, count=1000))
print('REACHED')

# %% a tensor subclass brings its own array
#: goal: sees
import torch
class Fake:
    dtype = None
    def __getattr__(self, name):
        print(name, vars())
        raise AttributeError
class T(torch.Tensor):
    _array = Fake()
t = torch.ones(2).as_subclass(T)
t._array = Fake()
print(t + 1)

# %% copying a module copies code
#: goal: sees
import torch, copy
m = copy.deepcopy(torch.nn.Linear(1, 1))
class A:
    def __deepcopy__(self, memo): print(memo)
m.x = A()
copy.deepcopy(m)

# %% the type by its name
#: goal: sees
import torch
print(torch.ones(1).type('torch.__builtins__'), torch.ones(1).type('os.system'))

# %% set_default_tensor_type by name
#: goal: sees
import torch
torch.set_default_tensor_type('os.system')
print('REACHED')

# %% an optimizer's state that shows other values than it has
#: goal: marks
import torch
class Array:
    __array_ufunc__ = None
    def __rsub__(self, other): print("REACHED", type(other))
class Fake: _array = Array()
class State(dict):
    def values(self): return []
p = torch.nn.Parameter(torch.ones(6))
o = torch.optim.Adam([p])
p.sum().backward()
o.step()
o.state[p] = State({**o.state[p], "exp_avg": Fake()})
o.step()

# %% an optimizer's parameters that are others when they are looked at again
#: goal: marks
import torch
class Array:
    __array_ufunc__ = None
    def __rsub__(self, other): print("REACHED", type(other))
    __sub__ = __rsub__
class Gradient: _array, is_sparse = Array(), False
class Fake:
    _array, _grad = Array(), Gradient()
    def __hash__(self): return hash(p)
    def __eq__(self, other): return True
class Parameters(list):
    asked = []
    def __iter__(self):
        self.asked.append(1)
        return iter([Fake()] if len(self.asked) > 1 else [p])
p = torch.nn.Parameter(torch.ones(6))
o = torch.optim.Adam([p])
p.sum().backward()
o.step()
o.param_groups[0]["params"] = Parameters([p])
o.step()

# %% an optimizer's option that is changed while its state is looked up
#: goal: marks
import torch
class Decay:
    __array_ufunc__ = None
    def __rmul__(self, other): print("REACHED", type(other))
    __mul__ = __rmul__
class States(dict):
    def get(self, key):
        o.param_groups[0]["weight_decay"] = Decay()
p = torch.nn.Parameter(torch.ones(6))
o = torch.optim.SGD([p], lr=0.1)
o.state = States()
p.sum().backward()
o.step()

# %% an optimizer's options when its defaults are gone
#: goal: marks
import torch
class Decay:
    __array_ufunc__ = None
    def __rmul__(self, other): print("REACHED", type(other))
    __mul__ = __rmul__
p = torch.nn.Parameter(torch.ones(6))
o = torch.optim.SGD([p], lr=0.1)
o.defaults = {}
o.param_groups[0]["weight_decay"] = Decay()
p.sum().backward()
o.step()

# %% an optimizer's option is a number with operators of its own
#: goal: marks
import torch
import numpy as np
class Decay(np.float64):
    __array_ufunc__ = None
    def __rmul__(self, other): print("REACHED", type(other))
    __mul__ = __rmul__
p = torch.nn.Parameter(torch.ones(6))
o = torch.optim.SGD([p], lr=0.1)
o.param_groups[0]["weight_decay"] = Decay(0.1)
p.sum().backward()
o.step()

# %% a node's rule for arrays
#: goal: marks
import torch
class Array:
    __array_ufunc__ = None
    def __mul__(self, other):
        print("REACHED", type(other))
        return self
    __rmul__ = __mul__
a, b = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
(a * b).grad_fn.apply_arrays(Array())

# %% a node called with what is no tensor
#: goal: marks
import torch
class Array:
    __array_ufunc__ = None
    def __mul__(self, other):
        print("REACHED", type(other))
        return self
    __rmul__ = __mul__
class Fake: _array = Array()
a, b = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
(a * b).grad_fn(Fake())

# %% a number with operators of its own writes into what an operation computes with
#: goal: marks
import torch
import torch.nn.functional as F
class L(float):
    __array_ufunc__ = None
    def __ge__(self, other):
        if type(other).__name__ == 'ndarray': other[:] = 5
        return True
    __le__ = __gt__ = __lt__ = __rmul__ = __radd__ = __rsub__ = __ge__
p = torch.nn.Parameter(torch.ones(6))
for f in (lambda: F.threshold(p, L(0.5), 0.0), lambda: torch.clamp(p, L(0.5)), lambda: F.hardtanh(p, L(0.1), L(0.5)), lambda: torch.logit(p, L(0.1)), lambda: torch.addcmul(p, p, p, value=L(1)), lambda: torch.lerp(p, p, L(1)), lambda: torch.bernoulli(p, L(0.5))):
    try: f()
    except Exception as e: print(e)
    if p.detach().tolist() != [1.0] * 6: print("REACHED")

# %% windows along a tensor of an int that says it is small
#: goal: memory
import torch
class I(int):
    def __gt__(self, o): return False
    def __sub__(self, o): return 0
x = torch.ones(8)
y = x.unfold(0, I(4000), 1)
print(y.shape, "REACHED" if (y[0, 8:] != 0).any() else "")

# %% a tensor whose slots are among its buffers
#: goal: marks
import torch, numpy as np
class Node:
    several = False; edges = (); saved = _saved = (); versions = None; extra = _extra = None; shape = (2,); dtype = np.dtype('float32'); sequence = 0; materializes = True; keeps = False
    def apply_arrays(self, g):
        print("REACHED", type(g), g)
        return ()
class N(torch.nn.Module, torch.Tensor):
    def __init__(self):
        torch.nn.Module.__init__(self)
        self._buffers.update(_node=Node(), _needs=True, _array=np.ones(2, np.float32), _nr=0, _grad=None, _counter=None, _view=None, _meta=None)
y = torch.add(N(), torch.ones(2, requires_grad=True))
y.sum().backward()

# %% what a node has saved
#: goal: marks
import torch
w = torch.nn.Parameter(torch.ones(2))
y = w.exp()
raw = y.grad_fn.saved[0].array
with torch.no_grad(): w.data = y.detach()
raw[:] = 7
print("REACHED" if w.tolist() == [7, 7] else "nothing", type(y.grad_fn.saved[0]))
raw.shape = (1, 2)
print(y.shape)

# %% edges that lead to a node of one's own
#: goal: marks
import torch, numpy as np
class Node:
    several = False; edges = (); saved = (); _saved = (); versions = None; extra = None; _extra = None; shape = (2,); dtype = np.dtype('float32'); sequence = 0; materializes = True; keeps = False
    def apply_arrays(self, g):
        print("REACHED", type(g), g)
        return ()
GE = torch.autograd.graph.GradientEdge
try: torch.autograd.backward([GE(Node(), 0)], [torch.ones(2)])
except Exception as e: print(type(e), e)
w = torch.nn.Parameter(torch.ones(2))
y = w * 2
class Root(Node):
    edges = ((y.grad_fn, 0),)
    def apply_arrays(self, g):
        print("REACHED", type(g), g)
        return (g,)
try: print(torch.autograd.grad([GE(Root(), 0)], [w], grad_outputs=[torch.ones(2)]))
except Exception as e: print(type(e), e)
