"""The parts of a payload that a rolled run adds, as the player reads them (`frontend/src/rolled.js`)."""

from __future__ import annotations

from typing import Any

import msgspec

from engine.graph.shown.curves import Curve, Mark
from engine.graph.shown.series import Number


class LoopPart(msgspec.Struct, frozen=True):
    """A loop, with its iterations in order of time."""

    id: str
    title: str
    line: int
    cell: int
    parent: str
    kind: str
    """"time" or "depth"."""
    reason: str
    total: int
    starts: list[int]
    ends: list[int]
    outer: list[int]
    shown: bool
    """Whether a card on show belongs to it."""


class FramePart(msgspec.Struct, frozen=True):
    """The frame behind the cards of a time loop; `x` and `y` are its centre."""

    loop: str
    x: float
    y: float
    w: float
    h: float
    title: str
    nodes: int


class SparkPart(msgspec.Struct, frozen=True):
    """A card's value and gradient over the iterations of its loop, evenly spread, and where it is not finite."""

    value: list[Number] | None
    grad: list[Number] | None
    bad: list[tuple[int, str]]


class RowPart(msgspec.Struct, frozen=True):
    """A parameter that stands in the card of what uses it."""

    key: str
    title: str
    tone: str
    badge: str
    sub: str
    born: int
    spark: SparkPart | None
    history: msgspec.Raw
    sites: list[int]
    changes: list[int]
    grads: list[tuple[int, float]]
    op: str = ""
    some: str = ""


class RolledPart(msgspec.Struct, frozen=True):
    """What is known of a run with loops."""

    main: str
    on: bool
    """Whether this picture is rolled."""
    worth: bool
    """Whether it is what to show first."""
    file: str
    loops: list[LoopPart]
    frames: list[FramePart]
    curves: list[Curve]
    marks: list[Mark]
    window: tuple[int, int] | None
    """First and last step of the histories that come with it; None for all."""
    origins: list[str] = []
    """The cards at which the first NaN or Inf begins."""
    there: dict[str, list[tuple[int, int]]] = {}
    """Cards that only some iterations have, with the stretches of those."""


class RolledWish(msgspec.Struct, frozen=True):
    """What the user wants of loops, as the player tells it."""

    on: bool
    turned: tuple[str, ...] = ()
    """Loops that are to be taken for the other kind."""
    window: tuple[int, int] | None = None


LOOPS = 64
"""Loops that can be turned at once; the player's word is not trusted."""


def read_wish(told: Any) -> RolledWish | None:
    """What the player has told of loops; None where it has told nothing, or nonsense."""
    try:
        wish = msgspec.convert(told, RolledWish)
    except msgspec.ValidationError:
        return None
    return None if len(wish.turned) > LOOPS else wish
