"""Memory of a process that goes on for long: what it has loaded stays, and what is free goes back to the system."""

from __future__ import annotations

import ctypes
import gc
import sys


def all_stays() -> None:
    """Whatever there is by now stays, and the garbage collector never looks through it again.

    What loading took for a while goes back, some 20 MB: children that are forked would hold it, too.
    """
    gc.collect()
    gc.freeze()
    give_back()


def give_back() -> None:
    """Give memory that is free back to the system; the C library keeps it for later otherwise (Linux)."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
