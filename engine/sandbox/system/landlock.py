"""Landlock: a process gives up the file system, the network and signals to others for itself and all that it starts."""

from __future__ import annotations

import ctypes
import os
import struct
import sys

NO_NEW_PRIVS = 38
CREATE, RESTRICT = 444, 446
"""System calls, with the same numbers on all processors."""
ASK_VERSION = 1
FILES = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""Version of Landlock -> how many rights over files it knows; later ones know as many as the last of these."""
NETWORK, SCOPES = 2, 2
"""How many rights over the network (bind, connect; from version 4 on), and bounds (abstract sockets, signals; from 6)."""


def version() -> int:
    """The kernel's version of Landlock; 0 if it has none."""
    if sys.platform != "linux":
        return 0
    return max(int(_libc().syscall(CREATE, None, ctypes.c_size_t(0), ASK_VERSION)), 0)


def give_up_everything() -> int:
    """Give up every right that this kernel's Landlock knows, with no exception; returns its version, 0 if nothing happened."""
    known = version()
    if not known:
        return 0
    rights = [(1 << FILES.get(known, FILES[5])) - 1]
    if known >= 4:
        rights.append((1 << NETWORK) - 1)
    if known >= 6:
        rights.append((1 << SCOPES) - 1)
    attributes = struct.pack(f"<{len(rights)}Q", *rights)
    libc = _libc()
    rules = libc.syscall(CREATE, attributes, ctypes.c_size_t(len(attributes)), 0)
    if rules < 0:
        return 0
    try:
        held = libc.prctl(NO_NEW_PRIVS, *map(ctypes.c_ulong, (1, 0, 0, 0))) == 0 and libc.syscall(RESTRICT, rules, 0) == 0
    finally:
        os.close(rules)
    return known if held else 0


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
