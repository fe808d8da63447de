"""What stands in for methods written in C, arrays that are watched, and the collector: ways into and around them."""
#: goal: what it tries, by which it is judged (`attacks.py` says what there is)

if __name__: raise SystemExit("these programs may do harm: `python -m tests.corpus FILE::NAME` runs one shut in")

# %% the globals of a replaced method of lists
#: goal: sees
print(list.__repr__.__globals__)

# %% the globals of a replaced method, by a format
#: goal: sees
print('{0.__globals__}'.format(list.__repr__))

# %% the globals of a replaced method, by getattr
#: goal: sees
print(getattr(list.__repr__, '__glo' + 'bals__'))

# %% the code of a replaced method
#: goal: sees
print(bytearray.find.__code__)

# %% a replaced method given other code
#: goal: marks
def f(self): return 'REACHED'
list.__repr__.__code__ = f.__code__
print([])

# %% a replaced method given an attribute
#: goal: marks
list.__repr__.x = 5
print('REACHED')

# %% a method of lists replaced by the program
#: goal: marks
list.__repr__ = lambda self: 'REACHED'
print([])

# %% a method of lists replaced by setattr
#: goal: marks
setattr(list, '__repr__', lambda self: 'REACHED')
print([])

# %% the defaults of a method of a watched ufunc
#: goal: sees
import numpy as np
class A:
    def __eq__(self, o): return True
print(np.add.reduce.__func__.__closure__)

# %% a watched ufunc's function by a pattern
#: goal: sees
import numpy as np
class A:
    def __eq__(self, o): return True
match np.add.reduce:
    case object(__func__=f): print(f, 'REACHED')

# %% a watched ufunc's globals by dir and getattr
#: goal: sees
import numpy as np
class A:
    def __eq__(self, o): return True
for n in dir(np.add.reduce) + dir(np.add.__call__):
    try: print(getattr(np.add.reduce, n))
    except Exception as e: print(e)

# %% a ufunc's call replaced
#: goal: marks
import numpy as np
class A:
    def __eq__(self, o): return True
np.ufunc.__call__ = lambda *a: 'REACHED'
print(np.add(1, 2))

# %% the frame of a generator that stands for a chain
#: goal: sees
import itertools
g = itertools.chain([1], [2])
next(g)
print(g.gi_frame.f_globals)

# %% the frame of a slice's generator by a format
#: goal: sees
import itertools
g = itertools.islice([1, 2, 3], 2)
next(g)
print('{0.gi_frame.f_back}'.format(g), '{0.gi_code}'.format(g))

# %% a chain's function replaced
#: goal: marks
import itertools
itertools.chain.from_iterable = lambda *a: 'REACHED'
print(itertools.chain.from_iterable([]))

# %% an error thrown into a mended iterator, looked at
#: goal: sees
import itertools
g = itertools.cycle([1])
next(g)
try: g.throw(ValueError('x'))
except ValueError as e: print(e.__traceback__.tb_frame)

# %% an error thrown with a traceback
#: goal: sees
import itertools
g = itertools.cycle([1])
next(g)
try: g.throw(ValueError, ValueError(), None)
except ValueError as e: print(getattr(e, '__traceback' + '__'))

# %% an array's copy that is kept by an operand
#: goal: memory
import numpy as np
kept = []
class A:
    def __add__(self, o):
        kept.append(o)
        a[:] = None
        return o
a = np.array([A() for _ in range(9)])
b = np.array([(k,) for k in range(9)] + [None], dtype=object)[:9]
a + b
print('REACHED' if any(type(x) is not tuple for x in kept) else kept[:2])

# %% an output that shrinks while it is written
#: goal: memory
import numpy as np
class A:
    def __add__(self, o):
        out.shape = (1, 9)
        return 5
a = np.array([A() for _ in range(9)])
out = np.zeros(9, object)
np.add(a, 1, out=out)
print(out.shape)

# %% an output that is freed while it is written
#: goal: memory
import numpy as np
class A:
    def __add__(self, o):
        global out
        out = None
        return 5
a = np.array([A() for _ in range(9)])
out = np.zeros(9, object)
np.add(a, 1, out=out)
print(out)

# %% an array of objects read as numbers
#: goal: memory
import numpy as np
class A:
    def __eq__(self, o): return True
