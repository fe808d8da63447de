"""Iterators and functions that call a program while they hold state of their own."""
#: ends: ok, policy, too_large, error and its type, or any where that depends on the machine
#: prints*: what it prints, a line each

if __name__: raise SystemExit("these programs may do harm: `python -m tests.corpus FILE::NAME` runs one shut in")

# %% map whose function empties the source
#: ends: ok
#: prints: [1]
def f(x):
    items.clear()
    return x
items = [1, 2, 3]
print(list(map(f, items)))

# %% filter whose function empties the source
#: ends: ok
#: prints: [1]
def f(x):
    items.clear()
    return True
items = [1, 2, 3]
print(list(filter(f, items)))

# %% zip entered again by its own source
#: ends: error RecursionError
class R:
    def __iter__(self): return self
    def __next__(self): return next(z)
z = zip(R(), R())
next(z)

# %% an enumeration entered again
#: ends: error RecursionError
class R:
    def __iter__(self): return self
    def __next__(self): return next(z)
z = enumerate(R())
next(z)

# %% reduce whose function empties the source
#: ends: ok
#: prints: 3
import functools
def f(a, b):
    items.clear()
    return a + b
items = [1, 2, 3]
print(functools.reduce(f, items))

# %% accumulate entered again by its function
#: ends: ok
#: prints: unsupported operand type(s) for +: 'K' and 'K'
import itertools, operator
class K:
    def __add__(self, other):
        for _ in range(3): next(g, None)
        return NotImplemented
    def __radd__(self, other): return 0
g = itertools.accumulate([K() for _ in range(100)], operator.add)
try:
    print(len(list(g)))
except TypeError as e:
    print(e)

# %% groupby entered again by a key's comparison
#: ends: error ValueError
import itertools
class K:
    def __eq__(self, other):
        next(g, None)
        return NotImplemented
g = itertools.groupby([K() for _ in range(100)])
for k, members in g:
    pass

# %% groupby whose key empties the source
#: ends: ok
#: prints: [(1, [1])]
import itertools
def key(x):
    items.clear()
    return x
items = [1, 1, 2]
print([(k, list(members)) for k, members in itertools.groupby(items, key)])

# %% pairwise entered again by its source
#: ends: error ValueError
import itertools
class I:
    def __iter__(self): return self
    def __next__(self): return next(pairs)
pairs = itertools.pairwise(I())
next(pairs)

# %% tee entered again
#: ends: error ValueError
import itertools
class I:
    def __iter__(self): return self
    def __next__(self): return next(a)
a, b = itertools.tee(I())
next(a)

# %% a chain entered again
#: ends: error ValueError
import itertools
class I:
    def __iter__(self): return self
    def __next__(self): return next(c)
c = itertools.chain(I())
next(c)

# %% a product of what empties itself
#: ends: ok
#: prints: 0
import itertools
def values():
    items.clear()
    yield 1
    yield 2
items = [1, 2, 3]
print(len(list(itertools.product(values(), items))))

# %% takewhile and dropwhile whose functions empty the source
#: ends: ok
#: prints: [1]
#: prints: []
import itertools
def f(x):
    items.clear()
    return True
items = [1, 2, 3]
print(list(itertools.takewhile(f, items)))
items = [1, 2, 3]
print(list(itertools.dropwhile(f, items)))

# %% starmap whose function empties the source
#: ends: ok
#: prints: [3]
import itertools
def f(a, b):
    items.clear()
    return a + b
items = [(1, 2), (3, 4)]
print(list(itertools.starmap(f, items)))

# %% compress whose selectors go on with it
#: ends: ok
#: prints: 1
import itertools
class B:
    def __bool__(self):
        next(c, None)
        return True
c = itertools.compress([1, 2, 3, 4, 5], [B(), B(), B(), B(), B()])
print(len(list(c)))

# %% a cycle whose source empties itself
#: ends: ok
#: prints: [[1], [2], [1], [2], [1]]
import itertools
def values():
    yield [1]
    yield [2]
c = itertools.cycle(values())
print([next(c) for _ in range(5)])

# %% zip_longest whose source closes itself
#: ends: ok
#: prints: [(1, 1)]
import itertools
def values():
    yield 1
    items.clear()
items = [1, 2, 3]
print(list(itertools.zip_longest(values(), items)))

# %% iter with a sentinel that ends it
#: ends: ok
#: prints: [1, 2, 3]
class S:
    def __eq__(self, other):
        return calls > 3
calls = 0
def f():
    global calls
    calls += 1
    return calls
