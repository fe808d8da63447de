"""Classes that bring names of Python's own, metaclasses, descriptors, and classes made by calls."""
#: goal: what it tries, by which it is judged (`attacks.py` says what there is)

if __name__: raise SystemExit("these programs may do harm: `python -m tests.corpus FILE::NAME` runs one shut in")

# %% type with three arguments
#: goal: memory
import numpy as np
A = type('A', (), {'__array_interface__': {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}})
print(hex(int(np.asarray(A())[0])))

# %% type of a class with three arguments
#: goal: marks
class A: pass
B = type(A)('B', (A,), {'__getattribute__': lambda self, name: 'REACHED'})
print(B().x)

# %% type with a private name of the engine's
#: goal: marks
import torch
class Seen:
    def __get__(self, thing, cls): return lambda *given: print("REACHED", given)
optimizer = type("Mine", (torch.optim.SGD,), {"_update": Seen()})([torch.nn.Parameter(torch.ones(2))], lr=0.1)
optimizer.param_groups[0]["params"][0].sum().backward()
optimizer.step()

# %% type with names that change while they are looked at
#: goal: marks
class Name(str):
    def __repr__(self): names["__getattribute__"] = lambda self, name: "REACHED"; return "x"
    __str__ = __hash__ = __repr__
names = {"a": 1}
try: names[Name("b")] = 1
except TypeError: pass
print(type("C", (), names)().x)

# %% type with patterns
#: goal: marks
import torch
def waiting(): yield
P = type("P", (), {"a": 1})
type.__setattr__(P, "__match_args__", ("gi_frame",))
match waiting():
    case P(frame): print("REACHED", frame)

# %% type of a look-alike
#: goal: marks
f = type(type(lambda: 0))
print(f('X', (), {'__getattribute__': lambda self, name: 'REACHED'})().x)

# %% class of a class
#: goal: marks
print((1).__class__.__class__('X', (), {'__getattribute__': lambda self, name: 'REACHED'})().x)

# %% metaclass
#: goal: marks
class M(type):
    def __call__(cls, *a): return 'REACHED'
class A(metaclass=M): pass
print(A())

# %% metaclass by a function
#: goal: marks
def meta(name, bases, space): return 'REACHED'
class A(metaclass=meta): pass
print(A)

# %% metaclass by keywords
#: goal: marks
def meta(name, bases, space): return 'REACHED'
class A(**{'metaclass': meta}): pass
print(A)

# %% metaclass with prepare
#: goal: marks
class D(dict):
    def __missing__(self, key): return 'REACHED'
class M(type):
    def __prepare__(*a): return D()
class A(metaclass=M): print(nothing)

# %% prepare through a look-alike
#: goal: marks
import abc
class M(abc.ABCMeta):
    def __instancecheck__(cls, x): return True
class A(metaclass=M): pass
print('REACHED', isinstance(1, A))

# %% bases with mro entries
#: goal: marks
import numpy as np
class B:
    def __mro_entries__(self, bases): return (type(np.zeros(1)),)
class A(B()): pass
print('REACHED', A((1,)))

# %% subclass of ndarray
#: goal: memory
import numpy as np
class A(np.ndarray): pass
a = A((1,), int)
a.data = id(int)
print(a)

# %% subclass of a type that an instance has
#: goal: marks
import numpy as np
class A(type(np.zeros(1))): pass
print('REACHED', A((1,)))

# %% subclass of a facade
#: goal: marks
import math
class A(type(math)): pass
print('REACHED', A('x', {}, None))

# %% class assignment
#: goal: marks
class A: pass
class B:
    def f(self): return 'REACHED'
a = A()
a.__class__ = B
print(a.f())

# %% class assignment with setattr
#: goal: marks
class A: pass
class B:
    def f(self): return 'REACHED'
a = A()
setattr(a, '__class__', B)
print(a.f())

# %% class assignment with object's setattr
#: goal: marks
class A: pass
class B:
    def f(self): return 'REACHED'
a = A()
object.__setattr__(a, '__class__', B)
print(a.f())

# %% class assignment through a base's setattr
#: goal: marks
import torch
class B(torch.nn.Linear):
    def f(self): return 'REACHED'
