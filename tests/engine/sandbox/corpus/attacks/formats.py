"""Templates that read attributes."""
#: goal: what it tries, by which it is judged (`attacks.py` says what there is)

if __name__: raise SystemExit("these programs may do harm: `python -m tests.corpus FILE::NAME` runs one shut in")

# %% format reads globals
#: goal: sees
def f(): pass
print('{0.__globals__}'.format(f))

# %% format reads globals by key
#: goal: sees
def f(): pass
print('{a.__globals__[__builtins__]}'.format(a=f))

# %% format_map
#: goal: sees
def f(): pass
print('{f.__globals__}'.format_map({'f': f}))

# %% unbound format
#: goal: sees
def f(): pass
print(str.format('{0.__globals__}', f), str.format_map('{f.__code__}', {'f': f}))

# %% format as a value
#: goal: sees
def f(): pass
g = '{0.__globals__}'.format
print(g(f))

# %% format by getattr
#: goal: sees
def f(): pass
print(getattr('{0.__globals__}', 'for' + 'mat')(f))

# %% format mapped
#: goal: sees
def f(): pass
print(*map(str.format, ['{0.__globals__}'], [f]))

# %% format by methodcaller
#: goal: sees
import operator
def f(): pass
print(operator.methodcaller('format', f)('{0.__globals__}'))

# %% format by attrgetter
#: goal: sees
import operator
def f(): pass
print(operator.attrgetter('format')('{0.__globals__}')(f))

# %% format by partial
#: goal: sees
import functools
def f(): pass
print(functools.partial(str.format, '{0.__globals__}')(f))

# %% format in a reduce
#: goal: sees
import functools
def f(): pass
print(functools.reduce(str.format, ['{0.__globals__}', f]))

# %% format of a subclass of str
#: goal: sees
class S(str): pass
def f(): pass
print(S('{0.__globals__}').format(f), S.format(S('{0.__code__}'), f))

# %% format by super
#: goal: sees
class S(str):
    def format(self, *a): return super().format(*a)
def f(): pass
print(S('{0.__globals__}').format(f))

# %% format with a text that changes
#: goal: sees
class S(str):
    n = 0
    def __str__(self):
        S.n += 1
        return '{0.__globals__}' if S.n > 1 else 'x'
    def __format__(self, spec): return '{0.__globals__}'
def f(): pass
print(S('{}').format(f), format(S('x')).format(f), str.format(S('{0.__globals__}'), f))

# %% format of UserString
#: goal: sees
from collections import UserString
def f(): pass
print(UserString('{0.__globals__}').format(f), UserString('{f.__code__}').format_map({'f': f}))

# %% format of a subclass of UserString
#: goal: sees
from collections import UserString
class U(UserString):
    def format(self, *a): return super().format(*a)
def f(): pass
print(U('{0.__globals__}').format(f))

# %% format of numpy's text
#: goal: sees
import numpy as np
def f(): pass
print(np.str_('{0.__globals__}').format(f), np.str_.format('{0.__code__}', f))

# %% nested format
#: goal: sees
def f(): pass
print('{0:{1.__globals__}}'.format('', f))

# %% nested twice
#: goal: sees
def f(): pass
print('{0:{1:{2.__globals__}}}'.format('', '', f))

# %% automatic numbering
#: goal: sees
def f(): pass
print('{.__globals__}'.format(f))

# %% conversion and attribute
#: goal: sees
def f(): pass
print('{0.__globals__!r:.3000}'.format(f))

# %% frame of a generator in a format
#: goal: sees
def g(): yield
print('{0.gi_frame.f_globals}'.format(g()))

# %% method's function in a format
#: goal: sees
class A:
    def f(self): pass
print('{0.f.__func__.__globals__}'.format(A()))

# %% init globals in a format
#: goal: sees
class A:
    def __init__(self): pass
print('{0.__init__.__globals__}'.format(A()))

# %% engine's function in a format
#: goal: sees
import torch
print('{0.forward.__globals__}'.format(torch.nn.Linear(1, 1)))

# %% error's object in a format
#: goal: sees
import torch
try:
    torch.nn.nothing_of_this_name
except AttributeError as e:
    print('{0.obj}'.format(e))

# %% string.Formatter
#: goal: sees
import string
def f(): pass
print(string.Formatter().format('{0.__globals__}', f))

# %% string.Formatter get_field
#: goal: sees
import string
def f(): pass
print(string.Formatter().get_field('0.__globals__', (f,), {}))

# %% string.Template
#: goal: sees
import string
print(string.Template('$x').__init__.__globals__)

# %% f-string nested attribute
#: goal: sees
def f(): pass
print(f'{f.__globals__}')

# %% f-string in a spec
#: goal: sees
def f(): pass
print(f'{"":{f.__code__}}')

# %% f-string with import
#: goal: reads
print(f"{__import__('os').popen('cat @SECRET@').read()}")

# %% percent reads a mapping
#: goal: sees
class M(dict):
    def __missing__(self, key): return eval(key)
print('%(globals())s' % M())

# %% logging format
#: goal: sees
import logging
def f(): pass
logging.basicConfig(format='{message.__class__}', style='{')
logging.warning(f)

# %% datetime's format
#: goal: sees
import datetime
def f(): pass
print('{0:{1.__globals__}}'.format(datetime.datetime.now(), f))

# %% numpy's print options
#: goal: sees
import numpy as np
def f(): pass
np.set_printoptions(formatter={'all': '{0.__globals__}'.format})
print(np.array([f, f], dtype=object))

# %% a module's extra_repr
#: goal: sees
import torch
class A(torch.nn.ReLU, shows='{forward.__globals__}'): pass
print(A())

# %% a module's extra_repr by private attribute
#: goal: sees
import torch
r = torch.nn.ReLU()
r._shows = '{forward.__globals__}'
print(r)

# %% pprint of a hostile object
#: goal: sees
import pprint
class A:
    def __repr__(self): return '{0.__globals__}'.format(pprint.pprint)
pprint.pprint(A())

# %% json default
#: goal: sees
import json
def f(): pass
print(json.dumps([f], default='{0.__globals__}'.format))

# %% format as a field of a dataclass
#: goal: sees
import dataclasses
found = []
@dataclasses.dataclass(init=False, repr=False, eq=False)
class S(str):
    format: object
    def __new__(cls, text="", **fields):
        found.append(fields)
        return super().__new__(cls, text)
def f(): pass
dataclasses.replace(S("{0.__globals__[__builtins__]}"))
print(found[-1]["format"](f))
