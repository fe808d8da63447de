"""What the engine finds by a name of its own, and a program's class, text or function stands for."""
#: goal: what it tries, by which it is judged (`attacks.py` says what there is)

if __name__: raise SystemExit("these programs may do harm: `python -m tests.corpus FILE::NAME` runs one shut in")

# %% a module's function is a text that lies
#: goal: reads
import torch
class Lie(str):
    asked = []
    def __hash__(self):
        self.asked.append(1)
        return hash("relu") if len(self.asked) == 1 else str.__hash__(self)
    def __eq__(self, other): return True
class Open(torch.nn.Softplus):
    _calls = Lie("__getattribute__")
    _settings = ()
    def __init__(self):
        super().__init__()
        self._settings = ()
print(Open()("__builtins__")["open"]('@SECRET@').read())

# %% a module's format is a text that lies
#: goal: marks
import torch
class Lie(str):
    def __contains__(self, other): return False
class Show(torch.nn.ReLU):
    _shows = Lie("{forward.__func__.__globals__}")
if "__builtins__" in Show().extra_repr():
    print("REACHED")

# %% a property in the place of a tensor's memory
#: goal: marks
import types
import numpy as np, torch
class Fake:
    real = np.zeros(1)
    shape, strides, itemsize, ndim, size, dtype = (1000,), (16,), 16, 1, 1000, np.dtype(complex)
    flags = types.SimpleNamespace(writeable=True)
store = {}
def get(self): return Fake() if "on" in store else store["real"]
def put(self, value): store["real"] = value
class P(torch.nn.Parameter):
    _array = property(get, put)
p = P(torch.zeros(1, dtype=torch.complex128), requires_grad=False)
store["on"] = True
if torch.view_as_real(p).numel() == 2000:
    print("REACHED")

# %% a property of a class before a parameter's
#: goal: marks
import torch
class Mixin:
    _array = property(lambda self: print("REACHED"), lambda self, value: None)
class P(Mixin, torch.nn.Parameter): pass
P(torch.zeros(1), requires_grad=False).sum()

# %% a property that is set later on a class before a parameter's
#: goal: marks
import torch
class Mixin: pass
class P(Mixin, torch.nn.Parameter): pass
p = P(torch.zeros(1), requires_grad=False)
Mixin._array = property(lambda self: print("REACHED"), lambda self, value: None)
p.sum()

# %% a gradient that is none
#: goal: marks
import torch
class Fake:
    @property
    def _array(self):
        print("REACHED")
class P(torch.nn.Parameter):
    _grad = Fake()
torch.optim.SGD([P(torch.zeros(2))], lr=0.1).step()

# %% a gradient that is set and is none
#: goal: marks
import torch
class Fake:
    @property
    def _array(self):
        print("REACHED")
p = torch.nn.Parameter(torch.zeros(2))
p._grad = Fake()
torch.optim.SGD([p], lr=0.1).step()

# %% an optimizer's own way to update
#: goal: marks
import torch
class O(torch.optim.SGD):
    def _update(self, parameter, *others, **more):
        print("REACHED")
p = torch.nn.Parameter(torch.ones(6))
o = O([p], lr=0.1)
p.sum().backward()
o.step()

# %% a lazy property that is called like what it is to change
#: goal: marks
import torch
from torch.distributions.utils import lazy_property
class B: pass
def make(self): return B
make.__name__ = "__class__"
class A:
    x = lazy_property(make)
a = A()
a.x
if type(a) is B:
    print("REACHED")

# %% a distribution's constraints of what is no parameter
#: goal: marks
import torch
from torch.distributions import Distribution, constraints
class See(constraints.Constraint):
    def check(self, value):
        print("REACHED")
        return torch.tensor(True)
class D(Distribution):
    arg_constraints = {"__reduce_ex__": See()}
D(validate_args=True)

# %% a distribution's constraints of what is private to it
#: goal: marks
import torch
from torch.distributions import Distribution, constraints
class See(constraints.Constraint):
    def check(self, value):
        print("REACHED")
        return torch.tensor(True)
class D(Distribution):
    arg_constraints = {"_validate_parameters": See()}
D(validate_args=True)

# %% a signature that Python evaluates
#: goal: marks
import functools, inspect
class D(dict):
    def __init__(self):
        super().__init__()
        self.__dict__ = self
    def __call__(self): pass
d = D()
d["__text_signature__"] = "(a=sys.executable)"
if "python" in str(inspect.signature(functools.lru_cache(maxsize=2)(d))):
    print("REACHED")

# %% a module that is made once more
#: goal: marks
import math
math.__init__("math", {"pi": "REACHED"}, lambda name: AttributeError(name))
import math as again
print(again.pi)

