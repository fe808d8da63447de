"""Comparisons and hashes that run a program's methods while a container is being sorted, searched or looked up."""
#: ends: ok, policy, too_large, error and its type, or any where that depends on the machine
#: prints*: what it prints, a line each

if __name__: raise SystemExit("these programs may do harm: `python -m tests.corpus FILE::NAME` runs one shut in")

# %% a list emptied by its own sort
#: ends: error ValueError
#: prints: 0
class A:
    def __lt__(self, other):
        print(len(items)) if len(seen) < 1 else None
        seen.append(1)
        items.append(1)
        return True
seen = []
items = [A() for _ in range(50)]
items.sort()

# %% a list emptied by its own sort's key
#: ends: error ValueError
def key(x):
    items.clear()
    items.append(x)
    return x
items = list(range(50))
items.sort(key=key)

# %% sorted, whose key empties the source
#: ends: ok
#: prints: [4, 3, 2, 1, 0] []
def key(x):
    items.clear()
    return -x
items = list(range(5))
print(sorted(items, key=key), items)

# %% min, whose key empties the source
#: ends: ok
#: prints: 3
def key(x):
    items.clear()
    return x
items = [3, 1, 2]
print(min(items, key=key))

# %% max of objects that empty the source
#: ends: ok
#: prints: A
class A:
    def __gt__(self, other):
        items.clear()
        return True
items = [A() for _ in range(30)]
print(type(max(items)).__name__)

# %% two lists compared, whose items leave while they are compared
#: ends: error TypeError
#: prints: A A
class A:
    def __lt__(self, other):
        a.clear()
        b.clear()
        return NotImplemented
    def __gt__(self, other):
        print(type(self).__name__, type(other).__name__)
        return NotImplemented
a, b = [A()], [A()]
a < b

# %% two lists compared for equality, emptied meanwhile
#: ends: ok
#: prints: True
class A:
    def __eq__(self, other):
        a.clear()
        b.clear()
        return NotImplemented
a, b = [A() for _ in range(20)], [A() for _ in range(20)]
print(a == b)

# %% a search in a list that is emptied
#: ends: ok
#: prints: False 0
class A:
    def __eq__(self, other):
        items.clear()
        return NotImplemented
items = [A() for _ in range(20)]
print(5 in items, len(items))

# %% an index in a list that is emptied
#: ends: error ValueError
class A:
    def __eq__(self, other):
        items.clear()
        return NotImplemented
items = [A() for _ in range(20)]
items.index(5)

# %% a count in a list that is emptied
#: ends: ok
#: prints: 0
class A:
    def __eq__(self, other):
        items.clear()
        return NotImplemented
items = [A() for _ in range(20)]
print(items.count(5))

# %% a removal from a list that is emptied
#: ends: error ValueError
class A:
    def __eq__(self, other):
        items.clear()
        return NotImplemented
items = [A() for _ in range(20)]
items.remove(5)

# %% an index in a deque that is emptied
#: ends: error ValueError
import collections
class A:
    def __eq__(self, other):
        items.clear()
        return NotImplemented
items = collections.deque([A() for _ in range(100)])
items.index(5)

# %% an index in a deque of lists that is emptied
#: ends: error ValueError
import collections
class A:
    def __eq__(self, other):
        items.clear()
        return NotImplemented
items = collections.deque([[A(), A()] for _ in range(100)])
items.index([5, 5])

# %% a deque compared and emptied
#: ends: ok
#: prints: False
import collections
class A:
    def __eq__(self, other):
        items.clear()
        return NotImplemented
items = collections.deque([A() for _ in range(100)])
print(items == collections.deque(range(100)))

# %% a deque counted and emptied
#: ends: error RuntimeError
import collections
class A:
    def __eq__(self, other):
        items.clear()
        return NotImplemented
items = collections.deque([A() for _ in range(100)])
items.count(3)

# %% a removal from a deque that is emptied
#: ends: error IndexError
import collections
class A:
    def __eq__(self, other):
        items.clear()
        return NotImplemented
items = collections.deque([A() for _ in range(100)])
items.remove(3)

# %% tuples compared whose lists are emptied
#: ends: error TypeError
class A:
    def __lt__(self, other):
        inner.clear()
        return NotImplemented
    __gt__ = __lt__
inner = [A()]
(inner,) < ([A()],)

