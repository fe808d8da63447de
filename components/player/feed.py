"""What the player is sent next. This file alone decides it.

A small recording is sent whole, whatever the player has. Of a large one the structure comes first; then what the chosen
iteration and its neighbours show, with the sparklines, or of a run that is not rolled everything that cards show; then what
nobody waits for: captions and details, other iterations when they are looked at, findings when they are known. Nothing is sent
twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec

from components.player import cards, loops, tape
from components.player.cards import Lines
from components.player.picture import Drawing, drawn
from components.player.protocol import Drawn, Holds, LegendEntry, Overlay, OverlayMark, Run, Sketch, Window
from engine.diagnosis.comparison.graph_diff import LEGEND, Merged
from engine.diagnosis.findings import findings, known_findings
from engine.graph import Faces, segments
from engine.recording import Recording

LARGE = 3_000
"""Steps from which on the player is sent a recording in parts, and none again that it has."""
ROLLED_SKETCH = 50_000
"""Steps from which on the structure of a rolled run comes ahead of what it shows: that takes twice as long as the structure (at
119,000 steps 600 ms after 320 ms), and from here on longer than it takes to draw the page once more."""
WIDE_SKETCH = 4_000
"""Places from which on it does, too: what a model of 10,000 shows takes 0.9 s."""
NOTHING = Holds()


@dataclass(frozen=True, slots=True)
class Parts:
    """What there is to be sent of a picture; a part is made when it is wanted."""

    rev: str
    tape: str
    total: int
    rolled: bool
    window: Window | None
    """Of a rolled run: the steps that are asked for, None for none in particular."""
    make: Mapping[str, Callable[[], Any]]
    """Field of a message → what goes there; "outline" is a picture without what happens in it."""

    @property
    def large(self) -> bool:
        """Whether it goes in parts."""
        return self.total >= LARGE


def in_parts(recording: Recording) -> bool:
    """Whether the player is sent a recording in parts."""
    return len(recording.events) >= LARGE


def next_parts(parts: Parts, holds: Holds) -> list[str]:
    """What is sent to a player that holds this."""
    if not parts.large:
        return [name for name in ("run", "drawn", "moments", "details", "overlay") if name in parts.make]
    here, known = holds.rev == parts.rev, holds.tape == parts.tape
    run = [] if known else ["run"]
    if parts.rolled and here and known:
        another = ["told", "moments", "details"] if parts.window not in (None, holds.window) else []
        return another + (["found"] if "found" in parts.make and not holds.found else [])
    if "outline" in parts.make and not known and holds.sketch != parts.rev:
        return ["outline", "sketch"]
    if parts.rolled:
        return [*run, "drawn", "moments", "details"]
    late = (["moments"] if known and not holds.captions else []) + (["details"] if here and not holds.details else [])
    return run + ([] if here else ["drawn"]) + [name for name in (*late, "overlay") if name in parts.make]


def message(parts: Parts, holds: Holds | None = None, **besides: Any) -> dict[str, Any]:
    """The message, a `protocol.Message` whose parts may be written already.

    Args:
        besides: what the page wants of the player: key, address, cmd, keep, overlay (which replaces the picture's own),
            breakpoints.
    """
    data: dict[str, Any] = {"rev": parts.rev, "tape": parts.tape, "total": parts.total}
    if parts.large:
        data["large"] = True
    for name in next_parts(parts, holds or NOTHING):
        data["drawn" if name == "outline" else name] = parts.make[name]()
    return data | {name: value for name, value in besides.items() if value is not None}


def of_window(d: Drawing, lines: Lines, window: Window) -> dict[str, Any]:
    """What a player that has a rolled picture may lack of a window of it, and what has been found."""
    parts = parts_of(d, lines, window)
    return {name: parts.make[name]() for name in ("told", "moments", "details", "found") if name in parts.make}


def has_picture(d: Drawing, holds: Holds | None) -> bool:
    """Whether a player has a large rolled picture: what it still lacks of it has a bounded number of steps."""
    if d.view.rolled is None or holds is None or not in_parts(d.recording):
        return False
    return holds.rev == d.rev and holds.tape == d.wish.tape


def parts_of(d: Drawing, lines: Lines, window: Window | None = None) -> Parts:
    """The parts of a picture; `window` says which steps of a rolled run are asked for, None for the last ones.

    A part of a small recording and the picture of one that is not rolled are kept as JSON, which takes a tenth of the memory.
    """
    rolled, large, structure = d.view.rolled, in_parts(d.recording), d.view.structure
    span = (0, len(d.recording.events) - 1) if rolled is None else _within(d, window)
    stays = rolled is None or not large

    @cache
    def seen() -> Faces:
        return cards.shown(d, span)

    def outline() -> Drawn:
        data = drawn(d)
        data.rolled = loops.not_rolled(d.recording) if rolled is None else loops.loops(d, rolled)
        return data

    def run() -> Run:
        return tape.run(d.view, captioned=not large)

    def kept(name: str, make: Callable[[], Any]) -> Callable[[], Any]:
        def written() -> msgspec.Raw:
            if (name, span) not in d.made:
                d.made[name, span] = msgspec.Raw(msgspec.json.encode(make()))
            return d.made[name, span]

        return written if stays else make

    make: dict[str, Callable[[], Any]] = {
        "run": lambda: structure.once(("run", large, id(d.view.groups)), lambda: msgspec.Raw(msgspec.json.encode(run()))),
        "drawn": kept("drawn", lambda: picture(d, span, seen())),
        "details": kept("details", lambda: cards.detailed(d, seen(), lines)),
    }
    if rolled is not None or large:
        make["moments"] = kept("moments", lambda: tape.moments(d.view, span))
    if rolled is not None:
        make["told"] = lambda: cards.told_of(d, rolled, seen(), span)
        if known_findings(d.recording) is not None:
            make["found"] = lambda: loops.found(d, rolled)
    if (both := d.both) is not None:
        make["overlay"] = lambda: overlay(both)
    elif rolled is None or len(d.recording.events) >= ROLLED_SKETCH or len(rolled.keys) >= WIDE_SKETCH:
        make |= {"outline": outline, "sketch": lambda: _sketch(d)}
    return Parts(d.rev, d.wish.tape, len(d.recording.events), rolled is not None, window and span, make)


def picture(d: Drawing, window: Window, seen: Faces) -> Drawn:
    """What is drawn where, and what happens in it; findings about a large rolled run only if they are known."""
    data, rolled = drawn(d), d.view.rolled
    if rolled is not None:
        if not in_parts(d.recording):
            findings(d.recording)
        data.rolled = loops.over_run(d, rolled, window)
    elif d.both is None:
        data.rolled = loops.not_rolled(d.recording)
    cards.tell(d, data, seen, window)
    return data


def _within(d: Drawing, window: Window | None) -> Window:
    rolled, total = d.view.rolled, len(d.recording.events)
    assert rolled is not None
    first, last = window if window is not None else rolled.window(total - 1)
    return rolled.within(first, last, min(max(last, first), total - 1))


def _sketch(d: Drawing) -> Sketch:
    return Sketch(segments(d.recording), d.view.focus(len(d.recording.events) - 1))


def overlay(both: Merged) -> Overlay:
    """The marks of a comparison, as the player lays them over the graph."""
    return Overlay(
        {key: OverlayMark(**mark) for key, mark in both.nodes.items()},
        {f"{u}>{v}>{k}": OverlayMark(**mark) for (u, v, k), mark in both.edges.items()},
        legend=[LegendEntry(LEGEND[one], one) for one in both.tones()],
    )


def plain(data: Mapping[str, Any]) -> dict[str, Any]:
    """A message as the player puts it together (`frontend/src/store.js`): the parts' fields side by side."""
    read: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(data))
    for name in ("run", "drawn", "sketch", "moments"):
        read |= read.pop(name, {})
    return read
