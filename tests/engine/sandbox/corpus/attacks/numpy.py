"""NumPy's ways to memory and to files."""
#: goal: what it tries, by which it is judged (`attacks.py` says what there is)

if __name__: raise SystemExit("these programs may do harm: `python -m tests.corpus FILE::NAME` runs one shut in")

# %% array interface
#: goal: memory
import numpy as np
class A:
    __array_interface__ = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
print(hex(int(np.asarray(A())[0])))

# %% array struct
#: goal: memory
import numpy as np
class A:
    __array_struct__ = object()
print(np.asarray(A()))

# %% array interface of an array
#: goal: memory
import numpy as np
a = np.zeros(8, 'u8')
a.__array_interface__['data'] = (id(int), False)
print(hex(a.__array_interface__['data'][0]))

# %% array function protocol
#: goal: marks
import numpy as np
class A:
    def __array_function__(self, func, types, args, kwargs): return 'REACHED', func.__wrapped__
print(np.sum(A()))

# %% array ufunc protocol
#: goal: marks
import numpy as np
class A:
    __array_ufunc__ = lambda self, ufunc, method, *a, **k: ('REACHED', ufunc.__class__.__base__.__subclasses__())
print(np.add(A(), 1))

# %% array wrap and finalize
#: goal: marks
import numpy as np
class A:
    def __array_wrap__(self, a, *x): return 'REACHED'
    def __array__(self, *a, **k): return np.zeros(1)
print(np.sin(A()))

# %% dlpack
#: goal: memory
import numpy as np
class A:
    def __dlpack__(self, **k): return np.zeros(1).__dlpack__()
    def __dlpack_device__(self): return (1, 0)
print('REACHED', np.from_dlpack(A()))

# %% buffer protocol
#: goal: memory
class A:
    def __buffer__(self, flags): return memoryview(b'x')
print('REACHED', memoryview(A()))

# %% load
#: goal: reads
import numpy as np
print(np.load('@SECRET@', allow_pickle=True))

# %% fromfile
#: goal: reads
import numpy as np
print(bytes(np.fromfile('@SECRET@', np.uint8)))

# %% genfromtxt
#: goal: reads
import numpy as np
print(np.genfromtxt('@SECRET@', dtype=str))

# %% loadtxt
#: goal: reads
import numpy as np
print(np.loadtxt('@SECRET@', dtype=str))

# %% memmap
#: goal: reads
import numpy as np
print(bytes(np.memmap('@SECRET@', np.uint8, 'r')))

# %% datasource
#: goal: reads
import numpy as np
print(np.lib.npyio.DataSource().open('@SECRET@').read())

# %% save
#: goal: writes
import numpy as np
np.save('@TARGET@', np.zeros(1))

# %% savetxt
#: goal: writes
import numpy as np
np.savetxt('@TARGET@', np.zeros(1))

# %% savez
#: goal: writes
import numpy as np
np.savez('@TARGET@', a=np.zeros(1))

# %% tofile
#: goal: writes
import numpy as np
np.zeros(1).tofile('@TARGET@')

# %% tofile by getattr
#: goal: writes
import numpy as np
getattr(np.zeros(1), 'to' + 'file')('@TARGET@')

# %% tofile of a scalar
#: goal: writes
import numpy as np
np.float64(1).tofile('@TARGET@')

# %% tofile by a structured scalar
#: goal: writes
import numpy as np
np.zeros(1, [('a', 'i4')])[0].tofile('@TARGET@')

# %% dump
#: goal: writes
import numpy as np
np.zeros(1).dump('@TARGET@')

# %% dump of a subclass
#: goal: writes
import numpy as np
class F(np.float64): pass
F(1).dump('@TARGET@')

# %% dump by methodcaller
#: goal: writes
import numpy as np, operator
operator.methodcaller('dump', '@TARGET@')(np.zeros(1))

# %% dump of an unbound method
#: goal: writes
import numpy as np
np.float64.dump(np.float64(1), '@TARGET@')

# %% dump by vectorize's function
#: goal: writes
import numpy as np
np.vectorize(np.zeros(1).dump)('@TARGET@')