print(list(iter(f, S())))

# %% reversed of a sequence that lies about its length
#: ends: ok
#: prints: []
class L:
    def __len__(self): return 5
    def __getitem__(self, k):
        raise IndexError
print(list(reversed(L())))

# %% a list of what lies about its length
#: ends: ok
#: prints: [1, 2] 1000000
class L:
    def __iter__(self): return iter([1, 2])
    def __len__(self): return 10 ** 6
    def __length_hint__(self): return 10 ** 6
print(list(L()), len(L()))

# %% a length beyond all bounds
#: ends: error OverflowError
class L:
    def __len__(self): return 10 ** 30
len(L())

# %% a hint of a negative length
#: ends: error ValueError
class L:
    def __iter__(self): return iter([1, 2])
    def __length_hint__(self): return -5
list(L())

# %% sum whose items empty the source
#: ends: ok
#: prints: 1
class N:
    def __add__(self, other):
        items.clear()
        return 1
    __radd__ = __add__
items = [N(), N(), N()]
print(sum(items))

# %% math of objects that empty the source
#: ends: ok
#: prints: 1.0
#: prints: 3.1622776601683795
import math
class F:
    def __float__(self):
        items.clear()
        return 1.0
items = [F() for _ in range(10)]
print(math.fsum(items))
items = [F() for _ in range(10)]
print(math.hypot(*items))

# %% any and all of objects that empty the source
#: ends: ok
#: prints: False
class B:
    def __bool__(self):
        items.clear()
        return False
items = [B() for _ in range(10)]
print(any(items))

# %% a generator entered again
#: ends: error ValueError
def g():
    yield next(it)
it = g()
next(it)

# %% a generator closed by the collector that goes on
#: ends: ok
#: prints: [5]
def g():
    try:
        yield 1
    finally:
        kept.append(it2)
kept = []
it2 = 5
it = g()
next(it)
del it
print(kept)

# %% a generator that yields while it is closed
#: ends: error RuntimeError
def g():
    try:
        yield 1
    finally:
        yield 2
it = g()
next(it)
it.close()

# %% a generator that closes itself by way of an object
#: ends: ok
#: prints: ValueError
#: prints: over
class A:
    def __del__(self):
        try:
            it.close()
        except (ValueError, NameError) as e:
            print(type(e).__name__)
def g():
    a = A()
    yield 1
    del a
    yield 2
it = g()
next(it)
next(it)
print('over')

# %% an object that comes back when it is destroyed
#: ends: ok
#: prints: 1
class A:
    def __del__(self):
        kept.append(self)
kept = []
a = A()
del a
print(len(kept))

# %% a ring of objects that touch each other when they are collected
#: ends: ok
#: prints: Exception ignored in A.__del__:
#: prints: Traceback (most recent call last):
#: prints:   File "<program>", line 4, in __del__
#: prints:     self.other.other = None
#: prints:     ^^^^^^^^^^
#: prints: PolicyError: the attribute 'other' of 'NoneType' cannot be set in programs here
#: prints: Exception ignored in A.__del__:
#: prints: Traceback (most recent call last):
#: prints:   File "<program>", line 4, in __del__
#: prints:     self.other.other = None
#: prints:     ^^^^^^^^^^
#: prints: PolicyError: the attribute 'other' of 'NoneType' cannot be set in programs here
#: prints: Exception ignored in A.__del__:
#: prints: Traceback (most recent call last):
#: prints:   File "<program>", line 4, in __del__
#: prints:     self.other.other = None
#: prints:     ^^^^^^^^^^
#: prints: PolicyError: the attribute 'other' of 'NoneType' cannot be set in programs here
#: prints: Exception ignored in A.__del__:
#: prints: Traceback (most recent call last):
#: prints:   File "<program>", line 4, in __del__
#: prints:     self.other.other = None
#: prints:     ^^^^^^^^^^
#: prints: PolicyError: the attribute 'other' of 'NoneType' cannot be set in programs here
#: prints: Exception ignored in A.__del__:
#: prints: Traceback (most recent call last):
#: prints:   File "<program>", line 4, in __del__
#: prints:     self.other.other = None
#: prints:     ^^^^^^^^^^
#: prints: PolicyError: the attribute 'other' of 'NoneType' cannot be set in programs here
#: prints: Exception ignored in A.__del__:
#: prints: Traceback (most recent call last):
#: prints:   File "<program>", line 4, in __del__
#: prints:     self.other.other = None
#: prints:     ^^^^^^^^^^
#: prints: PolicyError: the attribute 'other' of 'NoneType' cannot be set in programs here
#: prints: Exception ignored in A.__del__:
#: prints: Traceback (most recent call last):
#: prints:   File "<program>", line 4, in __del__
#: prints:     self.other.other = None
#: prints:     ^^^^^^^^^^
#: prints: PolicyError: the attribute 'other' of 'NoneType' cannot be set in programs here
#: prints: Exception ignored in A.__del__:
#: prints: Traceback (most recent call last):
#: prints:   File "<program>", line 4, in __del__
#: prints:     self.other.other = None
#: prints:     ^^^^^^^^^^
#: prints: PolicyError: the attribute 'other' of 'NoneType' cannot be set in programs here
#: prints: Exception ignored in A.__del__:
#: prints: Traceback (most recent call last):
#: prints:   File "<program>", line 4, in __del__
#: prints:     self.other.other = None
#: prints:     ^^^^^^^^^^
#: prints: PolicyError: the attribute 'other' of 'NoneType' cannot be set in programs here
#: prints: Exception ignored in A.__del__:
#: prints: Traceback (most recent call last):
#: prints:   File "<program>", line 4, in __del__
#: prints:     self.other.other = None
#: prints:     ^^^^^^^^^^
#: prints: PolicyError: the attribute 'other' of 'NoneType' cannot be set in programs here
#: prints: 10
import gc
class A:
    def __del__(self):
        self.other.other = None
        count.append(1)
