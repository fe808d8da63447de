"""Checkpoints and pickles that a program makes up: names, states, sizes and memory that it has no business with."""
#: goal: what it tries, by which it is judged (`attacks.py` says what there is)

if __name__: raise SystemExit("these programs may do harm: `python -m tests.corpus FILE::NAME` runs one shut in")

# %% a pickle that starts a command
#: goal: starts
import pickle
pickle.loads(b"cos\nsystem\n(X\x0e\x00\x00\x00touch @TARGET@tR.")

# %% a checkpoint that starts a command
#: goal: starts
import io, torch
torch.load(io.BytesIO(b"\x80\x02cos\nsystem\n(S'touch @TARGET@'\ntR."), weights_only=False)

# %% a command that was allowed
#: goal: starts
import io, torch
class A: pass
torch.serialization.add_safe_globals([(A, 'os.system'), (A, 'builtins.eval')])
torch.load(io.BytesIO(b"\x80\x02cos\nsystem\n(S'touch @TARGET@'\ntR."))

# %% a pickle that reads a file
#: goal: reads
import pickle
print(pickle.loads(b"cbuiltins\nopen\n(X\x08\x00\x00\x00@SECRET@tR.").read())

# %% a pickle of getattr
#: goal: sees
import pickle
print(pickle.loads(b"cbuiltins\ngetattr\n(cbuiltins\nobject\nX\x0e\x00\x00\x00__subclasses__tR.")())

# %% a pickle of a module of the engine's
#: goal: marks
import pickle
print('REACHED', pickle.loads(b"cengine.sandbox.parse\nworld\n)R."))

# %% a name with dots
#: goal: sees
import pickle
class A: pass
print(pickle.loads(b"\x80\x04\x8c\x08__main__\x8c\x10A.__subclasses__\x93."))

# %% a name that leads out of a class
#: goal: sees
import pickle
class A:
    def f(self): pass
print(pickle.loads(b"\x80\x04\x8c\x08__main__\x8c\x0fA.f.__globals__\x93."))

# %% a method that says how it is made again
#: goal: marks
import pickle
class A: pass
def reduce(self, *p): return (print, ('REACHED',))
for n in ('__reduce__', '__reduce_ex__', '__getstate__', '__getnewargs__', '__getnewargs_ex__', '__setstate__'):
    try: setattr(A, n, reduce)
    except Exception: pass
pickle.loads(pickle.dumps(A()))

# %% copyreg by the name of a class
#: goal: marks
import pickle
class A: pass
A.__qualname__ = 'print'
A.__name__ = 'print'
print(pickle.loads(pickle.dumps(A))('REACHED'))

# %% a state that NumPy takes memory from
#: goal: memory
import pickle, numpy as np
class A: pass
a = A()
a.x = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
made = pickle.dumps(a, 2).replace(b'X\x01\x00\x00\x00x', b'X\x13\x00\x00\x00__array_interface__')
print(hex(int(np.asarray(pickle.loads(made)).ravel()[0])))

# %% the same of a module
#: goal: memory
import pickle, torch, numpy as np
a = torch.nn.ReLU()
a.x = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
made = pickle.dumps(a, 2).replace(b'X\x01\x00\x00\x00x', b'X\x13\x00\x00\x00__array_interface__')
print(hex(int(np.asarray(pickle.loads(made)).ravel()[0])))

# %% the same of an ordered dict
#: goal: memory
import pickle, torch, numpy as np
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
d = torch.nn.ReLU().state_dict()
made = pickle.dumps([d, evil], 2)
made = b'\x80\x02ccollections\nOrderedDict\n)R}X\x13\x00\x00\x00__array_interface__' + pickle.dumps(evil, 2)[2:-1] + b'sb.'
print(hex(int(np.asarray(pickle.loads(made)).ravel()[0])))

# %% the same of a tensor
#: goal: memory
import pickle, torch, numpy as np
x = torch.ones(2)
x.a = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
made = pickle.dumps(x, 2).replace(b'X\x01\x00\x00\x00a', b'X\x13\x00\x00\x00__array_interface__')
print(hex(int(np.asarray(pickle.loads(made)).ravel()[0])))

# %% the same where names have been allowed
#: goal: memory
import io, pickle, torch, numpy as np
class A: pass
evil = {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}
torch.serialization.add_safe_globals([A])
made = b'\x80\x02c__main__\nA\n)\x81}X\x13\x00\x00\x00__array_interface__' + pickle.dumps(evil, 2)[2:-1] + b'sb.'
head = b''.join(pickle.dumps(part, 2) for part in (0x1950a86a20f9469cfc6c, 1001, {}))
print(hex(int(np.asarray(torch.load(io.BytesIO(head + made + pickle.dumps([], 2)))).ravel()[0])))

# %% a slot that is a property
#: goal: marks
import pickle
class A:
    __slots__ = ('x',)
    y = property(lambda self: 1, lambda self, value: print('REACHED'))
a = A()
a.x = 1
made = pickle.dumps(a, 2).replace(b'X\x01\x00\x00\x00x', b'X\x01\x00\x00\x00y')
pickle.loads(made)

# %% a tensor's array
#: goal: marks
import pickle, torch
x = torch.ones(2)
x.marker = 5
y = pickle.loads(pickle.dumps(x, 2).replace(b'X\x06\x00\x00\x00marker', b'X\x06\x00\x00\x00_array'))
print('REACHED', y._array)

