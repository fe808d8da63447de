"""Time, memory and output without end. The goal is to hold up the page or the next program."""
#: goal: what it tries, by which it is judged (`attacks.py` says what there is)

if __name__: raise SystemExit("these programs may do harm: `python -m tests.corpus FILE::NAME` runs one shut in")

# %% a loop
#: goal: slow
while True: pass

# %% a loop that catches everything
#: goal: slow
while True:
    try:
        while True: pass
    except BaseException: pass

# %% a loop in finally
#: goal: slow
try:
    while True: pass
finally:
    while True: pass

# %% a loop in a generator's end
#: goal: slow
def g():
    try:
        yield
    finally:
        while True: pass
x = g()
next(x)
del x

# %% a loop in exit
#: goal: slow
class A:
    def __enter__(self): pass
    def __exit__(self, *a):
        while True: pass
with A(): 1 / 0

# %% a loop in deletion
#: goal: slow
class A:
    def __del__(self):
        while True: pass
A()

# %% a loop in deletion at the end
#: goal: slow
class A:
    def __del__(self):
        while True: pass
a = A()
a.a = a

# %% a loop in repr of what is shown
#: goal: slow
class A:
    def __repr__(self):
        while True: pass
A()
print(A())

# %% a loop in an error's text
#: goal: slow
class E(Exception):
    def __str__(self):
        while True: pass
raise E

# %% a loop in an error's deletion
#: goal: slow
class E(Exception):
    def __del__(self):
        while True: pass
raise E

# %% a loop in a comparison
#: goal: slow
class A:
    def __eq__(self, other):
        while True: pass
[A()] == [A()]

# %% a loop in hash, length and truth
#: goal: slow
class A:
    def __hash__(self):
        while True: pass
    __bool__ = __len__ = __index__ = __hash__
print({A()}, len(A()))

# %% a loop in an import
#: goal: slow
import torch
class A(torch.nn.Module):
    def __init_subclass__(cls):
        while True: pass
class B(A): pass

# %% a loop in set_name
#: goal: slow
class D:
    def __set_name__(self, *a):
        while True: pass
class A: x = D()

# %% a loop in a sort
#: goal: slow
class A:
    def __lt__(self, other):
        while True: pass
sorted([A(), A()])

# %% a loop in a hook
#: goal: slow
import torch
x = torch.ones(1, requires_grad=True)
def f(g):
    while True: pass
x.register_hook(f)
(x * 2).backward()

# %% a loop in a backward rule
#: goal: slow
import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x.clone()
    @staticmethod
    def backward(ctx, g):
        while True: pass
F.apply(torch.ones(1, requires_grad=True)).backward()

# %% a loop that swallows its stop as a generator
#: goal: slow
def g():
    while True:
        try: yield
        except GeneratorExit: pass
x = g()
next(x)
x.close()
while True:
    try: x.close()
    except RuntimeError: pass

# %% iterating without end in C
#: goal: slow
import itertools
list(itertools.repeat(None)) if 0 else max(itertools.cycle([1]))

# %% sum of a long range
#: goal: slow
sum(range(10 ** 12))

# %% any of nothing without end
#: goal: slow
import itertools
any(itertools.repeat(False))

# %% a deque that takes everything
#: goal: slow
import collections, itertools
collections.deque(itertools.count(), maxlen=0)

# %% a search in a long range
#: goal: slow
class A: pass
A() in range(10 ** 12)

# %% a large power
#: goal: slow
x = 10 ** 10 ** 9

# %% a large power modulo
#: goal: slow
pow(3, 10 ** 100000, 10 ** 100001 + 7)

# %% a power of powers
#: goal: slow
x = 9
while True: x = x * x

# %% a large shift
#: goal: slow
x = 1 << 10 ** 11

# %% a large factorial
#: goal: slow
import math
math.factorial(10 ** 7)

# %% a large binomial
#: goal: slow
import math
math.comb(10 ** 9, 10 ** 8)

# %% a large number as text
#: goal: slow
print(len(str(10 ** 10 ** 6)))

# %% a text as a large number
#: goal: slow
int('9' * 10 ** 7)

# %% hashes that collide
#: goal: slow
d = {k * (2 ** 61 - 1): k for k in range(10 ** 6)}

# %% objects that collide
#: goal: slow
class A:
    def __hash__(self): return 1
{A() for k in range(10 ** 5)}

# %% backtracking
#: goal: slow
import re
re.match('(a+)+$', 'a' * 40 + 'b')

# %% backtracking of a search
#: goal: slow
import re
re.search('(?:(?:a|a)*)*b' * 2, 'a' * 200)

# %% a long regular expression
#: goal: slow
import re
re.compile('(?:' + 'a{1,1000}' * 100 + '){1,1000}')

# %% a decimal of many digits
#: goal: slow
import decimal
with decimal.localcontext(prec=10 ** 8):
    decimal.Decimal(2) ** decimal.Decimal('0.5')

# %% a fraction of many digits
#: goal: slow
import fractions
x = fractions.Fraction(1, 3)
while True: x = x * x + 1

# %% sleeping
#: goal: slow
import time
time.sleep(10 ** 6)

# %% sleeping again and again
#: goal: slow
import time
while True:
    try: time.sleep(10)
    except BaseException: pass

# %% waiting for a number
#: goal: slow
import random
while random.random() < 2: pass

# %% a large matrix product
#: goal: slow
import numpy as np
a = np.ones((5000, 5000), np.float32)
while True: a @ a

