"""The child's side of a call: one of our own functions works on what a stranger sent, shut in and under limits.

The function is ours and so is trusted to do what it says; what it works on may make it do that for hours, in all of the memory.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from importlib import import_module
from types import FrameType
from typing import Any

from ..system import timer
from ..system.memory import all_stays
from ..transport.call_messages import MAX_MESSAGE, CallReply, CallRequest, cut
from ..transport.frames import OUTPUT, REPLY, SHARE, WHOLE
from ..transport.messages import HEADER, Job, Layers, Limits, decode_job, encode

Tell = Callable[[float], None]
"""Takes how far the work is, from 0 to 1."""
Function = Callable[[memoryview, Tell], bytes]

PIECE = 2**20
"""Bytes of the result in one frame."""

_functions: dict[str, Function] = {}


class _TimeIsUp(BaseException):
    """No `except Exception` on the way keeps it."""


def preload(*names: str) -> None:
    """Load the functions, and have the modules that they are in make ready (`prepare`): a child can open no file."""
    for name in names:
        module, _, function = name.partition(":")
        loaded = import_module(module)
        _functions[name] = getattr(loaded, function)
        getattr(loaded, "prepare", lambda: None)()
    all_stays()


def main(inward: int, out: int, enter: Callable[[Limits, Layers], None]) -> None:
    """Make the call that comes in on one file descriptor and send what it returns to the other; never returns."""
    status = 1
    try:
        message, argument = cut(_read_all(inward))
        job = decode_job(message)
        assert job.call is not None
        gc.disable()  # nothing here lives longer than the call
        result, reply = _outcome(job, job.call, argument, out, enter)
        for start in range(0, len(result), PIECE):
            _send(out, OUTPUT, result[start : start + PIECE])
        _send(out, REPLY, encode(reply))
        status = 0
    finally:
        os._exit(status)


def _outcome(
    job: Job, request: CallRequest, argument: memoryview, out: int, enter: Callable[[Limits, Layers], None]
) -> tuple[bytes, CallReply]:
    """What the function returns, and how the call ended."""
    told = 0

    def tell(share: float) -> None:
        nonlocal told
        permille = round(WHOLE * min(max(share, 0.0), 1.0))
        if permille > told:
            told = permille
            _send(out, SHARE, permille.to_bytes(2, "big"))

    try:
        try:  # wherever it rings from here on, it is heard
            timer.ring(job.limits.seconds, _ring)
            enter(job.limits, job.layers)
            result = _functions[request.function](argument, tell)
        finally:
            timer.stop()
    except _TimeIsUp:
        return b"", CallReply("timeout", f"it took more than {job.limits.seconds:g} seconds")
    except MemoryError:
        return b"", CallReply("memory", f"it needed more than {job.limits.memory_mb} MB of memory")
    except ValueError as error:
        return b"", CallReply("refused", _said(error))
    except Exception as error:
        return b"", CallReply("failed", _said(error, type(error).__name__))
    if len(result) > request.output:
        return b"", CallReply("too_large", f"it would be larger than {request.output >> 20} MB")
    return result, CallReply("ok")


def _ring(_: int, frame: FrameType | None) -> None:
    raise _TimeIsUp


def _said(error: Exception, name: str = "") -> str:
    text = str(error).encode("utf-8", "replace").decode("utf-8")
    return f"{name}: {text}"[:MAX_MESSAGE] if name else text[:MAX_MESSAGE]


def _send(out: int, kind: bytes, body: bytes | memoryview) -> None:
    """Write one frame. One that tells how far the work is goes out whole or not at all when the time is up meanwhile."""
    data = memoryview(HEADER.pack(kind, len(body)) + bytes(body))
    while data:
        data = data[os.write(out, data) :]


def _read_all(fd: int) -> bytes:
    parts: list[Any] = []
    while part := os.read(fd, 1 << 20):
        parts.append(part)
    os.close(fd)
    return b"".join(parts)