# %% dump in a pattern
#: goal: writes
import numpy as np
match np.float64(1):
    case np.floating(dump=f):
        f('@TARGET@')

# %% dumps gives a pickle
#: goal: marks
import numpy as np
print('REACHED', np.zeros(1).dumps())

# %% memmap by the class of an array
#: goal: reads
import numpy as np
m = np.memmap.__new__(np.memmap, '@SECRET@', np.uint8, 'r')
print(bytes(m))

# %% ctypes of an array
#: goal: memory
import numpy as np
p = np.zeros(1).ctypes
p.data_as.__globals__
print('REACHED', p._ctypes)

# %% ctypeslib
#: goal: memory
import numpy as np
from numpy import ctypeslib
print('REACHED', ctypeslib.as_array)

# %% as_strided
#: goal: memory
import numpy as np
x = np.lib.stride_tricks.as_strided(np.zeros(1), (1000,), (8,))
print('REACHED', x[-1])

# %% strides assigned
#: goal: memory
import numpy as np
a = np.zeros(4)
a.strides = (8000,)
print('REACHED', a)

# %% dtype assigned
#: goal: memory
import numpy as np
a = np.array([1], dtype=np.int64)
a.dtype = object
print('REACHED', a)

# %% data assigned
#: goal: memory
import numpy as np
a = np.zeros(4)
a.data = bytearray(1)
print('REACHED', a)

# %% data assigned with setattr
#: goal: memory
import numpy as np
a = np.zeros(4)
setattr(a, 'da' + 'ta', bytearray(32))
print('REACHED', a)

# %% setstate of an array
#: goal: memory
import numpy as np
a = np.zeros(1)
a.__setstate__((1, (1000,), np.dtype(object), False, b'x' * 8000))
print('REACHED', a)

# %% resize without a count of references
#: goal: memory
import numpy as np
a = np.zeros(4)
b = a[:]
a.resize(100000, refcheck=False)
print('REACHED', b)

# %% resize by an unbound method
#: goal: memory
import numpy as np
a = np.zeros(4)
type(a).resize(a, 100000, refcheck=False)
print('REACHED', a.size == 100000 or 1 / 0)

# %% resize by an alias
#: goal: memory
import numpy as np
a = np.zeros(4)
a.__class_getitem__(int).resize(a, 100000, refcheck=False)
print('REACHED', a.size == 100000 or 1 / 0)

# %% frombuffer writes over an object's address
#: goal: memory
import numpy as np
kept = [1, 2, 3]
a = np.array([None], dtype=object)
np.frombuffer(a, dtype=np.uint64)[0] = id(kept)
print('REACHED', a[0] is kept or 1 / 0)

# %% frombuffer of a memoryview of objects
#: goal: memory
import numpy as np
kept = [1, 2, 3]
a = np.array([None], dtype=object)
np.frombuffer(memoryview(a), dtype=np.uint64)[0] = id(kept)
print('REACHED', a[0] is kept or 1 / 0)

# %% frombuffer of a record with an object
#: goal: memory
import numpy as np
kept = [1, 2, 3]
a = np.zeros(1, dtype=[('a', 'O'), ('b', 'i8')])
np.frombuffer(a, dtype=np.uint64)[0] = id(kept)
print('REACHED', a['a'][0] is kept or 1 / 0)

# %% frombuffer of the engine writes over an object's address
#: goal: memory
import numpy as np, torch
kept = [1, 2, 3]
a = np.array([None], dtype=object)
torch.frombuffer(a, dtype=torch.int64)[0] = id(kept)
print('REACHED', a[0] is kept or 1 / 0)

# %% a stream reads into an array of objects
#: goal: memory
import numpy as np, io
kept = [1, 2, 3]
a = np.array([None], dtype=object)
io.BytesIO(id(kept).to_bytes(8, 'little')).readinto(a)
print('REACHED', a[0] is kept or 1 / 0)

# %% a stream reads into an array of objects, by name
#: goal: memory
import numpy as np, io
kept = [1, 2, 3]
a = np.array([None], dtype=object)
for way in ('readinto', 'readinto1'):
    getattr(io.BytesIO(id(kept).to_bytes(8, 'little')), way)(a)
