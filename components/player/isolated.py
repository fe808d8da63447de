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
from components.player.rolled import not_rolled, rolled_drawing, rolled_payload
from components.player.tape import late_captions
from components.player.watched import Details
from engine.diagnosis import Finding, findings
from engine.diagnosis.contributions import edge_lines
from engine.export.isolated import small
from engine.graph.rolled_view import worth_rolling
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
    rolled: bool = False
    turned: tuple[str, ...] = ()
    """Of a rolled picture: the loops that are taken for the other kind,"""
    window: tuple[int, int] | None = None
    """the steps of which it says what cards show,"""
    file: str = ""
    """and what the program is called."""


class Picture(msgspec.Struct, frozen=True):
    """A picture as the player is sent it, and what else the page wants to know of a recording that takes long to read."""

    payload: dict[str, msgspec.Raw]
    captions: msgspec.Raw
    details: msgspec.Raw
    """What the player is sent when it has the payload, where it gets a recording in parts."""
    findings: list[Finding]

    def data(self) -> dict[str, Any]:
        """The payload, with what Python reads of it."""
        named = [name for name in ("rev", "tape", "total", "window") if name in self.payload]
        read: dict[str, Any] = {name: msgspec.json.decode(self.payload[name]) for name in named}
        return {**self.payload, **read}

    def late(self) -> dict[str, Callable[[], msgspec.Raw]]:
        """The parts that come later."""
        if "window" in self.payload:
            return {}  # a rolled one comes with both
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
    files = [recording.pieces(mapped=True), pinned.pieces(mapped=True) if pinned is not None else []]
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
    if wish.rolled:
        return _rolled(recording, wish, lines, tell)
    made = drawing(recording, wish.view, wish.direction, wish.run, pinned, wish.fold, wish.opened)
    tell(0.3)
    later = in_parts(recording)
    data = packed(payload(made, lines, complete=not later))
    if pinned is None:
        data["rolled"] = not_rolled(worth_rolling(recording))
    tell(0.7)
    fold: Mode = "none" if pinned is not None else wish.fold
    details = late_details(recording, wish.view, fold, wish.opened, lines) if later else {}
    captions = late_captions(recording) if later else msgspec.Raw(b"null")
    return _write(
        {"payload": data, "captions": captions, "details": details, "findings": findings(recording)},
    )


def _rolled(recording: Recording, wish: Wish, lines: Details, tell: Callable[[float], None]) -> bytes:
    """A rolled picture; it brings captions and details with it."""
    made = rolled_drawing(recording, wish.view, wish.direction, wish.run, wish.turned, wish.opened)
    tell(0.5)
    found = findings(recording)
    data = packed(rolled_payload(made, wish.window, lines, wish.file))
    none = msgspec.Raw(b"null")
    return _write({"payload": data, "captions": none, "details": none, "findings": found})


def prepare() -> None:
    """Draw something small, so that everything that drawing needs is there."""
    recording = small().to_bytes()
    for wish, files in (
        (Wish("tensors", "LR", "", "auto", None), (recording, recording)),
        (Wish("tensors", "LR", "", "auto", None, rolled=True), (recording,)),
    ):
        order = with_argument(_encode(_Order(wish, len(recording), len(files) > 1)), files)
        _decode(make(memoryview(b"".join(order)), lambda _: None))


_encode = msgspec.msgpack.Encoder().encode
_decode_order = msgspec.msgpack.Decoder(_Order).decode
_write = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Picture).decode
