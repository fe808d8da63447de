"""Names by which NumPy asks for memory, and whatever brings them into a class or onto an object."""
#: goal: what it tries, by which it is judged (`attacks.py` says what there is)

if __name__: raise SystemExit("these programs may do harm: `python -m tests.corpus FILE::NAME` runs one shut in")

# %% the name by an assignment in a class
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class Holds(Exception): pass
class A:
    __array_interface__ = evil
look(A())

# %% the name by an annotated assignment in a class
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class Holds(Exception): pass
class A:
    __array_interface__: object = evil
look(A())

# %% the name by a walrus in a class
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class Holds(Exception): pass
class A:
    ((__array_interface__ := evil))
look(A())

# %% the name by a loop in a class
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class Holds(Exception): pass
class A:
    for __array_interface__ in [evil]: pass
look(A())

# %% the name by a with statement in a class
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class Holds(Exception): pass
class A:
    with contextlib.nullcontext(evil) as __array_interface__: pass
look(A())

# %% the name by an except clause in a class
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class Holds(Exception): pass
class A:
    try: raise Holds
    except Holds as __array_interface__: kept = __array_interface__
look(A())

# %% the name by a pattern in a class
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class Holds(Exception): pass
class A:
    match evil:
        case __array_interface__: pass
look(A())

# %% the name by a pattern with as in a class
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class Holds(Exception): pass
class A:
    match evil:
        case dict() as __array_interface__: pass
look(A())

# %% the name by a pattern's rest in a class
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class Holds(Exception): pass
class A:
    match evil:
        case {**__array_interface__}: pass
look(A())

# %% the name by a star pattern in a class
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class Holds(Exception): pass
class A:
    match [evil]:
        case [*__array_interface__]: pass
look(A())

# %% the name by a tuple in a class
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class Holds(Exception): pass
class A:
    __array_interface__, other = evil, 1
look(A())

# %% the name by a star in a class
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class Holds(Exception): pass
class A:
    first, *__array_interface__ = 1, evil
look(A())

# %% the name by a function in a class
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class Holds(Exception): pass
class A:
    @property
    def __array_interface__(self): return evil
look(A())

# %% the name by a class in a class
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class Holds(Exception): pass
class A:
    class __array_interface__: pass
look(A())

# %% the name by an import in a class
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class Holds(Exception): pass
class A:
    import math as __array_interface__
look(A())

# %% the name by an import from in a class
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class Holds(Exception): pass
class A:
    from math import pi as __array_interface__
look(A())

# %% the name by a global statement in a class
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class Holds(Exception): pass
class A:
    global __array_interface__
    __array_interface__ = evil
look(A())

# %% slots by an assignment
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class Holds(Exception): pass
class A:
    __slots__ = [N]
a = A()
for put in (lambda: setattr(a, N, evil), lambda: vars(type(a))[N].__set__(a, evil), lambda: object.__setattr__(a, N, evil)):
    try: put()
    except Exception: pass
look(a)

# %% slots by an annotated assignment
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class Holds(Exception): pass
class A:
    __slots__: object = [N]
a = A()
for put in (lambda: setattr(a, N, evil), lambda: vars(type(a))[N].__set__(a, evil), lambda: object.__setattr__(a, N, evil)):
    try: put()
    except Exception: pass
look(a)

# %% slots by a walrus
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class Holds(Exception): pass
class A:
    ((__slots__ := [N]))
a = A()
for put in (lambda: setattr(a, N, evil), lambda: vars(type(a))[N].__set__(a, evil), lambda: object.__setattr__(a, N, evil)):
    try: put()
    except Exception: pass
look(a)

# %% slots by a loop
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class Holds(Exception): pass
class A:
    for __slots__ in [[N]]: pass
a = A()
for put in (lambda: setattr(a, N, evil), lambda: vars(type(a))[N].__set__(a, evil), lambda: object.__setattr__(a, N, evil)):
    try: put()
    except Exception: pass
look(a)

# %% slots by a with statement
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class Holds(Exception): pass
class A:
    with contextlib.nullcontext([N]) as __slots__: pass
a = A()
for put in (lambda: setattr(a, N, evil), lambda: vars(type(a))[N].__set__(a, evil), lambda: object.__setattr__(a, N, evil)):
    try: put()
    except Exception: pass
look(a)

# %% slots by an except clause
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class Holds(Exception): pass
class A:
    try: raise Holds
    except Holds as __slots__: kept = __slots__
a = A()
for put in (lambda: setattr(a, N, evil), lambda: vars(type(a))[N].__set__(a, evil), lambda: object.__setattr__(a, N, evil)):
    try: put()
    except Exception: pass
look(a)

# %% slots by a pattern
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class Holds(Exception): pass
class A:
    match [N]:
        case __slots__: pass