print('REACHED', a[0] is kept or 1 / 0)

# %% a memoryview of objects is cast
#: goal: memory
import numpy as np
kept = [1, 2, 3]
a = np.array([None], dtype=object)
for kind in 'BQP':
    m = memoryview(a).cast(kind)
    m[0:1] = memoryview(id(kept).to_bytes(8, 'little')).cast(kind)
print('REACHED', a[0] is kept or 1 / 0)

# %% an iterator's view outlives its memory
#: goal: memory
import numpy as np
it = np.nditer(np.arange(1000.0), flags=['external_loop'])
x = it.value
it.close()
others = [np.full(1000, 7.0) for _ in range(50)]
print('REACHED', (x == 7).all() or 1 / 0)

# %% an iterator's view outlives its with block
#: goal: memory
import numpy as np
with np.nditer(np.arange(1000.0), flags=['external_loop']) as it:
    x = it[0]
others = [np.full(1000, 7.0) for _ in range(50)]
print('REACHED', (x == 7).all() or 1 / 0)

# %% an iterator's buffer is used again
#: goal: memory
import numpy as np
it = np.nditer([np.arange(10.0)], ['buffered', 'external_loop'], [['readonly', 'copy']], op_dtypes=['f4'], buffersize=2)
x = next(it)
first = x[0].copy()
next(it)
print('REACHED', x[0] != first or 1 / 0)

# %% an iterator behind the iterator
#: goal: memory
import numpy as np
it = iter(np.nditer(np.arange(1000.0), flags=['external_loop']))
x = it.value
it.close()
print('REACHED')

# %% an iterator's flag that changes its text
#: goal: memory
import numpy as np
class S(str):
    def __hash__(self): return hash('external_loop')
    def __eq__(self, other): return True
it = np.nditer(np.arange(10, dtype='f8'), [S('buffered')], [[S('copy')]])
it.debug_print()
it.close()
print('REACHED')

# %% a generator made once more
#: goal: memory
import numpy as np
rng = np.random.default_rng()
class E: capsule = lock = None
try:
    rng.__init__(E())
except ValueError:
    print('REACHED')

# %% a generator made once more, by name
#: goal: memory
import numpy as np
class E: capsule = lock = None
for rng in (np.random.default_rng(), np.random.RandomState(1)):
    try:
        getattr(rng, '__init__')(E())
    except ValueError:
        print('REACHED')

# %% a bit generator's capsule
#: goal: memory
import numpy as np
print('REACHED', np.random.default_rng().bit_generator.capsule)

# %% a bit generator's interface
#: goal: memory
import numpy as np
print('REACHED', np.random.default_rng().bit_generator.cffi, np.random.default_rng().bit_generator.ctypes.next_double)

# %% a generator from a forged bit generator
#: goal: memory
import numpy as np
class B:
    capsule = np.random.default_rng
    lock = None
print('REACHED', np.random.Generator(B()).random())

# %% state of the older generator out of range
#: goal: memory
import numpy as np
s = list(np.random.get_state())
s[2] = 10 ** 6
np.random.set_state(tuple(s))
print('REACHED', np.random.rand())

# %% state of an older generator out of range
#: goal: memory
import numpy as np
r = np.random.RandomState(1)
s = list(r.get_state())
s[2] = -10 ** 6
r.set_state(tuple(s))
print('REACHED', r.rand())

# %% object dtype over numbers
#: goal: memory
import numpy as np
for way in (lambda: np.zeros(2, np.int64).view(object), lambda: np.zeros(2).getfield(object, 0), lambda: np.zeros(2).setfield([1], object, 0),
            lambda: np.zeros(2, object).view(np.int64), lambda: np.dtype((np.int64, {'o': (object, 0)})), lambda: np.dtype((object, np.int64)),
            lambda: np.dtype({'names': ['a', 'b'], 'formats': [object, np.int64], 'offsets': [0, 0]})):
    try:
        way()
        print('REACHED')
    except (TypeError, ValueError, RuntimeError):
        pass

