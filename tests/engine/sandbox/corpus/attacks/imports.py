"""Import statements, import machinery, and modules that lead to others."""
#: goal: what it tries, by which it is judged (`attacks.py` says what there is)

if __name__: raise SystemExit("these programs may do harm: `python -m tests.corpus FILE::NAME` runs one shut in")

# %% os
#: goal: reads
import os
print(os.read(os.open('@SECRET@', 0), 1000))

# %% os under another name
#: goal: reads
import os as math
print(math.popen('cat @SECRET@').read())

# %% from os
#: goal: reads
from os import open, read
print(read(open('@SECRET@', 0), 1000))

# %% posix
#: goal: reads
import posix
print(posix.read(posix.open('@SECRET@', 0), 1000))

# %% builtins
#: goal: reads
import builtins
print(builtins.open('@SECRET@').read())

# %% import function
#: goal: reads
print(__import__('os').popen('cat @SECRET@').read())

# %% import function from globals
#: goal: reads
print(globals()['__builtins__']['open']('@SECRET@').read())

# %% importlib
#: goal: reads
import importlib
print(importlib.import_module('os').popen('cat @SECRET@').read())

# %% loader of a package
#: goal: sees
from math import __loader__
print(__loader__.load_module('os'))

# %% spec of a package
#: goal: sees
from torch import __spec__
print(__spec__.loader)

# %% builtins of a package
#: goal: reads
from torch import __builtins__ as b
print(b['open']('@SECRET@').read())

# %% relative import
#: goal: sees
from . import sandbox
print(sandbox)

# %% relative import of a parent
#: goal: sees
from .. import os
print(os)

# %% dotted import binds the top
#: goal: sees
import os.path
print(os)

# %% dotted import below a facade
#: goal: sees
import torch.os
print(torch.os)

# %% dotted import below numpy
#: goal: sees
import numpy.lib.format as f
print(f)

# %% submodule that the server has loaded
#: goal: sees
import collections._sys as s
print(s)

# %% submodule behind a facade by from
#: goal: sees
from collections import _sys
print(_sys)

# %% submodule by a star
#: goal: sees
from random import *
from functools import *
from contextlib import *
print(_os, _sha512, sys, os)

# %% modules within modules
#: goal: sees
import random, json, typing, dataclasses, contextlib, copy, re, string, textwrap, statistics, pprint, io, enum, warnings, weakref, functools, time
for m in (random, json, typing, dataclasses, contextlib, copy, re, string, textwrap, statistics, pprint, io, enum, warnings, weakref, functools, time):
    for name in dir(m) + ['os', 'sys', '_os', '_sys', 'io', 'codecs', 'decoder', 'scanner', 'types', 'inspect', 'builtins', 'linecache', '_collections_abc', 'contextlib', 'abc', 'open']:
        try:
            print(getattr(m, name))
        except Exception:
            pass

# %% import with code in its name
#: goal: sees
import importlib.util
print(importlib.util.spec_from_file_location('x', '@SECRET@'))

# %% meta path
#: goal: sees
import sys
sys.meta_path.insert(0, print)
sys.path_hooks.clear()
print(sys.meta_path)

# %% frozen importer
#: goal: sees
import _frozen_importlib
print(_frozen_importlib.sys)

# %% imp and zipimport
#: goal: reads
import zipimport, imp
print(imp.load_source('x', '@SECRET@'))

# %% runpy
#: goal: reads
import runpy
print(runpy.run_path('@SECRET@'))

# %% pkgutil
#: goal: reads
import pkgutil
print(pkgutil.get_data('engine', '../../../../../../@SECRET@'))

# %% pickle
#: goal: reads
import pickle
print(pickle.loads(b"cbuiltins\neval\n(S'open(\"@SECRET@\").read()'\ntR."))

# %% pickle in C
#: goal: reads
import _pickle
print(_pickle.loads(b"cbuiltins\neval\n(S'open(\"@SECRET@\").read()'\ntR."))

# %% copyreg
#: goal: marks
import copyreg, copy
copyreg.pickle(int, lambda x: (print, ('REACHED',)))
copy.copy(1)

# %% copy by a reduce of one's own
#: goal: marks
import copy
class A:
    def __reduce_ex__(self, p): return (print, ('REACHED',))
copy.copy(A())
copy.deepcopy(A())

# %% copy by a state of one's own
#: goal: memory
import copy, numpy as np
class A:
    def __getstate__(self): return {'__array_interface__': {'data': (id(int), False), 'shape': (8,), 'typestr': '<u8', 'version': 3}}
print(hex(int(np.asarray(copy.copy(A()))[0])))

