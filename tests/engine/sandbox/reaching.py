"""Programs that try to get out of their process, each of which says so if it does: the goals of attackers, one by one.

They run without the language layer, as if it had been broken, so they use whatever Python and the C library have.
"""

from __future__ import annotations

PRELUDE = """\
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *values):
    found = getattr(libc, name)(*values)
    if found == -1 or (name == "mmap" and found in (-1, 2**64 - 1)):
        raise OSError(ctypes.get_errno(), name)
    return found
def system(number, *values):
    return call("syscall", ctypes.c_long(number), *values)
"""

REACHES = {
    # --- files
    "reads a file": "print('REACHED', open('/etc/passwd').read(4))",
    "opens a file below Python's open": "print('REACHED', os.open('/etc/passwd', os.O_RDONLY))",
    "opens a file in C": "print('REACHED', call('open', b'/etc/passwd', 0))",
    "opens a file by a newer call": (
        "how = (ctypes.c_uint64 * 3)()\nprint('REACHED', system(437, -100, b'/etc/passwd', how, ctypes.c_size_t(24)))"
    ),
    "opens the root": "print('REACHED', os.open('/', os.O_PATH))",
    "writes a file": "open('/tmp/gradtape-reached', 'w').write('x')\nos.remove('/tmp/gradtape-reached')\nprint('REACHED')",
    "lists a directory": "print('REACHED', os.listdir('/'))",
    "asks whether a file exists": "print('REACHED', os.stat('/etc/passwd').st_size)",
    "asks for access to a file": "call('access', b'/etc/passwd', 0)\nprint('REACHED')",
    "makes a directory": "os.mkdir('/tmp/gradtape-made')\nos.rmdir('/tmp/gradtape-made')\nprint('REACHED')",
    "follows a link": "print('REACHED', os.readlink('/proc/self/exe'))",
    "reads its environment from the kernel": "print('REACHED', open('/proc/self/environ').read())",
    "reads memory through a file": "print('REACHED', open('/proc/self/mem', 'rb'))",
    "reads with NumPy": "import numpy\nprint('REACHED', numpy.fromfile('/etc/passwd', dtype='u1', count=4))",
    "writes with NumPy": (
        "import numpy\nnumpy.zeros(3).tofile('/tmp/gradtape-tofile')\nos.remove('/tmp/gradtape-tofile')\nprint('REACHED')"
    ),
    "makes a file in memory": "print('REACHED', os.memfd_create('x'))",
    "asks where it is": "print('REACHED', os.getcwd())",
    "goes elsewhere": "os.chdir('/')\nprint('REACHED')",
    "loads a module that nobody needs": "import ftplib\nprint('REACHED')",
    "loads a library": "ctypes.CDLL('libresolv.so.2')\nprint('REACHED')",
    # --- processes
    "forks": "child = os.fork()\nif child == 0: os._exit(0)\nos.waitpid(child, 0)\nprint('REACHED')",
    "forks in C": "child = call('fork')\nif child == 0: os._exit(0)\nprint('REACHED')",
    "clones": "print('REACHED', system(435, (ctypes.c_uint64 * 8)(0, 0, 0, 0, 17), ctypes.c_size_t(64)) or os._exit(0))",
    "starts a program": "import subprocess\nprint('REACHED', subprocess.run(['/bin/true']))",
    "spawns a program": "print('REACHED', os.posix_spawn('/bin/true', ['true'], {}))",
    "runs a command": "if os.system('true') != 0: raise OSError\nprint('REACHED')",
    "becomes a program": "os.execv('/bin/echo', ['echo', 'REACHED'])",
    "starts a thread": "import threading\nt = threading.Thread(target=print, args=('REACHED',))\nt.start()\nt.join()",
    # --- signals
    "asks after a process": "os.kill(os.getppid() or 1, 0)\nprint('REACHED')",
    "signals itself": "import signal\nos.kill(os.getpid(), signal.SIGURG)\nprint('REACHED')",
    "ignores the alarm": "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\nprint('REACHED')",
    "blocks signals": ("import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})\nprint('REACHED')"),
    "signals its thread": (
        "import signal, threading\nsignal.pthread_kill(threading.get_ident(), signal.SIGURG)\nprint('REACHED')"
    ),
    "waits for others": "print('REACHED', os.pidfd_open(1))",
    # --- network
    "opens a socket": "import socket\nprint('REACHED', socket.socket())",
    "opens a local socket": "import socket\nprint('REACHED', socket.socket(socket.AF_UNIX))",
    "opens a pair of sockets": "import socket\nprint('REACHED', socket.socketpair())",
    "opens a socket in C": "print('REACHED', call('socket', 2, 1, 0))",
    "opens a socket to the kernel": "print('REACHED', call('socket', 16, 3, 0))",
    # --- memory and the kernel
    "makes executable memory": "import mmap\nprint('REACHED', mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC))",
    "makes memory executable": (
        "import mmap\nm = mmap.mmap(-1, 4096)\n"
        "call('mprotect', ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(m))), ctypes.c_size_t(4096), 5)\n"
        "print('REACHED')"
    ),
    "makes memory executable by a newer call": (
        "import mmap\nm = mmap.mmap(-1, 4096)\n"
        "call('pkey_mprotect', ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(m))), ctypes.c_size_t(4096), 5, -1)\n"
        "print('REACHED')"
    ),
    "makes a pipe": "print('REACHED', os.pipe())",
    "copies a file descriptor": "print('REACHED', os.dup(3 if len(sys.argv) > 1 else 0))",
    "lets itself be traced": "call('ptrace', 0, 0, 0, 0)\nprint('REACHED')",
    "reads another's memory": (
        "here = ctypes.create_string_buffer(8)\npart = (ctypes.c_void_p * 2)(ctypes.addressof(here), 8)\n"
        "call('process_vm_readv', os.getpid(), part, ctypes.c_ulong(1), part, ctypes.c_ulong(1), ctypes.c_ulong(0))\n"
        "print('REACHED')"
    ),
    "asks the kernel about itself": "call('prctl', 3, 0, 0, 0, 0)\nprint('REACHED')",
    "wants other rules for memory": "call('personality', ctypes.c_ulong(0xffffffff))\nprint('REACHED')",
    "puts on a filter of its own": "system(317, 2, 0, ctypes.byref(ctypes.c_uint32(0x7fff0000)))\nprint('REACHED')"
    if __import__("platform").machine() == "x86_64"
    else "system(277, 2, 0, ctypes.byref(ctypes.c_uint32(0x7fff0000)))\nprint('REACHED')",
    "raises its limits": "import resource\nresource.setrlimit(resource.RLIMIT_CORE, (0, 0))\nprint('REACHED')",
    "asks for its limits": "import resource\nprint('REACHED', resource.getrlimit(resource.RLIMIT_AS))",
    "takes precedence": "os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, 0))\nprint('REACHED')",
    "asks for the machine's name": "print('REACHED', os.uname())",
    "asks who it is": "i = os.getuid()\nif i in (-1, 2**32 - 1): raise OSError\nprint('REACHED', i)",
    "asks who started it": "i = os.getppid()\nif i < 0: raise OSError\nprint('REACHED', i)",
    "shares memory": "print('REACHED', call('shmget', 0, ctypes.c_size_t(4096), 0o1600))",
    "locks memory": "import mmap\nm = mmap.mmap(-1, 4096)\n"
    "call('mlock', ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(m))), ctypes.c_size_t(4096))\nprint('REACHED')",
    "waits for events": "import select\nprint('REACHED', select.epoll())",
    "makes a timer": "print('REACHED', call('timerfd_create', 1, 0))",
    "watches files": "print('REACHED', call('inotify_init1', 0))",
}
"""What it does -> how. Each prints REACHED where nothing holds it back."""

