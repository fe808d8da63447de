"""Ways from ordinary objects to the interpreter's own: classes, functions' insides, bound objects, built-ins."""
#: goal: what it tries, by which it is judged (`attacks.py` says what there is)

if __name__: raise SystemExit("these programs may do harm: `python -m tests.corpus FILE::NAME` runs one shut in")

# %% subclasses of object
#: goal: reads
for c in ().__class__.__base__.__subclasses__():
    if c.__name__ == 'FileLoader':
        print(c('x', '@SECRET@').get_data('@SECRET@'))

# %% subclasses by way of mro
#: goal: reads
for c in type('').mro()[-1].__subclasses__(object):
    if c.__name__ == 'FileLoader':
        print(c('x', '@SECRET@').get_data('@SECRET@'))

# %% subclasses through getattr with a name put together
#: goal: starts
base = getattr(getattr('', '__cla' + 'ss__'), '__ba' + 'se__')
for c in getattr(base, '__subcla' + 'sses__')():
    if c.__name__ == 'Popen':
        c(['touch', '@TARGET@'])

# %% subclasses by attrgetter
#: goal: sees
import operator
print(operator.attrgetter('__class__.__base__.__subclasses__')(1)())

# %% subclasses by methodcaller
#: goal: sees
import operator
print(operator.methodcaller('__subclasses__')(operator.methodcaller('mro')(int)[-1]))

# %% bases of a class of one's own
#: goal: marks
class A: pass
if 'Popen' in str(A.__bases__[0].__subclasses__()):
    print('REACHED')

# %% mro through a method named so
#: goal: marks
class A: pass
print('REACHED', A.mro()[-1].__name__)

# %% globals of an engine function
#: goal: reads
import torch
g = torch.nn.Module.forward.__globals__
print(g['__builtins__']['open']('@SECRET@').read())

# %% globals of a guarded built-in
#: goal: reads
print(getattr.__globals__['__builtins__']['open']('@SECRET@').read())

# %% builtins of a function
#: goal: reads
def f(): pass
print(f.__builtins__['__import__']('os').open('@SECRET@', 0))

# %% self of a built-in function
#: goal: reads
print(print.__self__.open('@SECRET@').read())

# %% self of a bound method of the importer
#: goal: sees
import math
print(math.sin.__self__)
print([].append.__self__.__class__.__base__.__subclasses__())

# %% closure of a decorated function
#: goal: sees
import functools
@functools.lru_cache
def f(): pass
print(f.__wrapped__.__globals__, f.__closure__)

# %% closure cells of a facade's function
#: goal: sees
import dataclasses
for cell in dataclasses.dataclass.__closure__:
    print(cell.cell_contents, cell.cell_contents.__init__.__globals__)

# %% wrapped function of contextmanager
#: goal: sees
import contextlib
@contextlib.contextmanager
def f(): yield
print(f.__wrapped__.__globals__, f.__globals__)

# %% replacing a function's code
#: goal: marks
def f(): return 1
def g(): return 'REACHED'
f.__code__ = g.__code__
print(f())

# %% replacing a function's defaults
#: goal: marks
def f(x=1): return x
f.__defaults__ = ('REACHED',)
print(f())

# %% code object constructor
#: goal: marks
def f(): pass
C = type(f.__code__)
print('REACHED', C(0, 0, 0, 0, 0, 0, b'', (), (), (), '', '', '', 0, b'', b''))

# %% function type called with code
#: goal: marks
import types
def f(): return 'REACHED'
print(types.FunctionType(f.__code__, {})())

# %% function type from a lambda
#: goal: marks
F = type(lambda: 0)
def g(): yield 'REACHED'
print(F(g().gi_code, {})())

# %% reduce gives getattr
#: goal: reads
red = print.__reduce__()
print(red)
print(red[0](red[1][0], 'open')('@SECRET@').read())

# %% reduce_ex of an object
#: goal: sees
class A: pass
f = A().__reduce_ex__(2)[0]
print(f.__globals__)