a = np.array([A()])
for f in (lambda: a.view(np.int64), lambda: a.view('u8'), lambda: np.frombuffer(a, 'u8'), lambda: np.ndarray((1,), 'u8', a), lambda: a.tobytes(), lambda: a.data, lambda: memoryview(a).cast('B'), lambda: bytes(a), lambda: a.astype('V8')):
    try: print('0x%x' % int(np.asarray(f()).ravel()[0]))
    except Exception as e: print(type(e).__name__)

# %% numbers written over objects through a field
#: goal: memory
import numpy as np
class A:
    def __eq__(self, o): return True
a = np.zeros(1, dtype=[('x', object), ('y', 'u8')])
for f in (lambda: a.view('u8'), lambda: a.setfield(5, 'u8', 0), lambda: a.getfield('u8', 0), lambda: a.view([('p', 'u8'), ('q', 'u8')]), lambda: a.astype([('p', 'u8'), ('q', 'u8')])['p'].view('u8')):
    try: r = f(); print('REACHED' if r is not None and r.dtype.kind == 'u' and r[0] > 2 ** 40 else r)
    except Exception as e: print(type(e).__name__)

# %% a structured type whose fields overlap with an object
#: goal: memory
import numpy as np
try:
    d = np.dtype({'names': ['o', 'u'], 'formats': [object, 'u8'], 'offsets': [0, 0]})
    a = np.zeros(1, d)
    a['o'][0] = []
    print('0x%x' % a['u'][0])
except Exception as e: print(type(e).__name__)

# %% an object array whose writing is undone by strides
#: goal: memory
import numpy as np
try: print('REACHED', np.lib.stride_tricks.as_strided(np.zeros(1), (99,), (8,)))
except Exception as e: print(type(e).__name__)

# %% a ufunc with a signature that lies
#: goal: memory
import numpy as np
class A:
    def __eq__(self, o): return True
for s in ('OO->O', 'ii->i', 'dd->d', 'qq->q'):
    try: print(np.add(np.array([A()]), np.array([[]], object), signature=s))
    except Exception as e: print(type(e).__name__)

# %% a list that grows while it is taken apart
#: goal: memory
import numpy as np
class S:
    def __len__(self):
        a.extend([S()] * 1000)
        return 2
    def __getitem__(self, k):
        if k > 1: raise IndexError
        a.clear()
        return 1.0
a = [S(), S()]
print(np.zeros(2) + a)

# %% an array by __array__ in a list that is emptied
#: goal: memory
import numpy as np
class S:
    def __array__(self, dtype=None, copy=None):
        a.clear()
        return np.ones(3)
a = [S() for _ in range(99)]
try: print((np.zeros(3) + a).shape)
except Exception as e: print(type(e).__name__)
a = [S() for _ in range(99)]
try: print(np.random.default_rng(0).normal(a).shape)
except Exception as e: print(type(e).__name__)
a = [S() for _ in range(99)]
try: print(np.float32(a).shape)
except Exception as e: print(type(e).__name__)

# %% a subclass of float in a list that is emptied
#: goal: memory
import numpy as np
class F(float):
    def __float__(self):
        a.clear()
        return 1.0
for f in (np.float32, np.random.default_rng(0).normal, lambda x: np.zeros(3) + x, np.array, np.random.default_rng(0).choice):
    a = [F(k) for k in range(99)]
    try: print(f(a).shape)
    except Exception as e: print(type(e).__name__)

# %% an int whose index empties a list of places
#: goal: memory
import numpy as np
class F(int):
    def __index__(self):
        a.clear()
        return 1
    __int__ = __float__ = __index__
z = np.zeros((9, 9))
for f in (lambda: z[a], lambda: z.reshape(a), lambda: z.transpose(a), lambda: z.sum(axis=tuple(a)), lambda: np.ix_(a), lambda: z.take(a), lambda: np.unravel_index(a, (9, 9)), lambda: np.ravel_multi_index((a, a), (9, 9)), lambda: np.bincount(a), lambda: np.ndindex(*a), lambda: np.broadcast_shapes(tuple(a), a)):
    a = [F(0), F(1)]
    try: print(type(f()))
    except Exception as e: print(type(e).__name__)

# %% poly1d, vectorize and histogram of what empties its list
#: goal: memory
import numpy as np
class S:
    def __len__(self):
        a.clear()
        return 2
    def __getitem__(self, k):
        if k > 1: raise IndexError
        a.clear()
        return 1.0
