"""NumPy, which calls methods and functions of the program from its loops and while it takes lists apart."""
#: ends: ok, policy, too_large, error and its type, or any where that depends on the machine
#: prints*: what it prints, a line each

if __name__: raise SystemExit("these programs may do harm: `python -m tests.corpus FILE::NAME` runs one shut in")

# %% objects in an array emptied by its own sort
#: ends: error TypeError
import numpy as np
class A:
    def __lt__(self, other):
        a[:] = None
        return NotImplemented
    __gt__ = __lt__
a = np.array([A() for _ in range(100)], dtype=object)
a.sort()

# %% objects in an array sorted, one of them replaced
#: ends: ok
#: prints: True
import numpy as np
class A:
    def __init__(self, k): self.k = k
    def __lt__(self, other):
        a[0] = 7
        return self.k < other.k
a = np.array([A(k) for k in range(50)][::-1], dtype=object)
a.sort()
print([x.k for x in a] == list(range(50)))

# %% lists in an array emptied by its own sort
#: ends: error TypeError
import numpy as np
class A:
    def __eq__(self, other): return False
    def __lt__(self, other):
        a[:] = None
        return NotImplemented
    __gt__ = __lt__
a = np.empty(50, dtype=object)
for k in range(50):
    a[k] = [A()]
a.sort()

# %% objects in an array emptied by argsort
#: ends: error TypeError
import numpy as np
class A:
    def __lt__(self, other):
        a[:] = None
        return NotImplemented
    __gt__ = __lt__
a = np.array([A() for _ in range(100)], dtype=object)
np.argsort(a)

# %% objects in an array emptied by its own argsort
#: ends: error TypeError
import numpy as np
class A:
    def __lt__(self, other):
        a[:] = None
        return NotImplemented
    __gt__ = __lt__
a = np.array([A() for _ in range(100)], dtype=object)
a.argsort()

# %% objects in an array emptied by its partition
#: ends: error TypeError
import numpy as np
class A:
    def __lt__(self, other):
        a[:] = None
        return NotImplemented
    __gt__ = __lt__
a = np.array([A() for _ in range(100)], dtype=object)
a.partition(5)

# %% objects in an array emptied by argpartition
#: ends: error TypeError
import numpy as np
class A:
    def __lt__(self, other):
        a[:] = None
        return NotImplemented
    __gt__ = __lt__
a = np.array([A() for _ in range(100)], dtype=object)
np.argpartition(a, 5)

# %% objects in an array emptied by searchsorted
#: ends: error TypeError
import numpy as np
class A:
    def __lt__(self, other):
        a[:] = None
        return NotImplemented
    __gt__ = __lt__
a = np.array([A() for _ in range(100)], dtype=object)
a.searchsorted(A())

# %% objects in an array emptied by lexsort
#: ends: error TypeError
import numpy as np
class A:
    def __lt__(self, other):
        a[:] = None
        return NotImplemented
    __gt__ = __lt__
a = np.array([A() for _ in range(100)], dtype=object)
np.lexsort((a, a))

# %% objects in an array emptied by unique
#: ends: error TypeError
import numpy as np
class A:
    def __lt__(self, other):
        a[:] = None
        return NotImplemented
    __gt__ = __lt__
    def __hash__(self): return 1
a = np.array([A() for _ in range(100)], dtype=object)
np.unique(a)

# %% a structured array of objects emptied by its own sort
#: ends: any
import numpy as np
class A:
    def __lt__(self, other):
        a['x'] = None
        return True
a = np.zeros(50, dtype=[('x', object), ('y', int)])
for k in range(50):
    a['x'][k] = A()
a.sort()

# %% numbers in an array of objects are sorted
#: ends: ok
#: prints: [1 2 3] [2 1 0] ['a' 'b']
import numpy as np
a = np.array([3, 1, 2], dtype=object)
a.sort()
print(a, np.argsort(a[::-1]), np.sort(np.array(['b', 'a'], dtype=object)))

# %% objects in arrays emptied by their sum
#: ends: error TypeError
import numpy as np
class A:
    def __add__(self, other):
        a[:] = None
        b[:] = None
        return NotImplemented
    def __radd__(self, other): return NotImplemented
a = np.array([A() for _ in range(100)], dtype=object)
b = np.array([A() for _ in range(100)], dtype=object)
a + b

# %% objects in arrays emptied by a comparison
#: ends: error TypeError
import numpy as np
class A:
    def __lt__(self, other):
        a[:] = None
        b[:] = None
        return NotImplemented
    __gt__ = __lt__
a = np.array([A() for _ in range(100)], dtype=object)
b = np.array([A() for _ in range(100)], dtype=object)
a < b

# %% objects in an array emptied by their equality
#: ends: ok
#: prints: (100,)
import numpy as np
class A:
    def __eq__(self, other):
        a[:] = None
        return NotImplemented
a = np.array([A() for _ in range(100)], dtype=object)
print((a == a[::-1]).shape)

# %% objects in an array emptied by a reduction
#: ends: error TypeError
import numpy as np
class A:
    def __add__(self, other):
        a[:] = None
        return NotImplemented
a = np.array([A() for _ in range(100)], dtype=object)
a.sum()

# %% objects in an array emptied by a product of arrays
#: ends: error TypeError
import numpy as np
class A:
    def __mul__(self, other):
        a[:] = None
        return NotImplemented
a = np.array([A() for _ in range(100)], dtype=object)
np.dot(a, a)

# %% objects in an array emptied by argmax
#: ends: error TypeError
import numpy as np
class A:
    def __gt__(self, other):
        a[:] = None
        return NotImplemented
    __lt__ = __gt__
a = np.array([A() for _ in range(100)], dtype=object)
a.argmax()

# %% objects in an array emptied by their truth
#: ends: any
import numpy as np
class A:
    def __bool__(self):
        a[:] = None
        return True
a = np.array([A() for _ in range(100)], dtype=object)
print(np.nonzero(a), np.count_nonzero(a), np.any(a))

# %% objects in an array emptied while they become numbers
#: ends: error TypeError
import numpy as np
class A:
    def __float__(self):
        a[:] = None
        return 1.0
a = np.array([A() for _ in range(100)], dtype=object)
a.astype(int)

