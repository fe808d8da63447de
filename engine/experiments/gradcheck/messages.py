"""What a numerical check asks of a child and what comes back: typed, bounded, and validated against the recording."""

from __future__ import annotations

from typing import Annotated

import msgspec

from ... import limits

MAX_SLOPES = limits.SLOPES.value()
MAX_STEPS = limits.STEPS.value()
MAX_DIMS = limits.DIMS.value()
MAX_TEXT = limits.CHECK_TEXT.value()


FEW = msgspec.Meta(max_length=MAX_SLOPES)
"""Bounds that are looked at before the things themselves are read: a frame of 8 MB holds a million of them."""
STEPS = msgspec.Meta(min_length=1, max_length=MAX_STEPS)


class CheckRequest(msgspec.Struct, frozen=True):
    """Differentiate the root of one backward pass numerically."""

    number: int
    """The backward pass; passes count from 1."""
    elements: int = 12
    """How many elements of each leaf are nudged; of larger ones, also all at once in a random direction."""
    node_elements: int = 4
    """How many elements of each input of each node are nudged."""
    part: int = 0
    """Which of the `parts` of the work this is, from 0: it checks every `parts`-th element of the leaves. Part 0 also checks
    the nodes."""
    parts: int = 1


class Slope(msgspec.Struct, frozen=True, array_like=True):
    """One derivative, found in two ways. The one-sided differences are for ever smaller steps."""

    call: int
    """Which of the recording's operations made the leaf or the node, counted from 0."""
    edge: int
    """The node's edge; for a leaf -1 for the operation's first result, -2 for the second, and so on."""
    element: tuple[int, ...]
    all: bool
    """Whether all elements moved at once, each up or down by chance."""
    analytic: float
    """What the backward pass gives, in the same run in float64."""
    forward: Annotated[tuple[float, ...], STEPS]
    backward: Annotated[tuple[float, ...], STEPS]
    noise: float
    """How far rounding alone may move the difference quotient at its first step."""


class CheckReply(msgspec.Struct, frozen=True):
    """What the child found."""

    status: str
    """"ok", or why there is nothing: "error", "timeout", "memory", "differs", "random", "missing", "failed"."""
    message: str = ""
    line: int = 0
    root: float = 0.0
    """The root's value in float64, summed with the weights that the pass starts from."""
    slopes: Annotated[list[Slope], FEW] = []
    skipped: Annotated[list[tuple[int, str]], FEW] = []
    """Operations whose nodes were not checked (-1 for a leaf that nothing known made), and why."""
    before: int = 0
    """How many operations there were before the pass,"""
    digest: int = 0
    """and a checksum of their names, which are those of the recording if the program did the same."""
    left: int = 0
    """How many elements time did not suffice for."""
    runs: int = 0


decode_request = msgspec.msgpack.Decoder(CheckRequest).decode
decode_reply = msgspec.msgpack.Decoder(CheckReply).decode


def check_reply(reply: CheckReply) -> None:
    """Raise ValueError for an invalid reply; the child is not trusted."""
    if len(reply.message) > MAX_TEXT or any(len(why) > MAX_TEXT for _, why in reply.skipped):
        raise ValueError("longer than any message")
    for slope in reply.slopes:
        if len(slope.element) > MAX_DIMS or len(slope.forward) != len(slope.backward):
            raise ValueError("a derivative of impossible form")