for f in (np.poly1d, np.vectorize(float), np.histogram, np.poly1d([1, 2]), np.r_.__getitem__, np.c_.__getitem__, np.random.permutation, np.testing.assert_equal, np.broadcast_arrays, np.ix_, np.iinfo, np.dtype, np.asarray, np.fromiter):
    a = [[S()] for _ in range(50)]
    try: print(type(f(a)).__name__)
    except Exception as e: print(type(e).__name__)

# %% a dtype made of what changes meanwhile
#: goal: memory
import numpy as np
class S(str):
    def __hash__(self):
        a.clear()
        return 1
    def __eq__(self, o):
        a.clear()
        return False
a = [(S('x'), 'i4'), (S('y'), 'O'), (S('z'), object)] * 9
try: print(np.dtype(a))
except Exception as e: print(type(e).__name__)
a = {'names': [S('x'), S('y')], 'formats': ['O', 'u8'], 'offsets': [0, 8]}
try: print(np.dtype(a))
except Exception as e: print(type(e).__name__)

# %% the addresses in an array of objects written as bytes
#: goal: memory
import numpy as np
a, b = np.array([[], 5], object), np.array([(), 6], object)
def one(): memoryview(a).cast('B')[0] = 0
def two(): a.data.cast('B')[:8] = b.data.cast('B')[8:]
def three(): memoryview(a)[:1] = memoryview(b)[:1]
def four(): np.frombuffer(memoryview(a).cast('B'), 'u8')[0] = 5
s = np.zeros(2, [('x', object), ('y', 'u8')])
def five(): memoryview(s).cast('B')[0] = 0
def six(): memoryview.cast(memoryview(a), 'B')[0] = 0
def seven(): memoryview(a).__setitem__(slice(0, 1), memoryview(b)[:1])
def eight(): np.asarray(memoryview(a).cast('B'))[0] = 0
for f in (one, two, three, four, five, six, seven, eight):
    try:
        f()
        print('REACHED')
    except Exception as e: print(type(e).__name__)

# %% a ring collected in the middle of an addition of tuples
#: goal: memory
import numpy as np
class D:
    def __init__(self): self.me = self
    def __del__(self): a[:] = None
a = np.empty(5000, object)
for k in range(5000): a[k] = (k, k)
for _ in range(50): D()
c = a + a
print('REACHED' if any(x is not None and len(x) != 4 for x in c) else 'whole')

# %% a generator in a ring that ends in the middle
#: goal: memory
import numpy as np
def g(box):
    box.append(box)
    try: yield
    finally: a[:] = None
a = np.empty(5000, object)
for k in range(5000): a[k] = (k, k)
for _ in range(50):
    b = []
    x = g(b); next(x); b.append(x)
c = a + a
print('REACHED' if any(x is not None and len(x) != 4 for x in c) else 'whole')

# %% a weak reference's callback in the middle
#: goal: memory
import numpy as np, weakref
class A: pass
def gone(r): a[:] = None
a = np.empty(5000, object)
for k in range(5000): a[k] = (k, k)
refs = []
for _ in range(50):
    x = A(); x.me = x; refs.append(weakref.ref(x, gone))
c = a + a
print('REACHED' if any(x is not None and len(x) != 4 for x in c) else 'whole')

# %% a generator that is in an array and ends when it is overwritten
#: goal: memory
import numpy as np
def g():
    try: yield
    finally: a[0] = None; kept.append(a[0])
kept = []
a = np.empty(1, object)
for _ in range(50):
    x = g(); next(x); a[0] = x; del x
    a[0] = 5
print(kept[:2])

# %% an object that comes back out of its array
#: goal: memory
import numpy as np
class D:
    def __del__(self): kept.append(a[0])
kept = []
a = np.empty(1, object)
for _ in range(50):
    a[0] = D()
    a[0] = 5
a.fill(D()); a.fill(1); a += 1
print(len(kept))

# %% a memo by way of a mended copy of an ordered dict
#: goal: marks
import collections, copy
class O(collections.OrderedDict):
    def __deepcopy__(self, memo):
        memo[id(self)] = print
        return self
o = O(a=1)
c = copy.copy(o); d = o.copy()
print(type(c), type(d), vars(d).get('__array_interface__'))

# %% an ordered dict's copy that is no dict
#: goal: memory
import collections
class O(collections.OrderedDict):
    def __new__(cls, *a): return object.__new__(cls) if 0 else dict.__new__(cls)
    def __init__(self, *a): pass
O().copy()
collections.OrderedDict.copy({})

