"""What the cards of a rolled graph hold besides their text: curves over all iterations, parameters, and the room for both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .design.sizes import CARD, ROWS, SPARK
from .shown.series import Number, Series, points
from .structure.build import Graph
from .structure.module_cards import name_within

if TYPE_CHECKING:
    from .rolled_graph import RolledGraph


class Sparkline(NamedTuple):
    """A card's value and gradient over the iterations of its loop, evenly spread, and where it is not finite."""

    value: list[Number] | None
    grad: list[Number] | None
    bad: list[tuple[int, str]]


def make_room(rolled: RolledGraph, graph: Graph) -> None:
    """Cards have room for their curves, for the parameters in them, and for the two numbers of an optimizer's step."""
    for _, a in graph.nodes(data=True):
        if a["shape"] == "card" and a["kind"] != "constant":
            a["width"] = max(a["width"], round(SPARK.card))
        if "members" in a:
            count = parameters(rolled, a["members"])[1]
            a["height"] += round(ROWS.height + ROWS.gap) * min(ROWS.most + 1, count)
        if a["kind"] == "step":
            a["height"] += round(CARD.row)


def parameters(rolled: RolledGraph, members: Sequence[str]) -> tuple[list[str], int]:
    """Those of a closed group's nodes that stand as rows in its card, as far as there is room, and how many there are."""
    made: tuple[list[str], int] = rolled.once(("parameters", members), lambda: _parameters(rolled, members))
    return made


def _parameters(rolled: RolledGraph, members: Sequence[str]) -> tuple[list[str], int]:
    nodes = rolled.graph.nodes
    found = [key for key in members if nodes[key]["kind"] in ("leaf", "accumulate") and not nodes[key]["loop"]]
    return found[: ROWS.most + 1], len(found)


def title_within(node: Mapping[str, Any], group: str) -> str:
    """What a parameter is called in the card of a group, by its id; so is what adds to its `.grad`."""
    return name_within(str(node["badge"] if node["kind"] == "accumulate" and node["badge"] else node["title"]), group)


def sparkline(rolled: RolledGraph, one: str, members: Sequence[str] | None = None) -> Sparkline | None:
    """The curves of a card; of a group those of the member that it shows (`one`), with what goes wrong in any."""
    made: Sparkline | None = rolled.once(("sparkline", one, members), lambda: _sparkline(rolled, one, members))
    return made


def _sparkline(rolled: RolledGraph, one: str, members: Sequence[str] | None) -> Sparkline | None:
    if len(rolled.loop_of(one)) <= 1:
        return None
    own = rolled.series[one]
    bad = own.troubles()
    if members is not None:
        loop = rolled.places.loop
        number = loop[rolled.card[one]]
        alike = [rolled.series[key] for key in members if loop[rolled.card[key]] == number]
        worst = np.bitwise_or.reduce([each.bad for each in alike])
        bad = Series(own.value, own.spread, own.norm, own.grad, worst, own.arrays, own.grads).troubles()
    constant = len(np.unique(own.arrays)) <= 1
    value, grad = None if constant else points(own.value), points(own.grad)
    return Sparkline(value, grad, bad) if value or grad or bad else None