a = A()
for put in (lambda: setattr(a, N, evil), lambda: vars(type(a))[N].__set__(a, evil), lambda: object.__setattr__(a, N, evil)):
    try: put()
    except Exception: pass
look(a)

# %% slots by a pattern with as
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class Holds(Exception): pass
class A:
    match [N]:
        case dict() as __slots__: pass
a = A()
for put in (lambda: setattr(a, N, evil), lambda: vars(type(a))[N].__set__(a, evil), lambda: object.__setattr__(a, N, evil)):
    try: put()
    except Exception: pass
look(a)

# %% slots by a pattern's rest
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class Holds(Exception): pass
class A:
    match state:
        case {**__slots__}: pass
a = A()
for put in (lambda: setattr(a, N, evil), lambda: vars(type(a))[N].__set__(a, evil), lambda: object.__setattr__(a, N, evil)):
    try: put()
    except Exception: pass
look(a)

# %% slots by a star pattern
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class Holds(Exception): pass
class A:
    match [[N]]:
        case [*__slots__]: pass
a = A()
for put in (lambda: setattr(a, N, evil), lambda: vars(type(a))[N].__set__(a, evil), lambda: object.__setattr__(a, N, evil)):
    try: put()
    except Exception: pass
look(a)

# %% slots by a tuple
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class Holds(Exception): pass
class A:
    __slots__, other = [N], 1
a = A()
for put in (lambda: setattr(a, N, evil), lambda: vars(type(a))[N].__set__(a, evil), lambda: object.__setattr__(a, N, evil)):
    try: put()
    except Exception: pass
look(a)

# %% slots by a star
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class Holds(Exception): pass
class A:
    first, *__slots__ = 1, [N]
a = A()
for put in (lambda: setattr(a, N, evil), lambda: vars(type(a))[N].__set__(a, evil), lambda: object.__setattr__(a, N, evil)):
    try: put()
    except Exception: pass
look(a)

# %% slots by a function
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class Holds(Exception): pass
class A:
    @property
    def __slots__(self): return [N]
a = A()
for put in (lambda: setattr(a, N, evil), lambda: vars(type(a))[N].__set__(a, evil), lambda: object.__setattr__(a, N, evil)):
    try: put()
    except Exception: pass
look(a)

# %% slots by a class
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class Holds(Exception): pass
class A:
    class __slots__: pass
a = A()
for put in (lambda: setattr(a, N, evil), lambda: vars(type(a))[N].__set__(a, evil), lambda: object.__setattr__(a, N, evil)):
    try: put()
    except Exception: pass
look(a)

# %% slots by an import
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class Holds(Exception): pass
class A:
    import math as __slots__
a = A()
for put in (lambda: setattr(a, N, evil), lambda: vars(type(a))[N].__set__(a, evil), lambda: object.__setattr__(a, N, evil)):
    try: put()
    except Exception: pass
look(a)

# %% slots by an import from
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class Holds(Exception): pass
class A:
    from math import pi as __slots__
a = A()
for put in (lambda: setattr(a, N, evil), lambda: vars(type(a))[N].__set__(a, evil), lambda: object.__setattr__(a, N, evil)):
    try: put()
    except Exception: pass
look(a)

# %% slots by a global statement
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class Holds(Exception): pass
class A:
    global __slots__
    __slots__ = [N]
a = A()
for put in (lambda: setattr(a, N, evil), lambda: vars(type(a))[N].__set__(a, evil), lambda: object.__setattr__(a, N, evil)):
    try: put()
    except Exception: pass
look(a)

# %% slots that grow in the class
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class A:
    __slots__ = ['x']
    __slots__.append(N)
a = A()
setattr(a, N, evil)
look(a)

# %% slots with a text of one's own
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class A:
    __slots__ = ['x']
    __slots__[0] = Text('x')
a = A()
a.x = evil
look(a)

# %% slots that are shared with a name outside
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class A:
    names = __slots__ = ['x']
    names[:] = [N]
a = A()
setattr(a, N, evil)
look(a)

# %% slots of an annotated assignment that is computed
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class A:
    __slots__: list = [N]
a = A()
setattr(a, N, evil)
look(a)

# %% slots that an augmented assignment extends
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class A:
    __slots__ = ('x',)
    __slots__ += (N,)
a = A()
setattr(a, N, evil)
look(a)

# %% __array_struct__ of a class, and of an object
#: goal: marks
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class A: pass
try:
    class A:
        __array_struct__ = evil
except Exception: pass
a = A()
for put in (lambda: setattr(a, '__array_struct__', evil), lambda: vars(a).update({'__array_struct__': evil}), lambda: setattr(A, '__array_struct__', evil)):
    try: put()
    except Exception: pass
def use(f):
    try: print(f() if not isinstance(f(), A) else '')
    except Exception as e: pass
