"""Frames, tracebacks and code by way of generators, exceptions and coroutines."""
#: goal: what it tries, by which it is judged (`attacks.py` says what there is)

if __name__: raise SystemExit("these programs may do harm: `python -m tests.corpus FILE::NAME` runs one shut in")

# %% frame of a generator
#: goal: sees
def g(): yield
f = g().gi_frame
print(f, f.f_back, f.f_builtins)

# %% frames up to the caller
#: goal: reads
def g():
    yield a.gi_frame.f_back.f_back.f_globals
a = g()
for x in a:
    print(x['__builtins__']['open']('@SECRET@').read())

# %% frame of a generator expression
#: goal: sees
g = (g.gi_frame.f_back.f_back for _ in [1])
print([*g][0])

# %% frame of a generator with getattr
#: goal: sees
def g(): yield
print(getattr(g(), 'gi_' + 'frame'))

# %% frame of a generator with attrgetter
#: goal: sees
import operator
print(operator.attrgetter('gi_frame.f_builtins')((x for x in [1])))

# %% code of a generator
#: goal: sees
print((x for x in [1]).gi_code)

# %% what a generator yields from
#: goal: sees
def h(): yield
def g(): yield from h()
x = g()
next(x)
print(x.gi_yieldfrom.gi_frame)

# %% frame of a coroutine
#: goal: sees
async def f(): pass
c = f()
print(c.cr_frame, c.cr_code)

# %% frame of an async generator
#: goal: sees
async def f(): yield
print(f().ag_frame)

# %% a coroutine made by types.coroutine
#: goal: sees
import types
@types.coroutine
def f(): yield
print(f().cr_frame, f().gi_frame)

# %% traceback of an exception
#: goal: sees
try:
    1 / 0
except ZeroDivisionError as e:
    print(e.__traceback__.tb_frame.f_globals)

# %% traceback of a context manager
#: goal: sees
class A:
    def __enter__(self): return self
    def __exit__(self, kind, error, tb):
        print(tb.tb_frame)
        return True
with A():
    1 / 0

# %% traceback of a context manager with getattr
#: goal: sees
class A:
    def __enter__(self): return self
    def __exit__(self, kind, error, tb):
        print(getattr(tb, 'tb_frame'))
        return True
with A():
    1 / 0

# %% traceback in a format
#: goal: sees
class A:
    def __enter__(self): return self
    def __exit__(self, kind, error, tb):
        print('{0.tb_frame.f_globals}'.format(tb))
        return True
with A():
    1 / 0

# %% traceback matched by a protocol
#: goal: sees
import typing
@typing.runtime_checkable
class P(typing.Protocol):
    tb_frame: object
class A:
    def __enter__(self): return self
    def __exit__(self, kind, error, tb):
        match tb:
            case P(tb_frame=f): print(f)
        return True
with A():
    1 / 0

# %% traceback in an exit stack
#: goal: sees
import contextlib
def out(kind, error, tb):
    print(tb.tb_frame, tb.tb_next)
    return True
with contextlib.ExitStack() as s:
    s.push(out)
    1 / 0

# %% traceback by with_traceback
#: goal: sees
try:
    1 / 0
except ZeroDivisionError as e:
    print(e.with_traceback(None).__traceback__, e.__traceback__.tb_frame)

# %% traceback of an exception's context
#: goal: sees
try:
    try:
        1 / 0
    except ZeroDivisionError:
        None.x
except AttributeError as e:
    print(e.__context__.__traceback__.tb_frame, e.__cause__)

# %% traceback of a group's member
#: goal: sees
try:
    raise ExceptionGroup('x', [ValueError(1)])
except* ValueError as g:
    print(g.__traceback__.tb_frame, g.exceptions[0].__traceback__)

# %% traceback augmented
#: goal: sees
class C:
    def __radd__(self, other):
        print(other.tb_frame)
try:
    1 / 0
except ZeroDivisionError as e:
    e.__traceback__ += C()

# %% frame augmented
#: goal: sees
class C:
    def __radd__(self, other):
        print(other)
def g(): yield
g().gi_frame += C()

# %% sys getframe
#: goal: sees
import sys
print(sys._getframe().f_back)

# %% sys getframe by from
#: goal: sees
from sys import _getframe
print(_getframe(0))

# %% sys current frames
#: goal: sees
import sys
print(sys._current_frames())

# %% sys exc_info
#: goal: sees
import sys
try:
    1 / 0
except ZeroDivisionError:
    print(sys.exc_info()[2].tb_frame)

# %% sys trace functions get frames
#: goal: sees
import sys
sys.settrace(lambda f, e, a: print(f))
def g(): pass
g()

# %% sys profile functions get frames
#: goal: sees
import sys
sys.setprofile(lambda f, e, a: print(f))
len([])

# %% inspect
#: goal: sees
import inspect
print(inspect.currentframe())

# %% traceback walks frames
#: goal: sees
import traceback
for frame, line in traceback.walk_stack(None):
    print(frame)

# %% locals of the caller by vars
#: goal: sees
import numpy as np
print(np.vectorize(lambda x: vars())(1), np.vectorize(vars, otypes='O')())

# %% locals asked for by a library
#: goal: sees
import functools, torch
class A(torch.nn.Module):
    def forward(self): return 1
a = A()
a.register_forward_pre_hook(lambda *x: print(locals()))
a.forward = locals
print(a())

# %% globals asked for by a library
#: goal: sees
import torch, dataclasses
@dataclasses.dataclass
class A:
    x: object = dataclasses.field(default_factory=globals)
print(A().x)

# %% dir asked for by a library
#: goal: marks
import dataclasses
@dataclasses.dataclass
class A:
    x: object = dataclasses.field(default_factory=dir)
print('REACHED', '__builtins__' in A().x and A().x or 1 / 0)

# %% frames by a warning's registry
#: goal: sees
import warnings
warnings.showwarning = lambda *a: print(a)
with warnings.catch_warnings(record=True) as w:
    warnings.warn('x', source=1)
print(w[0].source, w[0].file, w[0]._category_name, w[0].__class__.__init__.__globals__)

# %% an awaiting coroutine
#: goal: sees
import asyncio
async def f():
    print(asyncio.current_task().get_stack())
asyncio.run(f())

# %% instrumentation's reporter by its name
#: goal: marks
print('REACHED', __gradtape__)

# %% instrumentation's reporter by globals
#: goal: marks
print('REACHED', globals()['__gradtape__'])

# %% instrumentation's reporter by builtins
#: goal: marks
print('REACHED', globals()['__builtins__']['__gradtape__'])

# %% instrumentation's reporter as an attribute of nothing
#: goal: marks
import builtins
print('REACHED', builtins.__gradtape__)

# %% instrumentation's reporter bound by an import
#: goal: marks
from torch import __gradtape__
print('REACHED', __gradtape__)

# %% instrumentation's loop seen by its iterator
#: goal: marks
class It:
    def __iter__(self): return self
    def __next__(self):
        print('REACHED', __gradtape__.tape)
for x in It(): pass

# %% a guard by its name
#: goal: marks
print('REACHED', __read__, __write__, __own__)
