"""Results that are not the program's own, or not the truth."""
#: goal: what it tries, by which it is judged (`attacks.py` says what there is)

if __name__: raise SystemExit("these programs may do harm: `python -m tests.corpus FILE::NAME` runs one shut in")

# %% writes an end to every descriptor
#: goal: forges
import os, struct
frames = bytes.fromhex('@FORGERY@')
for fd in range(256):
    try:
        os.write(fd, frames)
    except OSError:
        pass
os._exit(0)  # before the true end follows

# %% writes requests to every descriptor
#: goal: forges
import os, struct
for fd in range(256):
    for number in range(1, 200):
        try:
            os.write(fd, struct.pack('<Qd', number, 0.0))
        except OSError:
            break

# %% writes ends of others to every descriptor
#: goal: forges
import os, struct
for fd in range(256):
    for number in range(1, 200):
        try:
            os.write(fd, struct.pack('<Qi?', number, 0, True))
        except OSError:
            break

# %% writes to its parent's descriptors in proc
#: goal: forges
import os, glob
for name in glob.glob('/proc/*/fd/*'):
    try:
        open(name, 'wb').write(b'FORGED' * 100)
    except OSError:
        pass

# %% closes its descriptors
#: goal: forges
import os
os.closerange(0, 256)

# %% leaves in the middle
#: goal: forges
import os
os._exit(0)

# %% leaves by an exception
#: goal: forges
raise SystemExit(0)

# %% half a frame
#: goal: forges
import os
for fd in (3, 4):
    try:
        os.write(fd, b'B\xff\xff\x00\x00' + b'x' * 100)
    except OSError:
        pass
while True: pass

# %% many small frames
#: goal: forges
import os
while True:
    os.write(3, b'B\x06\0\0\0\x95\x90\x90\x90\x90\x90')

# %% single bytes
#: goal: forges
import os
os.write(3, b'B\x00\x00\x50\x00')
while True:
    os.write(3, b'\x91')

# %% floods the line where it is stuck
#: goal: forges
import os
os.set_blocking(4, False)
while True:
    os.write(4, b'File "<program>", line 1' * 1000)

# %% the standard output of the process
#: goal: forges
import os, sys
os.write(1, b'FORGED')
sys.__stdout__.write('FORGED')

# %% the recorder is changed
#: goal: forges
import gc
for x in gc.get_objects():
    if type(x).__name__ == 'Recorder' or type(x).__name__ == '_Bounded':
        x.events.clear()
        x._encoder = None

# %% what comes after the end
#: goal: forges
import gc
for x in gc.get_objects():
    if type(x).__name__ == 'Tape':
        for _ in range(3):
            x.frame(b'D', b'\xc0')

# %% a print that is not a print
#: goal: forges
import sys
class F:
    def write(self, text): return len(text)
    def flush(self): pass
sys.stdout = F()
print('FORGED')

# %% a stream's text with a length of its own
#: goal: slow
import sys
class S(str):
    def __len__(self): return -10 ** 9
    def __getitem__(self, k): return 'x' * 10 ** 6
    def __radd__(self, other): return self
    def __contains__(self, x): return False
while True:
    sys.stdout.write(S('x'))
    print(S('x'))

# %% a result that is no text
#: goal: slow
class S(str):
    def encode(self, *a): return self
    def decode(self, *a): return [1] * 1000
class R:
    def __repr__(self): return S('x')
R()

# %% a name that is no text
#: goal: slow
class S(str):
    def __eq__(self, other): return True
    __hash__ = str.__hash__
class E(Exception): pass
E.__name__ = S('x')
E.__qualname__ = S('y')
raise E(S('z'))

# %% an error whose message lies
#: goal: slow
class S(str):
    def encode(self, *a): return self
    def decode(self, *a): return self
    def __getitem__(self, k): return 1
class E(Exception):
    def __str__(self): return S('x')
raise E

# %% an error that is a group without end
#: goal: slow
e = ValueError('x')
for k in range(100000):
    e = ExceptionGroup('x', [e])
raise e

# %% an error with causes without end
#: goal: slow
e = ValueError('x')
for k in range(100000):
    f = ValueError(k)
    f.__context__ = e
    e = f
raise e

# %% notes without end
#: goal: slow
e = ValueError('x')
while True:
    e.add_note('x' * 10 ** 6)
