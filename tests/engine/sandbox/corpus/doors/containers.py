"""Stores, conversions and walks that run a program's methods while a container is being changed."""
#: ends: ok, policy, too_large, error and its type, or any where that depends on the machine
#: prints*: what it prints, a line each

if __name__: raise SystemExit("these programs may do harm: `python -m tests.corpus FILE::NAME` runs one shut in")

# %% a list emptied by what is assigned to its slice with steps
#: ends: error ValueError
class E:
    def __iter__(self):
        yield from range(10)
        items.clear()
items = list(range(10))
items[::-1] = E()

# %% a list emptied by a generator assigned to its slice with steps
#: ends: error ValueError
def values():
    items.clear()
    yield 1
items = list(range(10))
s = slice(None, None, 2)
items[s] = values()

# %% the same by way of __setitem__
#: ends: error ValueError
def values():
    items.clear()
    yield 1
items = list(range(10))
items.__setitem__(slice(None, None, 2), values())

# %% the same by way of the class
#: ends: error ValueError
def values():
    items.clear()
    yield 1
items = list(range(10))
list.__setitem__(items, slice(None, None, 2), values())

# %% the same by way of super()
#: ends: error ValueError
class L(list):
    def __setitem__(self, key, value):
        super().__setitem__(key, value)
def values():
    items.clear()
    yield 1
items = L(range(10))
items[::2] = values()

# %% the same by way of operator
#: ends: error ValueError
import operator
def values():
    items.clear()
    yield 1
items = list(range(10))
operator.setitem(items, slice(None, None, 2), values())

# %% the same by way of a UserList
#: ends: error ValueError
import collections
def values():
    items.clear()
    yield 1
items = collections.UserList(range(10))
items[::2] = values()

# %% the same as the target of a loop
#: ends: error ValueError
def values():
    items.clear()
    yield 1
items = list(range(10))
for items[::2] in [values()]:
    pass

# %% the same in an assignment to several
#: ends: error ValueError
def values():
    items.clear()
    yield 1
items = list(range(10))
a, items[::2] = 1, values()

# %% a list emptied by what is assigned to its slice
#: ends: ok
#: prints: [1]
def values():
    items.clear()
    yield 1
items = list(range(10))
items[2:5] = values()
print(items)

# %% a list emptied by its own index
#: ends: error IndexError
class I:
    def __index__(self):
        items.clear()
        return 5
items = list(range(10))
items[I()]

# %% a list emptied by its own index when stored
#: ends: error IndexError
class I:
    def __index__(self):
        items.clear()
        return 5
items = list(range(10))
items[I()] = 1

# %% a list emptied by the bounds of a slice that is deleted
#: ends: ok
#: prints: []
class I:
    def __index__(self):
        items.clear()
        return 1
items = list(range(10))
del items[I():9:2]
print(items)

# %% a list emptied by the place of an insertion
#: ends: ok
#: prints: ['x']
class I:
    def __index__(self):
        items.clear()
        return 5
items = list(range(10))
items.insert(I(), 'x')
print(items)

# %% a list emptied while it is popped
#: ends: error IndexError
class I:
    def __index__(self):
        items.clear()
        return 5
items = list(range(10))
items.pop(I())

# %% a list emptied by the number of its repetitions
#: ends: ok
#: prints: [] []
class I:
    def __index__(self):
        items.clear()
        return 3
items = [1, 2]
print(items * I(), items)

# %% a list emptied while it is extended by itself
#: ends: ok
#: prints: [0]
items = list(range(5))
items.extend(x for x in items if items.clear() is None)
print(items)

# %% a list emptied by what is destroyed in it
#: ends: ok
#: prints: over
class X:
    def __del__(self):
        items.append(1)
        items.clear()
items = [X() for _ in range(100)]
del items[10:50]
items = [X() for _ in range(100)]
items[:] = []
items = [X() for _ in range(100)]
items[5] = 1
items = [X() for _ in range(100)]
items.clear()
print('over')