for f in (lambda: np.asarray(a), lambda: np.add(a, 1), lambda: np.ones(2) + a, lambda: np.sum(a), lambda: bytes(memoryview(a)), lambda: np.frombuffer(a), lambda: bytes(a), lambda: np.sin(a), lambda: np.concatenate([a, a]), lambda: np.zeros(2)[a], lambda: np.isnan(a)): use(f)
if '__array_struct__' == '__numpy_dtype__' and np.zeros(1, dtype=a).dtype == object: print('REACHED')

# %% __array_function__ of a class, and of an object
#: goal: marks
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class A: pass
try:
    class A:
        __array_function__ = lambda *a: 'REACHED'
except Exception: pass
a = A()
for put in (lambda: setattr(a, '__array_function__', lambda *a: 'REACHED'), lambda: vars(a).update({'__array_function__': lambda *a: 'REACHED'}), lambda: setattr(A, '__array_function__', lambda *a: 'REACHED')):
    try: put()
    except Exception: pass
def use(f):
    try: print(f() if not isinstance(f(), A) else '')
    except Exception as e: pass
for f in (lambda: np.asarray(a), lambda: np.add(a, 1), lambda: np.ones(2) + a, lambda: np.sum(a), lambda: bytes(memoryview(a)), lambda: np.frombuffer(a), lambda: bytes(a), lambda: np.sin(a), lambda: np.concatenate([a, a]), lambda: np.zeros(2)[a], lambda: np.isnan(a)): use(f)
if '__array_function__' == '__numpy_dtype__' and np.zeros(1, dtype=a).dtype == object: print('REACHED')

# %% __array_wrap__ of a class, and of an object
#: goal: marks
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class A: pass
try:
    class A:
        __array_wrap__ = lambda *a: 'REACHED'
except Exception: pass
a = A()
for put in (lambda: setattr(a, '__array_wrap__', lambda *a: 'REACHED'), lambda: vars(a).update({'__array_wrap__': lambda *a: 'REACHED'}), lambda: setattr(A, '__array_wrap__', lambda *a: 'REACHED')):
    try: put()
    except Exception: pass
def use(f):
    try: print(f() if not isinstance(f(), A) else '')
    except Exception as e: pass
for f in (lambda: np.asarray(a), lambda: np.add(a, 1), lambda: np.ones(2) + a, lambda: np.sum(a), lambda: bytes(memoryview(a)), lambda: np.frombuffer(a), lambda: bytes(a), lambda: np.sin(a), lambda: np.concatenate([a, a]), lambda: np.zeros(2)[a], lambda: np.isnan(a)): use(f)
if '__array_wrap__' == '__numpy_dtype__' and np.zeros(1, dtype=a).dtype == object: print('REACHED')

# %% __array_finalize__ of a class, and of an object
#: goal: marks
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class A: pass
try:
    class A:
        __array_finalize__ = lambda *a: print('REACHED')
except Exception: pass
a = A()
for put in (lambda: setattr(a, '__array_finalize__', lambda *a: print('REACHED')), lambda: vars(a).update({'__array_finalize__': lambda *a: print('REACHED')}), lambda: setattr(A, '__array_finalize__', lambda *a: print('REACHED'))):
    try: put()
    except Exception: pass
def use(f):
    try: print(f() if not isinstance(f(), A) else '')
    except Exception as e: pass
for f in (lambda: np.asarray(a), lambda: np.add(a, 1), lambda: np.ones(2) + a, lambda: np.sum(a), lambda: bytes(memoryview(a)), lambda: np.frombuffer(a), lambda: bytes(a), lambda: np.sin(a), lambda: np.concatenate([a, a]), lambda: np.zeros(2)[a], lambda: np.isnan(a)): use(f)
if '__array_finalize__' == '__numpy_dtype__' and np.zeros(1, dtype=a).dtype == object: print('REACHED')

# %% __array_ufunc__ of a class, and of an object
#: goal: marks
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class A: pass
try:
    class A:
        __array_ufunc__ = lambda *a, **k: 'REACHED'
except Exception: pass
a = A()
for put in (lambda: setattr(a, '__array_ufunc__', lambda *a, **k: 'REACHED'), lambda: vars(a).update({'__array_ufunc__': lambda *a, **k: 'REACHED'}), lambda: setattr(A, '__array_ufunc__', lambda *a, **k: 'REACHED')):
    try: put()
    except Exception: pass
def use(f):
    try: print(f() if not isinstance(f(), A) else '')
    except Exception as e: pass
for f in (lambda: np.asarray(a), lambda: np.add(a, 1), lambda: np.ones(2) + a, lambda: np.sum(a), lambda: bytes(memoryview(a)), lambda: np.frombuffer(a), lambda: bytes(a), lambda: np.sin(a), lambda: np.concatenate([a, a]), lambda: np.zeros(2)[a], lambda: np.isnan(a)): use(f)
if '__array_ufunc__' == '__numpy_dtype__' and np.zeros(1, dtype=a).dtype == object: print('REACHED')