# %% the fields of a dtype are changed
#: goal: memory
import numpy as np
d = np.dtype([('a', 'i8'), ('b', 'i8')])
class E:
    def __eq__(self, other):
        other['a'] = (np.dtype('O'), 0)
        return True
d.fields == E()
print('REACHED', np.zeros(1, d)['a'].dtype == object or 1 / 0)

# %% frompyfunc
#: goal: marks
import numpy as np
print('REACHED', np.frompyfunc(lambda x: x, 1, 1))

# %% vectorize eval
#: goal: reads
import numpy as np
print(np.vectorize(eval)('open("@SECRET@").read()'))

# %% vectorize's function is evaluated
#: goal: reads
import numpy as np
print(np.r_['open("@SECRET@").read()'])

# %% bmat evaluates names in frames
#: goal: marks
import numpy as np
a = np.zeros((1, 1))
print('REACHED', np.bmat('a,a'))

# %% r_ looks up names
#: goal: marks
import numpy as np
a = np.zeros((1, 1))
print('REACHED', np.r_['a,a'])

# %% f2py
#: goal: starts
import numpy.f2py
numpy.f2py.compile('x', extra_args='; touch @TARGET@')

# %% numpy's testing runs a string
#: goal: reads
import numpy as np
np.testing.rundocs('@SECRET@')
np.testing.runstring('print(open("@SECRET@").read())', {})

# %% numpy's core
#: goal: sees
import numpy as np
print(np.core.multiarray, np._core.multiarray.sys)

# %% numpy's loader
#: goal: reads
import numpy as np
print(np.__loader__.get_data('@SECRET@'))

# %% numpy's modules by attributes
#: goal: sees
import numpy as np
print(np.os, np.sys, np.lib, np.linalg.linalg)

# %% numpy's import by from
#: goal: sees
from numpy.lib import npyio
print(npyio)

# %% numpy's compat imports
#: goal: sees
import numpy.compat.py3k as p
print(p.os)

# %% numpy's show_config runs things
#: goal: sees
import numpy as np
np.show_runtime()
print(np.__config__)

# %% numpy's error callback
#: goal: sees
import numpy as np
with np.errstate(all='call', call=lambda *a: print(a, vars())):
    np.float64(1) / 0

# %% a bool array with other bytes
#: goal: memory
import numpy as np
mask = np.zeros(1000, bool)
mask.view(np.uint8)[:] = 255
x = np.arange(1000.0)[mask]
print(len(x) != 1000 and 'REACHED')

# %% an array that changes while it is sorted
#: goal: memory
import numpy as np
class A:
    def __lt__(self, other):
        a[:] = None
        return True
a = np.array([A() for _ in range(100)], dtype=object)
a.sort()
print(a[0])

# %% an index that changes the array
#: goal: memory
import numpy as np
class I:
    def __index__(self):
        a.shape = (2, 2)
        return 3
a = np.zeros(4)
a[I()] = 1
print(a)

# %% a record made of memory as it is found
#: goal: memory
import numpy as np
layout = {'names': ['a'], 'formats': ['O'], 'offsets': [200], 'itemsize': 432}
kept = [np.zeros(1, layout)[0]]
try:
    kept.append(np.dtype('V8').type((None,), dtype=layout))
except Exception:
    pass
class A: pass
a = A()
for made in kept[:]:
    freed = bytes(168) + id(a).to_bytes(8, 'little') + bytes(432 - 33 - 176)
    del freed
    kept.append(made.byteswap())
    print('REACHED' if kept[-1]['a'] is a else 'nothing')

# %% fields that lie behind their record
#: goal: memory
import numpy as np
half = ('i8', (2**28 - 1,))
for kind in (
    [('a', *half), ('b', *half), ('c', 'i8'), ('d', 'i8'), ('e', 'i8')], '(268435455,)i8,(268435455,)i8,i8,i8,i8',
    {'names': ['a'], 'formats': [half], 'offsets': [16], 'itemsize': 8},
):
    try:
        z = np.zeros(1, kind)
        print('REACHED' if z.dtype.fields and z[z.dtype.names[0]].nbytes > z.nbytes else 'nothing')
    except Exception as e:
        print(e)