KERNEL = {
    "asks for a ring of calls": "print('REACHED', system(425, 4, (ctypes.c_uint32 * 30)()))",
    "loads a program into the kernel": "print('REACHED', system(321, 0, (ctypes.c_uint32 * 32)(2, 4, 4, 1), 128))",
    "leaves its namespace": "call('unshare', 0x10000000)\nprint('REACHED')",
    "handles page faults": "print('REACHED', system(323, 0))",
    "counts events": "print('REACHED', system(298, (ctypes.c_uint32 * 32)(0, 128), 0, -1, -1, 0))",
    "keeps keys": "print('REACHED', system(248, b'user', b'x', b'y', ctypes.c_size_t(1), -3))",
    "becomes root": "call('setuid', 0)\nprint('REACHED')",
    "changes its root": "call('chroot', b'/')\nprint('REACHED')",
    "mounts": "call('mount', b'none', b'/tmp', b'tmpfs', ctypes.c_ulong(0), None)\nprint('REACHED')",
    "kills everybody": "call('kill', -1, 0)\nprint('REACHED')",
    "stops itself for good": "call('raise', 19)\nprint('REACHED')",
    "uses a futex that passes its priority on": "print('REACHED', system(202, ctypes.byref(ctypes.c_int(0)), 6, 0, None))",
    "writes to what it was not given": (
        "found = []\nfor fd in (0, 1, 2, *range(5, 300)):\n    try: found.append(os.write(fd, b'x'))\n"
        "    except OSError: pass\n"
        "if not found: raise OSError\nprint('REACHED', found)"
    ),
    "reads from anything": (
        "found = []\nfor fd in range(300):\n    try: found.append(os.read(fd, 1))\n    except OSError: pass\n"
        "if not found: raise OSError\nprint('REACHED', found)"
    ),
}
"""Whether these work where nothing holds them back depends on the machine and on who runs it."""
