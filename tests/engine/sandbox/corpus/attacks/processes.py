"""Processes, threads and signals, when everything of Python can be imported."""
#: goal: what it tries, by which it is judged (`attacks.py` says what there is)

if __name__: raise SystemExit("these programs may do harm: `python -m tests.corpus FILE::NAME` runs one shut in")

# %% system
#: goal: starts
import os
os.system('touch @TARGET@')

# %% popen
#: goal: starts
import subprocess
subprocess.run(['touch', '@TARGET@'])

# %% exec
#: goal: starts
import os
os.execvp('touch', ['touch', '@TARGET@'])

# %% execveat
#: goal: starts
import ctypes
argv = (ctypes.c_char_p * 3)(b'touch', b'@TARGET@', None)
ctypes.CDLL(None).syscall(322, -100, b'/usr/bin/touch', argv, None, 0)

# %% fork
#: goal: starts
import os
if os.fork() == 0:
    open('@TARGET@', 'w')
    os._exit(0)
os.wait()

# %% vfork and clone by number
#: goal: starts
import ctypes, os
libc = ctypes.CDLL(None)
for number in (57, 58):
    if libc.syscall(number) == 0:
        open('@TARGET@', 'w')
        os._exit(0)
    os.wait()

# %% clone3
#: goal: marks
import ctypes
args = ctypes.create_string_buffer(88)
if ctypes.CDLL(None).syscall(435, args, 88) >= 0:
    print('REACHED')

# %% posix_spawn
#: goal: starts
import os
os.posix_spawn('/usr/bin/touch', ['touch', '@TARGET@'], {})
os.wait()

# %% a pseudo terminal
#: goal: starts
import pty
pty.spawn(['touch', '@TARGET@'])

# %% multiprocessing
#: goal: starts
import multiprocessing
p = multiprocessing.get_context('fork').Process(target=lambda: open('@TARGET@', 'w'))
p.start()
p.join()

# %% process pool
#: goal: starts
from concurrent.futures import ProcessPoolExecutor
ProcessPoolExecutor(1).submit(open, '@TARGET@', 'w').result()

# %% thread
#: goal: marks
import threading
t = threading.Thread(target=print, args=('REACHED',))
t.start()
t.join()

# %% thread in C
#: goal: marks
import _thread, time
_thread.start_new_thread(print, ('REACHED',))
time.sleep(0.1)

# %% timer thread
#: goal: marks
import threading, time
threading.Timer(0, print, ('REACHED',)).start()
time.sleep(0.1)

# %% kills its parent
#: goal: marks
import os, signal
os.kill(os.getppid(), signal.SIGKILL)
print('REACHED')

# %% kills its group and everybody
#: goal: marks
import os, signal
for pid in (0, -1, 1, os.getppid(), -os.getppid()):
    try:
        os.kill(pid, signal.SIGTERM)
        print('REACHED')
    except OSError:
        pass

# %% kills by a descriptor
#: goal: marks
import os, signal
signal.pidfd_send_signal(os.pidfd_open(os.getppid()), signal.SIGKILL)
print('REACHED')

# %% traces its parent
#: goal: marks
import ctypes, os
if ctypes.CDLL(None).ptrace(16, os.getppid(), 0, 0) == 0:
    print('REACHED')

# %% reads its parent's memory
#: goal: marks
import ctypes, os
b = ctypes.create_string_buffer(8)
v = (ctypes.c_void_p * 2)(ctypes.addressof(b), 8)
if ctypes.CDLL(None).process_vm_readv(os.getppid(), v, 1, v, 1, 0) > 0:
    print('REACHED')

# %% steals its parent's descriptors
#: goal: marks
import ctypes, os
libc = ctypes.CDLL(None)
fd = libc.syscall(438, libc.syscall(434, os.getppid(), 0), 0, 0)
if fd >= 0:
    print('REACHED')

# %% runs memory as code
#: goal: marks
import ctypes, mmap
m = mmap.mmap(-1, 4096, prot=7)
m.write(b'\xb8\x2a\0\0\0\xc3')
f = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))
print('REACHED' if f() == 42 else '')

# %% makes memory runnable
#: goal: marks
import ctypes, mmap
m = mmap.mmap(-1, 4096, prot=3)
m.write(b'\xb8\x2a\0\0\0\xc3')
a = ctypes.addressof(ctypes.c_char.from_buffer(m))
for number in (10, 329):
    if ctypes.CDLL(None).syscall(number, ctypes.c_void_p(a), 4096, 7, -1) == 0:
        print('REACHED')

# %% becomes somebody else
#: goal: marks
import os
os.setuid(12345)
print('REACHED')

# %% loads a module of the kernel
#: goal: marks
import ctypes
print('REACHED' if ctypes.CDLL(None).syscall(175, b'x', 1, b'') == 0 else '')

# %% a program for the kernel
#: goal: marks
import ctypes
print('REACHED' if ctypes.CDLL(None).syscall(321, 0, ctypes.create_string_buffer(128), 128) >= 0 else '')

# %% new name spaces
#: goal: marks
import ctypes
print('REACHED' if ctypes.CDLL(None).unshare(0x10000000) == 0 else '')

# %% takes the filter off
#: goal: marks
import ctypes
print('REACHED' if ctypes.CDLL(None).prctl(22, 0, 0, 0, 0) == 0 else '')

# %% calls with the other numbers
#: goal: marks
import ctypes
print('REACHED' if ctypes.CDLL(None).syscall(0x40000000 + 39) > 0 else '')

# %% ignores its alarm
#: goal: slow
import signal, time
for number in range(1, 64):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True: pass

# %% stops its alarm
#: goal: slow
import signal
signal.setitimer(signal.ITIMER_REAL, 0)
while True: pass

# %% blocks its alarm
#: goal: slow
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64))
while True: pass

# %% outlives its end
#: goal: starts
import os, time
os.setsid()
if os.fork() == 0:
    time.sleep(0.5)
    open('@TARGET@', 'w')

# %% catches its end
#: goal: slow
import signal
def f(*a):
    while True: pass
signal.signal(signal.SIGALRM, f)
while True: pass

# %% stops itself
#: goal: slow
import os, signal
os.kill(os.getpid(), signal.SIGSTOP)
while True: pass