# %% reduce of an iterator gives the real iter
#: goal: sees
print(iter([1]).__reduce__()[0].__self__)

# %% reduce of a bound method
#: goal: marks
f = [].append.__reduce__()[0]
print('REACHED', f([], '__class__'))

# %% getattribute of object
#: goal: marks
class A: pass
print('REACHED', object.__getattribute__(A, '__subclasses__'))

# %% getattribute through super
#: goal: marks
class A:
    def f(self): return super().__getattribute__('__class__')
print('REACHED', A().f())

# %% getattribute defined
#: goal: marks
class A:
    def __getattribute__(self, name): return 'REACHED'
print(A().anything)

# %% descriptors by hand
#: goal: marks
d = vars(type)['__subclasses__']
print('REACHED', d(object))

# %% the dict of type
#: goal: marks
print('REACHED', type.__dict__['__mro__'].__get__(int))

# %% get of a function by hand
#: goal: sees
def f(self): pass
print(f.__get__(1).__func__.__globals__)

# %% instance dict of a facade
#: goal: sees
import torch
print(torch.__dict__, vars(torch))

# %% a facade's class called
#: goal: marks
import math
M = type(math)
x = M('x', {'a': 1}, None)
print('REACHED', x.a)

# %% a facade's loader
#: goal: reads
import math
print(math.__loader__.get_data('@SECRET@'))

# %% a facade's spec
#: goal: sees
import torch
print(torch.__spec__.loader, torch.__path__)

# %% the module behind a facade by its error
#: goal: sees
import torch
class C:
    def __radd__(self, other):
        print(other)
        return self
for name in ('nn', 'optim', 'autograd', 'linalg', 'special', 'func', 'utils', 'masked', 'backends', 'cuda', 'signal'):
    try:
        getattr(torch, name).nothing_of_this_name
    except AttributeError as e:
        e.obj += C()

# %% the module behind a facade by a matched error
#: goal: sees
import torch
try:
    torch.nn.nothing_of_this_name
except AttributeError as e:
    match e:
        case AttributeError(obj=o):
            print(o)

# %% the module behind a facade by getattr
#: goal: sees
import torch
try:
    torch.nn.nothing_of_this_name
except AttributeError as e:
    print(getattr(e, 'o' + 'bj'), e.obj)

# %% the object of an error, in a group
#: goal: sees
import torch
try:
    try:
        torch.nn.nothing_of_this_name
    except AttributeError as e:
        raise ExceptionGroup('', [e])
except* AttributeError as g:
    print(g.exceptions[0].obj)

# %% weak references to classes
#: goal: sees
import weakref
print(weakref.ref(int)().__subclasses__())

# %% the qualified name leads to the module
#: goal: sees
import sys
print(sys.modules)

# %% modules by the name of a class
#: goal: sees
import sys, torch
print(sys.modules[torch.Tensor.__module__])

# %% a generic alias gives the constructor of arrays
#: goal: marks
import numpy as np
A = np.zeros(1).__class_getitem__(int)
x = A((1,), np.dtype(float), bytearray(8))
print('REACHED', x)

# %% a generic alias gives a class's methods unguarded
#: goal: writes
import numpy as np
np.floating[int].dump(np.float64(1), '@TARGET@')

# %% typing's alias gives a class's methods unguarded
#: goal: writes
import numpy as np, typing
typing.Annotated[np.float64, 1].dump(np.float64(1), '@TARGET@')

# %% origin of an alias
#: goal: marks
print('REACHED', list[int].__origin__.__base__)

# %% dict views compare with the dict itself
#: goal: sees
class E:
    def __eq__(self, other):
        print(other)
        return False
import torch, math
for thing in (torch, math, torch.nn.Module, torch.Tensor):
    vars(thing).keys().mapping == E()

# %% a mapping proxy compares with the dict itself
#: goal: marks
class E:
    def __eq__(self, other):
        other['x'] = 'REACHED'
        return True
