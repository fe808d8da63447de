"""The files, paths and modules that programs have, as ways to the real ones, to modules, and to what belongs to the engine."""
#: goal: what it tries, by which it is judged (`attacks.py` says what there is)

if __name__: raise SystemExit("these programs may do harm: `python -m tests.corpus FILE::NAME` runs one shut in")

# %% open by every way there is
#: goal: reads
import glob, gzip, io, json, os, pathlib, shutil, tempfile, zipfile
import numpy as np
path = '@SECRET@'
ways = [lambda: open(path).read(), lambda: open(path, 'rb').read(), lambda: pathlib.Path(path).read_text(), lambda: pathlib.Path(path).open().read(),
        lambda: (pathlib.Path('/project') / '..' / path[1:]).read_text(), lambda: np.fromfile(path, 'u1').tobytes(), lambda: np.loadtxt(path, dtype=str),
        lambda: np.genfromtxt(path, dtype=str), lambda: np.load(path), lambda: gzip.open(path).read(), lambda: zipfile.ZipFile(path).namelist(),
        lambda: shutil.copy(path, 'x'), lambda: json.load(open(path)), lambda: open('//' + path).read(), lambda: open('/project/../..' + path).read(),
        lambda: os.scandir(os.path.dirname(path)), lambda: glob.glob(os.path.dirname(path) + '/*'), lambda: shutil.copytree(os.path.dirname(path), 'y'),
        lambda: open(os.fspath(pathlib.Path(path))).read(), lambda: tempfile.NamedTemporaryFile(dir=os.path.dirname(path)), lambda: os.walk('/')]
for way in ways:
    try:
        found = way()
        print(found if not hasattr(found, '__next__') else list(found))
    except Exception as e:
        print(type(e).__name__)

# %% numbers of files that the process has open
#: goal: reads
for number in range(20):
    for mode in ('r', 'rb', 'w'):
        try:
            print(open(number, mode).read())
        except Exception:
            pass
try: open('@SECRET@', opener=lambda p, f: 0)
finally: print(open(0).read())

# %% a file's way to its raw one
#: goal: reads
f = open('a', 'w+b')
for name in ('raw', 'buffer', '_files', '_data', '_ending', 'detach', 'fileno', '__dict__', '__class__'):
    try:
        print(name, getattr(f, name))
    except Exception as e:
        print(type(e).__name__)
type(f)(open, f, '@SECRET@', 'r').read()

# %% a path's module
#: goal: reads
from pathlib import Path
for name in ('parser', '_flavour', 'pathmod', '_accessor', 'with_segments', '_text', 'open', 'cwd', 'home'):
    try:
        found = getattr(Path('a'), name)
        print(getattr(found, 'os', found))
    except Exception as e:
        print(type(e).__name__)
print(Path('a').parser.os.open('@SECRET@', 0))

# %% modules of functions that are handed out
#: goal: marks
import os, argparse, csv, inspect, hashlib, importlib, json, uuid, base64, urllib.parse as up
for thing in (os.path.join, os.path.basename, argparse.ArgumentParser, csv.reader, inspect.signature, hashlib.md5, importlib.import_module, uuid.uuid4, up.quote):
    for name in ('__globals__', '__module__', '__code__', '__builtins__', '__self__', '__wrapped__', 'os', 'sys', '_sys', '_os'):
        try:
            found = getattr(thing, name)
            print('REACHED' if type(found).__name__ in ('module', 'dict', 'code') else '')
        except Exception:
            pass

# %% argparse opens a file of arguments
#: goal: reads
import argparse
class Parser(argparse.ArgumentParser):
    def __init__(self):
        super().__init__(fromfile_prefix_chars='@')
        self.fromfile_prefix_chars = '@'
print(Parser().parse_known_args(['@' + '@SECRET@']))

# %% argparse opens a file by its type
#: goal: reads
import argparse
parser = argparse.ArgumentParser()
parser.add_argument('x', type=argparse.FileType('r'))
print(parser.parse_args(['@SECRET@']).x.read())

# %% argparse writes a file by its type
#: goal: writes
import argparse
parser = argparse.ArgumentParser()
parser.add_argument('x', type=argparse.FileType('w'))
parser.parse_args(['@TARGET@']).x.write('x')