# %% a bytearray emptied by its own index
#: ends: error IndexError
class I:
    def __index__(self):
        b.clear()
        return 3
b = bytearray(10)
b[I()] = 1

# %% a bytearray emptied by the value that is stored
#: ends: error IndexError
class I:
    def __index__(self):
        b.clear()
        return 3
b = bytearray(10)
b[5] = I()

# %% a bytearray whose buffer is in use
#: ends: error BufferError
b = bytearray(10)
m = memoryview(b)
b.clear()

# %% a view released by its own index
#: ends: error ValueError
class I:
    def __index__(self):
        m.release()
        return 0
m = memoryview(bytearray(10))
m[I()]

# %% bytes of objects that empty their list
#: ends: ok
#: prints: b'A'
class I:
    def __index__(self):
        items.clear()
        return 65
items = [I() for _ in range(10)]
print(bytes(items))

# %% a deque emptied by the number of its rotation
#: ends: ok
#: prints: 0
import collections
class I:
    def __index__(self):
        d.clear()
        return 3
d = collections.deque(range(100))
d.rotate(I())
print(len(d))

# %% a deque emptied by the place of an insertion
#: ends: ok
#: prints: [5]
import collections
class I:
    def __index__(self):
        d.clear()
        return 3
d = collections.deque(range(100))
d.insert(I(), 5)
print(list(d))

# %% a deque emptied by what it is filled with
#: ends: ok
#: prints: [97, 98, 99]
import collections
def values():
    for k in range(100):
        if k == 50:
            d.clear()
        yield k
d = collections.deque(maxlen=3)
d.extend(values())
print(list(d))

# %% a deque changed while it is walked
#: ends: error RuntimeError
import collections
d = collections.deque(range(10))
for x in d:
    d.append(x)

# %% a dict changed while it is walked
#: ends: error RuntimeError
d = {1: 1}
for k in d:
    d[k + 1] = 1

# %% a set changed while it is walked
#: ends: error RuntimeError
s = {1}
for k in s:
    s.add(k + 1)

# %% an ordered dict changed while it is walked
#: ends: error RuntimeError
import collections
d = collections.OrderedDict.fromkeys(range(10))
for k in d:
    d.pop(9 - k)
    d[k + 100] = 1

# %% a factory that changes its own dict
#: ends: ok
#: prints: 7 {'x': 7}
import collections
def factory():
    d.clear()
    return 7
d = collections.defaultdict(factory, {k: k for k in range(10)})
print(d['x'], dict(d))

# %% a Counter emptied by the values it adds
#: ends: error TypeError
import collections
class V:
    def __add__(self, other):
        c.clear()
        return NotImplemented
c = collections.Counter()
c[1] = V()
c.update([1])

# %% a Counter emptied by its keys
#: ends: ok
#: prints: True
import collections
class K:
    def __hash__(self): return 1
    def __eq__(self, other):
        c.clear()
        return False
c = collections.Counter()
c.update([K() for _ in range(9)])
print(len(c) > 0)

# %% a missing key that empties its dict
#: ends: ok
#: prints: 5 {}
class D(dict):
    def __missing__(self, key):
        self.clear()
        return 5
d = D(a=1)
print(d['b'], d)

# %% a ChainMap whose maps are emptied by a key
#: ends: ok
#: prints: None
import collections
class K:
    def __hash__(self): return 1
    def __eq__(self, other):
        a.clear()
        return False
a = {K(): 1}
print(collections.ChainMap(a).get(K()))

# %% attributes emptied by a descriptor
#: ends: error AttributeError
class D:
    def __get__(self, thing, kind):
        vars(thing).clear()
        return thing.x
class A:
    y = D()
a = A()
a.x = 1
a.y

# %% a property made anew while it is read
#: ends: policy
class A:
    @property
    def x(self):
        return p.__init__(None)
p = property(lambda self: 1)
A().x

# %% a cached property that removes itself
#: ends: ok
#: prints: 5
import functools
class A:
    @functools.cached_property
    def x(self):
        vars(self).clear()
        del A.x
        return 5
