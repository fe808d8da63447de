"""Pictures of long recordings where strangers share the page: drawn in a process of their own, and kept as they come back.

What takes seconds there takes nothing here: the page's process sends the recording and takes JSON that it hands on unread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import chain

import msgspec

from components.player import feed
from components.player.feed import Parts
from components.player.picture import Wish, drawing
from components.player.protocol import Window
from engine.diagnosis import Finding, findings
from engine.diagnosis.contributions import edge_lines
from engine.export.isolated import small
from engine.limits import APART, APART_MADE, APART_MEMORY
from engine.recording import Recording
from engine.sandbox.calls import bounded, call
from engine.sandbox.settings import settings
from engine.sandbox.transport.budget import parts_of_events
from engine.sandbox.transport.call_messages import cut, with_argument

LONG = 1_000
"""Events of the usual size from which a recording's picture is drawn apart."""
USUAL = 8
"""Parts of an event (inputs, dimensions, edges) in nearly every program, at most; stacking a thousand tensors has more."""
PICTURE = bounded("components.player.isolated:make", APART, APART_MEMORY, APART_MADE.value())


class Picture(msgspec.Struct, frozen=True):
    """A picture's parts as the player is sent them, and what else the page asks of a recording that takes long to read."""

    rev: str
    tape: str
    total: int
    rolled: bool
    window: Window | None
    made: dict[str, msgspec.Raw]
    findings: list[Finding]

    def parts(self) -> Parts:
        """What there is to be sent."""
        make = {name: lambda part=part: part for name, part in self.made.items()}
        return Parts(self.rev, self.tape, self.total, self.rolled, self.window, make)


class _Order(msgspec.Struct, frozen=True):
    """What is wanted; the recording as a file comes behind it, and the pinned one behind that."""

    wish: Wish
    window: Window | None
    """The steps of which a rolled picture says what cards show."""
    size: int
    """Bytes of the recording."""
    pinned: bool


def extent(recording: Recording) -> int:
    """How many events of the usual size take as long to draw. Counted once and kept on the recording."""
    return recording.once("extent", lambda: max(len(recording.events), parts_of_events(recording.tape) // USUAL))


def wanted(recording: Recording) -> bool:
    """Whether a recording's pictures are to be drawn apart."""
    return settings().hosted and extent(recording) >= LONG


def picture(
    recording: Recording,
    pinned: Recording | None,
    wish: Wish,
    window: Window | None = None,
    stop: threading.Event | None = None,
) -> Picture:
    """Have a picture drawn, merged with that of a `pinned` run, if there is one.

    Raises:
        CallError: when it takes longer or more memory than it may.
        Stopped: when `stop` was set meanwhile.
    """
    files = [recording.pieces(mapped=True), pinned.pieces(mapped=True) if pinned is not None else []]
    order = _Order(wish, window, sum(map(len, files[0])), pinned is not None)
    return _decode(call(PICTURE, with_argument(_encode(order), chain(*files)), stop=stop))


def make(argument: memoryview, tell: Callable[[float], None]) -> bytes:
    """Draw a picture, in the process that is for it: everything but what is sent while one waits for it."""
    head, files = cut(argument)
    order = _decode_order(head)
    recording = Recording.load(files[: order.size])
    pinned = Recording.load(files[order.size :]) if order.pinned else None
    tell(0.1)
    found = findings(recording)
    tell(0.3)
    d = drawing(recording, order.wish, pinned)
    parts = feed.parts_of(d, edge_lines(recording), order.window)
    made = {}
    for name in parts.make.keys() - {"outline", "sketch", "told", "found"}:
        part = parts.make[name]()
        made[name] = part if isinstance(part, msgspec.Raw) else msgspec.Raw(msgspec.json.encode(part))
        tell(0.3 + 0.15 * len(made))
    return _write(Picture(parts.rev, parts.tape, parts.total, parts.rolled, parts.window, made, found))


def prepare() -> None:
    """Draw something small, so that everything that drawing needs is there."""
    recording = small().to_bytes()
    for wish, files in (
        (Wish(fold="auto"), (recording, recording)),
        (Wish(fold="auto", rolled=True), (recording,)),
    ):
        order = with_argument(_encode(_Order(wish, None, len(recording), len(files) > 1)), files)
        _decode(make(memoryview(b"".join(order)), lambda _: None))


_encode = msgspec.msgpack.Encoder().encode
_decode_order = msgspec.msgpack.Decoder(_Order).decode
_write = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Picture).decode