# %% objects in an array emptied while they become texts
#: ends: ok
#: prints: ['None' 'None' 'None']
import numpy as np
class A:
    def __str__(self):
        a[:] = None
        return 'x'
a = np.array([A() for _ in range(3)], dtype=object)
print(a.astype(str))

# %% objects in an array emptied while it is shown
#: ends: any
import numpy as np
class A:
    def __repr__(self):
        a[:] = None
        return 'x'
a = np.array([A() for _ in range(3)], dtype=object)
print(a)

# %% a list emptied by an object's sequence while it becomes an array
#: ends: any
import numpy as np
class S:
    def __len__(self): return 5
    def __getitem__(self, k):
        items.clear()
        if k > 4:
            raise IndexError
        return 1.0
items = [S(), S(), S()]
print(np.array(items, dtype=float).shape)

# %% a list emptied by a length while it becomes an array
#: ends: any
import numpy as np
class S:
    def __len__(self):
        items.clear()
        return 2
    def __getitem__(self, k): return [1.0, 2.0][k]
items = [[S()], [S()], [S()]]
print(np.array(items).shape)

# %% a list emptied by a number while it becomes an array
#: ends: any
import numpy as np
class F:
    def __float__(self):
        items.clear()
        return 1.0
items = [F() for _ in range(1000)]
print(np.array(items, dtype=float).shape)

# %% lists in a list emptied by a number while they become an array
#: ends: any
import numpy as np
class F:
    def __float__(self):
        for row in rows:
            row.clear()
        rows.clear()
        return 1.0
rows = [[F() for _ in range(9)] for _ in range(9)]
print(np.asarray(rows, dtype=float).shape)

# %% lists emptied by an index while they are stacked
#: ends: any
import numpy as np
class F:
    def __float__(self):
        rows.clear()
        return 1.0
    def __len__(self):
        rows.clear()
        return 1
    def __getitem__(self, k):
        rows.clear()
        return [1.0][k]
rows = [[F()], [F()], [F()]]
print(np.stack(rows).shape)

# %% a shape emptied by its own numbers
#: ends: any
import numpy as np
class I:
    def __index__(self):
        items.clear()
        return 3
items = [I(), I()]
print(np.zeros(items).shape)

# %% a shape given to a method emptied by its own numbers
#: ends: any
import numpy as np
class I:
    def __index__(self):
        items.clear()
        return 3
items = [I(), I()]
print(np.zeros((3, 3)).reshape(tuple(items)).shape)

# %% an index that gives its array another shape
#: ends: error IndexError
import numpy as np
class I:
    def __index__(self):
        a.shape = (1000, 100)
        return 99999
a = np.zeros(100000)
a[I()]

# %% an index that gives its array another shape when stored
#: ends: error IndexError
import numpy as np
class I:
    def __index__(self):
        a.shape = (1000, 100)
        return 99999
a = np.zeros(100000)
a[I()] = 1

# %% a value that gives its array another shape when stored
#: ends: policy
import numpy as np
class F:
    def __float__(self):
        a.shape = (1000, 100)
        return 1.0
a = np.zeros(100000)
a[99999] = F()
print(a.sum(), a.shape)

# %% a value that gives its array another shape when it is filled
#: ends: policy
import numpy as np
class F:
    def __float__(self):
        a.shape = (10, 10)
        return 1.0
a = np.zeros(100)
a.fill(F())
print(a.sum())

# %% an axis that gives its array another shape
#: ends: any
import numpy as np
class I:
    def __index__(self):
        a.shape = (10, 10)
        return 2
a = np.zeros((1, 10, 10))
print(a.sum(axis=I()).shape)

# %% an array that cannot be resized
#: ends: error IndexError
import numpy as np
class I:
    def __index__(self):
        a.resize(1, refcheck=False)
        return 99
a = np.zeros(100)
print(a[I()])

# %% a list in which an array is looked for by what it holds
#: ends: any
import numpy as np
class A:
    def __eq__(self, other):
        a[:] = None
        return True
a = np.array([A() for _ in range(10)], dtype=object)
print(5 in a)

# %% vectorize whose function empties the array
#: ends: ok
#: prints: [0. 0. 0. 0. 0.]
import numpy as np
def f(x):
    a[:] = 0
    return x
a = np.arange(5.0)
print(np.vectorize(f)(a))

# %% vectorize of objects whose function empties the array
#: ends: any
import numpy as np
def f(x):
    a[:] = None
    return 1
a = np.array([[1], [2, 3], [4]], dtype=object)
print(np.vectorize(f)(a))

# %% vectorize whose function vectorizes without end
#: ends: error RecursionError
import numpy as np
def f(x): return v(x)
v = np.vectorize(f)
v([1, 2])

# %% apply_along_axis whose function changes the array
#: ends: ok
#: prints: [21. 21. 21.] 21.0
import numpy as np
def f(row):
    a[:] = 0
    row[:] = 7
    return row.sum()
a = np.ones((3, 3))
print(np.apply_along_axis(f, 1, a), a.sum())

# %% apply_over_axes whose function changes the shape
#: ends: error ValueError
import numpy as np
def f(x, axis):
    return np.ones(5)
np.apply_over_axes(f, np.ones((3, 3, 3)), [0, 1])

# %% piecewise whose functions change what it goes over
#: ends: ok
#: prints: [-1. -1. -1. -1.]
import numpy as np
def f(x):
    a[:] = 100
    return -1
a = np.arange(4.0)
print(np.piecewise(a, [a < 2, a >= 2], [f, f]))

# %% fromfunction whose function changes its coordinates
#: ends: ok
#: prints: [[5. 6.]
#: prints:  [5. 6.]]
import numpy as np
def f(i, j):
    i[:] = 5
    return i + j
print(np.fromfunction(f, (2, 2)))

# %% fromiter of an iterator that lies about its length
#: ends: ok
#: prints: (1000,)
import numpy as np
class H:
    def __iter__(self): return iter(range(1000))
    def __length_hint__(self): return 5
print(np.fromiter(H(), float).shape)

# %% fromiter of an iterator that ends early
#: ends: error ValueError
import numpy as np
np.fromiter(iter([1.0]), float, count=100)

