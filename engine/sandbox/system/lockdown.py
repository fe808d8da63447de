"""What a child gives up before it meets a program: file descriptors, resources, and all system calls but a few.

The server prepares once, before it forks; each child then enters in a fraction of a millisecond. There is no way back.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time

from ..transport.messages import Layers, Limits, SystemLayer
from . import landlock, seccomp
from .audit import deny_the_rest

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

OUT, TRACE = 3, 4
"""The file descriptors that a child keeps: where its messages go, and where the line goes when it is stuck."""
OWN = 10
"""The server's own file descriptors begin here,"""
MOST = 256
"""and end here."""
STACK = 64 * 2**20
"""Deep recursion in C is to end as an error of Python's, not of the processor's."""
PARENT_DEATH_SIGNAL, DUMPABLE, CAPABILITIES = 1, 4, 0x2008_0522
"""Two numbers of prctl, and the version of the capabilities' form."""
NICE = 5
"""Programs stand back behind the page."""


class Lockdown:
    """What every child is going to enter; made where children are forked from, when everything is imported."""

    def __init__(self, *, landlocked: bool = True) -> None:
        self.base = address_space()
        offer_to_the_oom_killer()
        drop_capabilities()
        version = landlock.give_up_everything() if landlocked else 0
        machine = seccomp.machine()
        self._filter = seccomp.Filter(machine, (OUT, TRACE)) if machine is not None else None
        self.layer = SystemLayer(self._filter is not None and holds(self._filter), version)

    def enter(self, limits: Limits, layers: Layers) -> None:
        """Give everything up, in the child, with `OUT` and `TRACE` in their places."""
        os.closerange(0, OUT)
        os.closerange(TRACE + 1, MOST)
        _die_with_the_server()
        os.nice(NICE)
        limit(bounds(limits, self.base))
        if not layers.system:
            return
        limit(NOTHING)
        if self._filter is not None and self.layer.seccomp:
            self._filter.put_on()
        else:
            deny_the_rest()


NOTHING = {"RLIMIT_NOFILE": 0, "RLIMIT_NPROC": 0, "RLIMIT_MEMLOCK": 0, "RLIMIT_MSGQUEUE": 0}
"""New files, processes, locked memory and message queues, beneath the filter."""


def bounds(limits: Limits, base: int = 0) -> dict[str, int]:
    """Limits of the system's; the program's time and memory come on top of what the process has used and the `base` it has."""
    seconds = int(time.process_time() + limits.seconds) + 2
    wanted = {"RLIMIT_CORE": 0, "RLIMIT_FSIZE": 0, "RLIMIT_CPU": seconds, "RLIMIT_STACK": STACK}
    if base:
        wanted["RLIMIT_AS"] = base + limits.memory_mb * 2**20
    return wanted


def limit(wanted: dict[str, int]) -> None:
    """Set limits for good, as far as the system has them and does not have lower ones."""
    for name, value in wanted.items():
        which = getattr(resource, name, None)
        if which is not None:
            hard = resource.getrlimit(which)[1]
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(which, (value, value))


def holds(filter: seccomp.Filter) -> bool:
    """Whether the kernel takes the filter and keeps to it, tried out in a child."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            filter.put_on()
            try:
                os.stat("/")
            except PermissionError:
                code = 0
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1] == 0


def drop_capabilities() -> None:
    """Give up all of root's capabilities; other processes of the same user cannot look inside either."""
    if sys.platform == "linux":
        libc = ctypes.CDLL(None)
        libc.capset((ctypes.c_uint32 * 2)(CAPABILITIES, 0), (ctypes.c_uint32 * 6)())
        libc.prctl(DUMPABLE, *map(ctypes.c_ulong, (0, 0, 0, 0)))


def _die_with_the_server() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, *map(ctypes.c_ulong, (signal.SIGKILL, 0, 0, 0)))


def address_space() -> int:
    """Bytes of this process's address space; 0 where the system does not count them."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def offer_to_the_oom_killer() -> None:
    """When the machine runs out of memory, a program is to go and not the page."""
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
    except OSError:
        pass
