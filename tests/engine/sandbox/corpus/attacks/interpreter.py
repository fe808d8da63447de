"""Errors of the interpreter and of libraries in C that read or write memory that is not theirs."""
#: goal: what it tries, by which it is judged (`attacks.py` says what there is)

if __name__: raise SystemExit("these programs may do harm: `python -m tests.corpus FILE::NAME` runs one shut in")

# %% a view of a released buffer
#: goal: memory
b = bytearray(b'x' * 100)
m = memoryview(b)
class I:
    def __index__(self):
        m.release()
        b.clear()
        return 0
try:
    print('REACHED' if m[I()] != 120 and m is None else '')
except (ValueError, BufferError, IndexError) as e:
    print(e)

# %% a bytearray that shrinks while it is written
#: goal: memory
v = bytearray(5)
class I:
    def __index__(self):
        v.clear()
        return 0
try:
    v[I()] = 1
except IndexError as e:
    print(e)

# %% a bytearray that shrinks while it is written, with a value
#: goal: memory
v = bytearray(100)
class I:
    def __index__(self):
        v.clear()
        return 1
try:
    v[50] = I()
except IndexError as e:
    print(e)

# %% a list that changes while it is sorted
#: goal: slow
class A:
    def __lt__(self, other):
        l.clear()
        return True
l = [A() for _ in range(100)]
try:
    l.sort()
except ValueError as e:
    print(e)

# %% a heap that changes while it is pushed
#: goal: slow
import heapq
class A:
    def __lt__(self, other):
        l.clear()
        return True
l = [A() for _ in range(10)]
try:
    heapq.heappush(l, A())
except (RuntimeError, IndexError) as e:
    print(e)

# %% a dict that changes while it is compared
#: goal: slow
class A:
    def __hash__(self): return 1
    def __eq__(self, other):
        d.clear()
        return False
d = {A(): 1}
for k in range(100):
    d[A()] = 1
    d.get(A())

# %% a set that changes while it is searched
#: goal: slow
class A:
    def __hash__(self): return 1
    def __eq__(self, other):
        s.clear()
        return False
s = {A()}
for k in range(100):
    A() in s
    s.add(A())

# %% a deque that changes while it is compared
#: goal: slow
import collections
class A:
    def __eq__(self, other):
        d.clear()
        return False
d = collections.deque([A() for _ in range(100)])
try:
    d.index(A())
except (RuntimeError, IndexError, ValueError) as e:
    print(e)

# %% an ordered dict that changes while it is walked
#: goal: slow
import collections
o = collections.OrderedDict.fromkeys(range(100))
try:
    for k in o: o.move_to_end(99 - k); del o[k]
except (RuntimeError, KeyError) as e:
    print(e)

# %% a cache entered again
#: goal: slow
import functools
class A:
    def __hash__(self): return 1
    def __eq__(self, other):
        f.cache_clear()
        return False
@functools.lru_cache(2)
def f(x): return x
for k in range(100): f(A())

# %% a tee entered again
#: goal: slow
import itertools
class I:
    def __iter__(self): return self
    def __next__(self): return next(a)
a, b = itertools.tee(I())
try:
    next(a)
except (RuntimeError, RecursionError) as e:
    print(e)

# %% a stream that is closed while it is written
#: goal: slow
import io
class A:
    def __str__(self):
        b.close()
        return 'x'
b = io.StringIO()
try:
    print(A(), file=b)
except ValueError as e:
    print(e)

# %% deep calls in C
#: goal: slow
import itertools
it = iter([1])
for k in range(200000): it = itertools.chain(it)
next(it)

# %% deep calls of map
#: goal: slow
m = iter([1])
for k in range(200000): m = map(lambda x: x, m)
next(m)

# %% deep calls of partial
#: goal: slow
import functools
f = print
for k in range(200000): f = functools.partial(f)
f()

# %% deep comparison
#: goal: slow
a, b = [], []
for k in range(200000): a, b = [a], [b]
a == b

# %% deep repr
#: goal: slow
a = ()
for k in range(200000): a = (a,)
repr(a)

# %% deep deletion
#: goal: slow
a = None
for k in range(1000000): a = (a,)
del a