# %% __dlpack__ of a class, and of an object
#: goal: marks
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class A: pass
try:
    class A:
        __dlpack__ = lambda *a, **k: print('REACHED')
except Exception: pass
a = A()
for put in (lambda: setattr(a, '__dlpack__', lambda *a, **k: print('REACHED')), lambda: vars(a).update({'__dlpack__': lambda *a, **k: print('REACHED')}), lambda: setattr(A, '__dlpack__', lambda *a, **k: print('REACHED'))):
    try: put()
    except Exception: pass
def use(f):
    try: print(f() if not isinstance(f(), A) else '')
    except Exception as e: pass
for f in (lambda: np.asarray(a), lambda: np.add(a, 1), lambda: np.ones(2) + a, lambda: np.sum(a), lambda: bytes(memoryview(a)), lambda: np.frombuffer(a), lambda: bytes(a), lambda: np.sin(a), lambda: np.concatenate([a, a]), lambda: np.zeros(2)[a], lambda: np.isnan(a)): use(f)
if '__dlpack__' == '__numpy_dtype__' and np.zeros(1, dtype=a).dtype == object: print('REACHED')

# %% __dlpack_device__ of a class, and of an object
#: goal: marks
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class A: pass
try:
    class A:
        __dlpack_device__ = lambda *a: print('REACHED')
except Exception: pass
a = A()
for put in (lambda: setattr(a, '__dlpack_device__', lambda *a: print('REACHED')), lambda: vars(a).update({'__dlpack_device__': lambda *a: print('REACHED')}), lambda: setattr(A, '__dlpack_device__', lambda *a: print('REACHED'))):
    try: put()
    except Exception: pass
def use(f):
    try: print(f() if not isinstance(f(), A) else '')
    except Exception as e: pass
for f in (lambda: np.asarray(a), lambda: np.add(a, 1), lambda: np.ones(2) + a, lambda: np.sum(a), lambda: bytes(memoryview(a)), lambda: np.frombuffer(a), lambda: bytes(a), lambda: np.sin(a), lambda: np.concatenate([a, a]), lambda: np.zeros(2)[a], lambda: np.isnan(a)): use(f)
if '__dlpack_device__' == '__numpy_dtype__' and np.zeros(1, dtype=a).dtype == object: print('REACHED')

# %% __buffer__ of a class, and of an object
#: goal: marks
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class A: pass
try:
    class A:
        __buffer__ = lambda self, flags: memoryview(b'REACHED')
except Exception: pass
a = A()
for put in (lambda: setattr(a, '__buffer__', lambda self, flags: memoryview(b'REACHED')), lambda: vars(a).update({'__buffer__': lambda self, flags: memoryview(b'REACHED')}), lambda: setattr(A, '__buffer__', lambda self, flags: memoryview(b'REACHED'))):
    try: put()
    except Exception: pass
def use(f):
    try: print(f() if not isinstance(f(), A) else '')
    except Exception as e: pass
for f in (lambda: np.asarray(a), lambda: np.add(a, 1), lambda: np.ones(2) + a, lambda: np.sum(a), lambda: bytes(memoryview(a)), lambda: np.frombuffer(a), lambda: bytes(a), lambda: np.sin(a), lambda: np.concatenate([a, a]), lambda: np.zeros(2)[a], lambda: np.isnan(a)): use(f)
if '__buffer__' == '__numpy_dtype__' and np.zeros(1, dtype=a).dtype == object: print('REACHED')

# %% __release_buffer__ of a class, and of an object
#: goal: marks
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class A: pass
try:
    class A:
        __release_buffer__ = lambda *a: print('REACHED')
except Exception: pass
a = A()
for put in (lambda: setattr(a, '__release_buffer__', lambda *a: print('REACHED')), lambda: vars(a).update({'__release_buffer__': lambda *a: print('REACHED')}), lambda: setattr(A, '__release_buffer__', lambda *a: print('REACHED'))):
    try: put()
    except Exception: pass
def use(f):
    try: print(f() if not isinstance(f(), A) else '')
    except Exception as e: pass
for f in (lambda: np.asarray(a), lambda: np.add(a, 1), lambda: np.ones(2) + a, lambda: np.sum(a), lambda: bytes(memoryview(a)), lambda: np.frombuffer(a), lambda: bytes(a), lambda: np.sin(a), lambda: np.concatenate([a, a]), lambda: np.zeros(2)[a], lambda: np.isnan(a)): use(f)
if '__release_buffer__' == '__numpy_dtype__' and np.zeros(1, dtype=a).dtype == object: print('REACHED')

# %% __array_namespace__ of a class, and of an object
#: goal: marks
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class A: pass
try:
    class A:
        __array_namespace__ = lambda *a, **k: print('REACHED')