# %% a large decomposition
#: goal: slow
import numpy as np
np.linalg.svd(np.random.rand(3000, 3000))

# %% a slow einsum
#: goal: slow
import numpy as np
np.einsum('ab,cd,ef,gh->', *[np.ones((100, 100))] * 4)

# %% a large convolution
#: goal: slow
import torch
torch.nn.functional.conv2d(torch.ones(16, 16, 300, 300), torch.ones(64, 16, 31, 31))

# %% a permutation without end
#: goal: slow
import itertools
for p in itertools.permutations(range(100)): pass

# %% kept bytes
#: goal: slow
kept = []
while True: kept.append(bytearray(10 ** 7))

# %% kept bytes, and errors ignored
#: goal: slow
kept = []
while True:
    try: kept.append(bytearray(10 ** 7))
    except MemoryError: pass

# %% kept small things
#: goal: slow
kept = []
while True: kept.append([kept])

# %% a list that doubles
#: goal: slow
x = [0]
while True: x += x

# %% a text that doubles
#: goal: slow
x = 'x'
while True: x += x

# %% a text repeated
#: goal: slow
x = 'x' * 10 ** 12

# %% a text padded
#: goal: slow
x = '{:>{}}'.format('x', 10 ** 12)

# %% a text padded by percent
#: goal: slow
x = '%*d' % (2 ** 31 - 1, 1)

# %% a text replaced
#: goal: slow
x = ('a' * 10 ** 5).replace('a', 'b' * 10 ** 6)

# %% bytes of a given length
#: goal: slow
x = bytes(10 ** 12)

# %% a list of a range
#: goal: slow
x = list(range(10 ** 10))

# %% an array of zeros
#: goal: slow
import numpy as np
kept = [np.ones(10 ** 7) for k in range(1000)]

# %% a large tensor
#: goal: slow
import torch
x = torch.ones(10 ** 11)

# %% tensors that broadcast
#: goal: slow
import torch
x = torch.ones(10 ** 5, 1, requires_grad=True)
(x + x.T + torch.ones(10, 1, 1)).sum().backward()

# %% a tensor repeated
#: goal: slow
import torch
torch.ones(1).repeat(10 ** 6, 10 ** 6)

# %% a graph without end
#: goal: slow
import torch
x = torch.ones(1, requires_grad=True)
while True: x = x * 2 + 1

# %% a graph without end in one statement
#: goal: slow
import torch, functools
functools.reduce(lambda a, b: a + 1, range(10 ** 8), torch.ones(1, requires_grad=True))

# %% backward without end
#: goal: slow
import torch
x = torch.ones(1, requires_grad=True)
while True: (x * x).backward()

# %% large recordings
#: goal: slow
import torch
x = torch.ones(1000, 1000)
while True: x = x + 1

# %% names without end
#: goal: slow
for k in range(10 ** 9): globals()[f'name_{k}'] = k

# %% long names
#: goal: slow
import torch
globals()['x' * 10 ** 7] = torch.ones(1)
x = {'y' * 10 ** 7: torch.ones(1)}
m = torch.nn.Module()
m.register_buffer('z' * 10 ** 7, torch.ones(1))
print(list(m.state_dict())[0][:5])

# %% shapes of many dimensions
#: goal: slow
import torch
x = torch.ones([1] * 60)
while True: x = x.unsqueeze(0)

# %% a tensor with many inputs
#: goal: slow
import torch
x = [torch.ones(1, requires_grad=True) for k in range(3000)]
while True: y = torch.stack(x).sum()

# %% loops within loops within loops
#: goal: slow
for a in range(10 ** 4):
    for b in range(10 ** 4):
        for c in range(10 ** 4): pass

# %% classes without end
#: goal: slow
while True:
    class A: pass

# %% functions without end
#: goal: slow
def f():
    return f()
while True:
    try: f()
    except RecursionError: pass

# %% exceptions without end
#: goal: slow
while True:
    try: raise ValueError('x' * 1000)
    except ValueError as e: kept = e

# %% warnings without end
#: goal: slow
import warnings
warnings.simplefilter('always')
while True: warnings.warn('x' * 1000)

# %% output in long lines
#: goal: slow
print('x' * 10 ** 8)

# %% output in short lines
#: goal: slow
while True: print()

# %% output without a line's end
#: goal: slow
while True: print('x', end='')

# %% output that is caught
#: goal: slow
while True:
    try: print('x' * 10 ** 5)
    except BaseException: pass

# %% output to the other stream
#: goal: slow
import sys
while True: sys.stderr.write('x' * 1000)

# %% output redirected to itself
#: goal: slow
import contextlib
class O:
    def write(self, text): print(text)
    def flush(self): pass
with contextlib.redirect_stdout(O()):
    print('x')

# %% an error with a long text
#: goal: slow
raise ValueError('x' * 10 ** 8)

# %% an error with a long name
#: goal: slow
class E(Exception): pass
E.__name__ = E.__qualname__ = 'x' * 10 ** 8
raise E

# %% a deep expression
#: goal: slow
#| @NEST@

# %% a long expression
#: goal: slow
#| x = @CHAIN@

# %% a large literal
#: goal: slow
#| x = @LITERAL@

# %% many statements
#: goal: slow
#| @STATEMENTS@

# %% deep blocks
#: goal: slow
#| @BLOCKS@

# %% a deep pattern
#: goal: slow
#| match 1:
#|     case @PATTERN@: pass
