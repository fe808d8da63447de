"""Pictures of long recordings where strangers share the page: drawn in a process of their own, and kept as they come back.

What takes seconds there takes nothing here: the page's process sends the recording and takes JSON that it hands on unread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import chain
from typing import Any

import msgspec

from components.player import in_parts
from components.player.extent import extent
from components.player.payload import drawing, late_details, packed, payload
from components.player.tape import late_captions
from engine.diagnosis import Finding, findings
from engine.diagnosis.contributions import edge_lines
from engine.export.isolated import small
from engine.graph.structure.folding import Mode
from engine.limits import APART, APART_MADE, APART_MEMORY
from engine.recording import Recording
from engine.sandbox.calls import bounded, call
from engine.sandbox.settings import settings
from engine.sandbox.transport.call_messages import cut, with_argument

LONG = 1_000
"""Events of the usual size from which a recording's picture is drawn apart."""
PICTURE = bounded("components.player.isolated:make", APART, APART_MEMORY, APART_MADE.value())


class Wish(msgspec.Struct, frozen=True):
    """Which picture of a recording."""

    view: str
    direction: str
    run: str
    """Identifies the recording to the player."""
    fold: Mode
    opened: tuple[str, ...] | None
    """The groups that are open; None for a first view."""


class Picture(msgspec.Struct, frozen=True):
    """A picture as the player is sent it, and what else the page wants to know of a recording that takes long to read."""

    payload: dict[str, msgspec.Raw]
    captions: msgspec.Raw
    details: msgspec.Raw
    """What the player is sent when it has the payload, where it gets a recording in parts."""
    findings: list[Finding]

    def data(self) -> dict[str, Any]:
        """The payload, with what Python reads of it."""
        read: dict[str, Any] = {name: msgspec.json.decode(self.payload[name]) for name in ("rev", "tape", "total")}
        return {**self.payload, **read}

    def late(self) -> dict[str, Callable[[], msgspec.Raw]]:
        """The parts that come later."""
        return {"captions": lambda: self.captions, "details": lambda: self.details}


class _Order(msgspec.Struct, frozen=True):
    """What is wanted; the recording as a file comes behind it, and the pinned one behind that."""

    wish: Wish
    size: int
    """Bytes of the recording."""
    pinned: bool


def wanted(recording: Recording) -> bool:
    """Whether a recording's pictures are to be drawn apart."""
    return settings().hosted and extent(recording) >= LONG


def picture(recording: Recording, pinned: Recording | None, wish: Wish, stop: threading.Event | None = None) -> Picture:
    """Have a picture drawn, merged with that of a `pinned` run, if there is one.

    Raises:
        CallError: when it takes longer or more memory than it may.
        Stopped: when `stop` was set meanwhile.
    """
    files = [recording.pieces(), pinned.pieces() if pinned is not None else []]
    order = _Order(wish, sum(map(len, files[0])), pinned is not None)
    return _decode(call(PICTURE, with_argument(_encode(order), chain(*files)), stop=stop))


def make(argument: memoryview, tell: Callable[[float], None]) -> bytes:
    """Draw a picture, in the process that is for it."""
    message, files = cut(argument)
    order = _decode_order(message)
    wish = order.wish
    recording = Recording.load(files[: order.size])
    pinned = Recording.load(files[order.size :]) if order.pinned else None
    lines = edge_lines(recording)
    made = drawing(recording, wish.view, wish.direction, wish.run, pinned, wish.fold, wish.opened)
    tell(0.3)
    later = in_parts(recording)
    data = packed(payload(made, lines, complete=not later))
    tell(0.7)
    fold: Mode = "none" if pinned is not None else wish.fold
    details = late_details(recording, wish.view, fold, wish.opened, lines) if later else {}
    captions = late_captions(recording) if later else msgspec.Raw(b"null")
    return _write(
        {"payload": data, "captions": captions, "details": details, "findings": findings(recording)},
    )


def prepare() -> None:
    """Draw something small, so that everything that drawing needs is there."""
    recording = small().to_bytes()
    wish = Wish("tensors", "LR", "", "auto", None)
    order = b"".join(with_argument(_encode(_Order(wish, len(recording), True)), (recording, recording)))
    _decode(make(memoryview(order), lambda _: None))


_encode = msgspec.msgpack.Encoder().encode
_decode_order = msgspec.msgpack.Decoder(_Order).decode
_write = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Picture).decode