# %% fromiter whose iterator counts on the array so far
#: ends: ok
#: prints: 4950
import numpy as np
def values():
    for k in range(100):
        import gc
        yield k
print(np.fromiter(values(), int).sum())

# %% array2string whose formatter gives the array another shape
#: ends: policy
import numpy as np
def f(x):
    a.shape = (10, 10)
    return 'x'
a = np.arange(100.0)
np.array2string(a, formatter={'float': f})

# %% printing options whose formatter prints the array
#: ends: ok
#: prints: [... ... ...]
import numpy as np
a = np.arange(3.0)
np.set_printoptions(formatter={'float': lambda x: str(a)})
print(a)

# %% an error handler that changes the handling of errors
#: ends: any
import numpy as np
def f(kind, flag):
    np.seterr(all='ignore')
    a[:] = 5
    print(kind)
a = np.zeros(3)
with np.errstate(all='call', call=f):
    print(np.ones(3) / a)

# %% an error handler that raises
#: ends: error KeyError
import numpy as np
def f(kind, flag): raise KeyError(kind)
with np.errstate(divide='call', call=f):
    np.ones(3) / np.zeros(3)

# %% error states left in the wrong order
#: ends: ok
#: prints: 4
import numpy as np
a, b = np.errstate(all='raise'), np.errstate(all='ignore')
a.__enter__()
b.__enter__()
a.__exit__(None, None, None)
b.__exit__(None, None, None)
print(len(np.geterr()))

# %% an iteration over an array whose shape changes
#: ends: ok
#: prints: 2
import numpy as np
a = np.arange(6)
n = 0
for x in a:
    a.shape = (2, 3)
    n += 1
print(n)

# %% a flat iterator over an array whose shape changes
#: ends: ok
#: prints: 5 [np.int64(0), np.int64(1), np.int64(2), np.int64(3), np.int64(4), np.int64(5)]
import numpy as np
a = np.arange(6)
f = a.flat
a.shape = (2, 3)
print(f[5], list(f))

# %% nditer whose operands change
#: ends: ok
#: prints: [9 9 9 9]
import numpy as np
a = np.arange(4)
for x in np.nditer(a):
    a[:] = 9
print(a)

# %% an output that is an input of the same call
#: ends: ok
#: prints: [ 0.  1.  3.  5.  7.  9. 11. 13. 15. 17.]
import numpy as np
a = np.arange(10.0)
np.add(a[:-1], a[1:], out=a[1:])
print(a)

# %% random choices of what empties itself
#: ends: any
import numpy as np
class S:
    def __len__(self):
        items.clear()
        return 1
    def __getitem__(self, k):
        items.clear()
        return [1.0][k]
items = [S(), S(), S()]
print(np.random.choice(items))

# %% a random permutation of what empties itself
#: ends: any
import numpy as np
class F:
    def __float__(self):
        items.clear()
        return 1.0
items = [F() for _ in range(9)]
print(len(np.random.permutation(items)))

# %% a shuffle of a list that its own length empties
#: ends: any
import numpy as np
class L(list):
    def __getitem__(self, k):
        self.clear()
        return list.__getitem__(self, k)
np.random.shuffle(L(range(10)))

# %% a generator's state set to what is out of range
#: ends: policy
import numpy as np
np.random.default_rng(0).bit_generator.state = {'bit_generator': 'PCG64'}

# %% an index of objects that change their list
#: ends: any
import numpy as np
class I:
    def __index__(self):
        items.clear()
        return 1
items = [I(), I()]
print(np.zeros((3, 3))[tuple(items)])

# %% take and put of what changes its list
#: ends: any
import numpy as np
class I:
    def __index__(self):
        items.clear()
        return 1
items = [I(), I()]
print(np.take(np.zeros(5), items))

# %% frompyfunc is not there
#: ends: policy
import numpy as np
np.frompyfunc(lambda x: x, 1, 1)

# %% a read-only array stays so
#: ends: error ValueError
import numpy as np
a = np.broadcast_to(np.zeros(1), (5,))
a[0] = 1

# %% a read-only array is not opened
#: ends: policy
import numpy as np
np.broadcast_to(np.zeros(1), (5,)).setflags(write=True)

# %% an array's memory by way of its views
#: ends: ok
#: prints: True <class 'NoneType'>
import numpy as np
a = np.zeros(4)
v = a[1:]
print(v.base is a, type(np.frombuffer(b'abcdefgh', np.uint8).base))

# %% a ufunc of the program's own
#: ends: policy
import numpy as np
class A:
    def __array_ufunc__(self, *args, **kwargs): return args
np.add(A(), 1)

# %% an operator that is a function of Python's own, whose iterator empties the arrays
#: ends: error TypeError
import numpy as np
class B:
    def __next__(self):
        a[:] = b[:] = None
        return NotImplemented
class A:
    __add__ = next
a, b = np.empty(1, object), np.empty(1, object)
a[0], b[0] = A(), B()
a + b

# %% an operator that is a dict's method, whose key empties the arrays
#: ends: error TypeError
import numpy as np
class B:
    def __hash__(self):
        a[:] = b[:] = None
        return 1
    def __eq__(self, other): return True
class A:
    __add__ = {1: NotImplemented}.get
a, b = np.empty(1, object), np.empty(1, object)
a[0], b[0] = A(), B()
a + b

# %% a dict whose operator is its own pop, whose key empties the arrays
#: ends: error KeyError
import numpy as np
class B:
    def __hash__(self):
        a[:] = b[:] = None
        return 1
class A(dict):
    __add__ = dict.pop
a, b = np.empty(1, object), np.empty(1, object)
a[0], b[0] = A({1: 2, 3: 4}), B()
a + b

# %% an operator that is bound to somebody else, who empties the arrays
#: ends: error TypeError
import numpy as np
class A:
    def __add__(self, other):
        a[:] = b[:] = None
        return NotImplemented
somebody = A()
class B:
    __add__ = somebody.__add__
a, b = np.empty(1, object), np.empty(1, object)
a[0], b[0] = B(), 1
a + b

# %% an object that writes into its array when it goes
#: ends: ok
#: prints: [None]
import numpy as np
class D:
    def __del__(self): a[0] = None
a = np.empty(1, object)
a[0] = D()
a[0] = 5
print(a)
x = [D() for _ in range(100)]