# %% a tensor beside its memory
#: goal: memory
import pickle, torch
x = torch.ones(3, 5, dtype=torch.int64)
made = pickle.dumps(x, 2)
for wrong in (b'K\x63K\x05\x86', b'M\xff\xffK\x05\x86', b'J\xff\xff\xff\x7fK\x05\x86', b'K\x03J\xff\xff\xff\x7f\x86'):
    try: print(hex(pickle.loads(made.replace(b'K\x03K\x05\x86', wrong)).max().item() | 1 << 60))
    except Exception: pass

# %% strides beside the memory
#: goal: memory
import pickle, torch
x = torch.ones(3, 5, dtype=torch.int64)
made = pickle.dumps(x, 2)
for wrong in (b'K\x63K\x01\x86', b'J\xff\xff\xff\xffK\x01\x86', b'J\x00\x00\x00\x80K\x01\x86'):
    try: print(hex(pickle.loads(made.replace(b'K\x05K\x01\x86', wrong)).max().item() | 1 << 60))
    except Exception: pass

# %% memory that is longer than there is
#: goal: memory
import pickle, torch
x = torch.ones(15, dtype=torch.int64)
made = pickle.dumps(x, 2)
print(hex(pickle.loads(made.replace(b'K\x0f', b'K\x63')).max().item() | 1 << 60))

# %% an array of pointers
#: goal: memory
import pickle, numpy as np
a = np.array([id(int)], dtype='u8')
made = pickle.dumps(a, 2).replace(b'X\x02\x00\x00\x00u8', b'X\x01\x00\x00\x00O')
print(hex(id(pickle.loads(made)[0])))

# %% an array that is too large for its bytes
#: goal: memory
import pickle, numpy as np
a = np.arange(3)
made = pickle.dumps(a, 2).replace(b'K\x01K\x03\x85', b'K\x01K\x63\x85')
print(hex(int(pickle.loads(made).max())))

# %% the state of an array that is in use
#: goal: memory
import pickle, numpy as np
a = np.arange(3)
view = memoryview(a)
made = pickle.dumps(a, 2)
state = made[made.index(b'(K\x01K\x03\x85') : -1]
b = pickle.loads(made[:-1] + state + b'.')
print(hex(int(b.max()) | 1 << 60))

# %% the class of arrays
#: goal: memory
import pickle
kind = pickle.loads(b'cnumpy\nndarray\n.')
made = kind.__new__(kind, (4,), 'u8', b'x' * 8, 0, (-4096,))
print(hex(int(made[1])))

# %% the class of dtypes
#: goal: memory
import pickle
import numpy as np
kind = pickle.loads(b'cnumpy\ndtype\n.')
d = kind({'names': ['a'], 'formats': ['O'], 'offsets': [0]})
print(hex(id(np.frombuffer(b'x' * 8, d)[0][0])))

# %% the class of memory
#: goal: memory
import pickle
kind = pickle.loads(b'ctorch.storage\nUntypedStorage\n.')
class B:
    base = None
    def reshape(self, n): return self
    def view(self, t): return id(int)
print(hex(kind(B()).data_ptr()))

# %% a hash that empties what is being read
#: goal: memory
import pickle
class K:
    def __hash__(self):
        for thing in kept: thing.clear()
        return 1
    def __eq__(self, other): return False
kept = []
data = pickle.dumps([{1: 2}, {K(): [1, 2, 3]}, {K(), K()}])
kept.append(pickle.loads(data)[1])
for _ in range(50): pickle.loads(data)
print('done')

# %% an object that is no module, in a module
#: goal: marks
import pickle, torch
m = torch.nn.ReLU()
made = pickle.dumps(m, 2).replace(b'X\x08\x00\x00\x00training\x88', b'X\x08\x00\x00\x00_version\x88')
print('REACHED' if pickle.loads(made)._version is True else '')

# %% safetensors over what changes
#: goal: memory
import torch
from safetensors.torch import save
class E:
    shape, dtype = (8,), torch.ones(1).numpy().dtype
    _array = property(lambda self: self)
    def is_contiguous(self): return True
evil = E()
class D(dict):
    n = 0
    def items(self):
        D.n += 1
        return [('a', torch.ones(2) if D.n < 3 else evil)]
found = int.from_bytes(save(D(a=torch.ones(2)))[-8:], 'little')
print(hex(found | 1 << 62) if found != 0x3f8000003f800000 else 'as it was')

# %% safetensors of objects
#: goal: memory
import numpy as np
from safetensors.numpy import save
print(hex(int.from_bytes(save({'a': np.array([object()])})[-8:], 'little')))

# %% a header that lies
#: goal: memory
import json
from safetensors.torch import load
def made(entry, body): 
    text = json.dumps({'a': entry}).encode()
    return len(text).to_bytes(8, 'little') + text + body
for shape, offsets in (([99], [0, 8]), ([1], [0, 800]), ([1], [-8, 0]), ([2 ** 61], [0, 8]), ([2 ** 32, 2 ** 32], [0, 0])):
    try: print(hex(load(made({'dtype': 'I64', 'shape': shape, 'data_offsets': offsets}, bytes(8)))['a'].max().item() | 1 << 60))
    except Exception: pass