except Exception: pass
a = A()
for put in (lambda: setattr(a, '__array_namespace__', lambda *a, **k: print('REACHED')), lambda: vars(a).update({'__array_namespace__': lambda *a, **k: print('REACHED')}), lambda: setattr(A, '__array_namespace__', lambda *a, **k: print('REACHED'))):
    try: put()
    except Exception: pass
def use(f):
    try: print(f() if not isinstance(f(), A) else '')
    except Exception as e: pass
for f in (lambda: np.asarray(a), lambda: np.add(a, 1), lambda: np.ones(2) + a, lambda: np.sum(a), lambda: bytes(memoryview(a)), lambda: np.frombuffer(a), lambda: bytes(a), lambda: np.sin(a), lambda: np.concatenate([a, a]), lambda: np.zeros(2)[a], lambda: np.isnan(a)): use(f)
if '__array_namespace__' == '__numpy_dtype__' and np.zeros(1, dtype=a).dtype == object: print('REACHED')

# %% __numpy_dtype__ of a class, and of an object
#: goal: marks
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class A: pass
try:
    class A:
        __numpy_dtype__ = np.dtype('O')
except Exception: pass
a = A()
for put in (lambda: setattr(a, '__numpy_dtype__', np.dtype('O')), lambda: vars(a).update({'__numpy_dtype__': np.dtype('O')}), lambda: setattr(A, '__numpy_dtype__', np.dtype('O'))):
    try: put()
    except Exception: pass
def use(f):
    try: print(f() if not isinstance(f(), A) else '')
    except Exception as e: pass
for f in (lambda: np.asarray(a), lambda: np.add(a, 1), lambda: np.ones(2) + a, lambda: np.sum(a), lambda: bytes(memoryview(a)), lambda: np.frombuffer(a), lambda: bytes(a), lambda: np.sin(a), lambda: np.concatenate([a, a]), lambda: np.zeros(2)[a], lambda: np.isnan(a)): use(f)
if '__numpy_dtype__' == '__numpy_dtype__' and np.zeros(1, dtype=a).dtype == object: print('REACHED')

# %% __array_priority__ of a class, and of an object
#: goal: marks
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class A: pass
try:
    class A:
        __array_priority__ = Text('x')
except Exception: pass
a = A()
for put in (lambda: setattr(a, '__array_priority__', Text('x')), lambda: vars(a).update({'__array_priority__': Text('x')}), lambda: setattr(A, '__array_priority__', Text('x'))):
    try: put()
    except Exception: pass
def use(f):
    try: print(f() if not isinstance(f(), A) else '')
    except Exception as e: pass
for f in (lambda: np.asarray(a), lambda: np.add(a, 1), lambda: np.ones(2) + a, lambda: np.sum(a), lambda: bytes(memoryview(a)), lambda: np.frombuffer(a), lambda: bytes(a), lambda: np.sin(a), lambda: np.concatenate([a, a]), lambda: np.zeros(2)[a], lambda: np.isnan(a)): use(f)
if '__array_priority__' == '__numpy_dtype__' and np.zeros(1, dtype=a).dtype == object: print('REACHED')

# %% the name by a function's attributes
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
def f(): pass
vars(f)[N] = evil
look(f)

# %% the name by a method of a function's attributes
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import types
def f(): pass
f.__dict__[N] = evil
look(types.MethodType(f, 1))

# %% the name by an exception's attributes
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
e = ValueError()
vars(e)[N] = evil
look(e)

# %% the name by an exception's notes
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
e = ValueError()
e.__notes__ = state
vars(e).update(e.__notes__)
look(e)

# %% the name by an exception's state
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
e = ValueError()
e.__setstate__(state)
look(e)

# %% the name by a namespace's state
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import types
n = types.SimpleNamespace()
n.__setstate__(state)
look(n)

# %% the name by a namespace's mapping
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import types
look(types.SimpleNamespace(state))

# %% the name by a namespace's text
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import types
look(types.SimpleNamespace(**{Text('x'): evil}))

# %% the name by a namespace's __new__
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import types
class S(types.SimpleNamespace):
    def __init__(self, **k): object.__init__(self)
    def put(self, **k): super().__init__(**k)
s = S()
s.put(**state)
look(s)

# %% the name by a partial's keywords
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import functools
f = functools.partial(dict, **state)
look(f)
f.__setstate__((dict, (), {}, state))
look(f)

# %% the name by a cached property's name
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import functools
c = functools.cached_property(lambda self: evil)
class A: pass
c.__set_name__(A, N)
c.__get__(A())
look(A())

# %% the name by setattr when a name is set
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class P:
    def __set_name__(self, owner, name): setattr(owner, N, evil)
class A:
    p = P()
look(A())

# %% the name by vars when a name is set
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class P:
    def __set_name__(self, owner, name): vars(owner)[N] = evil
class A:
    p = P()
look(A())

# %% the name by keywords of a class
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class B:
    def __init_subclass__(cls, **k):
        for n, v in k.items(): setattr(cls, n, v)