print(A().x)

# %% a class that loses its attributes while names are set
#: ends: ok
#: prints: a
#: prints: b
#: prints: False
class M:
    def __set_name__(self, owner, name):
        print(name)
        delattr(owner, name)
class B:
    a = M()
    b = M()
print(hasattr(B, 'a'))

# %% a namespace emptied while it is shown
#: ends: ok
#: prints: dictionary changed size during iteration
import types
class V:
    def __repr__(self):
        vars(n).clear()
        return 'v'
n = types.SimpleNamespace(a=V(), b=V())
try:
    print(n)
except RuntimeError as e:
    print(e)

# %% a struct of objects that change their list
#: ends: error error
import struct
class I:
    def __index__(self):
        items.clear()
        return 1
items = [I() for _ in range(3)]
struct.pack('3i', *items)
struct.pack('i', 'x')

# %% a default dict that lets its factory go while it is called
#: ends: ok
#: prints: None
import collections
class D(collections.defaultdict): pass
class E:
    def __lt__(self, other):
        d.default_factory = None
        return False
d = D([E() for _ in range(100)].sort)
print(d['x'])

# %% a default dict made once more while its factory is called
#: ends: ok
#: prints: None 1
import collections
class E:
    def __lt__(self, other):
        collections.defaultdict.__init__(d, None)
        return False
d = collections.defaultdict([E() for _ in range(100)].sort)
print(d['x'], len(d))

# %% a static method made once more while it is called
#: ends: policy
class E:
    def __eq__(self, other):
        staticmethod.__init__(s, len)
        return False
s = staticmethod([E() for _ in range(100)].index)
s(4)

# %% a property of one's own kind made once more while it is called
#: ends: policy
class P(property): pass
class E:
    def __eq__(self, other):
        P.__init__(p, len)
        return False
p = P([E() for _ in range(100)].index)
class A: x = p
A().x

# %% a property that makes itself once more while it is called
#: ends: policy
class P(property):
    def again(self): super().__init__(len)
class E:
    def __eq__(self, other):
        p.again()
        return False
p = P([E() for _ in range(100)].index)
class A: x = p
A().x

# %% an ordered dict emptied while it is copied
#: ends: ok
import collections
class S(collections.OrderedDict):
    def __getitem__(self, k):
        a.clear()
        return 1
a = S((k, 5) for k in range(20))
a.copy()

# %% an ordered dict emptied by its keys while it is copied
#: ends: policy
import collections
class K:
    def __hash__(self): return 1
    def __eq__(self, o):
        a.clear()
        return False
a = collections.OrderedDict()
ks = [K() for _ in range(5)]
on = False
class K2:
    def __init__(self): pass
    def __hash__(self): return 1
    def __eq__(self, o):
        if on: a.clear()
        return False
a = collections.OrderedDict((K2(), i) for i in range(20))
on = True
a.copy()

# %% an ordered dict emptied while another takes it in
#: ends: policy
import collections
class K:
    def __init__(self, n): self.n = n
    def __hash__(self): return 1
    def __eq__(self, o):
        if on: a.clear(); b.clear()
        return False
on = False
a = collections.OrderedDict((K(i), i) for i in range(20))
b = collections.OrderedDict((K(i), i) for i in range(20))
on = True
a.update(b)
a |= b
c = a | b

# %% a bytearray whose parts are of a kind of its own
#: ends: ok
#: prints: bytearray(b'aaa') 100002
class B(bytes):
    def __len__(self): b.clear(); return 1
b = bytearray(b'a' * 100000)
print(b.split(B(b'x'))[0][:3], len(b.join([B(b'x'), B(b'y')])))

# %% a bytearray emptied by widths and counts
#: ends: ok
class I:
    def __index__(self):
        b.clear()
        return 3
b = bytearray(b'a' * 100000)
b.hex(':', I())
b.splitlines(I())
b.zfill(I())
b.ljust(I())
b.center(I())
b.expandtabs(I())
b.split(None, I())

