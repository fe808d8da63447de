"""A single-use worker: a process that has everything imported, does one job and ends. For systems without a safe fork."""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import threading
import time
from importlib import import_module

from ..system.audit import deny_the_rest
from ..system.lockdown import address_space, bounds, limit, offer_to_the_oom_killer
from ..transport.messages import FULL, Layers, Limits
from .spawning import ASKED, READY

INWARD, OUT, TRACE = 0, 1, 2
WATCHFUL = 0.02
"""Seconds between looks at the memory."""


def main(role: str, *arguments: str) -> None:
    """Get ready, say so, do one job; never returns.

    Args:
        role: the module that says what a worker does and what it loads before, as for the warm server.
    """
    if sys.platform == "win32":
        import msvcrt

        for fd in (INWARD, OUT, TRACE):
            msvcrt.setmode(fd, os.O_BINARY)
    else:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        faulthandler.register(signal.SIGUSR1, file=TRACE, all_threads=False)
    work = import_module(role)
    work.preload(*arguments)
    offer_to_the_oom_killer()
    base = address_space()
    os.write(OUT, READY)
    work.main(INWARD, OUT, lambda limits, layers: _enter(limits, layers, base))


def _enter(limits: Limits, layers: Layers, base: int) -> None:
    if sys.platform == "win32":
        faulthandler.dump_traceback_later(limits.seconds + ASKED, file=TRACE)
    elif not base:
        watch_memory(limits.memory_mb * 2**20)
    limit(bounds(limits, base))
    if layers.system:
        deny_the_rest()


def watch_memory(most: int) -> None:
    """End this process when it has grown by more than so many bytes, where the system does not see to it (macOS)."""
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    def watch() -> None:
        while (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - began) * unit < most:
            time.sleep(WATCHFUL)
        os._exit(FULL)

    threading.Thread(target=watch, daemon=True).start()