# %% objects that empty the array that is added to when they go
#: ends: ok
#: prints: [None None None None None None None None None None]
import numpy as np
class D:
    def __del__(self): a[:] = None
    def __add__(self, o): return D()
    __iadd__ = __add__
a = np.empty(10, object)
for i in range(10): a[i] = D()
a += 5
print(a)

# %% objects that empty the array that is filled when they go
#: ends: ok
#: prints: [None None None None None None None None None None]
import numpy as np
class D:
    def __del__(self): a[:] = None
a = np.empty(10, object)
for i in range(10): a[i] = D()
a.fill(5)
print(a)

# %% tuples in arrays that go while they are compared
#: ends: ok
import numpy as np
class E:
    def __eq__(self, other):
        a[:] = None; b[:] = None
        return True
a, b = np.empty(1, object), np.empty(1, object)
a[0] = tuple(E() for _ in range(50))
b[0] = tuple(E() for _ in range(50))
a == b

# %% tuples that go while a function compares them
#: ends: ok
import numpy as np
class E:
    def __eq__(self, other):
        a[:] = None; b[:] = None
        return True
a, b = np.empty(1, object), np.empty(1, object)
a[0] = tuple(E() for _ in range(50))
b[0] = tuple(E() for _ in range(50))
np.equal(a, b)

# %% a tuple that goes while it is looked for in an array
#: ends: ok
import numpy as np
class E:
    def __eq__(self, other):
        a[:] = None
        return True
a = np.empty(1, object)
a[0] = tuple(E() for _ in range(50))
t = np.empty((), object); t[()] = tuple(E() for _ in range(50))
t in a

# %% tuples that go while arrays in tuples are compared
#: ends: ok
import numpy as np
class E:
    def __eq__(self, other):
        a[:] = None; b[:] = None
        return True
a, b = np.empty(1, object), np.empty(1, object)
a[0] = tuple(E() for _ in range(50))
b[0] = tuple(E() for _ in range(50))
(a,) == (b,)

# %% a text in an array that goes while it is filled in
#: ends: ok
import numpy as np
class E:
    def __str__(self):
        a[:] = None; b[:] = None
        return 'x'
a, b = np.empty(1, object), np.empty(1, object)
a[0] = '%s' * 50 + str(7)
b[0] = tuple(E() for _ in range(50))
a % b

# %% a tuple in an array that goes while it is repeated
#: ends: ok
import numpy as np
class E:
    def __index__(self):
        a[:] = None; b[:] = None
        return 7
a, b = np.empty(1, object), np.empty(1, object)
a[0] = tuple(float(k) for k in range(50))
b[0] = E()
a * b

# %% sets in arrays that go while they are intersected
#: ends: ok
import numpy as np
class E:
    def __hash__(self): return 1
    def __eq__(self, o):
        if on: a[:] = None; b[:] = None
        return self is o
on = False
a, b = np.empty(1, object), np.empty(1, object)
a[0] = {E() for k in range(50)}
b[0] = {E() for k in range(50)}
on = True
a & b

# %% dicts in arrays that go while they are joined
#: ends: ok
import numpy as np
class E:
    def __hash__(self): return 1
    def __eq__(self, o):
        if on: a[:] = None; b[:] = None
        return self is o
on = False
a, b = np.empty(1, object), np.empty(1, object)
a[0] = {E(): 1 for k in range(50)}
b[0] = {E(): 2 for k in range(50)}
on = True
a | b

# %% a product that goes while it is made
#: ends: ok
import numpy as np
class E:
    def __index__(self):
        a[:] = None
        return 7
a = np.empty(3, object)
a[0] = tuple(float(k) for k in range(50))
a[1] = E()
a[2] = E()
np.multiply.reduce(a)

# %% a product by a method that goes while it is made
#: ends: ok
import numpy as np
class E:
    def __index__(self):
        a[:] = None
        return 7
a = np.empty(3, object)
a[0] = tuple(float(k) for k in range(50))
a[1] = E()
a[2] = E()
a.prod()

# %% a tuple that goes in the middle of a dot product
#: ends: ok
import numpy as np
class E:
    def __index__(self):
        a[:] = None; b[:] = None
        return 7
a = np.empty(3, object); b = np.empty(3, object)
for i in range(3): a[i] = tuple(float(k) for k in range(50)); b[i] = E()
a.dot(b)

# %% a tuple that goes in the middle of a matrix product
#: ends: ok
import numpy as np
class E:
    def __index__(self):
        a[:] = None; b[:] = None
        return 7
a = np.empty(3, object); b = np.empty(3, object)
for i in range(3): a[i] = tuple(float(k) for k in range(50)); b[i] = E()
a @ b

# %% a list that goes while an operator takes it apart
#: ends: error ValueError
import numpy as np
class S:
    def __len__(self): return 5
    def __getitem__(self, k):
        a.clear()
        if k > 4: raise IndexError
        return [1.0] * 5
a = [[S()] for _ in range(50)]
np.zeros(3) + a

# %% a list that goes while a ufunc takes it apart
#: ends: ok
import numpy as np
class S:
    def __len__(self): return 5
    def __getitem__(self, k):
        a.clear()
        if k > 4: raise IndexError
        return [1.0] * 5
a = [[S()] for _ in range(50)]
np.add(1, a)

# %% a list that goes while an array in a list is compared with it
#: ends: error ValueError
import numpy as np
class S:
    def __len__(self): return 5
    def __getitem__(self, k):
        a.clear()
        if k > 4: raise IndexError
        return [1.0] * 5
a = [[S()] for _ in range(50)]
[np.zeros(3)] == [a]

# %% a list that goes while it is stored
#: ends: ok
import numpy as np
class S:
    def __len__(self): return 5
    def __getitem__(self, k):
        a.clear()
        if k > 4: raise IndexError
        return [1.0] * 5
a = [[S()] for _ in range(50)]
z = np.zeros((50, 1, 5, 5))
z[:] = a

# %% a list that goes while it is an index
#: ends: policy
import numpy as np
class S:
    def __len__(self): return 5
    def __getitem__(self, k):
        a.clear()
        if k > 4: raise IndexError
        return [1] * 5
    def __index__(self):
        a.clear()
        return 1