# %% a bytearray that is given items by what says that it has none
#: ends: ok
#: prints: bytearray(b'A') bytearray(b'AAbcde')
class I:
    def __init__(self): self.n = 0
    def __iter__(self): return self
    def __next__(self):
        self.n += 1
        if self.n > 1: raise StopIteration
        return 65
    def __length_hint__(self): return 0
b = bytearray()
b.extend(I())
print(b, end=' ')
b.extend(I())
b.extend(b'bc')
b.extend(memoryview(b'd'))
b.extend(x for x in [101])
print(b)

# %% memory that is released while it is written as a text
#: ends: ok
#: prints: True 6162 61:62
b = bytearray(b'x' * 4000)
m = memoryview(b)
class S(str):
    def __len__(self):
        m.release()
        b.clear()
        return 1
print(set(m.hex(S(':'))) == {'7', '8', ':'}, memoryview(b'ab').hex(), memoryview(b'ab').hex(':'))

# %% flags of a decimal context that is gone
#: ends: ok
#: prints: 0 True
import decimal, sys
changed = 0
for make in (lambda: decimal.getcontext().copy(), decimal.localcontext().__enter__):
    context = make()
    flags, traps = context.flags, context.traps
    size = sys.getsizeof(context) - 33
    del context
    held = [bytes([0]) * size for _ in range(50)]
    for signs in (flags, traps):
        signs[decimal.InvalidOperation] = signs[decimal.DivisionByZero] = True
    changed += sum(any(b) for b in held)
print(changed, decimal.getcontext().copy().flags[decimal.InvalidOperation] in (True, False))

# %% a key of an OrderedDict that makes it larger while it is compared
#: ends: policy
from collections import OrderedDict
class K:
    def __init__(self, n): self.n = n
    def __hash__(self): return 1
    def __eq__(self, o):
        both = {self.n, o.n}
        if armed and both == {"search", "a"}:
            armed.clear()
            for i in range(50000): dict.__setitem__(od, i+10, 0)
            dict.__delitem__(od, a)
            dict.__setitem__(od, K("search2"), 0)
            return False
        return both == {"search", "search2"}
armed = []
a = K("a")
od = OrderedDict()
od[a] = 0
od[0] = 0
armed.append(1)
od.move_to_end(K("search"))

# %% an OrderedDict of plain keys beside a class that compares itself
#: ends: ok
#: prints: [2, 3, 1] 1 3
from collections import OrderedDict
class K:
    def __eq__(self, o): return True
    __hash__ = object.__hash__
od = OrderedDict([(1, "a"), (2, "b"), (3, "c")])
od.move_to_end(1)
print(list(od), K() == 1 and 1, len(od))

# %% weak references as keys of an OrderedDict
#: ends: policy
import collections, weakref
class K:
    def __hash__(self): return 7
    def __eq__(self, o):
        global live
        if live:
            live = False
            for k in range(50000): dict.__setitem__(od, k+100, k)
            dict.pop(od, refs[3]); dict.__setitem__(od, refs[3], 1)
            for k in range(50000): dict.pop(od, k+100)
        return self is o
live = False
od = collections.OrderedDict()
ks = [K() for k in range(5)]
refs = [weakref.ref(k) for k in ks]
for k in refs: od[k] = 1
it = iter(od)
next(it); next(it); next(it)
live = True
try:
    next(it)
    print("REACHED", next(it))
except Exception as e: print(type(e), e)

# %% a property that an enumeration makes once more
#: ends: error TypeError
import enum, functools, operator
import enum, functools, operator
class P(property): pass
class L(list): pass
class A:
    def __eq__(self, other):
        class E(enum.Enum):
            def __new__(cls, *a): return p
            X = (len,)
        for k in range(3000):
            junk.append(L((0, wanted)))
        return False
junk = []
wanted = None
p = P(functools.partial(operator.contains, L([A()])))
class K:
    v = p
wanted = K()
print(wanted.v)