count = []
for _ in range(10):
    a, b = A(), A()
    a.other, b.other = b, a
del a, b
gc.collect()
print(len(count))

# %% a weak reference's callback that lets the others go
#: ends: ok
#: prints: []
import weakref
class A: pass
a = A()
refs = [weakref.ref(a, lambda r: refs.clear()) for _ in range(50)]
del a
print(refs)

# %% a weak dict that loses its keys while it is walked
#: ends: ok
#: prints: True 1
import weakref
class A: pass
keys = [A() for _ in range(20)]
d = weakref.WeakKeyDictionary({k: 1 for k in keys})
n = 0
for k in d:
    keys.clear()
    n += 1
print(n > 0, len(d))

# %% a weak dict of values that go while they are looked up
#: ends: ok
#: prints: None
import weakref
class A: pass
class K:
    def __hash__(self): return 1
    def __eq__(self, other):
        kept.clear()
        return True
kept = [A()]
d = weakref.WeakValueDictionary()
d[K()] = kept[0]
print(d.get(K()))

# %% partial whose arguments show themselves
#: ends: ok
#: prints: True
import functools
class E:
    def __repr__(self):
        p.keywords.clear()
        return 'e'
p = functools.partial(print, E(), a=E(), b=E())
try:
    print(len(repr(p)) > 0)
except RuntimeError as e:
    print(e)

# %% a context manager that leaves itself twice
#: ends: ok
#: prints: over
import contextlib
@contextlib.contextmanager
def c():
    yield 1
m = c()
with m:
    m.__exit__(None, None, None)
print('over')

# %% an exit stack that its own callbacks fill and close
#: ends: ok
#: prints: 0
#: prints: 1
#: prints: 2
#: prints: 3
import contextlib
def again(n):
    print(n)
    if n < 3:
        stack.callback(again, n + 1)
    stack.close()
with contextlib.ExitStack() as stack:
    stack.callback(again, 0)

# %% an exit stack whose callback raises while another is handled
#: ends: error ValueError
import contextlib
def bad():
    raise ValueError('second')
with contextlib.ExitStack() as stack:
    stack.callback(bad)
    raise KeyError('first')

# %% suppress with a type that lies
#: ends: error TypeError
import contextlib
with contextlib.suppress(5):
    1 / 0

# %% a redirected output that is gone while it is printed to
#: ends: ok
#: prints: over
import contextlib
class F:
    def write(self, text):
        global m
        if m is not None:
            m.__exit__(None, None, None)
            m = None
    def flush(self): pass
m = contextlib.redirect_stdout(F())
m.__enter__()
print('x')
print('over')

# %% enumerations and named tuples of what empties its source
#: ends: error ValueError
import collections
def names():
    items.clear()
    yield 'a'
    yield 'a'
items = [1]
collections.namedtuple('T', names())

# %% a function called until it returns a sentinel, which lets it go meanwhile
#: ends: error ValueError
class E:
    def __lt__(self, other):
        next(calls)
        return False
calls = iter([E() for _ in range(100)].sort, None)
list(calls)