# %% texts in the memory of others
#: goal: memory
import numpy as np
a = np.array(['x' * 1000] * 500, dtype='T')
b = np.array(['y' * 300], dtype='T')
v = a[-30:].view(b.dtype)
for k in range(30):
    try:
        print('REACHED' if v[k] != 'x' * 1000 else 'nothing')
    except (UnicodeDecodeError, MemoryError):
        print('REACHED')

# %% an array that gets another shape while it is filled
#: goal: memory
import numpy as np
arrays = [np.full(200, 0.0) for _ in range(3000)]
a = arrays[1500]
class F:
    def __float__(self):
        a.shape = (1, 200)
        return 1.5
try:
    a[...] = [F()] + [2.5] * 199
finally:
    print('REACHED' if [k for k, b in enumerate(arrays) if b is not a and b.any()] else 'nothing')

# %% windows along an array of an int that says it is small
#: goal: memory
import numpy as np
class I(int):
    def __gt__(self, o): return False
    def __lt__(self, o): return False
    def __sub__(self, o): return 0
x = np.ones(8, np.int64)
y = np.lib.stride_tricks.sliding_window_view(x, I(4000))
print(y.shape, "REACHED" if (y[0, 8:] != 0).any() else "")

# %% comparisons empty an array of objects that a column of a table gave
#: goal: memory
import pandas as pd
class A:
    def __eq__(self, o):
        global live
        if live:
            live = False
            a[:] = None
            for k in range(1000): junk.append((k, k, k, k, 'REACHED', 5))
        return True
    def __gt__(self, o):
        print(type(self), o)
        return False
junk=[]; live=False
a = pd.Series(['a','b','c']).values
for k in range(3): a[k] = (A(), A(), A(), A(), A(), A())
live = True
try: print(a.argmax())
except Exception as e: print("REACHED", e)

# %% comparisons empty an array of objects that environments gave
#: goal: memory
import gymnasium
class A:
    def __eq__(self, o):
        global live
        if live:
            live = False
            a[:] = None
            for k in range(1000): junk.append((k, k, k, k, 'REACHED', 5))
        return True
    def __gt__(self, o):
        print(type(self), o)
        return False
junk=[]; live=False
class Env(gymnasium.Env):
    action_space = gymnasium.spaces.Discrete(2)
    observation_space = gymnasium.spaces.Box(0, 1, (1,))
    def reset(self, **k): return [0.], {"x": "y"}
a = gymnasium.vector.SyncVectorEnv([Env, Env, Env]).reset()[1]["x"]
for k in range(3): a[k] = (A(), A(), A(), A(), A(), A())
live = True
try: print(a.argmax())
except Exception as e: print("REACHED", e)

# %% text is written as numbers by way of a flag
#: goal: memory
import numpy as np
a = np.array(['abcd', 'efgh'])
v = a.view(np.uint32)
v.flags['WRITEABLE'] = True
v[0] = 0x41414141
if 'U4141' in ascii(a.tolist()): print("REACHED")

# %% objects in fields that a view leaves out
#: goal: memory
import numpy as np
a = np.zeros(1, [('x', 'O'), ('y', 'i8')])
kept = ['REACHED']
for look in (lambda v: np.frombuffer(v, 'i8'), lambda v: np.asarray(memoryview(v)).view('i8'), lambda v: np.asarray(v.data).view('i8'),
             lambda v: np.asarray(v[0].data).view('i8'), lambda v: np.frombuffer(v[0], 'i8')):
    a['x'][0] = 'mine'
    try:
        look(a[['y']])[0] = id(kept)
        print(a['x'][0])
    except Exception as e: print(e)

# %% text in fields that a view leaves out
#: goal: memory
import numpy as np
a = np.zeros(1, [('t', 'U2'), ('y', 'i8')])
def write(w): w[0] = 0x41414141
for make in (lambda v: write(v.view('u4')), lambda v: write(np.frombuffer(v, 'u4')), lambda v: write(np.asarray(memoryview(v)).view('u4')),
             lambda v: write(np.asarray(v.data).view('u4')), lambda v: write(v.getfield('u4', 0)), lambda v: v.setfield(0x41414141, 'u4', 0),
             lambda v: v[0].setfield(0x41414141, 'u4', 0), lambda v: v[0].view([('q', 'u4', 4)]).__setitem__('q', 0x41414141)):
    a['t'][0] = 'ab'
    try: make(a[['y']])
    except Exception as e: print(e)
    if 'U4141' in ascii(a['t'].tolist()): print("REACHED")