# %% a dict searched by a key that empties it
#: ends: ok
#: prints: None 0
class K:
    def __hash__(self): return 1
    def __eq__(self, other):
        d.clear()
        return False
d = {K(): 1, K.__name__: 2}
print(d.get(K()), len(d))

# %% a dict filled by a key that empties it
#: ends: ok
#: prints: 1
class K:
    def __hash__(self): return 1
    def __eq__(self, other):
        d.clear()
        return False
d = {}
for k in range(20):
    d[K()] = k
print(len(d))

# %% two dicts compared, emptied meanwhile
#: ends: ok
#: prints: True
class V:
    def __eq__(self, other):
        a.clear()
        b.clear()
        return True
a, b = {k: V() for k in range(9)}, {k: V() for k in range(9)}
print(a == b)

# %% a dict updated from one that its keys empty
#: ends: error RuntimeError
class K:
    def __init__(self, h): self.h = h
    def __hash__(self): return 1
    def __eq__(self, other):
        source.clear()
        return False
target, source = {K(1): 1}, {}
for k in range(3):
    dict.__setitem__(source, (k,), k)
class Other:
    def __hash__(self): return 1
    def __eq__(self, other): return self is other
source[Other()] = 1
source[5] = 1
source[6] = 1
target.update(source)

# %% a set searched by a member that empties it
#: ends: ok
#: prints: True
class K:
    def __hash__(self): return 1
    def __eq__(self, other):
        s.clear()
        return False
s = {K()}
for k in range(20):
    K() in s
    s.add(K())
print(len(s) > 0)

# %% sets united while they are emptied
#: ends: ok
#: prints: set
#: prints: set
#: prints: set
#: prints: set
#: prints: NoneType
#: prints: bool
class K:
    def __init__(self, h): self.h = h
    def __hash__(self): return self.h
    def __eq__(self, other):
        a.clear()
        b.clear()
        return False
a, b = set(), set()
a.update(range(60, 70))
b.update(range(60, 70))
a.add(K(1))
b.add(K(1))
for f in (lambda: a | b, lambda: a & b, lambda: a - b, lambda: a ^ b, lambda: a.update(b), lambda: a <= b):
    try:
        print(type(f()).__name__)
    except RuntimeError as e:
        print(e)

# %% a heap that is emptied while it is pushed
#: ends: error RuntimeError
import heapq
class A:
    def __lt__(self, other):
        items.clear()
        return True
items = [A() for _ in range(10)]
heapq.heappush(items, A())

# %% a heap that is emptied while it is popped
#: ends: error TypeError
import heapq
class A:
    def __lt__(self, other):
        items.clear()
        return NotImplemented
    __gt__ = __lt__
items = [A() for _ in range(100)]
heapq.heappop(items)

# %% a heap made of objects that replace it
#: ends: error RuntimeError
import heapq
class A:
    def __lt__(self, other):
        items.clear()
        return True
items = [A() for _ in range(10)]
heapq.heapify(items)

# %% nsmallest of objects that empty the source
#: ends: ok
#: prints: 3
import heapq
class A:
    def __lt__(self, other):
        items.clear()
        return True
items = [A() for _ in range(30)]
print(len(heapq.nsmallest(3, items)))

# %% a bisection of a list that is emptied
#: ends: error IndexError
import bisect
class A:
    def __lt__(self, other):
        items.clear()
        return False
items = [A() for _ in range(30)]
bisect.bisect_left(items, A())

# %% insort into a list that is emptied
#: ends: ok
#: prints: list index out of range
#: prints: True
import bisect
class A:
    def __lt__(self, other):
        items.clear()
        return True
items = [A() for _ in range(2)]
try:
    bisect.insort(items, A())
except IndexError as e:
    print(e)
print(len(items) < 3)

# %% cmp_to_key whose function empties the list
#: ends: error ValueError
import functools
def compare(a, b):
    items.append(1)
    return 0
items = list(range(30))
items.sort(key=functools.cmp_to_key(compare))

# %% a cache that is cleared while a key is looked up
#: ends: ok
#: prints: 100
import functools
class K:
    def __hash__(self): return 1
    def __eq__(self, other):
        f.cache_clear()
        return False
@functools.lru_cache(2)
def f(x): return 1
print(sum(f(K()) for _ in range(100)))