class A(B, **state): pass
look(A())

# %% the name by keywords of a class, as they are
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import types
class B:
    def __init_subclass__(cls, **k): vars(cls).update(k)
class A(B, **state): pass
look(A())
look(A)

# %% the name by locals of a class
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class A:
    locals()[N] = evil
    vars()[N] = evil
look(A())

# %% the name by globals of a class
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
globals()[N] = evil
class A:
    x = globals()[N]
look(A)

# %% the name by a class object
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class A: pass
for f in (setattr, type.__setattr__, object.__setattr__): f(A, N, evil)
look(A)

# %% the name by a descriptor
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class D:
    def __get__(self, o, t=None): return evil
class A: pass
setattr(A, N, D())
look(A())

# %% the name by a delattr in between
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class A:
    def __delattr__(self, n): pass
a = A()
del a.x
vars(a).setdefault(N, evil)
look(a)

# %% the name by an enumeration by a call
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import enum
look(list(enum.Enum('E', [(N, evil)]))[0])

# %% the name by an enumeration's text
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import enum
look(list(enum.Enum('E', {Text('x'): evil}))[0])

# %% the name by an enumeration's mixed type
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import enum
class D:
    def __init__(self, *a): vars(self)[N] = evil
class E(D, enum.Enum):
    A = 1
look(E.A)

# %% the name by an enumeration's ignored names
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import enum
class E(enum.Enum):
    _ignore_ = [N]
    A = evil
setattr(E.A, N, evil)
look(E.A)

# %% the name by a named tuple
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import collections
look(collections.namedtuple('T', [N], rename=True)(evil))
look(collections.namedtuple('T', [Text('x')])(evil))

# %% the name by a typed named tuple
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import typing
look(typing.NamedTuple('T', [(N, dict)])(evil))

# %% the name by a typed dict
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import typing
T = typing.TypedDict('T', {N: dict})
look(T(**state))

# %% the name by a new type
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import typing
t = typing.NewType(N, dict)
look(t)
setattr(t, N, evil)

# %% the name by a type variable
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import typing
t = typing.TypeVar('T')
setattr(t, N, evil)
look(t)

# %% the name by a generic alias
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import typing
class A(typing.Generic[typing.TypeVar('T')]): pass
a = A[int]
setattr(a, N, evil)
look(a)

# %% the name by a generic object's alias
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import typing
T = typing.TypeVar('T')
class A(typing.Generic[T]): pass
a = A[int]()
a.__orig_class__ = evil
vars(a)[N] = evil
look(a)

# %% the name by a protocol
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import typing
class A(typing.Protocol):
    x: int
A.__annotations__[N] = dict
setattr(A, N, evil)
look(A)

# %% the name by fields of a dataclass made by a call
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import dataclasses
look(dataclasses.make_dataclass('D', [(N, dict, dataclasses.field(default_factory=lambda: evil))])())

# %% the name by fields of a dataclass, a text
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import dataclasses
look(dataclasses.make_dataclass('D', [(Text('x'), dict, evil)])())

# %% the name by fields of a dataclass in annotations
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import dataclasses
class D: pass
D.__annotations__ = {N: dict}
D.__annotations__[N] = dict
look(dataclasses.dataclass(D)(evil))

# %% the name by a dataclass with slots
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import dataclasses
@dataclasses.dataclass(slots=True)
class D:
    x: object = None
d = D()
setattr(d, N, evil)
look(d)

# %% the name by a dataclass's field object
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import dataclasses
f = dataclasses.field(metadata=state)
f.name = N
class D:
    x: object = f
f.name = N
look(dataclasses.dataclass(D)(evil))

# %% the name by a function that wraps
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import functools
class A: pass
a = A()
def f(): pass
functools.update_wrapper(a, f, assigned=(N,), updated=('__dict__',))
look(a)

# %% the name by lru_cache of an object with attributes
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import functools
class A:
    def __call__(self): pass
    def __getattr__(self, n): return state if n == '__dict__' else evil
look(functools.lru_cache(A()))

# %% the name by singledispatch
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import functools
f = functools.singledispatch(lambda x: 1)
setattr(f, N, evil)
look(f)

# %% the name by a context manager
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import contextlib
class A:
    def __call__(self): yield
    def __getattr__(self, n): return evil
look(contextlib.contextmanager(A()))

# %% the name by a staticmethod of an object
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class A:
    def __call__(self): pass
    def __getattr__(self, n): return state if n == '__dict__' else evil
look(staticmethod(A()))

# %% the name by a property's functions
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class A:
    def __getattr__(self, n): return evil
look(property(A()))

# %% the name by an object of OrderedDict
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import collections
class O(collections.OrderedDict): pass
o = O()
vars(o)[N] = evil
look([o])

# %% the name by a subclass of dict
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class D(dict):
    def __getattr__(self, n): return self[n]
look(D(state))