# %% an ordered dict compared by way of its class
#: goal: memory
import collections
for x in ({}, 5, [], collections.OrderedDict):
    try: print(collections.OrderedDict.__eq__(x, x))
    except TypeError as e: print(e)

# %% a method of bytearrays on something else
#: goal: memory
for x in (b'x', 5, [], memoryview(b'x')):
    for f in (bytearray.find, bytearray.__mod__, bytearray.join, bytearray.__contains__, list.__repr__, list.__lt__):
        try: print(f(x, x))
        except (TypeError, ValueError) as e: print(type(e).__name__)

# %% a text's remainder on something else
#: goal: memory
for x in (5, b'', [], None):
    try: print(str.__mod__(x, x), bytes.__mod__(x, x))
    except TypeError as e: print('TypeError')

# %% a list shown that grows without end
#: goal: marks
class E:
    n = 0
    def __repr__(self):
        E.n += 1
        if E.n < 2000: a.append(E())
        return 'e'
a = [E()]
print(len(repr(a)))

# %% lists within lists shown without end
#: goal: marks
a = []
for _ in range(100000): a = [a]
try: repr(a)
except RecursionError: print('ends')

# %% lists within lists compared without end
#: goal: marks
a, b = [], []
for _ in range(100000): a, b = [a], [b]
try: a < b
except RecursionError: print('ends')
try: a == b
except RecursionError: print('ends')

# %% a file opened by a generator's globals
#: goal: reads
import itertools
g = itertools.chain([1])
for n in ('gi_frame', 'gi_code', 'gi_yieldfrom'):
    try: print(getattr(g, n).f_builtins['open']('@SECRET@').read())
    except Exception as e: print(type(e).__name__)

# %% a file by the globals of a watched method
#: goal: reads
import numpy as np
class A:
    def __eq__(self, o): return True
for f in (np.add.reduce, np.ndarray, list.__repr__, np.add):
    for n in ('__globals__', '__func__', '__builtins__', '__closure__', '__wrapped__'):
        try: print(getattr(f, n)['open']('@SECRET@').read())
        except Exception as e: print(type(e).__name__)

# %% a file by operator's attrgetter of a replaced method
#: goal: reads
import operator
try: print(operator.attrgetter('__globals__')(list.__repr__)['sys'].modules['builtins'].open('@SECRET@').read())
except Exception as e: print(type(e).__name__)

# %% a file by memmap, tofile and DataSource
#: goal: reads
import numpy as np
class A:
    def __eq__(self, o): return True
for n in ('memmap', 'fromfile', 'loadtxt', 'genfromtxt', 'load', 'fromregex', 'DataSource', 'open_memmap'):
    try: print(getattr(np, n)('@SECRET@', dtype='u1').tobytes().decode())
    except Exception as e: print(type(e).__name__)

# %% a file written by an array that is watched
#: goal: writes
import numpy as np
class A:
    def __eq__(self, o): return True
a = np.zeros(3)
for n in ('tofile', 'dump'):
    try: getattr(a, n)('@TARGET@')
    except Exception as e: print(type(e).__name__)
try: np.save('@TARGET@', a)
except Exception as e: print(type(e).__name__)

# %% a process by an error's context in a callback
#: goal: starts
import numpy as np
class A:
    def __eq__(self, o): raise KeyError(5)
a = np.array([A()])
try: a == a
except KeyError as e:
    try:
        f = e.__traceback__.tb_frame
        while f.f_back: f = f.f_back
        f.f_globals['os'].system('touch @TARGET@')
    except Exception as g: print(type(g).__name__)

# %% the environment by a callback's frames
#: goal: environment
import sys
class E:
    def __repr__(self):
        try: print(sys._getframe(1).f_globals['sys'].modules['os'].environ)
        except Exception as e: print(type(e).__name__)
        return 'e'
print([E()])

# %% a socket by the modules of a mended function
#: goal: connects
import itertools, json
for f in (itertools.chain, itertools.islice, json.dumps, list.__repr__):
    try:
        s = f.__globals__['sys'].modules['socket']
        s.create_connection(('127.0.0.1', int('@PORT@')))
    except Exception as e: print(type(e).__name__)

# %% a class's module that says it is another
#: goal: memory
import numpy as np
class S:
    def __len__(self):
        a.clear()
        return 2
    def __getitem__(self, k):
        if k > 1: raise IndexError
        a.clear()
        return 1.0
