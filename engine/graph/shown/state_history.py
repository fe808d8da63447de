"""What nodes and edges show from which step on, kept in little room: texts are made when a history is asked for.

A recording of 10,000 nodes has some 80,000 entries. They are noted in flat lists, which take a third of the room of an object
for each.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import msgspec

from ..numbers import ArrayTexts

EdgeKey: TypeAlias = tuple[str, str, int]

STATES = ("", "written", "receiving", "waiting", "running", "done")
"""What a node may be doing."""


class Face(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, gc=False):
    """What a node shows; None means the line is absent."""

    value: str
    grad: str | None = None
    grad_label: str = "grad"
    flow: str | None = None
    """The gradient that has reached the node in the running pass: `4 + 3 + …` while more is to come."""
    flow_note: str = ""
    state: str = ""
    """One of `STATES`."""
    title: str | None = None
    """Where the tensor's name is no longer the node's title."""
    value_label: str = "value"


class EdgeFace(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """What an edge shows: whether a gradient passes at this very step, and which."""

    active: bool
    label: str = ""
    norm: float | None = None


QUIET = EdgeFace(False)


class Noted(NamedTuple):
    """What a node's face is made of: array ids and flags."""

    value: int
    grad: int
    received: int
    arrived: tuple[int, ...]
    """The last gradients that have come, none once they are in `.grad`."""
    flags: int
    """The sum of what holds of `PENDING` to `KEPT` and `PASSED`, and of one of `STATE`."""
    title: str | None


PENDING = 1
"""The pass will add to `.grad`."""
EARLIER = 2
"""More gradients have come than `arrived` has."""
TO_COME = 4
"""More will come."""
KEPT = 8
"""The gradient that flows stays: in a leaf, after `retain_grad`, in a `.grad` that is there."""
PASSED = 128
"""What was received came in a pass that is over."""
STATE = {state: number << 4 for number, state in enumerate(STATES)}
_FLAGS = 1 + Noted._fields.index("flags")
_SLOTS = 1 + len(Noted._fields)


def state_of(flags: int) -> str:
    """The state in a `Noted`'s flags."""
    return STATES[(flags & ~PASSED) >> 4]


class NodeHistories(Mapping[str, list[tuple[int, Face]]]):
    """Histories of nodes by key, each written out whenever it is asked for."""

    def __init__(self, keys: Iterator[str], write: Callable[[Noted], Face]) -> None:
        self._tracks: dict[str, list[Any]] = {key: [] for key in keys}
        self._write = write

    def note(self, key: str, step: int, noted: list[Any]) -> None:
        """From this step on a node shows this, the parts of a `Noted`."""
        track = self._tracks[key]
        if track[1 - _SLOTS :] != noted:
            track.append(step)
            track += noted

    def clip(self, first: int) -> None:
        """Leave out what is shown no more at a step and later; what was shown before it begins just before it, so that nobody
        takes it for what happened there."""
        for track in self._tracks.values():
            row = bisect_right(track[::_SLOTS], first) - 1
            if row > 0:
                del track[: row * _SLOTS]
            if track and track[0] < first:
                track[0] = first - 1

    def noted(self, key: str) -> Iterator[tuple[int, Noted]]:
        """What a history is written from."""
        track = self._tracks[key]
        for at in range(0, len(track), _SLOTS):
            yield track[at], Noted(*track[at + 1 : at + _SLOTS])

    def arrays(self, key: str) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Pairs (step, ids of the arrays that a node shows from then on)."""
        return ((step, (n.value, n.grad, n.received, *n.arrived)) for step, n in self.noted(key))

    def at(self, key: str, step: int) -> Face | None:
        """What a node shows at a step; None if it is not there yet."""
        track = self._tracks[key]
        row = bisect_right(track[::_SLOTS], step) - 1
        return self._write(Noted(*track[row * _SLOTS + 1 : (row + 1) * _SLOTS])) if row >= 0 else None

    def states(self, key: str) -> Iterator[tuple[int, str]]:
        """Pairs (step, the state that a node has from then on)."""
        track = self._tracks[key]
        last = ""
        for step, flags in zip(track[::_SLOTS], track[_FLAGS::_SLOTS], strict=True):
            state = state_of(flags)
            if state != last:
                last = state
                yield step, state

    def __getitem__(self, key: str) -> list[tuple[int, Face]]:
        made: list[tuple[int, Face]] = []
        for step, noted in self.noted(key):
            face = self._write(noted)
            if not made or made[-1][1] != face:
                made.append((step, face))
        return made

    def __contains__(self, key: object) -> bool:
        return key in self._tracks

    def __iter__(self) -> Iterator[str]:
        return iter(self._tracks)

    def __len__(self) -> int:
        return len(self._tracks)


class EdgeHistories(Mapping[EdgeKey, list[tuple[int, EdgeFace]]]):
    """Histories of edges by (from, to, key), each written out whenever it is asked for."""

    def __init__(self, keys: Iterator[EdgeKey], texts: ArrayTexts, total: int) -> None:
        self._tracks: dict[EdgeKey, list[int]] = {key: [] for key in keys}
        self._texts = texts
        self.total = total
        """Steps of the recording."""

    def note(self, key: EdgeKey, step: int, array: int) -> None:
        """A gradient passes at this step."""
        track = self._tracks[key]
        if not track or track[-2] != step:
            track += (step, array)

    def clip(self, first: int) -> None:
        """Leave out what passed before a step."""
        for track in self._tracks.values():
            del track[: 2 * bisect_left(track[::2], first)]

    def norms(self, key: EdgeKey) -> Iterator[tuple[int, float | None]]:
        """Pairs (step at which a gradient passes, its norm)."""
        track = self._tracks[key]
        return ((step, self._texts.norm(array)) for step, array in zip(track[::2], track[1::2], strict=True))

    def __getitem__(self, key: EdgeKey) -> list[tuple[int, EdgeFace]]:
        track = self._tracks[key]
        made: list[tuple[int, EdgeFace]] = []
        for step, array in zip(track[::2], track[1::2], strict=True):
            if made and made[-1][0] == step:
                made.pop()  # a gradient passes again at once
            made.append((step, EdgeFace(True, self._texts.on_card(array), self._texts.norm(array))))
            if step + 1 < self.total:
                made.append((step + 1, QUIET))
        return made

    def __iter__(self) -> Iterator[EdgeKey]:
        return iter(self._tracks)

    def __len__(self) -> int:
        return len(self._tracks)