# %% a reduction that is a text that lies
#: goal: marks
import torch
from einops import reduce
class Lie(str):
    def __eq__(self, other): return other == "sum" or str.__eq__(self, other)
    def __hash__(self): return hash("sum")
found = reduce(torch.ones(2, 2), "a b -> a", Lie("_array"))
print("REACHED")

# %% a signature that Python evaluates, of a part of a function
#: goal: marks
import functools, inspect
class D(dict):
    def __init__(self):
        super().__init__()
        self.__dict__ = self
    def __call__(self): pass
d = D()
d["__text_signature__"] = "(a=sys.executable)"
w = functools.lru_cache(maxsize=2)(d)
if "python" in str(inspect.signature(functools.partial(w))):
    print("REACHED")

# %% a signature that Python evaluates, of a class
#: goal: marks
import functools, inspect
class D(dict):
    def __init__(self):
        super().__init__()
        self.__dict__ = self
    def __call__(self): pass
d = D()
d["__text_signature__"] = "(a=sys.executable)"
class C: __init__ = functools.lru_cache(maxsize=2)(d)
if "python" in str(inspect.signature(C)):
    print("REACHED")

# %% a dtype that is made once more
#: goal: marks
import torch, numpy as np
torch.int16.__init__("int16", np.dtype("f8"))
print("REACHED")

# %% a dtype that is made once more by its class
#: goal: marks
import torch, numpy as np
type(torch.int16).__init__(torch.int16, "int16", np.dtype("f8"))
print("REACHED")

# %% standard output that is made once more
#: goal: marks
import sys
sys.stdout.__init__("__stdout__")
print("REACHED")

# %% a module's constructor for what is none
#: goal: marks
import torch
torch.nn.Module.__init__(torch.ones(1))
print("REACHED")

# %% an operation's rules
#: goal: marks
import torch
torch.relu._op.rules["self"] = lambda *a: None
print("REACHED")

# %% an operation's rules, by a method
#: goal: marks
import torch
torch.ones(1).relu._op.rules["self"] = lambda *a: None
print("REACHED")

# %% pruning of what is no module
#: goal: reads
from torch.nn.utils import prune
class Scores(dict):
    def get(self, key, default=None):
        self.found = default
        raise KeyError
def attr(thing, name):
    s = Scores()
    try:
        prune.global_unstructured([(thing, name)], prune.L1Unstructured, importance_scores=s)
    except KeyError:
        return s.found
print(attr(attr(len, "__self__"), "open")('@SECRET@').read())

# %% pruning of a function
#: goal: marks
from torch.nn.utils import prune
got = {}
def f(): pass
f._forward_pre_hooks = {}
f._parameters = {}
def take(name, value): got[name] = value
f.register_parameter = take
try: prune.identity(f, "__globals__")
except KeyError: pass
print("REACHED" if got else "")

# %% a schedule's state shows a class
#: goal: marks
import torch
o = torch.optim.SGD([torch.nn.Parameter(torch.ones(3))], lr=0.1)
print("REACHED", torch.optim.lr_scheduler.LambdaLR(o, lr_lambda=torch.Tensor).state_dict()["lr_lambdas"][0]["_array"])

# %% a schedule's state changes what it is called by
#: goal: marks
import torch
class O(torch.optim.SGD):
    def __call__(self, epoch): return 1.0
p = torch.nn.Parameter(torch.ones(6))
o = O([p], lr=0.1)
s = torch.optim.lr_scheduler.LambdaLR(o, lr_lambda=o)
s.load_state_dict({"lr_lambdas": [{"_update": lambda *a: print("REACHED")}]})
p.sum().backward()
o.step()

# %% an optimizer's option that computes by itself
#: goal: marks
import torch
class W:
    __array_ufunc__ = None
    def __rmul__(self, a): return self.__mul__(a)
    def __ne__(self, o): return True
    def __mul__(self, a):
        print("REACHED")
        return a
p = torch.nn.Parameter(torch.ones(6))
o = torch.optim.SGD([p], lr=0.1)
o.param_groups[0]["weight_decay"] = W()
p.sum().backward()
o.step()

# %% an optimizer's state that computes by itself
#: goal: marks
import torch
class W:
    __array_ufunc__ = None
    def __rmul__(self, a): return self.__mul__(a)
    def __mul__(self, a):
        print("REACHED")
        return a
p = torch.nn.Parameter(torch.ones(6))
o = torch.optim.SGD([p], lr=0.1, momentum=0.9)
p.sum().backward()
o.step()
o.state[p]["momentum_buffer"] = W()
o.step()

# %% an operation's rules, by a pattern
#: goal: marks
import torch
match torch.relu:
    case object(_op=found):
        found.rules["self"] = None
        print("REACHED")