# %% the name by a subclass of dict as its own attributes
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class D(dict): pass
d = D(state)
d.__dict__ = d
look(d)

# %% the name by a chain map
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import collections
c = collections.ChainMap(state)
vars(c).update(c)
look(c)

# %% the name by __getattr__ that is a staticmethod
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class A:
    @staticmethod
    def __getattr__(n): return evil
look(A())

# %% the name by __getattr__ that is an object
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class G:
    def __call__(self, *a): return evil
    def __get__(self, o, t=None): return lambda n: evil
def bare(f): return G()
class A:
    @bare
    def __getattr__(self, n): return 1
look(A())

# %% the name by __getattr__ that is inherited
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class B:
    def __getattr__(self, n): return evil
class A(B): pass
look(A())
look(super(A, A()))

# %% the name by __getattr__ by a pattern
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
def g(self, n): return evil
class A:
    match g:
        case __getattr__: pass
look(A())

# %% the name by __getattr__ by an import
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class A:
    from operator import getitem as __getattr__
look(A())

# %% the name by __getattr__ that is called by name
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class A:
    def __getattr__(self, n): return evil
look(A().__getattr__(N))
look(A.__getattr__(A(), N))

# %% the name by __getattr__ of an exception class
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class E(Exception):
    def __getattr__(self, n): return evil
look(E())

# %% the name by __getattr__ of an enumeration
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import enum
class E(enum.Enum):
    A = 1
    def __getattr__(self, n): return evil
look(E.A)

# %% the name by __getattr__ of a tensor's subclass
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import torch
class T(torch.Tensor):
    def __getattr__(self, n): return evil
if np.asarray([T([1.0])])[0] != 1: print('REACHED')

# %% the name by __getattr__ of a module
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import torch
class M(torch.nn.Module):
    def __getattr__(self, n): return evil
look(M())

# %% the name by __getattr__ of a dataset
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import torch
class D(torch.utils.data.Dataset):
    def __getattr__(self, n): return evil
look(D())

# %% the name by __getattr__ of a Function
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import torch
class F(torch.autograd.Function):
    def __getattr__(self, n): return evil
look(F())

# %% the name by __getattr__ of a namespace
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import types
class S(types.SimpleNamespace):
    def __getattr__(self, n): return evil
look(S())

# %% the name by __getattr__ of a number
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class F(float):
    def __getattr__(self, n): return evil
class G(np.float64):
    def __getattr__(self, n): return evil
if np.asarray([F(1)])[0] != 1 or np.asarray(G(1)) != 1: print('REACHED')

# %% the name by a module's buffer, a text
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import torch
m = torch.nn.Module()
m.register_buffer(Text('x'), torch.ones(2))
look(m)

# %% the name by a module's parameters
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import torch
m = torch.nn.Module()
m._parameters.update(state)
look(m)

# %% the name by a module's modules
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import torch
m = torch.nn.Module()
m._modules = state
look(m)

# %% the name by a module's attributes that were replaced
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import torch
class M(torch.nn.Module): pass
m = M()
m._buffers, m._parameters, m._modules = state, state, state
look(m)
look(torch.nn.Module.__getattr__(m, N))

# %% the name by a module's state
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import torch
m = torch.nn.Module()
m.__setstate__(state)
look(m)

# %% the name by a module's extra state
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import torch
class M(torch.nn.Module):
    def set_extra_state(self, s): vars(self).update(s)
m = M()
m.load_state_dict({'_extra_state': state}, strict=False)
look(m)

# %% the name by a ModuleDict's keys
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import torch
m = torch.nn.ModuleDict({Text('x'): torch.nn.ReLU()})
m.update({N: torch.nn.ReLU()})
look(m)

# %% the name by a ParameterDict's values
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import torch
m = torch.nn.ParameterDict()
m.update(state)
m[N] = evil
look(m)

# %% the name by a ParameterList's attributes
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import torch
m = torch.nn.ParameterList([1])
setattr(m, N, evil)
look(m)

# %% the name by a Sequential's names
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import collections, torch
m = torch.nn.Sequential(collections.OrderedDict([(Text('x'), torch.nn.ReLU())]))
look(m)

# %% the name by an optimizer's state
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import torch
o = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], 0.1)
o.__setstate__(state)
look(o)

# %% the name by an optimizer's groups
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import torch
o = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], 0.1)
o.param_groups[0].update(state)
o.load_state_dict({**o.state_dict(), **state})
look(o)

# %% the name by a scheduler's state
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import torch
o = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], 0.1)
s = torch.optim.lr_scheduler.StepLR(o, 1)
s.load_state_dict({Text('x'): evil})
look(s)

# %% the name by a tensor's attributes
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import torch
t = torch.ones(2)
vars(t)[N] = evil
setattr(t, N, evil)
look([t])

# %% the name by a tensor's class
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import torch
class T(torch.Tensor):
    __array_interface__ = evil