# %% copy with a memo of one's own
#: goal: marks
import copy
class M(dict):
    def get(self, key, default=None):
        print('REACHED' if callable(default) or hasattr(default, '__globals__') else '')
        return default
copy.deepcopy([1], M())

# %% marshal
#: goal: marks
import marshal
print('REACHED', marshal.loads(b'N'))

# %% eval
#: goal: reads
print(eval('open("@SECRET@").read()'))

# %% exec
#: goal: reads
exec('print(open("@SECRET@").read())')

# %% compile
#: goal: marks
print('REACHED', compile('1', '', 'eval'))

# %% eval under another name
#: goal: reads
e = [eval][0]
print(e('open("@SECRET@").read()'))

# %% eval mapped
#: goal: reads
print(*map(eval, ['open("@SECRET@").read()']))

# %% eval as a default
#: goal: reads
def f(x=eval): return x('open("@SECRET@").read()')
print(f())

# %% eval as a decorator
#: goal: marks
@exec
def f(): return 'REACHED'

# %% open as a context manager
#: goal: reads
with open('@SECRET@') as f:
    print(f.read())

# %% input and breakpoint
#: goal: marks
print('REACHED', input())

# %% breakpoint
#: goal: marks
breakpoint()
print('REACHED')

# %% help pages
#: goal: sees
help('modules')

# %% license reads files
#: goal: marks
print('REACHED', license._Printer__filenames)

# %% code and codeop
#: goal: marks
import code
code.InteractiveInterpreter().runsource('print("REACHED")')

# %% timeit runs a text
#: goal: marks
import timeit
timeit.timeit('print("REACHED")', number=1)

# %% timeit runs a setup
#: goal: marks
import timeit
timeit.Timer('1', setup='print("REACHED")').timeit(1)

# %% doctest
#: goal: marks
import doctest
def f():
    """
    >>> print('REACHED')
    """
doctest.run_docstring_examples(f, {}, verbose=True)

# %% dis
#: goal: sees
import dis
def f(): pass
dis.dis(f)
print(dis.Bytecode(f).codeobj)

# %% ast
#: goal: marks
import ast
print('REACHED', ast.literal_eval('1'))

# %% site and sysconfig
#: goal: sees
import site, sysconfig
print(site.sys)

# %% singledispatch's registry
#: goal: sees
import functools
@functools.singledispatch
def f(x): pass
print(f.register.__globals__, f.registry)

# %% a type checker's module
#: goal: sees
import typing
print(typing.sys, typing.get_type_hints)

# %% re's compiler
#: goal: sees
import re
print(re._compiler, re.enum, re.Scanner)

# %% re evaluates a template
#: goal: marks
import re
print(re.sub('x', lambda m: m.re.__class__.__base__.__subclasses__() and 'REACHED', 'x'))

# %% codecs
#: goal: reads
import codecs
print(codecs.open('@SECRET@').read())

# %% encodings import modules
#: goal: sees
for name in ('os', 'torch', '__main__', 'engine.sandbox.processes.child', '../../x', 'aliases', 'mbcs'):
    try:
        print('x'.encode(name))
    except LookupError as e:
        print(e.__cause__)

# %% encodings that decode to code
#: goal: marks
# -*- coding: unicode_escape -*-
# \u000aprint('REACHED')
x = 'idna'.encode('idna').decode('punycode')

# %% coding line of an encoding that hides code
#: goal: marks
# -*- coding: utf-7 -*-
#+AAo-print('REACHED')

# %% carriage returns hide code
#: goal: marks
x = 1 #print('REACHED') if hasattr(x, '__class__.__base__') else 0

# %% form feeds and null characters
#: goal: reads
if 1:
	print(open('@SECRET@').read())

# %% atexit
#: goal: marks
import atexit
atexit.register(print, 'REACHED')

# %% weakref finalizers at exit
#: goal: writes
import weakref
class A: pass
a = A()
weakref.finalize(a, lambda: open('@TARGET@', 'w'))

# %% deletion at exit
#: goal: writes
class A:
    def __del__(self): open('@TARGET@', 'w')
a = A()

# %% excepthook
#: goal: marks
import sys
sys.excepthook = lambda *a: print('REACHED')
1 / 0

# %% displayhook
#: goal: marks
import sys
sys.displayhook = lambda *a: print('REACHED')

# %% unraisable hook
#: goal: sees
import sys
sys.unraisablehook = print
class A:
    def __del__(self): 1 / 0
A()

# %% warnings' hook
#: goal: sees
import warnings
warnings.showwarning = lambda *a: print(warnings.sys)
warnings.warn('x')

