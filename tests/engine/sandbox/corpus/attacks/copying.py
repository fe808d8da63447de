"""Copies whose state, arguments or kind somebody else decides."""
#: goal: what it tries, by which it is judged (`attacks.py` says what there is)

if __name__: raise SystemExit("these programs may do harm: `python -m tests.corpus FILE::NAME` runs one shut in")

# %% a memo whose get answers with a state
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A: pass
a = A()
a.x = 1

class M(dict):
    def get(self, key, default=None): return default if key in (id(a), id(A)) else state
look(copy.deepcopy(a, M()))

# %% a memo that has every key
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A: pass
a = A()
a.x = 1

class M(dict):
    def __getitem__(self, key): return state
    def __contains__(self, key): return key not in (id(a), id(A))
    def __missing__(self, key): return state
    def get(self, key, default=None): return self[key] if key in self and key != id(A) else default
look(copy.deepcopy(a, M()))

# %% a memo that is a defaultdict
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A: pass
a = A()
a.x = 1

import collections
look(copy.deepcopy(a, collections.defaultdict(lambda: state)))

# %% a memo that is no dict
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A: pass
a = A()
a.x = 1

class M:
    def get(self, key, default=None): return default if key in (id(a), id(A)) else state
    def __setitem__(self, key, value): pass
    def __getitem__(self, key): return []
look(copy.deepcopy(a, M()))

# %% a memo whose one key equals all others
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A: pass
a = A()
a.x = 1

class Key(int):
    def __eq__(self, other): return True
    def __hash__(self): return self.now