# %% deep deletion of objects
#: goal: slow
class A: pass
a = None
for k in range(300000):
    b = A()
    b.x = a
    a = b
del a, b

# %% deep graph
#: goal: slow
import torch
x = torch.ones(1, requires_grad=True)
y = x
with torch.no_grad(): pass
for k in range(3000): y = y + 1
del y

# %% deep copy
#: goal: slow
import copy
a = []
for k in range(100000): a = [a]
copy.deepcopy(a)

# %% deep json
#: goal: slow
import json
json.loads('[' * 100000)

# %% deep json out
#: goal: slow
import json
a = []
for k in range(100000): a = [a]
json.dumps(a)

# %% deep format
#: goal: slow
print(('{:' * 1000 + '}' * 1000).format(1))

# %% deep regular expression
#: goal: slow
import re
re.compile('(' * 10000 + ')' * 10000)

# %% deep exceptions' context
#: goal: slow
def f(n):
    try:
        1 / 0
    finally:
        f(n + 1)
f(0)

# %% a limit of calls beyond what there is room for
#: goal: slow
import sys
sys.setrecursionlimit(10 ** 9)
def f(): f()
f()

# %% calls without end through a property
#: goal: slow
class A:
    @property
    def x(self): return self.x
A().x

# %% calls without end through getattr
#: goal: slow
class A:
    def __getattr__(self, name): return getattr(self, name)
A().x

# %% calls without end through a comparison in C
#: goal: slow
class A:
    def __eq__(self, other): return [self] == [other]
[A()] == [A()]

# %% calls without end through repr
#: goal: slow
class A:
    def __repr__(self): return repr([self])
print(A())

# %% calls without end through hash
#: goal: slow
class A:
    def __hash__(self): return hash((self,))
{A()}

# %% a type whose dtype is itself
#: goal: slow
import numpy as np
class A: pass
A.dtype = A
np.dtype(A)

# %% an array of itself
#: goal: slow
import numpy as np
a = np.empty(1, object)
a[0] = a
print(repr(a)[:50], a == a)

# %% a tensor of lists within lists
#: goal: slow
import torch
a = []
a.append(a)
torch.tensor(a)

# %% a deep module
#: goal: slow
import torch
m = torch.nn.Linear(1, 1)
for k in range(2000): m = torch.nn.Sequential(m)
print(len(repr(m)))

# %% a module of itself
#: goal: slow
import torch
m = torch.nn.Sequential()
m.add_module('x', m)
print(len(list(m.modules())), repr(m)[:10])

# %% flags of a decimal context that was freed
#: goal: memory
import decimal, sys
context = decimal.getcontext().copy()
flags = context.flags
size = sys.getsizeof(context) - 33
del context
held = [bytes([0]) * size for _ in range(50)]
flags[decimal.InvalidOperation] = flags[decimal.DivisionByZero] = True
print('REACHED' if any(any(b) for b in held) else 'nothing')

# %% a bytearray that takes an item before it has room
#: goal: memory
class I:
    n = 0
    def __iter__(self): return self
    def __next__(self):
        self.n += 1
        if self.n > 1: raise StopIteration
        return 65
    def __length_hint__(self): return 0
b = bytearray()
b.extend(I())
print('nothing' if b == b'A' else 'REACHED')

# %% memory written as a text after it was given back
#: goal: memory
b = bytearray(b'x' * 4000)
m = memoryview(b)
class S(str):
    def __len__(self):
        m.release()
        b.clear()
        return 1
print('nothing' if {*m.hex(S(':'))} == {*'78:'} else 'REACHED')

# %% the kind of an error that leaves a with block
#: goal: memory
import contextlib
class Exit:
    def __enter__(self): return self
    def __exit__(self, kind, error, tb):
        found.append(kind)
        return True
found = []
with Exit(): b'\xff'.decode('utf-8')
with Exit(): '\xff'.encode('ascii')
with contextlib.ExitStack() as s:
    s.push(lambda k, e, t: found.append(k) or True)
    b'\xff'.decode('utf-8')
for kind in found:
    for k in range(-80, 0):
        try: print("REACHED", kind('utf-8', b'abcdefgh' if 'Decode' in kind.__name__ else 'abcdefgh', k, k + 1, 'x'))
        except ValueError: pass
