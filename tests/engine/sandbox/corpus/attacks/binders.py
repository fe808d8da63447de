"""Every place of the grammar that binds or reads a name, with names of Python's own, and look-alikes of letters."""
#: goal: what it tries, by which it is judged (`attacks.py` says what there is)

if __name__: raise SystemExit("these programs may do harm: `python -m tests.corpus FILE::NAME` runs one shut in")

# %% fullwidth letters in an attribute
#: goal: sees
def f(): pass
print(f.__ｇlobals__)

# %% italic letters in an attribute
#: goal: sees
def f(): pass
print(f.__𝘨𝘭𝘰𝘣𝘢𝘭𝘴__)

# %% fullwidth letters in a name
#: goal: reads
print(__ｉmport__('os').popen('cat @SECRET@').read())

# %% fullwidth underscores
#: goal: sees
#| def f(): pass
#| print(f.＿＿globals＿＿)

# %% ligature in an attribute
#: goal: marks
def g(): yield
print('REACHED', g().gi_ﬀrame if 0 else g().ｇi_frame)

# %% long s in a name
#: goal: marks
#| print('REACHED', ().__cla\
#| ſs__ if 0 else ().__claſs__.__baſe__)

# %% fullwidth letters in an import
#: goal: reads
import ｏs
print(os.popen('cat @SECRET@').read())

# %% fullwidth letters in getattr
#: goal: sees
def f(): pass
print(getattr(f, '__ｇlobals__'))

# %% fullwidth letters in a name that is stored
#: goal: memory
import numpy as np
class A:
    __ａrray_interface__ = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
print(hex(int(np.asarray(A())[0])))