memo = {}
for k in range(4000):
    key = Key(k)
    key.now = (id(a) // 16 + k - 2000) * 16
    if key.now != id(a): memo[key] = state
look(copy.deepcopy(a, memo))

# %% a memo with all addresses nearby
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A: pass
a = A()
a.x = 1

look(copy.deepcopy(a, {k: state for k in range(id(a) - 200_000, id(a) + 200_000, 16) if k != id(a)}))

# %% a live memo with ids of freed dicts
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A: pass
class P:
    def __deepcopy__(self, memo):
        for d in [{k: 1} for k in range(2000)]: memo[id(d)] = state
        return 1
objects = []
for k in range(300):
    a = A()
    a.x = k
    objects.append(a)
for y in copy.deepcopy([P(), *objects]):
    if not isinstance(y, int):
        try: look(y)
        except Exception: pass

# %% a live memo with ids of freed dicts, for exceptions
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class P:
    def __deepcopy__(self, memo):
        for d in [{k: 1} for k in range(2000)]: memo[id(d)] = state
        return 1
objects = []
for k in range(300):
    e = ValueError(k)
    e.x = k
    objects.append(e)
for y in copy.deepcopy([P(), *objects]):
    if not isinstance(y, int):
        try: look(y)
        except Exception: pass

# %% a live memo with ids of freed tuples
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
import functools
class P:
    def __deepcopy__(self, memo):
        for d in [(abs, (), {}, {k: 1}) for k in range(2000)]: memo[id(d)] = (abs, (), {}, state)
        return 1
for y in copy.deepcopy([P(), *[functools.partial(pow, k) for k in range(300)]]):
    if not isinstance(y, int):
        try: look(y)
        except Exception: pass

# %% a state found in the memo and changed
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A: pass
class P:
    def __deepcopy__(self, memo):
        for found in list(memo.values()):
            if type(found) is dict: found.update(state)
        return 1
a = A()
a.p, a.q = P(), P()
look(copy.deepcopy(a))

# %% the state of an exception found in the memo and changed
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class P:
    def __deepcopy__(self, memo):
        for found in list(memo.values()):
            if type(found) is dict: found.update(state)
            if type(found) is list:
                for one in found:
                    if type(one) is dict: one.update(state)
        return 1
e = ValueError(1)
e.p, e.q = P(), P()
look(copy.deepcopy(e))

# %% the state with slots found in the memo and changed
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A:
    __slots__ = ('p', 'q', '__dict__x')
class P:
    def __deepcopy__(self, memo):
        for found in list(memo.values()):
            if type(found) is dict: found.update(state)
        return 1
class B(A): pass
b = B()
b.p, b.q, b.r = P(), P(), P()
look(copy.deepcopy(b))

# %% originals found in the memo and changed
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A: pass
class P:
    def __deepcopy__(self, memo):
        for kept in memo.get(id(memo), []):
            if type(kept) is dict: kept.update(state)
        return 1
a = A()
a.p, a.q = P(), P()
copy.deepcopy([a, 1])
look(a)

# %% a partial's state in the memo
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
import functools
class P:
    def __deepcopy__(self, memo):
        for found in list(memo.values()):
            if type(found) is dict: found.update(state)
        return 1
f = functools.partial(pow, P(), a=P(), b=P())
look(copy.deepcopy(f))
look(copy.deepcopy([f, f])[0])

# %% a frozen dataclass's state in the memo
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
import dataclasses
class P:
    def __deepcopy__(self, memo):
        for found in list(memo.values()):
            if type(found) is list: found[:] = [evil] * len(found)
            if type(found) is dict: found.update(state)
        return 1
@dataclasses.dataclass(frozen=True, slots=True)
class D:
    a: object
    b: object
look(copy.deepcopy(D(P(), P())))

# %% a memo that is kept and filled later
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A: pass
kept = []
class P:
    def __deepcopy__(self, memo):
        kept.append(memo)
        return 1
class Q:
    def __deepcopy__(self, memo):
        for m in kept:
            for k in range(id(a) - 100_000, id(a) + 100_000, 16): m.setdefault(k, state)
        return 1
a = A()
a.x = A()
a.x.y = 2
y = copy.deepcopy([P(), Q(), a])
look(y[2] if not isinstance(y[2], dict) else y[2].x)

# %% a memo that is cleared meanwhile
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A: pass
class P:
    def __deepcopy__(self, memo):
        memo.clear()
        for d in [{k: 1} for k in range(1000)]: memo[id(d)] = state
        return 1
objects = []
for k in range(100):
    a = A()
    a.p, a.x = P(), k
    objects.append(a)
for y in copy.deepcopy(objects):
    try: look(y)
    except Exception: pass

# %% a memo whose list of originals is the program's
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A: pass
a = A()
a.x = [A()]
class L(list):
    def append(self, thing):
        if type(thing) is dict: thing.update(state)
memo = {}
memo[id(memo)] = L()
look(copy.deepcopy(a, memo))
look(copy.deepcopy([a], memo)[0])

# %% a memo filled when an object goes
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A: pass
memo = {}
class Gone:
    def __del__(self):
        for d in [{k: 1} for k in range(500)]: memo[id(d)] = state
class P:
    def __deepcopy__(self, m):
        Gone()
        return 1
objects = []
for k in range(100):
    a = A()
    a.x, a.p = k, P()
    objects.append(a)
for y in copy.deepcopy(objects, memo):
    try: look(y)
    except Exception: pass

# %% a memo filled by a key's hash
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A: pass
memo = {}
class Key:
    def __hash__(self):
        for d in [{k: 1} for k in range(500)]: memo[id(d)] = state
        return 1
objects = []
for k in range(100):
    a = A()
    a.x, a.k = k, {Key(): 1}
    objects.append(a)
for y in copy.deepcopy(objects, memo):
    try: look(y)
    except Exception: pass

# %% a memo filled by a list's append
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A: pass
memo = {}
class L(list):
    def append(self, thing):
        for d in [{k: 1} for k in range(500)]: memo[id(d)] = state
    extend = append
objects = []
for k in range(100):
    a = A()
    a.x, a.k = k, L([1])
    objects.append(a)
for y in copy.deepcopy(objects, memo):
    try: look(y)
    except Exception: pass

# %% a memo answers for a class
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A: pass
class B:
    def __new__(cls, *a):
        e = ValueError()
        return e
a = A()
a.x = 1
look(copy.deepcopy(a, {id(A): B, id(a.x): state}))

# %% __deepcopy__ of an array of objects with a memo of one's own
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A: pass
a = A()
a.x = 1

class M(dict):
    def get(self, key, default=None): return default if key in keys else state
keys = {id(a), id(A)}
thing = np.array([a], dtype=object)
y = thing.__deepcopy__(M())
look(y[0])

# %% __deepcopy__ of an array without dimensions with a memo of one's own
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A: pass
a = A()
a.x = 1

class M(dict):
    def get(self, key, default=None): return default if key in keys else state
keys = {id(a), id(A)}
thing = np.array(a, dtype=object)
y = thing.__deepcopy__(M())
look(y[()])

# %% __deepcopy__ of an array of records with a memo of one's own
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A: pass
a = A()
a.x = 1

class M(dict):
    def get(self, key, default=None): return default if key in keys else state
keys = {id(a), id(A)}
thing = np.array([(a,)], dtype=[('f', object)])
y = thing.__deepcopy__(M())
look(y[0]['f'])

# %% __deepcopy__ of a record with a memo of one's own
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A: pass
a = A()
a.x = 1

class M(dict):
    def get(self, key, default=None): return default if key in keys else state
keys = {id(a), id(A)}
thing = np.array([(a,)], dtype=[('f', object)])[0]
y = thing.__deepcopy__(M())
look(y['f'])

# %% __deepcopy__ of a dict with weak keys
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A: pass
a = A()
a.x = 1

import weakref
class M(dict):
    def get(self, key, default=None): return default if key in (id(a), id(A)) else state
w = weakref.WeakKeyDictionary()
w[A] = a
look(w.__deepcopy__(M())[A])

# %% __deepcopy__ of a dict with weak values
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A: pass
a = A()
a.x = 1

import weakref
class M(dict):
    def get(self, key, default=None): return default if key in (id(a), id(A)) else state
w = weakref.WeakValueDictionary()
w[a] = A
look(list(w.__deepcopy__(M()))[0])

# %% __deepcopy__ of a class with weak keys
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A: pass
a = A()
a.x = 1

import weakref
class M(dict):
    def get(self, key, default=None): return default if key in (id(a), id(A)) else state
w = weakref.WeakKeyDictionary()
w[A] = a
look(weakref.WeakKeyDictionary.__deepcopy__(w, M())[A])

# %% __deepcopy__ by getattr
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A: pass
a = A()
a.x = 1

import functools, operator, weakref
class M(dict):
    def get(self, key, default=None): return default if key in (id(a), id(A)) else state
w = weakref.WeakKeyDictionary()
w[A] = a
look((getattr(w, '__deepcopy__')(M()))[A])

# %% __deepcopy__ by methodcaller
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A: pass
a = A()
a.x = 1

import functools, operator, weakref
class M(dict):
    def get(self, key, default=None): return default if key in (id(a), id(A)) else state
w = weakref.WeakKeyDictionary()
w[A] = a
look((operator.methodcaller('__deepcopy__', M())(w))[A])

# %% __deepcopy__ by attrgetter
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A: pass
a = A()
a.x = 1

import functools, operator, weakref
class M(dict):
    def get(self, key, default=None): return default if key in (id(a), id(A)) else state
w = weakref.WeakKeyDictionary()
w[A] = a
look((operator.attrgetter('__deepcopy__')(w)(M()))[A])

# %% __deepcopy__ by map
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A: pass
a = A()
a.x = 1

import functools, operator, weakref
class M(dict):
    def get(self, key, default=None): return default if key in (id(a), id(A)) else state
w = weakref.WeakKeyDictionary()
w[A] = a
look((list(map(w.__deepcopy__, [M()]))[0])[A])

# %% __deepcopy__ by partial
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A: pass
a = A()
a.x = 1

import functools, operator, weakref
class M(dict):
    def get(self, key, default=None): return default if key in (id(a), id(A)) else state
w = weakref.WeakKeyDictionary()
w[A] = a
look((functools.partial(w.__deepcopy__, M())())[A])

# %% __deepcopy__ by partialmethod
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A: pass
a = A()
a.x = 1

import functools, operator, weakref
class M(dict):
    def get(self, key, default=None): return default if key in (id(a), id(A)) else state
w = weakref.WeakKeyDictionary()
w[A] = a
look((type('x')(1) and functools.reduce(lambda m, n: w.__deepcopy__(m), [M(), 0]))[A])

# %% __deepcopy__ of a subclass's base
#: goal: marks
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A: pass
a = A()
a.x = 1

import torch
class M(dict):
    def __setitem__(self, key, value): value.__dict__.update(state)
    def get(self, key, default=None): return state
class T(torch.Tensor):
    def __deepcopy__(self, memo): return super().__deepcopy__(M())
t = T([1.0])
t.a = a
y = copy.deepcopy(t)
print(y.__dict__)
if N in y.__dict__ or hasattr(y, 'a') and type(y.a) is dict: print('REACHED')

# %% a memo that gets a tensor
#: goal: marks
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
import torch
class M(dict):
    def __setitem__(self, key, value): print('REACHED')
    def __contains__(self, key): print('REACHED')
torch.ones(2).__deepcopy__(M())
torch.nn.Parameter(torch.ones(2)).__deepcopy__(M())
copy.deepcopy(torch.ones(2), M())

# %% a gradient with a __deepcopy__ of its own
#: goal: marks
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
import torch
memos = []
class T(torch.Tensor):
    def __deepcopy__(self, memo):
        memos.append(memo)
        return self
x = torch.ones(2, requires_grad=True)
y = torch.ones(2, requires_grad=True)
x.grad = T([1.0, 1.0])
copy.deepcopy([y, x])
for m in memos:
    if any(isinstance(v, torch.Tensor) and v.requires_grad for v in m.values() if v is not None) and id(x) in m: print('REACHED')

# %% a copy that is a function of the engine
#: goal: marks
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
import torch
class A:
    def __new__(cls): return torch.relu
a = object.__new__(A)
a.mine = 'REACHED'
try: copy.copy(a)
finally: print(getattr(torch.relu, 'mine', ''))

# %% a deep copy that is a function of the engine
#: goal: marks
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
import torch
class A:
    def __new__(cls): return torch.relu
a = object.__new__(A)
a.op = 'REACHED'
try: copy.deepcopy(a)
finally: print(getattr(torch.relu, 'op', ''))

# %% a copy that is a module
#: goal: marks
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
import math
class A:
    def __new__(cls): return math
a = object.__new__(A)
a.pi = 'REACHED'
try: copy.copy(a)
finally: print(math.pi)

# %% a deep copy that is a module, of an averaged model
#: goal: marks
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
import math, torch
class A:
    def __new__(cls): return math
class Net(torch.nn.Module): pass
net = Net()
net.a = object.__new__(A)
net.a.pi = 'REACHED'
try: torch.optim.swa_utils.AveragedModel(net)
finally: print(math.pi)

# %% a deep copy that is a module, in an optimizer's groups
#: goal: marks
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
import math, torch
class A:
    def __new__(cls): return math
a = object.__new__(A)
a.pi = 'REACHED'
w = torch.nn.Parameter(torch.ones(1))
o = torch.optim.SGD([w], 0.1)
s = o.state_dict()
s['param_groups'][0]['mine'] = a
try: o.load_state_dict(s)
finally: print(math.pi)

# %% a deep copy that is a module, in a dataclass
#: goal: marks
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
import dataclasses, math
class A:
    def __new__(cls): return math
@dataclasses.dataclass
class D:
    a: object
d = D(object.__new__(A))
d.a.pi = 'REACHED'
try: dataclasses.asdict(d)
finally: print(math.pi)

# %% a deep copy that is a module, as a tuple
#: goal: marks
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
import dataclasses, math
class A:
    def __new__(cls): return math
@dataclasses.dataclass
class D:
    a: object
d = D(object.__new__(A))
d.a.pi = 'REACHED'
try: dataclasses.astuple(d)
finally: print(math.pi)

# %% a deep copy that is a module, saved
#: goal: marks
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
import math, torch
class A:
    def __new__(cls): return math
a = object.__new__(A)
a.pi = 'REACHED'
try: torch.save([a], 'x.pt')
finally: print(math.pi)

# %% a deep copy that is a module, in an encoder
#: goal: marks
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
import math, torch
class A:
    def __new__(cls): return math
layer = torch.nn.TransformerEncoderLayer(4, 2)
layer.a = object.__new__(A)
layer.a.pi = 'REACHED'
try: torch.nn.TransformerEncoder(layer, 2)
finally: print(math.pi)

# %% a batch's mapping whose copy is a module
#: goal: marks
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
import math, torch, collections
class A(collections.UserDict):
    def __new__(cls, *a): return math
a = object.__new__(A)
a.data = {'x': 1}
a.pi = 'REACHED'
try: torch.utils.data.default_collate([a, a])
finally: print(math.pi)

# %% a UserDict's copy that is a module
#: goal: marks
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
import collections, math
class A(collections.UserDict):
    def __new__(cls, *a): return math
a = object.__new__(A)
a.data, a.pi = {}, 'REACHED'
try: a.copy()
finally: print(math.pi)

# %% a UserDict's __copy__ that is a module
#: goal: marks
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
import collections, math
class A(collections.UserDict):
    def __new__(cls, *a): return math
a = object.__new__(A)
a.data, a.pi = {}, 'REACHED'
try: a.__copy__()
finally: print(math.pi)

# %% a UserList's copy that is a module
#: goal: marks
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
import collections, math
class A(collections.UserList):
    def __new__(cls, *a): return math
a = object.__new__(A)
a.data, a.pi = [], 'REACHED'
try: copy.copy(a)
finally: print(math.pi)

# %% a copy that is a tensor with a private attribute
#: goal: marks
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
import torch
t = torch.ones(2)
class A:
    __slots__ = ('_array',)
    def __new__(cls): return t
a = object.__new__(A)
a._array = [1, 2, 3, 'REACHED']
try: copy.copy(a)
finally: print(t.tolist())

# %% a copy that is a class of the engine
#: goal: marks
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
import torch
class A:
    def __new__(cls): return torch.nn.Linear
class B:
    __slots__ = ('forward',)
    def __new__(cls): return torch.nn.Linear
for kind in (A, B):
    a = object.__new__(kind)
    a.forward = lambda self, x: 'REACHED'
    try: copy.copy(a)
    except Exception: pass
print(torch.nn.Linear(1, 1)(torch.ones(1)))

# %% a copy that is a generator of random numbers
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
rng = np.random.RandomState(0)
class A:
    __slots__ = ('state', 'pos')
    def __new__(cls): return rng
a = object.__new__(A)
a.state, a.pos = {'bit_generator': 'MT19937', 'state': {'key': np.zeros(624, np.uint32), 'pos': 10**6}}, 10**6
for c in (copy.copy, copy.deepcopy):
    try: c(a)
    except Exception: pass
s = rng.get_state()
if s[2] > 624: print('REACHED')

# %% a copy that is an array
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
array = np.zeros(3)
class A:
    __slots__ = ('shape', 'strides')
    def __new__(cls): return array
a = object.__new__(A)
a.shape, a.strides = (3,), (10**6,)
for c in (copy.copy, copy.deepcopy):
    try: c(a)
    except Exception: pass
if array.strides != (8,): print('REACHED')

# %% a copy that is a dtype
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
d = np.dtype([('a', 'i8')])
class A:
    __slots__ = ('names', 'fields')
    def __new__(cls): return d
a = object.__new__(A)
a.names, a.fields = ('b',), {'b': (np.dtype('O'), 0)}
for c in (copy.copy, copy.deepcopy):
    try: c(a)
    except Exception: pass
if d.names != ('a',) or np.zeros(1, d).dtype.hasobject: print('REACHED')

# %% a copy that is a function of one's own
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
def f(): pass
class A:
    def __new__(cls): return f
a = object.__new__(A)
a.x = 1
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
try: vars(a)[Text('x')] = evil
except Exception: pass
look(copy.copy(a))

# %% a copy that is an exception
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A:
    def __new__(cls): return ValueError()
a = object.__new__(A)
a.x = 1
class M(dict):
    def get(self, key, default=None): return default if key in (id(a), id(A)) else state
look(copy.deepcopy(a, M()))

# %% a copy that is a namespace
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
import types
class A(types.SimpleNamespace):
    def __new__(cls, *a, **k): return types.SimpleNamespace()
a = types.SimpleNamespace.__new__(A)
try: a.__init__(**state)
except Exception: a.x = evil
for c in (copy.copy, copy.deepcopy):
    look(c(a))

# %% items of a copy go into something else
#: goal: marks
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
import os
class A(dict):
    def __new__(cls, *a): return os.environ
a = dict.__new__(A)
dict.__setitem__(a, 'x', 'REACHED')
class L(list):
    def __new__(cls, *a): return vars(np)
l = list.__new__(L)
list.append(l, 'REACHED')
for thing in (l,):
    try: copy.copy(thing)
    except Exception: pass
print(getattr(np, 'REACHED', ''))

# %% a method's object that is replaced in its copy
#: goal: marks
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
rng = np.random.RandomState(0)
class A:
    def __deepcopy__(self, memo): return rng
f = copy.deepcopy(A().__init__)
try:
    f(0)
    print('REACHED')
except TypeError: pass

# %% a method's object that is replaced by a memo
#: goal: marks
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
rng = np.random.RandomState(0)
class A: pass
a = A()
f = copy.deepcopy(a.__init__, {id(a): rng})
f(0)
print('REACHED')

# %% a method's object that is replaced, to set attributes
#: goal: marks
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
import math
class A:
    def __deepcopy__(self, memo): return math
w = A().__eq__
f = copy.deepcopy(w)
print(f)
class B(A):
    def __setattr__(self, n, v): pass
s = copy.deepcopy(super(B, B()).__setattr__)
s('pi', 'REACHED')
print(math.pi)

# %% insides in the memo of a copy of copy's own functions
#: goal: marks
import copy, logging, math, random, sys
import numpy as np, torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(c, x):
        global ctx
        ctx = c
        return x * 2
    @staticmethod
    def backward(c, g): return g
F.apply(torch.ones(1, requires_grad=True))
memo = {}
thing = copy.deepcopy
for c in (copy.deepcopy, lambda x, m: copy.deepcopy([x], m), lambda x, m: x.__deepcopy__(m)):
    try: c(thing, memo)
    except Exception as e: print(e)
def inside(v, deep=0):
    t = repr(v)
    if v is not thing and type(v) is not type(thing) and ('uards' in t or 'Copying' in t or 'World' in t): return True
    return type(v) in (list, tuple) and deep < 3 and any(inside(i, deep + 1) for i in v if i is not thing)
for v in list(memo.values()):
    if type(v) is not list and inside(v): print('REACHED')

# %% insides in the memo of a copy of a generator of torch
#: goal: marks
import copy, logging, math, random, sys
import numpy as np, torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(c, x):
        global ctx
        ctx = c
        return x * 2
    @staticmethod
    def backward(c, g): return g
F.apply(torch.ones(1, requires_grad=True))
memo = {}
thing = torch.Generator()
for c in (copy.deepcopy, lambda x, m: copy.deepcopy([x], m), lambda x, m: x.__deepcopy__(m)):
    try: c(thing, memo)
    except Exception as e: print(e)
def inside(v, deep=0):
    t = repr(v)
    if v is not thing and type(v) is not type(thing) and ('tream' in t or 'MT19937' in t or hasattr(v, 'bits')): return True
    return type(v) in (list, tuple) and deep < 3 and any(inside(i, deep + 1) for i in v if i is not thing)
for v in list(memo.values()):
    if type(v) is not list and inside(v): print('REACHED')

# %% insides in the memo of a copy of the default generator
#: goal: marks
import copy, logging, math, random, sys
import numpy as np, torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(c, x):
        global ctx
        ctx = c
        return x * 2
    @staticmethod
    def backward(c, g): return g
F.apply(torch.ones(1, requires_grad=True))
memo = {}
thing = torch.default_generator
for c in (copy.deepcopy, lambda x, m: copy.deepcopy([x], m), lambda x, m: x.__deepcopy__(m)):
    try: c(thing, memo)
    except Exception as e: print(e)
def inside(v, deep=0):
    t = repr(v)
    if v is not thing and type(v) is not type(thing) and ('tream' in t or 'MT19937' in t or hasattr(v, 'bits')): return True
    return type(v) in (list, tuple) and deep < 3 and any(inside(i, deep + 1) for i in v if i is not thing)
for v in list(memo.values()):
    if type(v) is not list and inside(v): print('REACHED')

# %% insides in the memo of a copy of np.r_
#: goal: marks
import copy, logging, math, random, sys
import numpy as np, torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(c, x):
        global ctx
        ctx = c
        return x * 2
    @staticmethod
    def backward(c, g): return g
F.apply(torch.ones(1, requires_grad=True))
memo = {}
thing = np.r_
for c in (copy.deepcopy, lambda x, m: copy.deepcopy([x], m), lambda x, m: x.__deepcopy__(m)):
    try: c(thing, memo)
    except Exception as e: print(e)
def inside(v, deep=0):
    t = repr(v)
    if v is not thing and type(v) is not type(thing) and ('RClass' in t or 'AxisConcatenator' in t): return True
    return type(v) in (list, tuple) and deep < 3 and any(inside(i, deep + 1) for i in v if i is not thing)
for v in list(memo.values()):
    if type(v) is not list and inside(v): print('REACHED')

# %% insides in the memo of a copy of np.nditer
#: goal: marks
import copy, logging, math, random, sys
import numpy as np, torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(c, x):
        global ctx
        ctx = c
        return x * 2
    @staticmethod
    def backward(c, g): return g
F.apply(torch.ones(1, requires_grad=True))
memo = {}
thing = np.nditer(np.arange(3))
for c in (copy.deepcopy, lambda x, m: copy.deepcopy([x], m), lambda x, m: x.__deepcopy__(m)):
    try: c(thing, memo)
    except Exception as e: print(e)
def inside(v, deep=0):
    t = repr(v)
    if v is not thing and type(v) is not type(thing) and (type(v).__name__ == 'nditer'): return True
    return type(v) in (list, tuple) and deep < 3 and any(inside(i, deep + 1) for i in v if i is not thing)
for v in list(memo.values()):
    if type(v) is not list and inside(v): print('REACHED')

# %% insides in the memo of a copy of a random function
#: goal: marks
import copy, logging, math, random, sys
import numpy as np, torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(c, x):
        global ctx
        ctx = c
        return x * 2
    @staticmethod
    def backward(c, g): return g
F.apply(torch.ones(1, requires_grad=True))
memo = {}
thing = random.randint
for c in (copy.deepcopy, lambda x, m: copy.deepcopy([x], m), lambda x, m: x.__deepcopy__(m)):
    try: c(thing, memo)
    except Exception as e: print(e)
def inside(v, deep=0):
    t = repr(v)
    if v is not thing and type(v) is not type(thing) and (type(v).__name__ == 'Random'): return True
    return type(v) in (list, tuple) and deep < 3 and any(inside(i, deep + 1) for i in v if i is not thing)
for v in list(memo.values()):
    if type(v) is not list and inside(v): print('REACHED')

# %% insides in the memo of a copy of np.random.Generator
#: goal: marks
import copy, logging, math, random, sys
import numpy as np, torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(c, x):
        global ctx
        ctx = c
        return x * 2
    @staticmethod
    def backward(c, g): return g
F.apply(torch.ones(1, requires_grad=True))
memo = {}
thing = np.random.default_rng(0)
for c in (copy.deepcopy, lambda x, m: copy.deepcopy([x], m), lambda x, m: x.__deepcopy__(m)):
    try: c(thing, memo)
    except Exception as e: print(e)
def inside(v, deep=0):
    t = repr(v)
    if v is not thing and type(v) is not type(thing) and (type(v).__name__ in ('PCG64', 'SeedSequence')): return True
    return type(v) in (list, tuple) and deep < 3 and any(inside(i, deep + 1) for i in v if i is not thing)
for v in list(memo.values()):
    if type(v) is not list and inside(v): print('REACHED')

# %% insides in the memo of a copy of sys.stdout
#: goal: marks
import copy, logging, math, random, sys
import numpy as np, torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(c, x):
        global ctx
        ctx = c
        return x * 2
    @staticmethod
    def backward(c, g): return g
F.apply(torch.ones(1, requires_grad=True))
memo = {}
thing = sys.stdout
for c in (copy.deepcopy, lambda x, m: copy.deepcopy([x], m), lambda x, m: x.__deepcopy__(m)):
    try: c(thing, memo)
    except Exception as e: print(e)
def inside(v, deep=0):
    t = repr(v)
    if v is not thing and type(v) is not type(thing) and ('Stream' in t or 'Tape' in t): return True
    return type(v) in (list, tuple) and deep < 3 and any(inside(i, deep + 1) for i in v if i is not thing)
for v in list(memo.values()):
    if type(v) is not list and inside(v): print('REACHED')

# %% insides in the memo of a copy of a logger's method
#: goal: marks
import copy, logging, math, random, sys
import numpy as np, torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(c, x):
        global ctx
        ctx = c
        return x * 2
    @staticmethod
    def backward(c, g): return g
F.apply(torch.ones(1, requires_grad=True))
memo = {}
thing = logging.getLogger('x').info
for c in (copy.deepcopy, lambda x, m: copy.deepcopy([x], m), lambda x, m: x.__deepcopy__(m)):
    try: c(thing, memo)
    except Exception as e: print(e)
def inside(v, deep=0):
    t = repr(v)
    if v is not thing and type(v) is not type(thing) and ('Logger' in t): return True
    return type(v) in (list, tuple) and deep < 3 and any(inside(i, deep + 1) for i in v if i is not thing)
for v in list(memo.values()):
    if type(v) is not list and inside(v): print('REACHED')

# %% insides in the memo of a copy of a node of a graph
#: goal: marks
import copy, logging, math, random, sys
import numpy as np, torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(c, x):
        global ctx
        ctx = c
        return x * 2
    @staticmethod
    def backward(c, g): return g
F.apply(torch.ones(1, requires_grad=True))
memo = {}
thing = (torch.ones(1, requires_grad=True) * 2).grad_fn
for c in (copy.deepcopy, lambda x, m: copy.deepcopy([x], m), lambda x, m: x.__deepcopy__(m)):
    try: c(thing, memo)
    except Exception as e: print(e)
def inside(v, deep=0):
    t = repr(v)
    if v is not thing and type(v) is not type(thing) and ('Counter' in t or 'Op(' in t or type(v).__name__ == 'Op'): return True
    return type(v) in (list, tuple) and deep < 3 and any(inside(i, deep + 1) for i in v if i is not thing)
for v in list(memo.values()):
    if type(v) is not list and inside(v): print('REACHED')

# %% insides in the memo of a copy of a context of a Function
#: goal: marks
import copy, logging, math, random, sys
import numpy as np, torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(c, x):
        global ctx
        ctx = c
        return x * 2
    @staticmethod
    def backward(c, g): return g
F.apply(torch.ones(1, requires_grad=True))
memo = {}
thing = ctx
for c in (copy.deepcopy, lambda x, m: copy.deepcopy([x], m), lambda x, m: x.__deepcopy__(m)):
    try: c(thing, memo)
    except Exception as e: print(e)
def inside(v, deep=0):
    t = repr(v)
    if v is not thing and type(v) is not type(thing) and ('Node' in t or 'weakref' in t): return True
    return type(v) in (list, tuple) and deep < 3 and any(inside(i, deep + 1) for i in v if i is not thing)
for v in list(memo.values()):
    if type(v) is not list and inside(v): print('REACHED')

# %% insides in the memo of a copy of a facade
#: goal: marks
import copy, logging, math, random, sys
import numpy as np, torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(c, x):
        global ctx
        ctx = c
        return x * 2
    @staticmethod
    def backward(c, g): return g
F.apply(torch.ones(1, requires_grad=True))
memo = {}
thing = math
for c in (copy.deepcopy, lambda x, m: copy.deepcopy([x], m), lambda x, m: x.__deepcopy__(m)):
    try: c(thing, memo)
    except Exception as e: print(e)
def inside(v, deep=0):
    t = repr(v)
    if v is not thing and type(v) is not type(thing) and ('module' in t): return True
    return type(v) in (list, tuple) and deep < 3 and any(inside(i, deep + 1) for i in v if i is not thing)
for v in list(memo.values()):
    if type(v) is not list and inside(v): print('REACHED')

# %% insides in the memo of a copy of a hook's handle
#: goal: marks
import copy, logging, math, random, sys
import numpy as np, torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(c, x):
        global ctx
        ctx = c
        return x * 2
    @staticmethod
    def backward(c, g): return g
F.apply(torch.ones(1, requires_grad=True))
memo = {}
thing = torch.nn.Linear(1, 1).register_forward_hook(print)
for c in (copy.deepcopy, lambda x, m: copy.deepcopy([x], m), lambda x, m: x.__deepcopy__(m)):
    try: c(thing, memo)
    except Exception as e: print(e)
def inside(v, deep=0):
    t = repr(v)
    if v is not thing and type(v) is not type(thing) and ('weakref' in t): return True
    return type(v) in (list, tuple) and deep < 3 and any(inside(i, deep + 1) for i in v if i is not thing)
for v in list(memo.values()):
    if type(v) is not list and inside(v): print('REACHED')

# %% insides in the memo of a copy of a loader
#: goal: marks
import copy, logging, math, random, sys
import numpy as np, torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(c, x):
        global ctx
        ctx = c
        return x * 2
    @staticmethod
    def backward(c, g): return g
F.apply(torch.ones(1, requires_grad=True))
memo = {}
thing = torch.utils.data.DataLoader([1, 2])
for c in (copy.deepcopy, lambda x, m: copy.deepcopy([x], m), lambda x, m: x.__deepcopy__(m)):
    try: c(thing, memo)
    except Exception as e: print(e)
def inside(v, deep=0):
    t = repr(v)
    if v is not thing and type(v) is not type(thing) and ('sandbox' in t or '<module' in t or 'Recorder' in t): return True
    return type(v) in (list, tuple) and deep < 3 and any(inside(i, deep + 1) for i in v if i is not thing)
for v in list(memo.values()):
    if type(v) is not list and inside(v): print('REACHED')

# %% insides in the memo of a copy of a guarded getattr
#: goal: marks
import copy, logging, math, random, sys
import numpy as np, torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(c, x):
        global ctx
        ctx = c
        return x * 2
    @staticmethod
    def backward(c, g): return g
F.apply(torch.ones(1, requires_grad=True))
memo = {}
thing = getattr
for c in (copy.deepcopy, lambda x, m: copy.deepcopy([x], m), lambda x, m: x.__deepcopy__(m)):
    try: c(thing, memo)
    except Exception as e: print(e)
def inside(v, deep=0):
    t = repr(v)
    if v is not thing and type(v) is not type(thing) and ('uards' in t): return True
    return type(v) in (list, tuple) and deep < 3 and any(inside(i, deep + 1) for i in v if i is not thing)
for v in list(memo.values()):
    if type(v) is not list and inside(v): print('REACHED')

# %% insides in the memo of a copy of vars of an object
#: goal: marks
import copy, logging, math, random, sys
import numpy as np, torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(c, x):
        global ctx
        ctx = c
        return x * 2
    @staticmethod
    def backward(c, g): return g
F.apply(torch.ones(1, requires_grad=True))
memo = {}
thing = vars(random.Random)
for c in (copy.deepcopy, lambda x, m: copy.deepcopy([x], m), lambda x, m: x.__deepcopy__(m)):
    try: c(thing, memo)
    except Exception as e: print(e)
def inside(v, deep=0):
    t = repr(v)
    if v is not thing and type(v) is not type(thing) and ('function' in t): return True
    return type(v) in (list, tuple) and deep < 3 and any(inside(i, deep + 1) for i in v if i is not thing)
for v in list(memo.values()):
    if type(v) is not list and inside(v): print('REACHED')

# %% __reduce__ of a class
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A:
    def __reduce__(self, *a): return (ValueError, (), state)
look(copy.copy(A()))
look(copy.deepcopy(A()))

# %% __reduce__ by way of a function that answers everything
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A:
    def __getattr__(self, name):
        if name == '__reduce__': return lambda *a: (ValueError, (), state)
        raise AttributeError(name)
a = A()
look(copy.copy(a))
look(copy.deepcopy(a))

# %% __reduce_ex__ of a class
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A:
    def __reduce_ex__(self, *a): return (ValueError, (), state)
look(copy.copy(A()))
look(copy.deepcopy(A()))

# %% __reduce_ex__ by way of a function that answers everything
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A:
    def __getattr__(self, name):
        if name == '__reduce_ex__': return lambda *a: (ValueError, (), state)
        raise AttributeError(name)
a = A()
look(copy.copy(a))
look(copy.deepcopy(a))

# %% __getstate__ of a class
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A:
    def __getstate__(self, *a): return state
look(copy.copy(A()))
look(copy.deepcopy(A()))

# %% __getstate__ by way of a function that answers everything
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A:
    def __getattr__(self, name):
        if name == '__getstate__': return lambda *a: (ValueError, (), state)
        raise AttributeError(name)
a = A()
look(copy.copy(a))
look(copy.deepcopy(a))

# %% __setstate__ of a class
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A:
    def __setstate__(self, *a): vars(self).update(state)
look(copy.copy(A()))
look(copy.deepcopy(A()))

# %% __setstate__ by way of a function that answers everything
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A:
    def __getattr__(self, name):
        if name == '__setstate__': return lambda *a: (ValueError, (), state)
        raise AttributeError(name)
a = A()
look(copy.copy(a))
look(copy.deepcopy(a))

# %% __getnewargs__ of a class
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A:
    def __getnewargs__(self, *a): return (state,)
look(copy.copy(A()))
look(copy.deepcopy(A()))

# %% __getnewargs__ by way of a function that answers everything
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A:
    def __getattr__(self, name):
        if name == '__getnewargs__': return lambda *a: (ValueError, (), state)
        raise AttributeError(name)
a = A()
look(copy.copy(a))
look(copy.deepcopy(a))

# %% __getnewargs_ex__ of a class
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A:
    def __getnewargs_ex__(self, *a): return ((), state)
look(copy.copy(A()))
look(copy.deepcopy(A()))

# %% __getnewargs_ex__ by way of a function that answers everything
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A:
    def __getattr__(self, name):
        if name == '__getnewargs_ex__': return lambda *a: (ValueError, (), state)
        raise AttributeError(name)
a = A()
look(copy.copy(a))
look(copy.deepcopy(a))

# %% __replace__ of a class
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A:
    def __replace__(self, *a): return 1
look(copy.copy(A()))
look(copy.deepcopy(A()))

# %% __replace__ by way of a function that answers everything
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A:
    def __getattr__(self, name):
        if name == '__replace__': return lambda *a: (ValueError, (), state)
        raise AttributeError(name)
a = A()
look(copy.copy(a))
look(copy.deepcopy(a))

# %% __class__ of a class
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A:
    def __class__(self, *a): return dict
look(copy.copy(A()))
look(copy.deepcopy(A()))

# %% __class__ by way of a function that answers everything
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A:
    def __getattr__(self, name):
        if name == '__class__': return lambda *a: (ValueError, (), state)
        raise AttributeError(name)
a = A()
look(copy.copy(a))
look(copy.deepcopy(a))

# %% __reduce_ex__ among an object's attributes
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A: pass
a = A()
for name in ('__reduce_ex__', '__deepcopy__', '__copy__', '__getstate__'):
    for how in (lambda: setattr(a, name, lambda *x: state), lambda: vars(a).update({name: lambda *x: state})):
        try: how()
        except Exception: pass
look(copy.deepcopy(a))

# %% __deepcopy__ that is another's
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
import weakref
w = weakref.WeakKeyDictionary()
class A:
    __deepcopy__ = dict.get
class B:
    __deepcopy__ = lambda *a: a
class C:
    __deepcopy__ = staticmethod(lambda memo: memo)
class D:
    __deepcopy__ = classmethod(lambda *a: a)
class P: pass
for kind in (A, B, C, D):
    try:
        p = P()
        p.a, p.b, p.x = kind(), kind(), 1
        y = copy.deepcopy([p, p, p.a])
        for found in (y[2] if isinstance(y[2], tuple) else (y[2],)):
            if type(found) is dict:
                for v in list(found.values()):
                    if type(v) is dict: v.update(state)
        look(y[0])
    except Exception: pass

# %% __copy__ that returns what it likes
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A:
    def __copy__(self): return state
    def __deepcopy__(self, memo): return state
look(copy.copy(A()))
class B: pass
b = B()
b.a = A()
look(copy.deepcopy(b))
look(copy.deepcopy(ValueError(A())))

# %% replace with names of Python's own
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
import dataclasses, types
for how in (
    lambda: copy.replace(types.SimpleNamespace(), **state),
    lambda: types.SimpleNamespace().__replace__(**state),
    lambda: dataclasses.replace(dataclasses.make_dataclass('D', [])(), **state),
):
    try: look(how())
    except Exception: pass
class D(types.SimpleNamespace):
    pass
look(copy.replace(D(), **state))

# %% fields that a dataclass is given as a dict
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
import dataclasses
class Text(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash(N)
@dataclasses.dataclass
class D:
    x: object = None
d = D()
class F(dict):
    def __init__(self, items): print('REACHED' if any(N in (k, v) for k, v in items) else '')
dataclasses.asdict(d, dict_factory=F)
look(dataclasses.replace(d, **{Text('x'): evil}))

# %% slots that copying fills
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A:
    __slots__ = ['x']
    __slots__.append(N)
a = A()
class M(dict):
    def get(self, key, default=None): return default if key in (id(a), id(A)) else (None, state)
a.x = 1
look(copy.deepcopy(a, M()))

# %% a setattr of one's own for slots
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
class A:
    __slots__ = ('x', 'y')
    def __setattr__(self, name, value):
        super().__setattr__(name if name == 'x' else N, value)
a = A()
a.x = evil
try: a.y = 1
except Exception: pass
look(copy.deepcopy(a))

# %% an enumeration's member
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
import enum
class M(dict):
    def get(self, key, default=None): return state
class E(enum.Enum):
    A = 1
    def __deepcopy__(self, memo): return state
look(copy.deepcopy(E.A, M()))
look(E.A.__deepcopy__(M()))

# %% a saved object's state
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
import torch
class P:
    def __deepcopy__(self, memo):
        for d in [{k: 1} for k in range(2000)]: memo[id(d)] = state
        return 1
class A: pass
things = [P()]
for k in range(200):
    things.append(A())
    things[-1].x = k
class Box: pass
b = Box()
b.things = things
torch.save(b, 'x.pt')
for y in torch.load('x.pt', weights_only=False).things[1:]:
    try: look(y)
    except Exception: pass

# %% a dataclass's values with a live memo
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
import dataclasses
class P:
    def __deepcopy__(self, memo):
        for d in [{k: 1} for k in range(2000)]: memo[id(d)] = state
        return 1
class A: pass
class B: pass
@dataclasses.dataclass
class D:
    b: object
b = B()
b.p = P()
b.things = []
for k in range(200):
    b.things.append(A())
    b.things[-1].x = k
for y in dataclasses.asdict(D(b))['b'].things:
    try: look(y)
    except Exception: pass

# %% an averaged model with a live memo
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
import torch
class P:
    def __deepcopy__(self, memo):
        for d in [{k: 1} for k in range(2000)]: memo[id(d)] = state
        return 1
class A: pass
class Net(torch.nn.Module): pass
net = Net()
net.p, net.things = P(), []
for k in range(200):
    net.things.append(A())
    net.things[-1].x = k
for y in torch.optim.swa_utils.AveragedModel(net).module.things:
    try: look(y)
    except Exception: pass

# %% an optimizer's groups with a live memo
#: goal: memory
import copy, numpy as np
N = '__array_' + 'interface__'
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
state = {N: evil}
def look(y): print(hex(int(np.asarray(y).ravel()[0])))
import torch
class P:
    def __deepcopy__(self, memo):
        for d in [{k: 1} for k in range(2000)]: memo[id(d)] = state
        return 1
class A: pass
things = []
for k in range(200):
    things.append(A())
    things[-1].x = k
o = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], 0.1)
s = o.state_dict()
s['param_groups'][0]['mine'] = [P(), *things]
o.load_state_dict(s)
for y in o.param_groups[0]['mine'][1:]:
    try: look(y)
    except Exception: pass

