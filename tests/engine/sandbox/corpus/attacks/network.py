"""The network, when everything of Python can be imported."""
#: goal: what it tries, by which it is judged (`attacks.py` says what there is)

if __name__: raise SystemExit("these programs may do harm: `python -m tests.corpus FILE::NAME` runs one shut in")

# %% connect
#: goal: connects
#| import socket
#| socket.create_connection(('127.0.0.1', @PORT@))

# %% connect by number
#: goal: connects
#| import ctypes, struct, socket
#| libc = ctypes.CDLL(None)
#| fd = libc.socket(2, 1, 0)
#| libc.connect(fd, struct.pack('<H', 2) + struct.pack('>H', @PORT@) + socket.inet_aton('127.0.0.1') + b'\0' * 8, 16)

# %% urllib
#: goal: connects
import urllib.request
urllib.request.urlopen('http://127.0.0.1:@PORT@/', timeout=1)

# %% http client
#: goal: connects
#| import http.client
#| http.client.HTTPConnection('127.0.0.1', @PORT@).request('GET', '/')

# %% ftp
#: goal: connects
#| import ftplib
#| ftplib.FTP().connect('127.0.0.1', @PORT@, timeout=1)

# %% asynchronous
#: goal: connects
#| import asyncio
#| asyncio.run(asyncio.open_connection('127.0.0.1', @PORT@))

# %% a socket that the server has open
#: goal: connects
#| import socket, os
#| for fd in range(256):
#|     try:
#|         s = socket.socket(fileno=fd)
#|         s.connect(('127.0.0.1', @PORT@))
#|     except OSError:
#|         pass

# %% datagram with fast open
#: goal: connects
#| import socket
#| s = socket.socket()
#| s.sendto(b'x', 0x20000000, ('127.0.0.1', @PORT@))

# %% listen
#: goal: marks
import socket
s = socket.socket()
s.bind(('127.0.0.1', 0))
s.listen()
print('REACHED', s.getsockname())

# %% names
#: goal: marks
import socket
print('REACHED', socket.getaddrinfo('localhost', 80))

# %% netlink
#: goal: marks
import socket
print('REACHED', socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))

# %% raw
#: goal: marks
import socket
print('REACHED', socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))

# %% pair
#: goal: marks
import socket
print('REACHED', socket.socketpair())

# %% virtual machine's socket
#: goal: marks
import socket
socket.socket(socket.AF_VSOCK).connect((2, 1024))
print('REACHED')