look(T([1.0]))

# %% the name by a context's attributes
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        setattr(ctx, N, evil)
        look(ctx)
        return x
F.apply(torch.ones(1))

# %% the name by a loader's attributes
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import torch
l = torch.utils.data.DataLoader([1])
setattr(l, N, evil)
look(l)

# %% the name by functional_call's attributes
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import torch
class M(torch.nn.Module):
    def forward(self): look(self)
torch.func.functional_call(M(), {Text('x'): evil}, ())

# %% the name by an attribute set by a swap of classes
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class A: pass
class B:
    __slots__ = ('x',)
a = A()
a.__class__ = B
look(a)

# %% the name by a setattr with letters that look alike
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class A: pass
a = A()
setattr(a, '__ａrray_interface__', evil)
vars(a)['__array_ｉnterface__'] = evil
look(a)

# %% the name by np.vectorize
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
v = np.vectorize(abs)
setattr(v, N, evil)
vars(v)[N] = evil
look(v)

# %% the name by np.poly1d
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
p = np.poly1d([1])
vars(p)[N] = evil
look(p)

# %% the name by a look-alike
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
A = type(np.zeros(1))
setattr(A, N, evil)
look(A)

# %% the name by a memory in a list, an index, a ufunc
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
class A:
    def __getattr__(self, n): return evil
a = A()
for f in (lambda: np.array([[a]]), lambda: np.zeros(9)[a], lambda: np.add(a, 0), lambda: np.zeros(8, 'u8') + a, lambda: np.copyto(np.zeros(8, 'u8'), a), lambda: np.concatenate([a, a]), lambda: np.where(True, a, 0), lambda: np.random.permutation(a)):
    try: look(f())
    except Exception: pass

# %% the name by a memory in torch
#: goal: memory
import numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
import torch
class A:
    def __getattr__(self, n): return evil
    def __len__(self): return 8
    def __getitem__(self, k): raise IndexError
a = A()
for f in (torch.tensor, torch.as_tensor, torch.from_numpy, torch.Tensor, torch.asarray, lambda x: torch.ones(8) * x, lambda x: torch.ones(8).add(x), lambda x: torch.full((1,), x), lambda x: torch.arange(9)[x]):
    try:
        if np.asarray(f(a)).any(): print('REACHED')
    except Exception: pass

# %% entries of a dict that are attributes as well
#: goal: memory
import numpy as np
from sklearn.utils import Bunch
from sklearn.datasets import load_iris
from scipy.integrate import solve_ivp
secret = "what stands in memory"
want = {'data': (id(secret), True), 'shape': (80,), 'typestr': '|u1', 'version': 3}
made = [Bunch(**{'__array_interface__': want}), load_iris(), solve_ivp(lambda t, y: -y, (0, 1), [1.0])]
for one in made:
    one['__array_interface__'] = want
    try:
        if b"what stands" in bytes(np.asarray(one).tolist()): print("REACHED")
    except Exception as e: print(e)

# %% an enumeration that does not find its names
#: goal: memory
import enum, functools, numpy as np
class S(str):
    def __hash__(self): return 7
    def __eq__(self, other): return str.__eq__(self, other)
secret = "what stands in memory"
want = {'data': (id(secret), True), 'shape': (80,), 'typestr': '|u1', 'version': 3}
names = {'__array_interface__': want, 'a': 1}
late = functools.partial(enum.Enum, 'E')
late.keywords[S('names')] = names
for make in (late, lambda: enum.Enum('E', **{S('names'): names})):
    try:
        found = np.asarray(make().a)
        if found.ndim and b"what stands" in bytes(found.tolist()): print("REACHED")
    except Exception as e: print(e)

# %% an alias of typing made once more
#: goal: memory
import typing
import numpy as np
al = typing.List[int]
r = np.random.RandomState(1)
al.__init__(r, (), name='x')
al.set_state(('MT19937', r.get_state()[1], 100000, 0, 0.0))
print("REACHED", r.random_sample(4))
dt = np.dtype([('x', 'i4'), ('y', 'i4')])
a = np.zeros(2, dt)
found = []
class P:
    def __eq__(self, other):
        found.append(other)
        return True
al.__init__(a.dtype, (), name='x')
al.fields == P()
found[0]['x'] = (np.dtype('i8'), 4000)
print("REACHED", a['x'])

# %% the dict behind a read-only view of it
#: goal: marks
import re
found = []
class P:
    def __eq__(self, other):
        found.append(other); return True
    __ror__ = __lt__ = __gt__ = __le__ = __ge__ = __ne__ = __eq__
g = re.compile('(?P<x>a)').groupindex
for f in (lambda: g == P(), lambda: g | P(), lambda: g < P(), lambda: g != P()):
    f()
    found[-1]['x'] = 1000
    if dict(g) != {'x': 1}: print("REACHED", dict(g))