a = [[S()] for _ in range(50)]
z = np.zeros((50, 1, 5, 5))
print(z[a].shape)

# %% lists that go while random numbers are drawn by them
#: ends: any
import numpy as np
class S:
    def __len__(self): return 5
    def __getitem__(self, k):
        a.clear()
        if k > 4: raise IndexError
        return [1.0] * 5
    def __float__(self):
        a.clear()
        return 1.0
r = np.random.default_rng(0)
def tr(f):
    global a
    a = [[S()] for _ in range(50)]
    try: f()
    except Exception as e: print(type(e).__name__, str(e)[:60])
tr(lambda: r.normal(a)); tr(lambda: r.choice(a)); tr(lambda: r.permutation(a)); tr(lambda: r.multinomial(5, a)); tr(lambda: r.uniform(a, a)); tr(lambda: r.shuffle(a)); tr(lambda: r.choice(5, p=a)); tr(lambda: r.integers(a)); tr(lambda: r.dirichlet(a))
s = np.random.RandomState(0)
tr(lambda: s.normal(a)); tr(lambda: s.choice(a)); tr(lambda: s.permutation(a)); tr(lambda: s.shuffle(a))

# %% lists that go while methods take them apart
#: ends: any
import numpy as np
class S:
    def __len__(self): return 5
    def __getitem__(self, k):
        a.clear()
        if k > 4: raise IndexError
        return [1.0] * 5
    def __float__(self):
        a.clear()
        return 1.0
z = np.zeros(3)
def tr(f):
    global a
    a = [[S()] for _ in range(50)]
    try: f()
    except Exception as e: print(type(e).__name__, str(e)[:60])
tr(lambda: z.dot(a)); tr(lambda: z.clip(a)); tr(lambda: z.take(a)); tr(lambda: z.put([1], a)); tr(lambda: z.choose(a)); tr(lambda: z.repeat(a)); tr(lambda: z.compress(a)); tr(lambda: z.searchsorted(a)); tr(lambda: z.__add__(a)); tr(lambda: z.__array__().flat.__setitem__(slice(None), a)); tr(lambda: z.sum(where=a)); tr(lambda: z.sum(initial=a)); tr(lambda: z.fill(a)); tr(lambda: np.float64(3) + a); tr(lambda: np.float64(3) == a); tr(lambda: np.add.at(z, [0], a)); tr(lambda: np.add.reduce(a)); tr(lambda: np.r_[a]); tr(lambda: np.vectorize(float)(a)); tr(lambda: np.poly1d([1,2])(a)); tr(lambda: np.array(a)); tr(lambda: sum([z, a])); tr(lambda: np.nditer(a)); tr(lambda: np.mgrid[a])

# %% lists that go while tensors are made of them
#: ends: any
import torch
class S:
    def __len__(self): return 5
    def __getitem__(self, k):
        a.clear()
        if k > 4: raise IndexError
        return [1.0] * 5
    def __float__(self):
        a.clear()
        return 1.0
z = torch.zeros(3)
def tr(f):
    global a
    a = [[S()] for _ in range(50)]
    try: f()
    except Exception as e: print(type(e).__name__, str(e)[:60])
tr(lambda: torch.tensor(a)); tr(lambda: torch.as_tensor(a)); tr(lambda: z + a); tr(lambda: z == a); tr(lambda: z[a]); tr(lambda: z.__setitem__(0, a)); tr(lambda: torch.asarray(a)); tr(lambda: torch.Tensor(a)); tr(lambda: z.new_tensor(a)); tr(lambda: torch.stack(a)); tr(lambda: torch.full((2,), a)); tr(lambda: torch.FloatTensor(a)); tr(lambda: torch.zeros(a)); tr(lambda: torch.where(z>0, z, a))

# %% what the collector destroys in the middle of an addition
#: ends: ok
#: prints: (5.0, 5.0, 5.0) (1999.0, 1999.0, 1999.0)
import numpy as np
class D:
    def __init__(s): s.s = s
    def __del__(s): a[:] = None
a = np.empty(2000, object); b = np.empty(2000, object)
for i in range(2000): a[i] = (float(i), float(i)); b[i] = (float(i),)
for i in range(20): D()
c = a + b
print(c[5], c[1999])

# %% tuples in fields that go while they are compared
#: ends: ok
import numpy as np
class E:
    def __eq__(self, o):
        a['x'] = None; b['x'] = None
        return True
a = np.zeros(3, dtype=[('x', object), ('y', int)]); b = np.zeros(3, dtype=[('x', object), ('y', int)])
for i in range(3): a['x'][i] = tuple(E() for _ in range(50)); b['x'][i] = tuple(E() for _ in range(50))
a == b
a[0] == b[0]

# %% tuples in an array that go while they become something else
#: ends: any
import numpy as np
class E:
    def __repr__(self):
        a[:] = None
        return 'x'
    __str__ = __repr__
    def __float__(self):
        a[:] = None
        return 1.0
    def __len__(self):
        a[:] = None
        return 1
    def __getitem__(self, k):
        a[:] = None
        if k > 4: raise IndexError
        return 1
def mk():
    for i in range(3): a[i] = tuple(E() for _ in range(50))
a = np.empty(3, object)
def tr(f):
    mk()
    try: f()
    except Exception as e: print(type(e).__name__, str(e)[:60])
tr(lambda: a.astype(str)); tr(lambda: a.astype(float)); tr(lambda: print(a)); tr(lambda: np.array2string(a)); tr(lambda: np.array(a.tolist())); tr(lambda: a.astype('S5')); tr(lambda: np.array([a, a])); tr(lambda: a.tolist()); tr(lambda: np.stack(a)); tr(lambda: np.vstack(a)); tr(lambda: np.zeros(3).__setitem__(slice(None), a)); tr(lambda: np.array(a, dtype=float)); tr(lambda: np.concatenate(a)); tr(lambda: a.astype([('x', float)])); tr(lambda: np.add(a, 1, dtype=float, casting='unsafe'))

# %% objects whose truth empties two arrays
#: ends: ok
import numpy as np
class E:
    def __bool__(self):
        a[:] = None; b[:] = None
        return True
a, b = np.empty(3, object), np.empty(3, object)
def mk():
    for i in range(3): a[i] = E(); b[i] = E()