# %% the deep copy of a method is bound to anything
#: goal: marks
import torch, copy
p = torch.nn.Parameter(torch.ones(3))
class S:
    def __init__(self): self.param_groups = [dict(params=[p], lr=0.1)]; self.state = {}; self.defaults = {}
    def __getattr__(self, n):
        print("asked", n)
        if n in ('_step_pre_hooks', '_step_post_hooks'): return {}
        def f(*a, **k): print("REACHED", n, [type(x) for x in a], [type(x) for x in k.values()])
        return f
s = S()
class O(torch.optim.SGD):
    def __deepcopy__(self, memo): return s
o = O([p], 0.1)
m = copy.deepcopy(o.step)
print("REACHED" if isinstance(m.__call__, object) and '.S object' in repr(m) else "", m)
p.sum().backward()
try: m()
except Exception as e: print(type(e), e)

# %% the deep copy of a leaf's node
#: goal: marks
import torch, copy
class S: _needs = True; _array = torch.ones(3).numpy()
class G: _array = torch.ones(3).numpy(); _counter = None
s = S(); s._grad = G()
class P(torch.nn.Parameter):
    def __deepcopy__(self, memo): return s
p = P(torch.ones(3))
node = copy.deepcopy((p * 2).grad_fn.next_functions[0][0])
node(torch.ones(3))
print("REACHED", s._grad._counter)

# %% a __setstate__ is told what a profiler keeps
#: goal: marks
import torch, copy
found = []
class C(torch.profiler.profile):
    def __setstate__(self, state): found.append(state)
c = C()
with c: copy.copy(c)
print("REACHED", found[0]['_watching'], found[0]['_watching'].before)