# %% warnings' module of one's own
#: goal: sees
import warnings
class M:
    filters = []
    showwarning = _showwarning_orig = _showwarnmsg_impl = print
    def _filters_mutated(self): print(vars())
class W:
    def __setattr__(self, name, value): print(name, value)
    def __getattr__(self, name): return print
w = warnings.catch_warnings(record=True, module=W())
w.__enter__()
print(w._module, w._filters)

# %% linecache
#: goal: reads
import linecache
print(linecache.getlines('@SECRET@'))

# %% lines of a file in a warning
#: goal: reads
import warnings
warnings.warn_explicit('x', UserWarning, '@SECRET@', 1)

# %% lines of a file in a traceback
#: goal: reads
import traceback
def f(): pass
f.__code__ = f.__code__.replace(co_filename='@SECRET@')
traceback.print_stack()

# %% a syntax error quotes a file
#: goal: reads
raise SyntaxError('x', ('@SECRET@', 1, 1, None))

# %% a syntax error that quotes a file is formatted
#: goal: reads
import traceback
try:
    raise SyntaxError('x', ('@SECRET@', 1, 1, None, 1, 1))
except SyntaxError:
    print(traceback.format_exc())

# %% gc
#: goal: sees
import gc
print([x for x in gc.get_objects() if 'module' in str(type(x))][:5])

# %% gc referrers
#: goal: sees
import gc, math
print(gc.get_referrers(math.sin), gc.get_referents(math))

# %% gc callbacks
#: goal: sees
import gc
gc.callbacks.append(lambda *a: print(vars()))
print(gc.callbacks)

# %% tracemalloc
#: goal: sees
import tracemalloc
tracemalloc.start()
print(tracemalloc.take_snapshot().traces[0].traceback)

# %% faulthandler
#: goal: writes
import faulthandler
faulthandler.enable(open('@TARGET@', 'w'))

# %% ctypes
#: goal: starts
import ctypes
ctypes.CDLL(None).system(b'touch @TARGET@')

# %% ctypes pythonapi
#: goal: marks
import ctypes
ctypes.pythonapi.PyRun_SimpleString(b'print("REACHED")')

# %% ctypes in C
#: goal: marks
import _ctypes
print('REACHED', _ctypes.dlopen(None, 0))

# %% cffi
#: goal: starts
import cffi
f = cffi.FFI()
f.cdef('int system(const char*);')
f.dlopen(None).system(b'touch @TARGET@')

# %% scipy
#: goal: reads
import scipy.io
print(scipy.io.loadmat('@SECRET@'))

# %% scipy by numpy
#: goal: sees
import scipy.linalg.blas as b
print(b)

# %% msgspec and other libraries
#: goal: reads
import msgspec, networkx
print(networkx.read_edgelist('@SECRET@').edges)

# %% singledispatch evaluates an annotation
#: goal: marks
import functools
@functools.singledispatch
def f(x): pass
def g(x: "print('REACHED')"): pass
f.register(g)

# %% optparse runs a file and a module
#: goal: marks
import optparse
optparse.Values().read_file('@TARGET@')
optparse.Values().read_module('os')

# %% optparse sets what it is told
#: goal: marks
import optparse
def f(a=1): return a
p = optparse.OptionParser()
p.add_option('--x', dest='__defaults__', type='int', nargs=2)
p.parse_args(['--x', '3', '4'], f)
print('REACHED', f())

# %% optparse reads what it is told
#: goal: sees
import optparse
def f(): pass
print(optparse.Values.ensure_value(f, '__globals__', None))

# %% configparser reads a file
#: goal: reads
import configparser
c = configparser.ConfigParser(allow_no_value=True)
c.read('@SECRET@')
c.read_file(open('@SECRET@'))
print(c.sections())

# %% configparser sets up a section on a function
#: goal: sees
import configparser
class K:
    def __radd__(self, other): return '__globals__'
def f(): pass
f.converters = [K()]
s = configparser.SectionProxy(f, 'n')
print(s.get.keywords)

# %% configparser by a converter's name
#: goal: sees
import configparser
class K(str):
    def __radd__(self, other): return '__dict__'
c = configparser.ConfigParser(converters={K('x'): lambda x: x})
print(c.converters)

# %% an opener opens
#: goal: connects
import urllib.request
urllib.request.build_opener().open('http://127.0.0.1:@PORT@/', timeout=1)

# %% a module's part that says another name
#: goal: sees
import foo
def evil(): pass
evil.__name__ = 'os'
foo.sub = evil
import foo.sub.path as z
del foo.sub
foo.sub = evil
import foo.sub.path as z
print(z, z.os)