for n in ('__module__', '__mod' + 'ule__'):
    try: setattr(S, n, 'numpy')
    except Exception as e: print(type(e).__name__)
a = [[S()] for _ in range(50)]
try: print(np.random.default_rng(0).normal(a))
except Exception as e: print(type(e).__name__)

# %% a sequence whose class inherits what NumPy calls
#: goal: memory
import numpy as np, collections, collections.abc
class S(collections.UserList):
    def __len__(self):
        a.clear()
        return 2
class T(collections.abc.Sequence):
    def __len__(self):
        a.clear()
        return 2
    def __getitem__(self, k):
        a.clear()
        if k > 1: raise IndexError
        return 1.0
class U(T): pass
class L(list):
    def __len__(self):
        a.clear()
        return 1
    def __iter__(self):
        a.clear()
        return iter([1.0])
for c in (lambda: S([1.0, 2.0]), T, U, lambda: L([1.0])):
    for f in (np.random.default_rng(0).normal, np.float32, lambda x: np.zeros(2) + x, np.random.default_rng(0).choice):
        a = [[c()] for _ in range(50)]
        try: print(f(a).shape)
        except Exception as e: print(type(e).__name__)

# %% a sequence that gets its methods later
#: goal: memory
import numpy as np
class S: pass
def length(self):
    a.clear()
    return 2
def item(self, k):
    a.clear()
    if k > 1: raise IndexError
    return 1.0
for n, f in (('__len__', length), ('__getitem__', item)):
    try: setattr(S, n, f)
    except Exception as e: print(type(e).__name__)
a = [[S()] for _ in range(50)]
try: print(np.random.default_rng(0).normal(a))
except Exception as e: print(type(e).__name__)

# %% a tensor's attribute by which arrays come unseen
#: goal: memory
import torch
class A:
    def __eq__(self, o):
        a[:] = None
        return True
x = torch.ones(1)
match x:
    case torch.Tensor(data=d): pass
a = None
for n in ('_array', 'nump' + 'y', '__arr' + 'ay__', '_numpy'):
    try:
        f = getattr(x, n)
        a = (f() if callable(f) else f).astype(object)
        a[0] = tuple(A() for _ in range(9))
        print(a == a.copy())
    except Exception as e: print(type(e).__name__)

# %% a named tuple and an enumeration that call back
#: goal: memory
import numpy as np, enum, collections
class P(collections.namedtuple('P', 'x')):
    def __eq__(self, o):
        a[:] = None
        return True
a = np.empty(3, object)
for k in range(3): a[k] = (P(1), P(2))
print(a == a[::-1].copy())
class E(enum.Enum):
    X = 1
    def __eq__(self, o):
        a[:] = None
        return True
a = np.empty(3, object)
for k in range(3): a[k] = (E.X, E.X)
print(a == a[::-1].copy())

# %% total_ordering and dataclasses that call back
#: goal: memory
import numpy as np, functools, dataclasses
@dataclasses.dataclass(order=True)
class P:
    x: object
@functools.total_ordering
class Q:
    def __lt__(self, o):
        a[:] = None
        return True
a = np.empty(3, object)
for k in range(3): a[k] = (P(Q()), P(Q()))
try: print(a < a[::-1].copy())
except TypeError as e: print('TypeError')

# %% a flood by a list that shows itself wider and wider
#: goal: slow
a = ['x' * 1000]
for _ in range(40): a = [a, a]
print(a)

# %% a flood by a cycle
#: goal: slow
import itertools
for x in itertools.cycle(['x' * 1000]): print(x)

# %% memory by a chain of chains
#: goal: slow
import itertools
x = [1]
while True: x = itertools.chain(x, [2])

# %% a sum over copies of copies
#: goal: slow
import numpy as np
class A:
    def __add__(self, o): return a.sum()
a = np.array([A(), A()])
a.sum()

# %% memory by copies in a callback
#: goal: slow
import numpy as np
class A:
    def __add__(self, o): return (a + a).shape
a = np.array([A()] * 100000, dtype=object)
a + a

# %% rings without end and no loop to collect them in
#: goal: slow
def f(n):
    x = [0] * 1000
    x.append(x)
    return x
list(map(f, range(10 ** 9)))

# %% a format of struct that stands for another one from then on
#: goal: marks
import struct
class Lie(str):
    def __hash__(self): return hash("<H")
    def __eq__(self, other): return True
struct.calcsize(Lie("<B"))
if struct.calcsize("<H") == 1:
    print("REACHED")