# %% a cache entered again by a key
#: ends: ok
#: prints: 50
import functools
class K:
    def __hash__(self): return 1
    def __eq__(self, other):
        if not deep:
            deep.append(1)
            f(K())
            deep.pop()
        return False
deep = []
@functools.lru_cache(3)
def f(x): return 1
print(sum(f(K()) for _ in range(50)))

# %% total_ordering of objects that leave while they are compared
#: ends: error TypeError
import functools
@functools.total_ordering
class A:
    def __lt__(self, other):
        a.clear()
        b.clear()
        return NotImplemented
    def __eq__(self, other): return False
a, b = [A()], [A()]
a >= b

# %% a dataclass with order whose fields empty the list
#: ends: error TypeError
import dataclasses
class V:
    def __eq__(self, other): return False
    def __lt__(self, other):
        a.clear()
        b.clear()
        return NotImplemented
    __gt__ = __lt__
@dataclasses.dataclass(order=True)
class D:
    v: V
a, b = [D(V())], [D(V())]
a < b

# %% an ordered dict compared and emptied
#: ends: ok
#: prints: False
#: prints: 0
import collections
class V:
    def __eq__(self, other):
        a.clear()
        return True
a = collections.OrderedDict((k, V()) for k in range(20))
b = collections.OrderedDict((k, V()) for k in range(20))
try:
    print(a == b)
except (RuntimeError, KeyError) as e:
    print('ends')
print(len(a))

# %% weak references compared while what they point to goes
#: ends: ok
#: prints: False
import weakref
class E:
    def __hash__(self): return 1
    def __eq__(self, other):
        global x, y
        x = y = None
        return NotImplemented
x, y = E(), E()
a, b = weakref.ref(x), weakref.ref(y)
print(a == b)

# %% a weak set searched by a member that lets the others go
#: ends: ok
#: prints: False
import weakref
class H:
    def __hash__(self): return 1
    def __eq__(self, other):
        items.clear()
        return False
items = [H() for _ in range(20)]
s = weakref.WeakSet(items)
print(H() in s)

# %% a hash that changes the dict it is for
#: ends: ok
#: prints: 1
class K:
    def __hash__(self):
        d.clear()
        return 1
d = {1: 2}
d[K()] = 1
print(len(d))

# %% indexOf and countOf of a list that is emptied
#: ends: ok
#: prints: 0
import operator
class A:
    def __eq__(self, other):
        items.clear()
        return False
items = [A() for _ in range(20)]
print(operator.countOf(items, 5))

# %% lists within lists that go while they are compared
#: ends: ok
#: prints: False
n = 0
class E:
    def __eq__(self, o):
        global n
        n += 1
        if n == 1: return False
        a.clear(); b.clear()
        return True
    def __lt__(self, o): return False
a, b = [[E() for _ in range(50)]], [[E() for _ in range(50)]]
print(a < b)

# %% a bytearray emptied by what is looked for
#: ends: ok
#: prints: -1
class I:
    def __index__(self):
        b.clear()
        return 171
b = bytearray(b'a' * 100000)
print(b.find(I()))

# %% a bytearray emptied while it is counted
#: ends: ok
#: prints: 0 0
class I:
    def __index__(self):
        b.clear()
        return 6
b = bytearray(b'a' * 100000)
print(b.count(I()), b.count(b'a', I()))

# %% a bytearray emptied by where to look
#: ends: ok
#: prints: True False
class I:
    def __index__(self):
        b.clear()
        return 65
b = bytearray(b'a' * 100000)
print(b.startswith(b'a' * 500, I()), b.endswith(b'a'*500, I()))

# %% ordered dicts emptied by their values
#: ends: ok
#: prints: True
import collections
class V:
    def __eq__(self, o):
        a.clear(); b.clear()
        return True
a = collections.OrderedDict((i, V()) for i in range(20))
b = collections.OrderedDict((i, V()) for i in range(20))
print(a == b)

# %% slices in lists that go while they are compared
#: ends: ok
#: prints: False
n = 0
class E:
    def __eq__(self, o):
        global n
        n += 1
        if n == 1: return False
        a.clear(); b.clear()
        return True
    def __lt__(self, o):
        a.clear(); b.clear()
        return False
a, b = [slice(E(), E(), E())], [slice(E(), E(), E())]
print(a < b)
