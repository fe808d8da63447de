"""Files, when everything of Python can be imported."""
#: goal: what it tries, by which it is judged (`attacks.py` says what there is)

if __name__: raise SystemExit("these programs may do harm: `python -m tests.corpus FILE::NAME` runs one shut in")

# %% open
#: goal: reads
print(open('@SECRET@').read())

# %% os.open
#: goal: reads
import os
print(os.read(os.open('@SECRET@', os.O_RDONLY), 1000))

# %% openat2 and handles by number
#: goal: reads
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for number in (2, 85, 257, 304, 437):
    fd = libc.syscall(number, -100, b'@SECRET@', 0, 0)
    if fd < 0:
        fd = libc.syscall(number, b'@SECRET@', 0)
    if fd >= 0:
        print(os.read(fd, 1000))

# %% read with preadv and friends
#: goal: reads
import ctypes, mmap, os
libc = ctypes.CDLL(None, use_errno=True)
libc.open.restype = ctypes.c_int
fd = libc.open(b'@SECRET@', 0)
b = ctypes.create_string_buffer(1000)
for call in ('read', 'pread', 'readv', 'preadv'):
    try:
        getattr(libc, call)(fd, b, 1000, 0)
    except Exception:
        pass
print(b.value)

# %% mmap of a file
#: goal: reads
import mmap, os
print(mmap.mmap(os.open('@SECRET@', 0), 0, prot=mmap.PROT_READ)[:])

# %% a file that the server has open
#: goal: reads
import os
for fd in range(256):
    try:
        print(os.pread(fd, 1000, 0))
    except OSError:
        pass

# %% a directory
#: goal: marks
import os
print('REACHED' if {'etc', 'usr', 'proc'} & set(os.listdir('/')) else '')

# %% a file's size
#: goal: marks
import os
print('REACHED', os.stat('@SECRET@').st_size)

# %% whether a file is there
#: goal: marks
import os
print('REACHED' if os.path.exists('@SECRET@') else '')

# %% create
#: goal: writes
open('@TARGET@', 'w').write('x')

# %% create with os
#: goal: writes
import os
os.open('@TARGET@', os.O_CREAT | os.O_WRONLY)

# %% create a directory
#: goal: writes
import os
os.mkdir('@TARGET@')

# %% create a link
#: goal: writes
import os
os.symlink('/etc/passwd', '@TARGET@')

# %% create a hard link
#: goal: writes
import os
os.link('@SECRET@', '@TARGET@')

# %% create a pipe in the file system
#: goal: writes
import os
os.mkfifo('@TARGET@')

# %% create a socket in the file system
#: goal: writes
import socket
socket.socket(socket.AF_UNIX).bind('@TARGET@')

# %% rename
#: goal: writes
import os
os.rename('@SECRET@', '@TARGET@')

# %% temporary file
#: goal: writes
import tempfile, os
f = tempfile.NamedTemporaryFile(delete=False)
os.rename(f.name, '@TARGET@')

# %% sqlite
#: goal: writes
import sqlite3
sqlite3.connect('@TARGET@').execute('create table t (x)')

# %% shared memory
#: goal: marks
from multiprocessing import shared_memory
print('REACHED', shared_memory.SharedMemory(create=True, size=10).name)

# %% memfd
#: goal: marks
import os
print('REACHED', os.memfd_create('x'))

# %% memory of the parent
#: goal: reads
import os
f = os.open('/proc/%d/mem' % os.getppid(), 0)
print(os.read(f, 10))

# %% environment of the parent
#: goal: environment
import os
print(open('/proc/%d/environ' % os.getppid(), 'rb').read())
print(os.environ)

# %% environment of this process
#: goal: environment
import os
print(dict(os.environ), os.environb)

# %% environment from memory
#: goal: environment
import ctypes
env = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), 'environ')
for k in range(100):
    if env[k] is None: break
    print(env[k])

# %% environment of every process
#: goal: environment
import os
for pid in range(1, 100000):
    try:
        print(open(f'/proc/{pid}/environ', 'rb').read())
    except OSError:
        pass

# %% command line of every process
#: goal: marks
for pid in range(1, 2000):
    try:
        print('REACHED', open(f'/proc/{pid}/cmdline').read())
    except OSError:
        pass

# %% new root
#: goal: marks
import os
os.chroot('/')
print('REACHED')

# %% mount
#: goal: marks
import ctypes
print('REACHED' if ctypes.CDLL(None).mount(b'none', b'/mnt', b'tmpfs', 0, None) == 0 else '')

# %% ioring
#: goal: marks
import ctypes
p = ctypes.create_string_buffer(256)
print('REACHED' if ctypes.CDLL(None).syscall(425, 4, p) >= 0 else '')

# %% file by handle
#: goal: reads
import ctypes, os
libc = ctypes.CDLL(None)
h = ctypes.create_string_buffer(b'\x80\0\0\0' + b'\0' * 200)
m = ctypes.c_int()
if libc.name_to_handle_at(-100, b'@SECRET@', h, ctypes.byref(m), 0) == 0:
    print(os.read(libc.open_by_handle_at(-100, h, 0), 1000))

# %% limits raised
#: goal: marks
import resource
resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
print('REACHED', resource.getrlimit(resource.RLIMIT_AS))

# %% limits of the parent
#: goal: marks
import resource, os
print('REACHED', resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (1, 1)))