mk(); np.logical_and(a, b)
mk(); np.logical_or(a, b)
mk(); np.logical_and(a, b, dtype=object)
mk(); np.logical_and.reduce(a)
mk(); np.logical_and.reduce(a, dtype=object)
mk(); a.any()
mk(); a.all()
mk(); np.where(a, b, a)
mk(); np.nonzero(a)
mk(); np.argwhere(a)
mk(); a.astype(bool)

# %% tuples that go while the largest is looked for
#: ends: ok
#: prints: ValueError operands could not be broadcast together with shapes (3,) (5
#: prints: TypeError '<' not supported between instances of 'tuple' and 'int'
#: prints: TypeError unsupported operand type(s) for -: 'E' and 'E'
#: prints: TypeError unsupported operand type(s) for /: 'E' and 'int'
import numpy as np
class E:
    def __eq__(self, o):
        a[:] = None; b[:] = None
        return True
    def __lt__(self, o):
        a[:] = None; b[:] = None
        return True
    __ge__ = __gt__ = __le__ = __lt__
a, b = np.empty(3, object), np.empty(3, object)
def mk():
    for i in range(3): a[i] = tuple(E() for _ in range(50)); b[i] = tuple(E() for _ in range(50))
for f in (np.maximum, np.minimum, np.fmax, np.maximum.outer, lambda x, y: np.maximum.reduce(x), lambda x, y: x.max(), lambda x, y: x.min(), lambda x, y: np.max(x), lambda x, y: x.argmax(), lambda x, y: np.argmax(x), lambda x, y: x.clip(y[0], y[1]), lambda x, y: np.clip(x, y[:1], y[1:2]), lambda x, y: np.unique(x), lambda x, y: np.isin(x, y), lambda x, y: np.maximum.accumulate(x), lambda x, y: np.sign(x), lambda x, y: np.ptp(x), lambda x, y: np.less(x, y), lambda x, y: np.searchsorted(x, y), lambda x, y: x.searchsorted(y), lambda x, y: np.median(x), lambda x, y: np.testing.assert_array_equal(x, y), lambda x, y: x.flat == y):
    mk()
    try: f(a, b)
    except Exception as e: print(type(e).__name__, str(e)[:60])

# %% the type of records, called to make one
#: ends: policy
import numpy as np
np.dtype('V8').type((None,), dtype={'names': ['a'], 'formats': ['O'], 'offsets': [200], 'itemsize': 432})

# %% a record of objects whose bytes are swapped
#: ends: ok
#: prints: True
import numpy as np
made = np.zeros(1, dtype={'names': ['a'], 'formats': ['O'], 'offsets': [200], 'itemsize': 432})[0]
kept = []
def at(address):
    freed = bytes(168) + address.to_bytes(8, 'little') + bytes(432 - 33 - 176)
    del freed
    kept.append(made.byteswap())
    return kept[-1]['a']
found = [at(id(kept)) for _ in range(5)]
print(all(x == 0 or x is None for x in found))

# %% records whose size is beyond what NumPy counts
#: ends: ok
#: prints: 42 42
import numpy as np, torch
half = ('i8', (2**28 - 1,))
wide = [('a', *half), ('b', *half), ('c', 'i8'), ('d', 'i8'), ('e', 'i8')]
behind = {'names': ['a'], 'formats': [half], 'offsets': [16], 'itemsize': 8}
text = '(268435455,)i8,(268435455,)i8,i8,i8,i8'
ways = [
    np.dtype, lambda d: np.zeros(1, d), lambda d: np.empty(1, dtype=d), lambda d: np.array([], d), lambda d: np.full(1, 0, d),
    lambda d: np.zeros(8).astype(d), lambda d: np.zeros(8).view(d), lambda d: np.zeros(8).view(dtype=d),
    lambda d: np.zeros(8).getfield(d), lambda d: np.frombuffer(bytes(64), d), lambda d: np.fromiter([], d),
    lambda d: np.loadtxt(['1'], dtype=d), lambda d: np.result_type(d), lambda d: torch.ones(8).__array__(d),
]
refused = 0
for kind in (wide, behind, text):
    for way in ways:
        try:
            way(kind)
        except Exception as e:
            refused += type(e).__name__ == 'PolicyError'
print(refused, 3 * len(ways))

# %% records whose size is beyond what NumPy counts, of what becomes an array
#: ends: ok
#: prints: 5 5
import numpy as np
from PIL import Image
wide = [('a', 'V2000000000'), ('b', 'V2000000000'), ('c', 'V300000000')]
refused = 0
things = np.float64(1), np.poly1d([1, 2]), np.zeros(1, [('a', 'i4')])[0], Image.new('L', (1, 1)), np.zeros(1)
for thing in things:
    try:
        thing.__array__(wide)
    except Exception as e:
        refused += type(e).__name__ == 'PolicyError'
print(refused, len(things))

# %% records whose size is beyond what NumPy counts, as a type of functions
#: ends: policy
import numpy as np
np.vectorize(lambda x: x, otypes=[[('a', 'V2000000000'), ('b', 'V2000000000'), ('c', 'V300000000')]])([1])

# %% records that are too large once two types are united
#: ends: policy
import numpy as np
a = np.zeros(0, [('a', 'S2000000000'), ('b', 'S1'), ('c', 'S1')])
b = np.zeros(0, [('a', 'S1'), ('b', 'S2000000000'), ('c', 'S1')])
c = np.zeros(0, [('a', 'S1'), ('b', 'S1'), ('c', 'S2000000000')])
print(np.concatenate([a, b, c]).dtype.itemsize)

# %% records as programs have them
#: ends: ok
#: prints: 4 (2, 3, 32, 32) [2 5] (2,) <class 'numpy.float32'> |S3
import numpy as np
a = np.array([(1, 2.0), (2, 3.0)], dtype=[('n', 'i4'), ('x', 'f8')])
images = np.frombuffer(bytes(2 * 3073), np.dtype([('label', 'u1'), ('image', 'u1', (3, 32, 32))]))
a['n'] += [1, 3]
aligned = np.dtype([('a', 'i1'), ('b', 'f4')], align=True)
print(aligned['b'].itemsize, images['image'].shape, a['n'], a[['n', 'x']].shape, aligned['b'].type, np.dtype('S3'))