# %% argparse sets any attribute
#: goal: marks
import argparse, torch, math
class Leak: pass
for dest in ('__class__', '__dict__', '__init__', '__array_interface__', '__getattribute__'):
    for namespace in (None, argparse.Namespace(), Leak(), torch.ones(1), math, torch.nn.Linear, Leak):
        try:
            parser = argparse.ArgumentParser()
            parser.add_argument('--x', dest=dest)
            found = parser.parse_args(['--x', 'REACHED'], namespace)
            print(getattr(found, dest))
        except (Exception, SystemExit):
            pass
        try:
            argparse.ArgumentParser().set_defaults(**{dest: 'REACHED'})
            print(argparse.Namespace(**{dest: 'REACHED'}).__dict__)
        except Exception:
            pass

# %% argparse changes what is not the program's
#: goal: marks
import argparse, math, torch
parser = argparse.ArgumentParser()
parser.add_argument('--pi')
for thing in (math, torch, torch.nn.Linear, argparse, int):
    try: parser.parse_args(['--pi', 'REACHED'], namespace=thing)
    except Exception: pass
print(math.pi, getattr(torch, 'pi', ''), getattr(torch.nn.Linear, 'pi', ''))

# %% the guards by way of argparse and inspect
#: goal: marks
import argparse, inspect
for thing in (argparse.ArgumentParser, argparse.ArgumentParser(), argparse.Namespace(), inspect.signature(lambda: 0), inspect.Signature):
    for name in ('guards', '_guards', 'world', 'builtins', '_registries', '_actions', '__init__'):
        try:
            found = getattr(thing, name)
            print('REACHED' if 'uards' in type(found).__name__ or type(found) is dict else '')
        except Exception:
            pass

# %% defaults of the engine's own functions
#: goal: marks
import inspect, torch
for thing in (torch.save, torch.load, open, torch.nn.Module.__call__, torch.optim.Adam, torch.autograd.backward, inspect.signature):
    try:
        signature = inspect.signature(thing)
        for again in (signature, inspect.Signature.from_callable(thing), signature.from_callable(thing), type(signature).from_callable(thing)):
            for p in again.parameters.values():
                if type(p.default).__name__ in ('module', 'function', 'dict', 'Context', 'Guards', 'World'):
                    print('REACHED', p)
    except Exception:
        pass

# %% an archive that writes elsewhere
#: goal: writes
import io, zipfile
memory = io.BytesIO()
with zipfile.ZipFile(memory, 'w') as z:
    for name in ('@TARGET@', '../../../../..@TARGET@', '@TARGET@'[1:]):
        z.writestr(name, 'x')
for place in (None, '/', '/project', '..'):
    zipfile.ZipFile(io.BytesIO(memory.getvalue())).extractall(place)
z = zipfile.ZipFile(memory)
for name in ('fp', 'filename', '_zip', '_memory', 'extract', 'NameToInfo'):
    try: print(getattr(z, name))
    except Exception: pass
z._zip.extractall('/')

# %% write by every way there is
#: goal: writes
import os, pathlib, shutil, tempfile, gzip, csv, json, logging
import numpy as np
target = '@TARGET@'
open('x', 'w').write('x')
os.makedirs(os.path.dirname(target), exist_ok=True)
for way in (lambda: open(target, 'w').write('x'), lambda: pathlib.Path(target).write_text('x'), lambda: pathlib.Path(target).touch(), lambda: os.mkdir(target),
            lambda: shutil.copy('x', target), lambda: os.rename('x', target), lambda: np.save(target, np.ones(1)), lambda: np.savetxt(target, np.ones(1)),
            lambda: gzip.open(target, 'w').write(b'x'), lambda: os.symlink('x', target), lambda: shutil.move('x', target),
            lambda: np.savez(target, np.ones(1)), lambda: tempfile.NamedTemporaryFile(dir=os.path.dirname(target), delete=False), lambda: os.open(target, 65)):
    try: way()
    except Exception as e: print(type(e).__name__)

# %% objects in an array that is written
#: goal: marks
import numpy as np, io, hashlib, csv
a = np.array([object()] * 4)
for way in (lambda: open('a', 'wb').write(a), lambda: hashlib.md5(a), lambda: np.save('a', a), lambda: np.savez('a', a), lambda: np.fromfile('b', object),
            lambda: np.loadtxt(['1'], dtype=object), lambda: np.genfromtxt(['1'], dtype=object), lambda: np.loadtxt(['1'], dtype=[('x', object)])):
    open('b', 'wb').write(b'x' * 64)
    try:
        way()
        print('REACHED')
    except Exception as e:
        print(type(e).__name__)

# %% a pickle that is loaded
#: goal: marks
import numpy as np
for data in (b"cos\nsystem\n(S'echo REACHED'\ntR.", b"\x80\x04\x8c\x08builtins\x94\x8c\x05print\x94\x93\x94\x8c\x07REACHED\x94\x85\x94R\x94."):
    open('a.npy', 'wb').write(data)
    for options in ({}, {'allow_pickle': True}):
        try: print(np.load('a.npy', **options))
        except Exception as e: print(type(e).__name__)
