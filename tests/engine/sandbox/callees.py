"""Functions for the tests of calls, each of which does one thing that a call may do."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

Tell = Callable[[float], None]


def turned(argument: memoryview, tell: Tell) -> bytes:
    """The argument backwards, telling how far it is."""
    for part in range(1, 5):
        tell(part / 4)
    return bytes(argument)[::-1]


def refuses(argument: memoryview, tell: Tell) -> bytes:
    """Takes nothing."""
    raise ValueError(f"{bytes(argument).decode()} is nothing that can be read")


def fails(argument: memoryview, tell: Tell) -> bytes:
    """Has a mistake."""
    return bytes({}["nothing"])


def loops(argument: memoryview, tell: Tell) -> bytes:
    """Never returns, and catches what it can."""
    while True:
        try:
            sum(range(1000))
        except Exception:
            pass


def hangs(argument: memoryview, tell: Tell) -> bytes:
    """Never returns from a function in C that lets no signal in."""
    return bytes(str(pow(7, 10**8)).encode())


def hungry(argument: memoryview, tell: Tell) -> bytes:
    """Wants all of the memory."""
    kept = []
    while True:
        kept.append(bytearray(2**24))


def long(argument: memoryview, tell: Tell) -> bytes:
    """Returns as many bytes as the argument says."""
    return b"x" * int(argument)


def ends(argument: memoryview, tell: Tell) -> bytes:
    """Ends its own process."""
    os._exit(3)


def opens(argument: memoryview, tell: Tell) -> bytes:
    """Opens a file."""
    try:
        with open(bytes(argument).decode(), "rb") as file:
            return file.read(1)
    except OSError as error:
        return type(error).__name__.encode()


def sleeps(argument: memoryview, tell: Tell) -> bytes:
    """Says that it has begun, and waits."""
    tell(0.1)
    time.sleep(60)
    return b""