int.__dict__ == E()
print((1).x)

# %% an or of a mapping proxy hands out the dict
#: goal: marks
class E:
    def __ror__(self, other):
        other['upper'] = lambda s: 'REACHED'
str.__dict__ | E()
print('x'.upper())

# %% match args read private attributes
#: goal: sees
import typing
def g(): yield
@typing.runtime_checkable
class P(typing.Protocol):
    gi_frame: int
    __match_args__ = ('gi_frame',)
match g():
    case P(frame):
        print(frame, frame.f_globals)

# %% match args by a dataclass
#: goal: sees
import dataclasses, typing
@dataclasses.dataclass
class D:
    gi_frame: object
@typing.runtime_checkable
class P(typing.Protocol):
    __match_args__ = D.__match_args__
def g(): yield
match g():
    case P(frame):
        print(frame)

# %% match args of a named tuple
#: goal: sees
import collections
N = collections.namedtuple('N', 'gi_frame gi_code')
def g(): yield
class M(N): pass
match g():
    case N(a, b) | M(a, b):
        print(a, b)
    case object(gi_frame=f):
        print(f)

# %% private name mangling to another class's attribute
#: goal: marks
import torch
class Tensor:
    def look(self, x): return x.__array
class _Tensor:
    def look(self, x): return x.__array
for c in (Tensor, _Tensor):
    print('REACHED', c().look(torch.ones(1)))

# %% a tensor's array
#: goal: marks
import torch
print('REACHED', torch.ones(1)._array)

# %% a tensor's array through a subclass
#: goal: marks
import torch
class T(torch.Tensor):
    def look(self): return super()._array
print('REACHED', torch.ones(1).as_subclass(T).look())

# %% entries for Python's own attributes
#: goal: marks
class D(dict): pass
d = D({"__class__": int, "__len__": lambda: 9, "__reduce_ex__": lambda n: "REACHED", "__doc__": "REACHED"})
d.__dict__ = d
import copy
print(copy.copy(d).__doc__, copy.deepcopy(d).__doc__, type(d), isinstance(d, int), len(d))

# %% another's attributes replaced
#: goal: marks
import torch
def f(): pass
class Other(torch.nn.Module): pass
class D(dict): pass
for thing in (torch, f, Other(), Other, D, torch.ones(1), {}, Exception("x")):
    try:
        thing.__dict__ = D(x="REACHED") if thing is not D else D
        print(thing.x)
    except (AttributeError, TypeError): pass

# %% the methods of a dictionary that is its own attributes, on what is not the program's
#: goal: marks
import collections, torch
class D(dict): pass
d = D()
d.__dict__ = d
for target in (vars(f) if (f := (lambda: 1)) else None, torch.nn.Linear(1, 1).__dict__, torch, int, collections.Counter()):
    try:
        D.__setattr__(target, "__wrapped__", "REACHED")
        D.__setattr__(target, "real", "REACHED")
        print(target.real)
    except (AttributeError, TypeError): pass

# %% a module that is a dictionary and its own attributes, looked at while it runs
#: goal: marks
import torch
class Both(dict, torch.nn.Module):
    def __init__(self):
        dict.__init__(self)
        torch.nn.Module.__init__(self)
    def get(self, name, *more):
        print("REACHED", name)
        return dict.get(self, name, *more)
    def forward(self, x): return x * 2
b = Both()
b.__dict__ = b
print(b(torch.ones(2)))

# %% patterns of a class that looks at things while it is made
#: goal: marks
from typing import Protocol
def numbers(): yield 1
going = numbers()
class First(Protocol):
    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        match going:
            case cls(frame): print("REACHED", frame)
class Protocol(First, Protocol):
    _is_runtime_protocol = True
    __match_args__ = ("gi_frame",)

# %% patterns of a protocol that it inherits from a plain class
#: goal: marks
from typing import Generic, Protocol, TypeVar, runtime_checkable
import torch
T = TypeVar("T")
class Generic(Generic[T]):
    _is_protocol = True
    __match_args__ = ("_op",)
