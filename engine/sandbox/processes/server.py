"""The warm server: a process with everything imported that forks a child for each run and stops it in time.

It never sees program text: the file descriptors it is handed lead from the parent to the child.
"""

from __future__ import annotations

import contextlib
import faulthandler
import fcntl
import math
import os
import resource
import select
import signal
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from ..system.lockdown import MOST, OUT, OWN, TRACE, Lockdown
from ..system.timer import HALT
from ..transport.messages import EXIT, KEEP, NOT_STARTED, READY, REQUEST, STARTED

ASKED = 0.2
"""Seconds after a child's own alarm at which the server asks one that is stuck in C where it is: it sends SIGUSR1."""
GRACE = 0.35
"""Seconds after a child's own alarm at which the server sends it SIGKILL."""
LONG = 0.4
"""Seconds of processor time after which a child gets only what no other process wants."""
HANDED = 3
"""File descriptors of a request: the job, the child's messages, and its line when it is stuck."""


@dataclass
class Child:
    """A run under way."""

    number: int
    deadline: float
    """When something is due: first the question, then the end."""
    long: float
    """When to look whether it has to step back behind those that are quick."""
    asked: bool = False
    stopped: bool = False
    reported: bool = False
    """Whether the parent has been told of its end."""


Work = Callable[[int, int, Callable[..., None]], None]
"""What a child does: reads its job from one file descriptor and sends what comes of it to the other, and meanwhile gives up
everything it must not have."""


def main(fd: int, role: str, *arguments: str, landlocked: bool = True) -> None:
    """Serve until the parent hangs up.

    Args:
        role: the module that says what children do (`main`), and what is loaded before they are forked (`preload`, which
            gets the `arguments`).
    """
    connection = socket.socket(fileno=fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, OWN))
    os.close(fd)
    _reserve()
    work = import_module(role)
    work.preload(*arguments)
    wake = _wake_on_ended_children()
    # Its handler only writes, so it works in a child that is stuck in C and may do next to nothing.
    faulthandler.register(signal.SIGUSR1, file=TRACE, all_threads=False)
    lockdown = Lockdown(landlocked=landlocked)
    connection.sendall(READY.pack(lockdown.layer.seccomp, lockdown.layer.landlock))
    children: dict[int, Child] = {}
    while True:
        soonest = min((min(c.deadline, c.long) for c in children.values() if not c.stopped), default=None)
        wait = None if soonest is None else max(soonest - time.monotonic(), 0)
        sources: list[Any] = [connection, wake]
        ready, _, _ = select.select(sources, [], [], wait)
        if wake in ready:
            os.read(wake, 4096)
        try:
            if connection in ready and not _request(connection, children, lockdown, work.main):
                break
            _reap(connection, children)
            _watch(connection, children)
        except OSError:  # the parent hung up in the middle of a sentence
            break
    for pid in children:
        _kill(pid)


def _reserve() -> None:
    """Keep the numbers of a child's file descriptors free of the server's own, and the number of those low."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (OUT, TRACE):
        if descriptor != nothing:
            os.dup2(nothing, descriptor)
    if nothing not in (OUT, TRACE):
        os.close(nothing)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    most = MOST if hard == resource.RLIM_INFINITY else min(MOST, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _wake_on_ended_children() -> int:
    """A file descriptor that can be read from when a child has ended."""
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return wake_read


def _request(connection: socket.socket, children: dict[int, Child], lockdown: Lockdown, work: Work) -> bool:
    """Read one request; False when the parent has gone."""
    data, fds, _, _ = socket.recv_fds(connection, REQUEST.size, HANDED)
    while 0 < len(data) < REQUEST.size:
        more = connection.recv(REQUEST.size - len(data))
        if not more:
            return False
        data += more
    if not data:
        return False
    number, seconds = REQUEST.unpack(data)
    if len(fds) == HANDED:
        _start(connection, children, lockdown, work, number, seconds, fds)
    else:
        for pid, c in children.items():
            if c.number != number:
                continue
            if seconds == KEEP and not c.asked:
                # It has as long for that as one whose time is up.
                c.deadline = min(c.deadline, time.monotonic() + ASKED)
                _tell(pid, HALT)
            elif seconds != KEEP:
                c.stopped = True
                _kill(pid)
    for fd in fds:
        os.close(fd)
    return True


def _start(
    connection: socket.socket,
    children: dict[int, Child],
    lockdown: Lockdown,
    work: Work,
    number: int,
    seconds: float,
    fds: Sequence[int],
) -> None:
    try:
        pid = os.fork()
    except OSError:
        connection.sendall(EXIT.pack(number, NOT_STARTED, False))
        return
    if pid == 0:
        _become_child(fds, lockdown, work)
    now = time.monotonic()
    children[pid] = Child(number, now + seconds + ASKED, now + LONG)
    connection.sendall(EXIT.pack(number, STARTED, False))


def _become_child(fds: Sequence[int], lockdown: Lockdown, work: Work) -> None:
    """In the fork: a process group of its own, then the work, which closes every way back to the server."""
    try:
        # No session of its own: Linux would give it as much of the processor as all other sessions, whatever its niceness.
        os.setpgid(0, 0)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        inward, out, trace = fds
        os.dup2(out, OUT)
        os.dup2(trace, TRACE)
        work(inward, OUT, lockdown.enter)
    finally:
        os._exit(1)


def _reap(connection: socket.socket, children: dict[int, Child]) -> None:
    """Report the children that have ended, and end what they left running."""
    while children:
        # The group goes before its leader is let go of: afterwards its number may be another process's.
        ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if ended is None:
            return
        _kill_group(ended.si_pid)
        pid, status = os.waitpid(ended.si_pid, 0)
        c = children.pop(pid, None)
        if c is not None and not c.reported:
            connection.sendall(EXIT.pack(c.number, status, c.stopped))


def _watch(connection: socket.socket, children: dict[int, Child]) -> None:
    """Have those that take long step back, ask those that are late where they are, and later kill them.

    Whoever is killed has ended for the parent: where others want the processor, it takes long to let go of its memory.
    """
    now = time.monotonic()
    for pid, c in children.items():
        if now >= c.long:
            used = _processor_time(pid)
            c.long = now + LONG - used if used < LONG else math.inf
            if used >= LONG:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.setpriority(os.PRIO_PROCESS, pid, 19)
        if c.stopped or now < c.deadline:
            continue
        if not c.asked:
            c.asked, c.deadline = True, c.deadline + GRACE - ASKED
            _tell(pid, signal.SIGUSR1)
        else:
            c.stopped = c.reported = True
            _kill(pid)
            connection.sendall(EXIT.pack(c.number, signal.SIGKILL, True))


def _processor_time(pid: int) -> float:
    """Seconds of processor time that a child has used, or has run at most where the system does not tell."""
    try:
        return time.clock_gettime(~pid << 3 | 2)  # the number of another process's clock, as clock_getcpuclockid(3) makes it
    except OSError:
        return LONG


def _kill_group(pid: int) -> None:
    """Kill what is left of a child's process group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _kill(pid: int) -> None:
    """Kill a child and its process group; the child itself in case it has not made its group yet."""
    _kill_group(pid)
    _tell(pid, signal.SIGKILL)


def _tell(pid: int, what: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, what)