# %% functions called until they return a sentinel
#: ends: ok
#: prints: [1] [1]
def until():
    yield 1
source = until()
print(list(iter([3, 2, None, 1].pop, None)), list(iter(lambda: next(source), 7)))

# %% a slice of an iterator entered again
#: ends: ok
import itertools
it = None
def g():
    n = 0
    while n < 5:
        n += 1
        if it is not None:
            try: next(it)
            except Exception as e: pass
        yield n
make = lambda g: itertools.islice(g,0,9,2)
it = make(g())
for k, x in enumerate(it):
    if k > 20: break

# %% a sequence whose end is reached within itself
#: ends: ok
class S:
    depth = 0
    def __getitem__(self, k):
        if S.depth < 30:
            S.depth += 1
            for _ in range(3): next(it, None)
        raise IndexError
it = iter(S())
next(it, None)
x = [S() for _ in range(100)]
it = zip(S(), 'abc')
S.depth = 0
next(it, None)
it = None
x = [S() for _ in range(100)]

# %% a chain that lets go what it is in
#: ends: error ValueError
import itertools
def f(x):
    global n
    n += 1
    if n == 1:
        for _ in it: pass
    return False
n = 0
def src():
    yield filter(f, [1,2,3,4,5,6])
it = itertools.chain.from_iterable(src())
for _ in it: pass

# %% a cycle entered again by its filter
#: ends: error ValueError
import itertools
def f(x):
    global n
    n += 1
    if n == 1:
        for _ in range(3): next(it, None)
    return n > 5
n = 0
it = itertools.cycle(filter(f, [1,2,3,4,5,6]))
for k, _ in zip(range(20), it): pass

# %% zip_longest entered again by its filter
#: ends: error ValueError
import itertools
def f(x):
    global n
    n += 1
    if n == 1:
        for _ in range(30): next(it, None)
    return n > 5
n = 0
it = itertools.zip_longest(filter(f, [1,2,3,4,5,6]), range(40))
for k, _ in zip(range(20), it): pass

# %% a million iterators, one behind the other
#: ends: ok
#: prints: 6 6
import itertools
ways = [
    lambda it: map(abs, it), lambda it: filter(None, it), lambda it: enumerate(it), lambda it: itertools.accumulate(it, max),
    lambda it: itertools.takewhile(bool, it), lambda it: itertools.tee(filter(None, it))[0],
]
ended = 0
for way in ways:
    it = iter([1])
    try:
        for k in range(60_000):
            it = way(it)
        next(it)
    except RecursionError:
        ended += 1
print(ended, len(ways))

# %% a million iterators that are put behind one another by their class
#: ends: error RecursionError
class A:
    def __init__(self, it): self.it = it
    def __iter__(self): return self.it
it = iter([1])
for k in range(100_000):
    it = map(abs, A(it))
next(it)

# %% iterators as programs use them
#: ends: ok
#: prints: [4, 6] [('a', 1)] [(1, 'a'), (2, 'b')] [1] <class 'map'> True 1 [1, 2, 3] [2, 3] [5, 6, 8] ['a', 'c'] 1223 [1]
import itertools
print(list(map(lambda a, b: a + b, [1, 2], [3, 4])), list(zip('ab', [1])), list(enumerate('ab', start=1)), end=' ')
print(list(filter(None, [0, 1])), map, isinstance(zip(), zip), end=' ')
a, b = itertools.tee([1, 2, 3])
print(next(a), list(b), list(a), list(itertools.accumulate([1, 2], initial=5)), list(itertools.compress('abc', [1, 0, 1])), end=' ')
def primes():
    it = itertools.count(2)
    while True:
        p = next(it)
        yield p
        it = filter(lambda x, p=p: x % p, it)
class M(map): pass
print(list(itertools.islice(primes(), 200))[-1], list(M(abs, [-1])))

# %% very many iterators, one behind the other, with generators in between
#: ends: ok
#: prints: RecursionError [1] 7919
import itertools
def handed_on(items):
    for item in items:
        yield item
it = iter([1])
for k in range(40):
    for _ in range(4000):
        it = map(abs, it)
    it = handed_on(it)
try:
    next(it)
except RecursionError as e:
    print(type(e).__name__, end=' ')
it = iter([1])
for k in range(500):
    it = map(abs, it)
    it = filter(None, it)
print(list(it), end=' ')
def primes():
    it = itertools.count(2)
    while True:
        p = next(it)
        yield p
        it = filter(lambda x, p=p: x % p, it)
print(list(itertools.islice(primes(), 1000))[-1])