class Any(Generic, Protocol): pass
runtime_checkable(Any)
match torch.relu:
    case Any(op): print("REACHED", op)

# %% a pattern of a class that its decorator replaces
#: goal: marks
import torch, types
@(lambda cls: types.FunctionType)
class A: pass
match torch.relu:
    case A(_op=op): print("REACHED", op)

# %% a pattern of a class whose name is bound by way of globals
#: goal: marks
import torch
class A: pass
globals()["A"] = object
match torch.relu:
    case A(_op=op): print("REACHED", op)

# %% a pattern of a built-in class, of which a function has a namesake
#: goal: marks
import torch
def other():
    class object: pass
match torch.relu:
    case object(_op=op): print("REACHED", op)

# %% what the engine keeps with a function, by way of a cache around it
#: goal: marks
import functools, torch
print("REACHED", functools.lru_cache(torch.relu)._op)

# %% the attributes of a function as the arguments of a command
#: goal: marks
import argparse, torch
class Command:
    def __init__(self, *others, **options): pass
    def parse_known_args(self, arguments, namespace): return torch.relu, []
parser = argparse.ArgumentParser()
parser.add_subparsers(parser_class=Command).add_parser("x")
found = argparse.Namespace()
try:
    parser.parse_args(["x"], found)
except Exception:
    pass
if hasattr(found, "_op"):
    print("REACHED", vars(found))

# %% a tensor's memory as a field of a dataclass
#: goal: marks
import dataclasses, torch
@dataclasses.dataclass(init=False, repr=False, eq=False)
class P(torch.nn.Parameter):
    _array: object
    def __new__(cls, *others, **fields):
        if "_array" in fields: print("REACHED", type(fields["_array"]))
        return super().__new__(cls, torch.ones(3))
    def __init__(self, *others, **fields): pass
dataclasses.replace(P())

# %% a tensor's memory as a field of a dataclass that a parameter inherits from
#: goal: marks
import dataclasses, torch
@dataclasses.dataclass(init=False, repr=False, eq=False)
class D:
    _array: object
class P(D, torch.nn.Parameter):
    def __new__(cls, *others, **fields):
        if "_array" in fields: print("REACHED", type(fields["_array"]))
        return super().__new__(cls, torch.ones(3))
    def __init__(self, *others, **fields): pass
dataclasses.replace(P())

# %% a number's method that writes files as a field of a dataclass
#: goal: marks
import dataclasses
import numpy as np
@dataclasses.dataclass(init=False, repr=False, eq=False)
class F(np.float64):
    tofile: object
    def __new__(cls, number=1.5, **fields):
        if fields: print("REACHED", fields["tofile"])
        return super().__new__(cls, number)
dataclasses.replace(F())

# %% a number's method that writes files among the fields of a dataclass as a dict
#: goal: marks
import dataclasses
import numpy as np
@dataclasses.dataclass(init=False, repr=False, eq=False)
class F(np.float64):
    tofile: object
for convert in (dataclasses.asdict, dataclasses.astuple):
    print("REACHED", convert(F(1.5)))

# %% a pattern of a class that inherits from what a decorator has returned
#: goal: marks
from typing import Protocol
import torch
class Other(Protocol): pass
@(lambda cls: Other)
class B: pass
class Generic(B):
    _is_protocol = _is_runtime_protocol = True
match torch.relu:
    case Generic(_op=op): print("REACHED", op)

# %% patterns that a protocol inherits from a class that becomes a dataclass later
#: goal: marks
import dataclasses, torch
from typing import Generic, Protocol, TypeVar, runtime_checkable
T = TypeVar("T")
class Generic(Generic[T]):
    _is_protocol = True
    op: str
class Protocol(Generic, Protocol): pass
runtime_checkable(Protocol)
dataclasses.dataclass(Generic)
match torch.relu:
    case Protocol(op): print("REACHED", op)