# %% NumPy's type of texts with memory of their own
#: ends: ok
#: prints: TypeError TypeError TypeError TypeError TypeError TypeError TypeError
import numpy as np
found = []
for way in (
    lambda: np.dtype('T'), lambda: np.array(['a'], dtype='T'), lambda: np.array(['a']).astype('T'), lambda: np.zeros(3, 'T'),
    lambda: np.dtype([('a', 'T')]), lambda: np.dtype('i4,T'), lambda: np.zeros(1, 'V16').view('T'),
):
    try:
        way()
    except Exception as e:
        found.append(type(e).__name__)
print(*found)

# %% numbers that give their array another shape while several are stored
#: ends: policy
import numpy as np
arrays = [np.full(200, 0.0) for _ in range(300)]
a = arrays[150]
class F:
    def __float__(self):
        a.shape = (1, 200)
        return 1.5
a[...] = [F()] + [2.5] * 199
print([k for k, b in enumerate(arrays) if b is not a and b.any()])

# %% texts that give their array another shape while several are stored
#: ends: policy
import numpy as np
a = np.full(200, 'abc')
class S:
    def __str__(self):
        a.shape = (1, 200)
        return 'x'
a[...] = [S()] + ['yyy'] * 199

# %% an index that gives its array fewer dimensions
#: ends: ok
#: prints: 0
import numpy as np
a = np.arange(40000.)
wrong = 0
class H:
    def __init__(self, v): self.v = v
    def __index__(self):
        a.shape = 40000
        return self.v
for k in range(3):
    a.shape = (200, 200)
    try:
        wrong += a[3, H(k)] != 600 + k
    except Exception:
        pass
print(wrong)

# %% a shape set by name within an index
#: ends: ok
#: prints: 0
import numpy as np
a = np.arange(40000.).reshape(200, 200)
wrong = 0
class H:
    def __index__(self):
        setattr(a, 'shape', 40000)
        return 7
try:
    wrong += a[3, H()] != 607
except Exception:
    pass
print(wrong)

# %% a shape set by way of what holds the array in C
#: ends: any
import numpy as np, operator
from functools import partial
p = partial(operator.getitem, np.zeros((200, 200)))
class H:
    def __index__(self):
        p.args[0].shape = 40000
        return 3
p((3, H()))

# %% a shape set while a function is mapped over the array
#: ends: policy
import numpy as np
a = np.arange(6)
def f(x):
    a.shape = (2, 3)
    return x
np.vectorize(f)(a)

# %% shapes that programs set
#: ends: ok
#: prints: (2, 3) (3, 2) (1, 4) (6,) (1, 6) (6, 1)
import numpy as np
class V:
    def __init__(self, x): self.x = x
    def __add__(self, other): return V(self.x + other.x)
    def __float__(self): return 1.0
class D:
    def __len__(self): return 3
    def __getitem__(self, k):
        x = np.arange(4.)
        x.shape = (2, 2)
        x.shape = 1, 4
        return x
def made():
    found = np.arange(6)
    found.shape = 3, 2
    return found
a = b = np.arange(6)
a.shape = (2, 3)
print(b.shape, made().shape, D()[0].shape, end=' ')
b.shape = -1
print(a.shape, end=' ')
kept = {'a': a}
kept['a'].shape = (1, 6)
print(a.shape, end=' ')
a.shape = 6
a.shape += (1,)
print(a.shape)

# %% shapes that functions set of what they are given
#: ends: ok
#: prints: (2, 3) (3, 2) (6,)
import numpy as np, torch
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = np.arange(6)
    def forward(self, x):
        self.a.shape = (3, 2)
        return x
def two(a):
    a.shape = (2, 3)
a = np.arange(6)
two(a)
m = M()
m(torch.ones(1))
print(a.shape, m.a.shape, end=' ')
setattr(a, 'shape', 6)
print(a.shape)

# %% counts of repetitions whose sum is beyond what NumPy counts
#: ends: ok
#: prints: 6 6
import numpy as np, torch
refused = 0
ways = (
    lambda: np.repeat(np.arange(4), [2**62] * 4), lambda: np.arange(4).repeat(np.array([2**62] * 4)),
    lambda: np.arange(4).repeat(2**62), lambda: np.tile(np.broadcast_to(np.int8(1), 2**62), 4),
    lambda: torch.repeat_interleave(torch.arange(4), torch.tensor([2**62] * 4)),
    lambda: np.unpackbits(np.broadcast_to(np.uint8(1), 2**61 + 1)),
)
for way in ways:
    try:
        way()
    except (ValueError, RuntimeError):
        refused += 1
print(refused, len(ways))

# %% arrays that are joined and have more elements together than NumPy counts
#: ends: ok
#: prints: 6 6
import numpy as np, torch
class A:
    def __init__(self, n): self.n = n
    def __array__(self, dtype=None, copy=None): return np.broadcast_to(np.int8(1), self.n)
wide, thin = np.broadcast_to(np.int8(1), 2**62), np.zeros(3, 'i1')
tensors = [torch.ones(1, dtype=torch.int8).expand(2**62)] * 4 + [torch.ones(3, dtype=torch.int8)]
ways = (
    lambda: np.concatenate([wide] * 4 + [thin]), lambda: np.hstack((wide, wide, wide, wide, thin)), lambda: np.stack([wide] * 5),
    lambda: torch.cat(tensors), lambda: torch.hstack(tensors), lambda: np.concatenate([A(2**62)] * 4 + [thin]),
)
refused = 0
for way in ways:
    try:
        way()
    except (ValueError, RuntimeError, TypeError):
        refused += 1
print(refused, len(ways))

# %% arrays that programs repeat and join
#: ends: ok
#: prints: [0 1 1] [0 0 1 1] (2, 4) [0 1 2 5 6] [0 1 1 2] (2, 2) [1. 2. 3.] [0 1 0 1 2] [0 0 0 0 0 0 1 1]
import numpy as np, torch
a = np.arange(2)
print(np.repeat(a, [1, 2]), a.repeat(2), np.repeat([[1, 2]], 2, axis=1).repeat(2, axis=0).shape, np.append(np.arange(3), [5, 6]), end=' ')
print(np.concatenate([[0, 1], (1, 2)]), np.stack([a, a]).shape, np.concatenate([torch.ones(1), torch.tensor([2.0, 3.0])]), end=' ')
print(np.concatenate(np.array([[0, 1, 0], [1, 2, 9]]))[:5], np.unpackbits(np.array([3], np.uint8)))

