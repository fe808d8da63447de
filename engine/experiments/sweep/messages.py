"""What a sweep asks of a child and what comes back: typed, bounded, and never more than was asked for."""

from __future__ import annotations

from typing import Annotated

import msgspec

from ... import limits

MAX_POINTS = limits.POINTS.value()
MAX_TEXT = limits.SWEEP_TEXT.value()
MAX_PATH = limits.PATH.value()
LAST = -1
"""Instead of a backward pass's number: the last one of each run."""
NONE = 0
"""Instead of a backward pass's number: the program has none, and the last number it computes is looked at."""


class Leaf(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """One element of a leaf tensor, set right before the graph of the backward pass begins to use the leaf."""

    event: int
    """Which of the recording's operations made the leaf, counted from 0."""
    output: int
    """Which of its results the leaf is."""
    element: tuple[int, ...]


class Literal(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """One number in the program's text, from one character to another."""

    cell: int
    start: int
    end: int


class SweepRequest(msgspec.Struct, frozen=True):
    """Run the program at each of these points, up to the end of one backward pass."""

    number: int
    """The backward pass, counted from 1; or `LAST` or `NONE`."""
    axes: tuple[Leaf | Literal, ...]
    points: tuple[tuple[int | float, ...], ...] = ()
    """A value for each axis."""
    path: bool = False
    """Whether the path is wanted, too: where the program's own run, to its end, has the axes at each backward pass."""


class Point(msgspec.Struct, frozen=True, array_like=True):
    """What became of one point."""

    position: int
    """Which point of the request."""
    loss: float
    """The root of the pass, summed with the weights that the pass starts from."""
    gradients: tuple[float | None, ...] = ()
    """The gradient that the pass gives for each axis: None for a literal, and for a leaf that it does not reach."""
    error: str = ""
    """Why there is no loss."""


class Spot(msgspec.Struct, frozen=True, array_like=True):
    """Where the program's own run was at a backward pass, or (pass 0) at its end."""

    number: int
    values: tuple[float, ...]
    loss: float
    line: int = 0


class SweepReply(msgspec.Struct, frozen=True):
    """The end of a request."""

    status: str
    """"ok", or why there is nothing: "error", "memory", "timeout", "missing"."""
    message: str = ""
    line: int = 0
    loss: float = 0.0
    """The loss of the program as it stands."""
    path: Annotated[tuple[Spot, ...], msgspec.Meta(max_length=MAX_PATH)] = ()
    seconds: float = 0.0
    """Seconds that one run of the program takes."""


decode_request = msgspec.msgpack.Decoder(SweepRequest).decode
decode_points = msgspec.msgpack.Decoder(Annotated[list[Point], msgspec.Meta(max_length=MAX_POINTS)]).decode
decode_sweep = msgspec.msgpack.Decoder(SweepReply).decode


def check_points(points: list[Point], request: SweepRequest, seen: set[int]) -> None:
    """Raise ValueError for points that were not asked for, or came before; adds them to `seen`."""
    for point in points:
        if point.position in seen or not 0 <= point.position < len(request.points):
            raise ValueError("a point that nobody asked for")
        if len(point.error) > MAX_TEXT or (not point.error and len(point.gradients) != len(request.axes)):
            raise ValueError("a point of impossible form")
        seen.add(point.position)


def check_sweep(reply: SweepReply, request: SweepRequest) -> None:
    """Raise ValueError for an invalid end; the child is not trusted."""
    if len(reply.message) > MAX_TEXT:
        raise ValueError("longer than any message")
    if any(len(spot.values) != len(request.axes) for spot in reply.path):
        raise ValueError("a path through another space")