header = b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }"
data = b"\x93NUMPY\x01\x00" + (118).to_bytes(2, 'little') + header.ljust(117) + b"\n" + b"cbuiltins\nprint\n(S'REACHED'\ntR."
open('b.npy', 'wb').write(data)
for options in ({}, {'allow_pickle': True}):
    try: print(np.load('b.npy', **options))
    except Exception as e: print(type(e).__name__)

# %% a converter that NumPy calls
#: goal: marks
import numpy as np
def look(x): return 'REACHED'
for way in (lambda: np.loadtxt(['1'], converters=look), lambda: np.loadtxt(['1'], converters={0: look}), lambda: np.genfromtxt(['1'], converters={0: look}),
            lambda: np.genfromtxt(['1'], dtype=str, missing_values=look), lambda: np.loadtxt(['1'], dtype=str, comments=look)):
    try: print(way())
    except Exception as e: print(type(e).__name__)

# %% a reader that is entered again
#: goal: marks
import csv
class Lines:
    def __init__(self): self.n = 0
    def __iter__(self): return self
    def __next__(self):
        self.n += 1
        if self.n > 3: raise StopIteration
        try: print(next(reader))
        except Exception as e: print(type(e).__name__)
        return 'a,"b\n' if self.n % 2 else 'c",d\n'
reader = csv.reader(Lines())
print(list(reader))
class Row:
    def __iter__(self):
        for k in range(3):
            writer.writerow(['x' * 1000] * 100)
            yield self
    def __str__(self):
        writer.writerow(['y' * 10000])
        return 'z'
class Sink:
    def write(self, text):
        if len(text) < 50: writer.writerow([self] * 3)
    __str__ = lambda self: 's'
writer = csv.writer(Sink())
try: writer.writerow(Row())
finally: writer.writerow(['z'])

# %% a module whose name is one of Python's
#: goal: marks
open('os.py', 'w').write('x = 1')
open('sitecustomize.py', 'w').write('x = 1')
for text in ('from os import system', 'from os import path as p', 'import sitecustomize'):
    pass
import os
try:
    from os import system
    print('REACHED', system)
except ImportError as e:
    print(e)
try:
    import sitecustomize
    print('REACHED')
except ImportError:
    pass

# %% import_module and find_spec
#: goal: marks
import importlib
for name in ('os', 'sys', 'builtins', 'subprocess', 'ctypes', 'engine', 'torch._C', 'numpy._core', 'importlib.machinery', 'os.path', '.x', '__main__', 'torch.__init__'):
    for way in (importlib.import_module, importlib.util.find_spec, importlib.reload):
        try:
            found = way(name)
            for attribute in ('system', 'modules', 'open', 'loader', 'origin', 'CDLL', 'run'):
                if hasattr(found, attribute): print('REACHED', name, attribute)
        except Exception:
            pass

# %% a class that JSON is written with
#: goal: marks
import json
class Encoder(json.JSONEncoder):
    def default(self, o):
        return [self.default]
    def iterencode(self, o, _one_shot=True):
        return super().iterencode(o, True)
try: print(json.dumps({'a': object()}, cls=Encoder))
except Exception as e: print(type(e).__name__)

# %% a file whose methods are given to another
#: goal: marks
class Fake:
    _closed = False
    _mode = 'r'
    name = 'x'
f = open('a', 'w')
kinds = [type(f), type(open('a', 'rb'))]
for kind in kinds:
    for name in ('read', 'close', 'flush', '_put', '_rest', '_check', '__init__', 'name'):
        try:
            found = getattr(kind, name)
            print('REACHED' if name.startswith('_') and name[1] != '_' else '')
            found(Fake())
        except Exception:
            pass

# %% text that lies about itself
#: goal: marks
class Text(str):
    def fspath(self): return '@SECRET@'
    def encode(self, *a): return b'REACHED'
    def __str__(self): return '@SECRET@'
    def split(self, *a): return ['REACHED']
    def replace(self, *a): return 'REACHED'
    def startswith(self, *a): return True
open('a', 'w').write('plain')
print(open(Text('a')).read())
with open('b', 'w') as f: f.write(Text('plain'))
print(open('b').read())

# %% the line of a warning
#: goal: marks
import io, sys, torch, warnings, contextlib
said = io.StringIO()
with contextlib.redirect_stderr(said):
    torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=0.1).step(lambda: warnings.warn('in it', stacklevel=2))
print("REACHED" if "closure()" in said.getvalue() else "")