m = torch.nn.Linear(1, 1)
torch.nn.Module.__setattr__(m, '__class__', B)
print(m.f())

# %% class named as a property
#: goal: marks
class A:
    __class__ = property(lambda self: int)
print('REACHED', isinstance(A(), int) or 1 / 0)

# %% init_subclass sets by name
#: goal: marks
class A:
    def __init_subclass__(cls, **names):
        for k, v in names.items():
            setattr(cls, k, v)
class B(A, **{'__getattribute__': lambda s, n: 'REACHED'}): pass
print(B().x)

# %% set_name gets a class
#: goal: marks
class D:
    def __set_name__(self, owner, name): print('REACHED', owner.__base__.__subclasses__())
class A: x = D()

# %% class_getitem gives a class
#: goal: marks
class A:
    def __class_getitem__(cls, x): return 'REACHED', cls.__mro__
print(A[1])

# %% getattr for python's own names
#: goal: memory
import numpy as np
class A:
    def __getattr__(self, name):
        if name == '__array_interface__':
            return {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
        raise AttributeError
print(hex(int(np.asarray(A())[0])))

# %% getattr defined by assignment
#: goal: memory
import numpy as np
class A:
    __getattr__ = lambda self, name: {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
print(hex(int(np.asarray(A())[0])))

# %% getattr defined as a class
#: goal: memory
import numpy as np
class A:
    class __getattr__:
        def __init__(self, name): self.name = name
print(hex(int(np.asarray(A())[0])))

# %% getattr defined in a loop
#: goal: memory
import numpy as np
class A:
    for __getattr__ in [lambda self, name: {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}]: pass
print(hex(int(np.asarray(A())[0])))

# %% getattr defined by an import
#: goal: marks
class A:
    from torch import ones as __getattr__
print('REACHED', A().x)

# %% getattr set on a class
#: goal: memory
import numpy as np
class A: pass
setattr(A, '__getattr__', lambda self, name: {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3})
print(hex(int(np.asarray(A())[0])))

# %% getattr decorated so that the shield is inside
#: goal: memory
import numpy as np
INTERFACE = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
def swap(f): return lambda self, name: INTERFACE
class A:
    @swap
    def __getattr__(self, name): return None
print(hex(int(np.asarray(A())[0])))

# %% getattr inherited and wrapped
#: goal: memory
import numpy as np, torch
INTERFACE = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
class A(torch.nn.Module):
    def __getattr__(self, name): return INTERFACE
a = A()
print(hex(int(np.asarray(a)[0])))

# %% slots with python's own names
#: goal: memory
import numpy as np
class A: __slots__ = ('__array_interface__',)
a = A()
a.__array_interface__ = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
print(hex(int(np.asarray(a)[0])))

# %% slots put together
#: goal: memory
import numpy as np
name = '__array_' + 'interface__'
class A: __slots__ = (name,)
a = A()
setattr(a, name, {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3})
print(hex(int(np.asarray(a)[0])))

# %% slots changed after they were looked at
#: goal: memory
import numpy as np
class A:
    __slots__ = ['x']
    __slots__.append('__array_' + 'interface__')
a = A()
object.__setattr__(a, '__array_interface__', {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3})
print(hex(int(np.asarray(a)[0])))

# %% slots with an annotation
#: goal: memory
import numpy as np
name = ('__array_' + 'interface__',)
class A:
    __slots__: tuple = name
a = A()
setattr(a, name[0], {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3})
print(hex(int(np.asarray(a)[0])))

# %% the dict of an object
#: goal: memory
import numpy as np
class A: pass
a = A()
a.__dict__['__array_interface__'] = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
print(hex(int(np.asarray(a)[0])))

# %% the dict of an object updated
#: goal: memory
import numpy as np
class A: pass
a = A()
I = {'__array_interface__': {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}}
for way in (lambda: vars(a).update(I), lambda: vars(a).__ior__(I), lambda: dict.update(vars(a), I), lambda: vars(a).setdefault(*I.items()[0])):
    try: way()
    except Exception as e: print(e)
    print(hex(int(np.asarray(a)[0])))

# %% locals of a class body
#: goal: memory
import numpy as np
class A:
    locals()['__array_interface__'] = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
print(hex(int(np.asarray(A())[0])))

# %% SimpleNamespace with python's own names
#: goal: memory
import numpy as np, types
I = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
print(hex(int(np.asarray(types.SimpleNamespace(**{'__array_interface__': I}))[0])))

# %% SimpleNamespace by its base's init
#: goal: memory
import numpy as np, types
I = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
class N(types.SimpleNamespace):
    def __init__(self, **k): super(types.SimpleNamespace, self).__init__(**k)
print(hex(int(np.asarray(N(**{'__array_interface__': I}))[0])))

# %% update_wrapper copies names
#: goal: memory
import numpy as np, functools
class A: pass
class W: pass
w = W()
functools.update_wrapper(w, A, assigned=('__array_interface__',), updated=())
f = lambda: 0
functools.wraps(A, ('__array_interface__',))(f)
print(hex(int(np.asarray(w)[0])))

# %% dataclass with a field of python's own
#: goal: memory
import numpy as np, dataclasses
A = dataclasses.make_dataclass('A', ['__array_interface__'])
print(hex(int(np.asarray(A({'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}))[0])))

# %% dataclass with code for a field's name
#: goal: reads
import dataclasses
dataclasses.make_dataclass('A', ['x=print(open("@SECRET@").read()),y'])()

# %% dataclass with code for an annotation
#: goal: reads
import dataclasses
class A: pass
A.__annotations__['x=open("@SECRET@").read(),y'] = int
print(dataclasses.dataclass(A)())

# %% dataclass of an engine's class
#: goal: marks
import dataclasses, torch
dataclasses.dataclass(torch.nn.Linear)
print('REACHED', torch.nn.Linear.__eq__)

# %% dataclass namespace
#: goal: marks
import dataclasses
A = dataclasses.make_dataclass('A', ['x'], namespace={'__getattribute__': lambda s, n: 'REACHED'})
print(A(1).y)

# %% named tuple with code for a field's name
#: goal: reads
import collections
N = collections.namedtuple('N', ['x=print(open("@SECRET@").read())'])

# %% named tuple with a text that changes
#: goal: reads
import collections
class S(str):
    def isidentifier(self): return True
    def startswith(self, x): return False
    def __str__(self): return self
N = collections.namedtuple('N', [S('x, a=print(open("@SECRET@").read())')])
N(1)

# %% named tuple with python's own names
#: goal: memory
import collections, numpy as np
N = collections.namedtuple('N', ['__array_interface__'])
print(hex(int(np.asarray(N({'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}))[0])))

# %% named tuple of typing
#: goal: memory
import typing, numpy as np
N = typing.NamedTuple('N', [('__array_interface__', dict)])
print(hex(int(np.asarray(N({'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}))[0])))

# %% named tuple make
#: goal: marks
import collections
N = collections.namedtuple('N', 'a')
print('REACHED', N._make.__func__.__globals__)

# %% enumeration with python's own names
#: goal: memory
import enum, numpy as np
E = enum.Enum('E', {'__array_interface__': 1})
print(E.__array_interface__)
I = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
F = enum.Enum('F', [('__array_interface__', I)])
print(hex(int(np.asarray(F)[0])))

# %% enumeration with names that change
#: goal: memory
import enum, numpy as np
I = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
class S(str):
    n = 0
    def __iter__(self): return iter([('__array_interface__', I)])
    def replace(self, *a): return self
    def split(self): return [('x', 1)] if S.n else [('__array_interface__', I)]
F = enum.Enum('F', S('x'))
print(hex(int(np.asarray(F)[0])))

# %% enumeration's module
#: goal: marks
import enum
E = enum.Enum('E', 'a', module='os')
print('REACHED', E.__reduce_ex__(2))

# %% typed dict functional
#: goal: memory
import typing, numpy as np
T = typing.TypedDict('T', {'__array_interface__': dict})
print(hex(int(np.asarray(T(__array_interface__={'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}))[0])))

# %% new type's supertype
#: goal: marks
import typing
print('REACHED', typing.NewType('N', int).__supertype__.__subclasses__())

# %% forward reference evaluated
#: goal: reads
import typing
r = typing.ForwardRef('open("@SECRET@").read()') if hasattr(typing, 'ForwardRef') else typing.List['open("@SECRET@").read()'].__args__[0]
print(r._evaluate(globals(), {}, frozenset()))

# %% type hints evaluated
#: goal: reads
import typing
class A:
    x: 'open("@SECRET@").read()'
print(typing.get_type_hints(A))

# %% protocol's subclass hook
#: goal: marks
import typing
class P(typing.Protocol):
    def __subclasshook__(cls, other): return 'REACHED'
print('REACHED', issubclass(int, P))

# %% abc register makes anything an instance
#: goal: marks
import abc, collections.abc, numbers
class A(abc.ABC): pass
A.register(type(lambda: 0))
collections.abc.Sized.register(int)
numbers.Number.register(str)
print('REACHED')

# %% instancecheck
#: goal: marks
class A:
    def __instancecheck__(cls, x): return True
print('REACHED', isinstance(1, A()))

# %% descriptor with get on the class
#: goal: marks
class D:
    def __get__(self, obj, owner): return owner.__mro__
class A: x = D()
print('REACHED', A().x)

# %% a property of the engine set from outside
#: goal: marks
import torch
torch.Tensor.grad.fget = lambda self: 'REACHED'
torch.Tensor.grad = property(lambda self: 'REACHED')
print(torch.ones(1).grad)

# %% an engine's class changed
#: goal: marks
import torch
torch.nn.Linear.forward = lambda self, x: 'REACHED'
print(torch.nn.Linear(1, 1)(1))

# %% an engine's class changed by total_ordering
#: goal: marks
import functools, torch
class A(torch.nn.Module):
    def __lt__(self, other): return True
functools.total_ordering(torch.nn.Module)
print('REACHED', torch.nn.Module.__gt__(A(), A()) is True or 1 / 0)

# %% a built-in class changed
#: goal: marks
int.real = 'REACHED'
print((1).real)

# %% a built-in changed for the next program
#: goal: marks
import builtins
builtins.print = lambda *a: 'REACHED'
print('REACHED')

# %% super with another class
#: goal: marks
import torch
print('REACHED', super(torch.nn.Linear, torch.nn.Linear(1, 1)).__setattr__)

# %% super as a value
#: goal: marks
s = super
print('REACHED', s(int, 1))

# %% super's own attributes
#: goal: marks
class A:
    def f(self): return super().__self_class__, super().__thisclass__.__base__
print('REACHED', A().f())

# %% super by rebinding the class cell
#: goal: marks
class A:
    def f(self):
        nonlocal __class__
        __class__ = int
        return super().__self__
print('REACHED', A().f())

# %% new of a type that is hidden
#: goal: marks
import numpy as np
f = np.zeros(1).__new__
print('REACHED', f(type(np.zeros(1)), (1,)))

# %% object made without its init
#: goal: marks
import math
print('REACHED', object.__new__(type(math)).sin)

# %% operators of a flag, of a class
#: goal: marks
import enum
class Any:
    def __init__(self, thing): self.thing = thing
    def __or__(self, other): return self.thing
    __and__ = __xor__ = __or__
    def __invert__(self): return self.thing
def real_type(thing, op):
    class K:
        _value_ = Any(thing)
        _singles_mask_ = Any(thing)
        _inverted_ = None
        _boundary_ = None
    return op(K) if op is enum.Flag.__invert__ else op(K, K)
class C: pass
for op in (enum.Flag.__or__, enum.Flag.__and__, enum.Flag.__xor__, enum.Flag.__invert__, enum.IntFlag.__or__):
    for thing in (C, C(), (k for k in ())):
        try:
            found = real_type(thing, op)
            if found is not NotImplemented: print("REACHED", found)
        except Exception as e: print(e)

# %% the mean of classes
#: goal: marks
import abc, statistics
class Total:
    def __init__(self, thing): self.thing = thing
    def __radd__(self, other): return self
    def is_finite(self): return False
    def __truediv__(self, n): return self.thing
def real_type(thing):
    class K:
        @staticmethod
        def as_integer_ratio(): return Total(thing), None
    return statistics.mean([K])
class C(abc.ABC): pass
print("REACHED", real_type(C), real_type(k for k in ()))