# %% fullwidth letters in a keyword
#: goal: memory
import numpy as np, types
print(hex(int(np.asarray(types.SimpleNamespace(__ａrray_interface__={'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}))[0])))

# %% a guard as a parameter
#: goal: marks
def f(__read__): return (1)._x
print('REACHED', f(lambda x, n: x))

# %% a guard as a parameter by position only
#: goal: marks
def f(__write__, /):
    import math
    math.sin = lambda x: 'REACHED'
    return math.sin(1)
print(f(lambda x, n: x))

# %% a guard as a keyword only parameter
#: goal: marks
def f(*, __read__=lambda x, n: x): return 'REACHED', int.mro()
print(f())

# %% a guard as a rest parameter
#: goal: marks
def f(*__read__, **__write__): return 'REACHED'
print(f())

# %% a guard as a lambda's parameter
#: goal: marks
f = lambda __read__: 'REACHED'
print(f(1))

# %% a guard bound by assignment
#: goal: marks
__read__ = lambda x, n: x
print('REACHED')

# %% a guard bound by walrus
#: goal: marks
print('REACHED', (__write__ := print))

# %% a guard bound by a walrus in a comprehension
#: goal: marks
print('REACHED', [(__write__ := x) for x in [1]])

# %% a guard bound by a comprehension
#: goal: marks
print('REACHED', [1 for __read__ in [1]])

# %% a guard bound by a loop
#: goal: marks
for __read__ in [1]: print('REACHED')

# %% a guard bound by with
#: goal: marks
import contextlib
with contextlib.nullcontext() as __read__: print('REACHED')

# %% a guard bound by except
#: goal: marks
try: 1 / 0
except ZeroDivisionError as __read__: print('REACHED')

# %% a guard bound by except star
#: goal: marks
try: raise ExceptionGroup('', [ValueError()])
except* ValueError as __read__: print('REACHED')

# %% a guard bound by an import
#: goal: marks
import math as __read__
print('REACHED')

# %% a guard bound by a from import
#: goal: marks
from math import sin as __read__
print('REACHED')

# %% a guard bound by a class
#: goal: marks
class __read__: pass
print('REACHED')

# %% a guard bound by a def
#: goal: marks
def __read__(x, n): return x
print('REACHED')

# %% a guard bound by a pattern
#: goal: marks
match 1:
    case __read__: print('REACHED')

# %% a guard bound by a starred pattern
#: goal: marks
match [1]:
    case [*__read__]: print('REACHED')

# %% a guard bound by a mapping's rest
#: goal: marks
match {}:
    case {**__read__}: print('REACHED')

# %% a guard bound by an as pattern
#: goal: marks
match 1:
    case int() as __read__: print('REACHED')

# %% a guard bound by global
#: goal: marks
def f():
    global __read__
    print('REACHED')
f()

# %% a guard deleted
#: goal: marks
del __read__
print('REACHED')

# %% a guard annotated
#: goal: marks
__read__: int = 1
print('REACHED')

# %% a guard bound through globals
#: goal: marks
globals()['__read__'] = lambda x, n: x
globals().update({'__write__': lambda x, n: x})
import math
math.sin = lambda x: 'REACHED'
print(math.sin(1))

# %% a guard bound through a real dict of globals
#: goal: marks
dict.__setitem__(globals(), '__read__', lambda x, n: x)
class A: pass
print('REACHED', A._abc_nothing)

# %% builtins bound
#: goal: marks
__builtins__ = {'open': print}
print('REACHED')

# %% builtins bound through globals
#: goal: marks
globals()['__builtins__'] = {'print': print}
def f(): return open
print('REACHED', f())

# %% the module's name
#: goal: marks
__name__ = 'engine.sandbox'
class A: pass
print('REACHED', A.__module__)

# %% the module of a class
#: goal: marks
class A:
    __module__ = 'builtins'
print('REACHED', A)

# %% the module of a known class made one's own
#: goal: marks
import torch
torch.nn.Linear.__module__ = '__main__'
torch.nn.Linear.forward = print
print('REACHED')

# %% a module's own names from import
#: goal: marks
from torch import __dict__, __class__, __getattr__
print('REACHED')

# %% a name of python's own as an attribute
#: goal: marks
class A: pass
A.__getattribute__ = lambda s, n: 'REACHED'
print(A().x)

# %% a name of python's own deleted
#: goal: marks
class A:
    def __init__(self): pass
del A.__init__
print('REACHED')

# %% a name of python's own in an augmented assignment
#: goal: marks
class A: pass
A.__bases__ += (int,)
print('REACHED')

# %% a name of python's own in a loop's target
#: goal: marks
class A: pass
for A.__getattribute__ in [lambda s, n: 'REACHED']: pass
print(A().x)

# %% a name of python's own in a with's target
#: goal: marks
import contextlib
class A: pass
with contextlib.nullcontext(lambda s, n: 'REACHED') as A.__getattribute__: pass
print(A().x)

# %% a name of python's own in a starred target
#: goal: marks
class A: pass
a = A()
[*a.__class__], b = [1], 2
print('REACHED')

# %% a name of python's own in an annotated target
#: goal: marks
class A: pass
A.__base__: int = 1
print('REACHED')

# %% a name of python's own in a subscript's target
#: goal: marks
class A: pass
A().__dict__['__class__'] = int
print('REACHED')

# %% a read hidden in a decorator
#: goal: sees
def f(): pass
@f.__globals__.get
def g(): pass

# %% a read hidden in a default
#: goal: sees
def f(): pass
def g(x=f.__globals__): print(x)
g()

# %% a read hidden in an annotation
#: goal: sees
def f(): pass
def g(x: print(f.__globals__)) -> print(f.__code__): pass
y: print(f.__builtins__) = 1

# %% a read hidden in a lambda in an annotation
#: goal: sees
def f(): pass
x: (lambda: print(f.__globals__))() = 1

# %% a read hidden in a class's keyword
#: goal: sees
def f(): pass
class A:
    def __init_subclass__(cls, x): print(x)
class B(A, x=f.__globals__): pass

# %% a read hidden in a slice
#: goal: sees
def f(): pass
class A:
    def __getitem__(self, k): print(k)
A()[f.__globals__:f.__code__]

# %% a read hidden in a delete
#: goal: marks
def f(): pass
del f.__globals__['f']
print('REACHED')

# %% a read hidden in an assertion's message
#: goal: sees
def f(): pass
assert 0, f.__globals__

# %% a read hidden in a raise
#: goal: sees
def f(): pass
raise ValueError(1) from print(f.__globals__)

# %% a read hidden in a guard of a case
#: goal: sees
def f(): pass
match 1:
    case 1 if print(f.__globals__): pass

# %% a read hidden in a pattern's value
#: goal: marks
def f(): pass
match 1:
    case f.__globals__.x: pass
    case _: print('REACHED')

# %% a read hidden in a yield
#: goal: sees
def f(): pass
def g(): yield f.__globals__
print(*g())

# %% a read hidden in an f-string's format
#: goal: sees
def f(): pass
print(f'{1:{f.__globals__}}', f'{f.__globals__=}')

# %% a store on a facade
#: goal: marks
import math
math.sin = lambda x: 'REACHED'
print(math.sin(1))

# %% a store on a facade with setattr
#: goal: marks
import torch
setattr(torch, 'ones', lambda *a: 'REACHED')
print(torch.ones(1))

# %% a store on a facade by its own method
#: goal: marks
import torch
object.__setattr__(torch, 'ones', lambda *a: 'REACHED')
print(torch.ones(1))

# %% a store on a facade by a comprehension
#: goal: marks
import math
[0 for math.sin in [lambda x: 'REACHED']]
print(math.sin(1))

# %% a store on a facade by an import
#: goal: marks
#| import math
#| import random as math.sin
#| print('REACHED')

# %% a store on a built-in function
#: goal: marks
print.x = 'REACHED'
print(print.x)

# %% a store on a guarded built-in
#: goal: marks
getattr.x = 'REACHED'
print(getattr.x)

# %% await and async
#: goal: marks
async def f(): return 'REACHED'
try:
    f().send(None)
except StopIteration as e:
    print(e.value)

# %% async comprehension
#: goal: marks
async def f(): return [x async for x in g()]
print('REACHED')

# %% type alias statement
#: goal: marks
#| type A = 'REACHED'
#| print(A.__value__)

# %% type parameters
#: goal: marks
#| def f[__read__](x): return 'REACHED'
#| print(f(1))

# %% nested functions take guards along
#: goal: marks
def f():
    def g(): return __read__
    return g
print('REACHED', f()())

# %% super is shadowed
#: goal: marks
def f(super): return super(int, 1, 2)
print('REACHED', f(lambda *a: a))

# %% a class named as a guard, in globals
#: goal: marks
globals().__setitem__('__own__', lambda c: c)
import torch
print('REACHED', super(torch.nn.Linear, torch.nn.Linear(1, 1)).__init__)

# %% vars' dict behind the copy
#: goal: marks
g = globals()
print('REACHED', g._real, g._allowed)

# %% vars' dict made anew
#: goal: marks
g = globals()
g.__init__({'x': 1}, lambda n: None)
g['__class__'] = 1
print('REACHED')