# %% elements of a type that is equal and knows of no objects
#: goal: memory
import numpy as np
a = np.zeros(3, [('x', 'O'), ('y', 'i8')])
kept = ['REACHED']
bare = np.dtype({'names': ['y'], 'formats': ['i8'], 'offsets': [8], 'itemsize': 16})
forged = np.array([id(kept), 7] * 3, 'i8').view(bare)
def write(w): w.view('i8')[0] = id(kept)
for look in (lambda v: write(v.view(bare)), lambda v: write(v.getfield(bare, 0)), lambda v: write(np.asarray(v, bare)),
             lambda v: np.take(forged, [0, 1, 2], out=v, mode='clip'), lambda v: forged.take([0, 1, 2], out=v, mode='wrap'),
             lambda v: write(v[:1].view(bare))):
    for names in (['y'], ('y',), np.array(['y']), (k for k in 'y')):
        a['x'] = 'mine'
        try:
            look(a[names])
        except Exception as e: print(e)
        try:
            a[0][names]['y'] = 5
            look(np.asarray(a[0][names]).reshape(1))
        except Exception as e: print(e)
        print(a['x'][0])

# %% a type of elements under a name that is not found
#: goal: memory
import functools, numpy as np
class S(str):
    def __hash__(self): return 7
    def __eq__(self, other): return str.__eq__(self, other)
other = ['REACHED']
late = functools.partial(np.zeros, 1)
late.keywords[S('dtype')] = [('x', 'O'), ('y', 'i8')]
for make in (late, lambda: np.zeros(1, **{S('dtype'): [('x', 'O'), ('y', 'i8')]}), lambda: np.zeros(1).astype(**{S('dtype'): [('x', 'O'), ('y', 'i8')]})):
    a = make()
    a['x'][0] = 'mine'
    w = np.frombuffer(a[['y']], 'i8')
    w[0] = id(other)
    print(a['x'][0])
    w[0] = 0

# %% digits under a name that is not found
#: goal: memory
import functools, numpy as np
class S(str):
    def __hash__(self): return 7
    def __eq__(self, other): return str.__eq__(self, other)
late = functools.partial(np.format_float_positional, 1.5)
late.keywords[S('pad_left')] = 12000
for make in (late, lambda: np.format_float_positional(1.5, trim='k', unique=False, **{S('precision'): 12000})):
    try: print("REACHED", len(make()))
    except Exception as e: print(e)

# %% a field whose name is found as another when its type is looked at
#: goal: memory
import numpy as np
class H(str):
    lies = False
    def __hash__(self): return hash('y') if H.lies else hash('t')
    def __eq__(self, other): return other == ('y' if H.lies else 't') if type(other) is str else self is other
class Later(H):
    n = 0
    def __hash__(self):
        Later.n += 1
        if Later.n > LIMIT: H.lies = True
        return H.__hash__(self)
for LIMIT in range(1, 6):
    Later.n = 0
    H.lies = False
    t = Later('t')
    try: k = np.dtype({'names': [t, 'y'], 'formats': ['U2', 'i8'], 'offsets': [0, 0], 'itemsize': 8})
    except Exception as e: print(LIMIT, type(e)); continue
    print("REACHED")

# %% a unit of time that is counted in nothing
#: goal: marks
import numpy as np
a = np.zeros(2, 'm8[0s]')
print("REACHED")

# %% a unit of time that is divided by more than its parts
#: goal: marks
import numpy as np
for make in (np.dtype, np.zeros(2).view, lambda kind: np.zeros(2, [('a', kind)]), lambda kind: np.issubdtype(kind, float)):
    for kind in ('M8[D/4294967295]', b'M8[D/4294967295]', 'datetime64[D/4294967295]', ('M8[D/4294967295]', (2,))):
        try: make(kind)
        except Exception: continue
        print("REACHED")