# %% numbers looked at as text that are no characters
#: ends: ok
#: prints: 10 10
import numpy as np
n = np.full(4, 0x7FFFFFFF, 'u4')
text = np.array(['abcd'])
mixed = {'names': ['a', 'b'], 'formats': ['u4', 'U1'], 'offsets': [0, 0]}
ways = (
    lambda: n.view('U4'), lambda: n.view([('a', 'U1')]), lambda: n[0].view('U1'), lambda: np.frombuffer(n.tobytes(), 'U4'),
    lambda: text.view('>U4'), lambda: text.byteswap(), lambda: n.getfield('U1'), lambda: np.dtype(mixed),
    lambda: text.setfield(-1, 'i4'), lambda: np.zeros(1, (np.int32, {'re': ('U1', 0)})),
)
refused = 0
for way in ways:
    try:
        ascii(way().tolist())
    except Exception as e:
        refused += type(e).__name__ in ('PolicyError', 'ValueError')
print(refused, len(ways))

# %% text that is written to as numbers
#: ends: error ValueError
import numpy as np
text = np.array(['abcd'])
text.view('u4')[0] = 0x7FFFFFFF
print(ascii(text[0]))

# %% text that is written to as numbers by way of its memory
#: ends: error ValueError
import numpy as np
text = np.array(['abcd'])
np.frombuffer(text, 'u4')[0] = 0x7FFFFFFF
print(ascii(text[0]))

# %% text that is written to as bytes
#: ends: error TypeError
import numpy as np
text = np.array(['abcd'])
memoryview(text).cast('B')[3] = 0xFF
print(ascii(text[0]))

# %% fields that lie behind a number
#: ends: policy
import numpy as np
np.dtype((np.int32, {'names': ['a'], 'formats': [('i8', (2**28 - 1,))], 'offsets': [16], 'itemsize': 4}))

# %% text that programs look at otherwise
#: ends: ok
#: prints: ['a' 'b' 'c' 'd' 'e' ''] [97 98 99] ['bcd'] ['a' 'b'] [b'a' b'b'] ['1' '2'] ['b'] ['' ''] a
import numpy as np
a = np.array(['abc', 'de'])
print(a.view('U1'), a[:1].view(np.uint32), (a[:1].view(np.int32) + 1).view('U3'), np.array([97, 98], np.uint32).view('U1'), end=' ')
print(np.array([b'ab']).view('S1'), np.array([1, 2]).astype('U1'), np.array([(1, 'b')], [('n', int), ('s', 'U1')])['s'], end=' ')
print(np.empty(2, 'U5'), np.frombuffer(b'a\0\0\0', 'U1')[0])

# %% numbers written with more digits than there is room for
#: ends: ok
#: prints: 5 5
import numpy as np
ways = (
    lambda: np.format_float_scientific(1 / 3, precision=30000, unique=False),
    lambda: np.set_printoptions(precision=30000, floatmode='fixed'),
    lambda: np.array2string(np.array([1 / 3]), precision=30000, floatmode='fixed'),
    lambda: np.format_float_positional(1 / 3, precision=30000, unique=False),
    lambda: np.format_float_positional(1 / 3, pad_left=30000, pad_right=30000),
)
refused = 0
for way in ways:
    try:
        way()
    except ValueError:
        refused += 1
print(refused, len(ways))

# %% numbers written with digits as programs ask for
#: ends: ok
#: prints: 0.333 3.33e-01 [0.33] 0.1000000000 [1.e-09]
import numpy as np
print(np.format_float_positional(1 / 3, precision=3), np.format_float_scientific(1 / 3, precision=2, unique=False), end=' ')
print(np.array2string(np.array([1 / 3]), precision=2), np.format_float_positional(0.1, unique=False, precision=10), np.array([1e-9]))

# %% a file whose records are larger than what NumPy counts
#: ends: policy
import numpy as np, io
said = repr({'descr': '(268435455,)i8,(268435455,)i8,i8,i8,i8', 'fortran_order': True, 'shape': (2, 2)}).encode()
said += b' ' * (117 - len(said)) + b'\n'
np.load(io.BytesIO(b'\x93NUMPY\x01\x00' + len(said).to_bytes(2, 'little') + said + bytes(80)))

# %% files of records
#: ends: ok
#: prints: [(1, 2., 'ab') (3, 4., 'c')] (2,) <class 'numpy.ndarray'>
import numpy as np, io
a = np.array([(1, 2.0, 'ab'), (3, 4.0, 'c')], dtype=[('n', 'i4'), ('x', 'f8'), ('t', 'U2')])
f = io.BytesIO()
np.save(f, a)
f.seek(0)
b = np.load(f)
print(b, b.shape, type(b))

# %% fractions that empty the array they are compared in
#: ends: ok
#: prints: 3
import numpy as np
from fractions import Fraction
class F(Fraction):
    @property
    def denominator(self):
        global live
        if live:
            live = False
            a[:] = None
            junk.extend([bytes(40) for k in range(100)])
        return 1
junk = []
live = False
a = np.array([F(1), F(2), F(3), F(4)], object)
live = True
print(a.argmax())

# %% no room left while arrays begin to be watched
#: ends: ok
#: prints: 0
import sys, numpy as np
sys.setrecursionlimit(300)
made = []
def deep(n):
    if n: return deep(n - 1)
    class A:
        def __eq__(self, o):
            global live
            if live:
                live = False
                a[:] = None
                for k in range(1000): junk.append((k, k, k, k, 'x', 5))
            return True
        def __gt__(self, o):
            print(type(self), o)
            return False
    made.append(A)
for n in range(300, 0, -1):
    try:
        deep(n)
        break
    except RecursionError: continue
sys.setrecursionlimit(1000)
junk=[]; live=False
A = made[0]
a = np.empty(3, object)
for k in range(3): a[k] = (A(), A(), A(), A(), A(), A())
live = True
print(a.argmax())