# %% an operation's rules, by a pattern of a protocol
#: goal: marks
import torch
from typing import Any, Protocol, runtime_checkable
@runtime_checkable
class P(Protocol):
    op: Any
match torch.relu:
    case P(_op=found):
        print("REACHED")

# %% an operation's rules, by a protocol's own pattern
#: goal: marks
import torch
from typing import Any, Protocol, runtime_checkable
@runtime_checkable
class P(Protocol):
    op: Any
    __match_args__ = ("_op",)
match torch.relu:
    case P(found):
        print("REACHED")

# %% an operation's rules, by a pattern of a name that stands for a class twice
#: goal: marks
import torch
class P: pass
P = object
match torch.relu:
    case P(_op=found):
        print("REACHED")

# %% a class that is refused, kept by what stands in it
#: goal: marks
import torch
kept = []
class Keep:
    def __set_name__(self, owner, name): kept.append(owner)
def put(self, value): print("REACHED", type(value))
try:
    class P(torch.nn.Parameter):
        keep = Keep()
        _array = property(lambda self: None, put)
except Exception:
    pass
kept[0](torch.ones(3))

# %% a class that is refused, kept by the one that it inherits from
#: goal: marks
import torch
kept = []
class P(torch.nn.Parameter):
    def __init_subclass__(cls): kept.append(cls)
def put(self, value): print("REACHED", type(value))
try:
    class Q(P):
        _array = property(lambda self: None, put)
except Exception:
    pass
kept[0](torch.ones(3))

# %% the nodes of a function are of the program's class
#: goal: marks
import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
class Node:
    saved, extra, several, edges, sequence, shape, dtype, versions, keeps, materializes = (), None, False, (), 0, (), None, None, False, True
    def __init__(self, ctx): self.ctx = ctx
    def apply_arrays(self, gradient):
        print("REACHED", type(gradient))
        return (gradient,)
F._backward_cls = Node
F.apply(torch.ones(3, requires_grad=True)).sum().backward()

# %% an update that a property keeps under another name
#: goal: marks
import functools, torch
class A:
    _update = functools.cached_property(lambda self: lambda *given: print("REACHED", type(given[0])))
class O(torch.optim.SGD): pass
O.kept = A._update
p = torch.nn.Parameter(torch.ones(6))
o = O([p], lr=0.1)
o.kept
p.sum().backward()
o.step()

# %% an update among the arguments of the command line
#: goal: marks
import argparse, torch
class N(argparse.Namespace, torch.optim.SGD):
    def __init__(self, *given, **options): torch.optim.SGD.__init__(self, *given, **options)
p = torch.nn.Parameter(torch.ones(6))
o = N([p], lr=0.1)
parser = argparse.ArgumentParser()
parser.add_argument("--x", dest="_update", type=lambda text: lambda *given: print("REACHED", type(given[0])))
parser.parse_args(["--x", "1"], o)
p.sum().backward()
o.step()

# %% an update in a namespace
#: goal: marks
import torch, types
class N(types.SimpleNamespace, torch.optim.SGD):
    def __init__(self, *given, **options): torch.optim.SGD.__init__(self, *given, **options)
p = torch.nn.Parameter(torch.ones(6))
o = N([p], lr=0.1)
types.SimpleNamespace.__init__(o, _update=lambda *given: print("REACHED", type(given[0])))
p.sum().backward()
o.step()

# %% an update that a dataclass sets
#: goal: marks
import dataclasses, torch
@dataclasses.dataclass(eq=False, repr=False)
class D:
    _update: object
class O(D, torch.optim.SGD): pass
p = torch.nn.Parameter(torch.ones(6))
o = O.__new__(O)
torch.optim.SGD.__init__(o, [p], lr=0.1)
D.__init__(o, lambda *given: print("REACHED", type(given[0])))
p.sum().backward()
o.step()

# %% an update that a class sets which becomes a dataclass later
#: goal: marks
import dataclasses, torch
class D:
    _update: object
class O(D, torch.optim.SGD): pass
dataclasses.dataclass(eq=False, repr=False)(D)
p = torch.nn.Parameter(torch.ones(6))
o = O.__new__(O)
torch.optim.SGD.__init__(o, [p], lr=0.1)
D.__init__(o, lambda *given: print("REACHED", type(given[0])))
p.sum().backward()
o.step()

# %% a lazy module that becomes something of the engine's that is none
#: goal: marks
import torch
class L(torch.nn.LazyLinear):
    cls_to_become = torch.Generator
made = L(3)
try:
    made(torch.ones(2, 2))
except Exception:
    pass
if isinstance(made, torch.Generator):
    print("REACHED", type(made))
