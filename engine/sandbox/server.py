"""The warm server: a process with everything imported that forks a child for each run and stops it in time.

It never sees program text: the file descriptors it is handed lead from the parent to the child.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import sys
import time
from dataclasses import dataclass
from typing import Any

from engine.sandbox import child
from engine.sandbox.messages import EXIT, REQUEST

GRACE = 0.75
"""Seconds between a child's own alarm and the server's SIGKILL, for children that are stuck in C."""


@dataclass
class Child:
    """A run under way."""

    number: int
    deadline: float
    stopped: bool = False


def main(fd: int) -> None:
    """Serve until the parent hangs up."""
    connection = socket.socket(fileno=fd)
    child.preload()
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    connection.sendall(EXIT.pack(0, 0, 0))  # ready
    children: dict[int, Child] = {}
    while True:
        soonest = min((c.deadline for c in children.values() if not c.stopped), default=None)
        wait = None if soonest is None else max(soonest - time.monotonic(), 0)
        sources: list[Any] = [connection, wake_read]
        ready, _, _ = select.select(sources, [], [], wait)
        if wake_read in ready:
            os.read(wake_read, 4096)
        if connection in ready and not _request(connection, children, (wake_read, wake_write)):
            for pid in children:
                _kill(pid)
            return
        _reap(connection, children)
        for pid, c in children.items():
            if not c.stopped and time.monotonic() >= c.deadline:
                c.stopped = True
                _kill(pid)


def _request(connection: socket.socket, children: dict[int, Child], own: tuple[int, int]) -> bool:
    """Read one request; False when the parent has gone."""
    data, fds, _, _ = socket.recv_fds(connection, REQUEST.size, 2)
    while 0 < len(data) < REQUEST.size:
        more = connection.recv(REQUEST.size - len(data))
        if not more:
            return False
        data += more
    if not data:
        return False
    number, seconds, _ = REQUEST.unpack(data)
    if len(fds) != 2:
        for pid, c in children.items():
            if c.number == number:
                c.stopped = True
                _kill(pid)
        return True
    pid = os.fork()
    if pid == 0:
        _become_child(connection, fds, own)
    children[pid] = Child(number, time.monotonic() + seconds + GRACE)
    for fd in fds:
        os.close(fd)
    return True


def _become_child(connection: socket.socket, fds: list[int], own: tuple[int, int]) -> None:
    """In the fork: a process group of its own, no way back to the server, then the run."""
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        connection.close()
        for fd in own:
            os.close(fd)
        child.main(*fds)
    finally:
        os._exit(1)


def _reap(connection: socket.socket, children: dict[int, Child]) -> None:
    """Report the children that have ended, and end what they left running."""
    while children:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        _kill_group(pid)
        c = children.pop(pid, None)
        if c is not None:
            connection.sendall(EXIT.pack(c.number, status, c.stopped))


def _kill_group(pid: int) -> None:
    """Kill what is left of a child's process group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _kill(pid: int) -> None:
    """Kill a child and its process group; the child itself in case it has not made its group yet."""
    _kill_group(pid)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    main(int(sys.argv[1]))
