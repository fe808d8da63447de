"""The system-call filter: an allow-list in the kernel that a process puts on itself and can never take off.

Everything that is not listed fails with EPERM, as if the kernel had no such door. What is listed can compute, allocate memory
that is not executable, look at the clock, sleep, write to two given file descriptors, and end.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

NO_NEW_PRIVS, SET_SECCOMP, FILTER = 38, 22, 2
KILL, ALLOW, DENY = 0x8000_0000, 0x7FFF_0000, 0x0005_0000 | errno.EPERM
X32 = 0x4000_0000
"""Numbers from here on are a second set of the same calls on x86-64, which no list of ours names."""

EXECUTABLE, ANONYMOUS = 4, 0x20
ADVICE = (4, 8, 14, 15)
"""MADV_DONTNEED and FREE (malloc), HUGEPAGE and NOHUGEPAGE (NumPy)."""
WAIT, WAKE, WAIT_BITSET, COMMAND = 0, 1, 9, 0x7F
"""What locks need of futex; the others have had more than their share of holes."""


@dataclass(frozen=True)
class Machine:
    """A processor's name in the filter, and its numbers of the calls."""

    audit: int
    plain: tuple[int, ...]
    """exit, exit_group, rt_sigreturn, restart_syscall, munmap, brk, mremap, clock_gettime, clock_getres, clock_nanosleep,
    nanosleep, gettimeofday, getrandom, setitimer, sched_yield; and time, where there is one."""
    write: int
    mmap: int
    mprotect: int
    madvise: int
    futex: int


MACHINES = {
    "x86_64": Machine(
        0xC000_003E, (60, 231, 15, 219, 11, 12, 25, 228, 229, 230, 35, 96, 318, 38, 24, 201),
        write=1, mmap=9, mprotect=10, madvise=28, futex=202,
    ),
    "aarch64": Machine(
        0xC000_00B7, (93, 94, 139, 128, 215, 214, 216, 113, 114, 115, 101, 169, 278, 103, 124),
        write=64, mmap=222, mprotect=226, madvise=233, futex=98,
    ),
}  # fmt: skip


def machine() -> Machine | None:
    """This machine's numbers; None where there is no filter for it."""
    if sys.platform != "linux" or sys.maxsize <= 2**32 or sys.byteorder != "little":
        return None
    return MACHINES.get(platform.machine())


def program(on: Machine, writable: Sequence[int]) -> bytes:
    """The filter in the kernel's own small machine language (classic BPF)."""
    return b"".join(
        (
            _load(4), _unless(on.audit), _end(KILL),
            _load(0), _code(0x35, X32, 0, 1), _end(KILL),
            *(_when(number, _end(ALLOW)) for number in on.plain),
            _when(on.write, _among(0, writable)),
            # Without PROT_EXEC no memory of the process ever becomes code; no files are mapped.
            _when(on.mmap, _load(_argument(2)), _code(0x45, EXECUTABLE, 0, 1), _end(DENY),
                  _load(_argument(3)), _code(0x45, ANONYMOUS, 0, 1), _end(ALLOW), _end(DENY)),
            _when(on.mprotect, _load(_argument(2)), _code(0x45, EXECUTABLE, 0, 1), _end(DENY), _end(ALLOW)),
            _when(on.madvise, _among(2, ADVICE)),
            _when(on.futex, _among(1, (WAIT, WAKE, WAIT_BITSET), mask=COMMAND)),
            _end(DENY),
        )
    )  # fmt: skip


class Filter:
    """A filter that is ready to be put on: made once, before forking."""

    def __init__(self, on: Machine, writable: Sequence[int]) -> None:
        code = program(on, writable)
        self._code = ctypes.create_string_buffer(code, len(code))
        self._program = ctypes.create_string_buffer(struct.pack("@HP", len(code) // 8, ctypes.addressof(self._code)))
        self._prctl = ctypes.CDLL(None, use_errno=True).prctl
        self._prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
        self._address = ctypes.addressof(self._program)

    def put_on(self) -> None:
        """From here on only the listed calls work, for this process and all that it starts.

        Raises:
            OSError: if the kernel does not take it.
        """
        for option, value, pointer in ((NO_NEW_PRIVS, 1, 0), (SET_SECCOMP, FILTER, self._address)):
            if self._prctl(option, value, pointer, 0, 0):
                raise OSError(ctypes.get_errno(), "the system-call filter could not be put on")


# --- the language of filters: a code, how many instructions to skip if true and if false, a number ----------------------------


def _code(code: int, k: int, true: int = 0, false: int = 0) -> bytes:
    return struct.pack("<HBBI", code, true, false, k)


def _load(offset: int) -> bytes:
    """The 32 bits at this offset of what the kernel shows: the call's number at 0, the processor at 4, arguments from 16 on."""
    return _code(0x20, offset)


def _argument(number: int) -> int:
    """Where the lower half of an argument is. The kernel uses no more of a file descriptor, protection or advice."""
    return 16 + 8 * number


def _end(verdict: int) -> bytes:
    return _code(0x06, verdict)


def _unless(value: int) -> bytes:
    """Skip the next instruction if it is this value."""
    return _code(0x15, value, 1, 0)


def _when(value: int, *then: bytes) -> bytes:
    """Go through these instructions, which end the filter, if it is this value."""
    body = b"".join(then)
    return _code(0x15, value, 0, len(body) // 8) + body


def _among(number: int, values: Iterable[int], mask: int | None = None) -> bytes:
    """Allow the call if an argument is one of these values."""
    masked = b"" if mask is None else _code(0x54, mask)
    return b"".join((_load(_argument(number)), masked, *(_when(v, _end(ALLOW)) for v in values), _end(DENY)))
