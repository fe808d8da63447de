"""The filter's program itself, read by a small machine like the kernel's, for every processor it is written for."""

from __future__ import annotations

import struct

import pytest

from engine.sandbox.system.seccomp import ALLOW, DENY, KILL, MACHINES, program

NUMBERS = {
    "x86_64": {
        "read": 0, "open": 2, "close": 3, "mmap": 9, "mprotect": 10, "brk": 12, "rt_sigaction": 13, "rt_sigreturn": 15,
        "ioctl": 16, "writev": 20, "write": 1, "madvise": 28,
        "dup": 32, "socket": 41, "clone": 56, "fork": 57, "execve": 59, "kill": 62,
        "ptrace": 101, "prctl": 157, "futex": 202, "tgkill": 234, "openat": 257, "exit_group": 231, "getrandom": 318,
        "process_vm_writev": 311, "memfd_create": 319, "execveat": 322, "io_uring_setup": 425, "clone3": 435, "openat2": 437,
    },
    "aarch64": {
        "read": 63, "close": 57, "mmap": 222, "mprotect": 226, "brk": 214, "rt_sigaction": 134, "rt_sigreturn": 139,
        "ioctl": 29, "writev": 66, "write": 64, "madvise": 233,
        "dup": 23, "socket": 198, "clone": 220, "execve": 221, "kill": 129,
        "ptrace": 117, "prctl": 167, "futex": 98, "tgkill": 131, "openat": 56, "exit_group": 94, "getrandom": 278,
        "process_vm_writev": 271, "memfd_create": 279, "execveat": 281, "io_uring_setup": 425, "clone3": 435, "openat2": 437,
    },
}  # fmt: skip
"""From the kernel's own tables, not from ours."""
NEVER = (
    "read", "open", "close", "rt_sigaction", "ioctl", "writev", "dup", "socket", "clone", "fork", "execve", "kill", "ptrace",
    "prctl", "tgkill", "openat", "process_vm_writev", "memfd_create", "execveat", "io_uring_setup", "clone3", "openat2",
)  # fmt: skip
CASES = [
    ("write", (3,), ALLOW), ("write", (4,), ALLOW), ("write", (1,), DENY), ("write", (5,), DENY), ("write", (2**32 - 1,), DENY),
    ("write", (2**32 + 3,), ALLOW),  # the kernel uses the lower half only: this is descriptor 3
    ("mmap", (0, 4096, 3, 0x22), ALLOW), ("mmap", (0, 4096, 7, 0x22), DENY), ("mmap", (0, 4096, 4, 0x22), DENY),
    ("mmap", (0, 4096, 3, 0x02), DENY), ("mprotect", (0, 1, 3), ALLOW), ("mprotect", (0, 1, 5), DENY),
    ("madvise", (0, 1, 4), ALLOW), ("madvise", (0, 1, 100), DENY), ("futex", (0, 128), ALLOW), ("futex", (0, 0x189), ALLOW),
    ("futex", (0, 6), DENY), ("brk", (0,), ALLOW), ("rt_sigreturn", (), ALLOW), ("exit_group", (0,), ALLOW),
    ("getrandom", (0, 8, 0), ALLOW),
]  # fmt: skip


def verdict(code: bytes, number: int, arguments: tuple[int, ...], audit: int) -> int:
    """What the kernel would make of a call."""
    shown = struct.pack("<IIQ6Q", number, audit, 0, *arguments, *[0] * (6 - len(arguments)))
    instructions = list(struct.iter_unpack("<HBBI", code))
    place = held = 0
    while True:
        kind, true, false, k = instructions[place]
        place += 1
        match kind:
            case 0x20:
                (held,) = struct.unpack_from("<I", shown, k)
            case 0x54:
                held &= k
            case 0x15:
                place += true if held == k else false
            case 0x35:
                place += true if held >= k else false
            case 0x45:
                place += true if held & k else false
            case 0x06:
                return int(k)
            case _:
                raise AssertionError(f"no instruction that we use: {kind:#x}")


@pytest.mark.parametrize("name", MACHINES)
def test_what_the_filter_says(name: str) -> None:
    machine, numbers = MACHINES[name], NUMBERS[name]
    code = program(machine, (3, 4))
    for call, arguments, wanted in CASES:
        assert verdict(code, numbers[call], arguments, machine.audit) == wanted, (call, arguments)
    for call in NEVER:
        if call in numbers:
            assert verdict(code, numbers[call], (3, 3, 3, 0x22), machine.audit) == DENY, call


@pytest.mark.parametrize("name", MACHINES)
def test_nothing_that_is_not_listed_is_allowed(name: str) -> None:
    machine = MACHINES[name]
    code = program(machine, (3, 4))
    conditional = (machine.write, machine.mmap, machine.mprotect, machine.madvise, machine.futex)
    allowed = {n for n in range(1024) if verdict(code, n, (), machine.audit) == ALLOW}
    assert allowed <= {*machine.plain, *conditional}
    assert set(machine.plain) <= allowed


@pytest.mark.parametrize("name", MACHINES)
def test_other_sets_of_calls_end_the_process(name: str) -> None:
    machine = MACHINES[name]
    code = program(machine, (3, 4))
    for audit in (0x4000_0003, 0x4000_0028, 0):  # 32-bit programs on either processor; nothing that there is
        assert verdict(code, machine.write, (3,), audit) == KILL
    for number in (0x4000_0000 + machine.write, 2**32 - 1):
        assert verdict(code, number, (3,), machine.audit) == KILL
