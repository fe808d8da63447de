"""What runs in a Dask worker: hands a job to the worker's own sandbox server and gives back the bytes that its child sent.

Dask carries calls and results with pickle. Only these fixed functions travel that way, with bytes, text and numbers; nothing
that depends on a program is ever an object there, so nothing that a program makes is unpickled anywhere.
"""

from __future__ import annotations

import threading
from collections import deque

from ...sandbox.calls import CallError, Function, call
from ...sandbox.runner import server
from ...sandbox.transport.frames import DONE, REPLY, STUCK
from ...sandbox.transport.messages import HEADER, decode_job
from ...sandbox.transport.receiver import Collected, Stopped
from .reply import Reply, encode_reply, version

VERSION = version()
"""The version of the code that this process has loaded."""

_lock = threading.Lock()
_running: dict[str, tuple[threading.Event, threading.Event]] = {}
"""Job under way → the event that calls it off, and the one that ends it so that it keeps what it has."""
_stopped: deque[tuple[str, bool]] = deque(maxlen=1000)
"""Jobs that were called off, some of them perhaps before they came here, and whether each was to keep what it has."""


class Raw(Collected):
    """A child's frames, unread: they are validated where they are used."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[bytes] = []

    def again(self) -> None:
        """Begin anew."""
        super().again()
        self.parts = []

    def take(self, kind: bytes, body: bytes) -> None:
        """Keep a frame; after one of these kinds there is none."""
        self.parts += (HEADER.pack(kind, len(body)), body)
        self.done = True if kind in (DONE, REPLY) else None

    def stream(self) -> bytes:
        """All frames, where the child was stuck among them."""
        stuck = (HEADER.pack(STUCK, len(self.stuck)), self.stuck) if self.stuck else ()
        return b"".join((*self.parts, *stuck))


def execute(number: str, job: bytes, wanted: str) -> bytes:
    """Do an encoded job for a parent of the `wanted` version; returns an encoded `Reply` and never raises."""
    if wanted != VERSION:
        return encode_reply(Reply(VERSION))
    stop, raw = threading.Event(), Raw()
    with _lock:
        _running[number] = ends = stop, raw.control.halt
        for keep in (False, True):
            if (number, keep) in _stopped:
                ends[keep].set()
    try:
        ended = server().exchange(decode_job(job), raw, stop)
    except Stopped:
        return encode_reply(Reply(VERSION, failure="the run was stopped"))
    except Exception as error:
        return encode_reply(Reply(VERSION, failure=f"the worker could not run it: {type(error).__name__}"))
    finally:
        with _lock:
            _running.pop(number, None)
    return encode_reply(Reply(VERSION, raw.stream(), ended, raw.trouble, raw.failure))


RANK = Function("engine.rank_files:answer", seconds=600.0, memory_mb=8192, output_mb=64)
"""What reads the file of one rank: its sender's own, so that it may be large."""


def read_rank(argument: bytes, wanted: str) -> bytes:
    """Read a rank's file in a process of its own; returns an encoded `Reply` and never raises."""
    if wanted != VERSION:
        return encode_reply(Reply(VERSION))
    try:
        return encode_reply(Reply(VERSION, call(RANK, argument)))
    except CallError as error:
        return encode_reply(Reply(VERSION, failure=RANK.over(error, "reading") or str(error)))
    except Exception as error:
        return encode_reply(Reply(VERSION, failure=f"the worker could not read it: {type(error).__name__}"))


def call_off(number: str, keep: bool = False) -> None:
    """End a job at once, or keep it from beginning; with `keep` it still sends what it has recorded."""
    with _lock:
        _stopped.append((number, keep))
        running = _running.get(number)
    if running is not None:
        running[keep].set()
