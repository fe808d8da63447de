"""A node over the run: how its gradient, value and update are spread from the first iteration to the last, and a table of those
around the chosen one."""

from __future__ import annotations

from typing import Any

import numpy as np

from components.html.markup import moment, section, table, tag, text
from components.html.spread_html import Spread, chosen, spreads_html
from engine.graph.numbers import number
from engine.graph.rolled_graph import RolledGraph
from engine.graph.shown.series import INF, NAN, Iterations, Series
from engine.graph.shown.statistics import Floats
from engine.recording import Recording

BESIDE = 2
"""Iterations in the table on either side of the chosen one."""


def over_run_html(recording: Recording, view: RolledGraph, key: str, step: int) -> str:
    """How a card's value, gradient and update go over the iterations of its loop; "" where there are too few."""
    columns = _columns(view, key)
    if columns is None:
        return ""
    one, loop = view.series[key], view.places.loops[view.places.loop[view.card[key]]]
    row = max(0, int(np.searchsorted(loop.starts, step, "right")) - 1)
    return section(_ridges(recording, view, key, row), _table(one, loop, row, columns), label="over the run")


def ridges_html(recording: Recording, view: RolledGraph, key: str) -> str:
    """The part of it that is the same in all iterations."""
    return _ridges(recording, view, key, None) if _columns(view, key) is not None else ""


def columns_of_card(view: RolledGraph, key: str, every: int = 1) -> dict[str, Any] | None:
    """A card's numbers in every so many-th iteration of its loop, as the table shows them; None where it has none.

    `bad` has pairs (iteration, whether it is NaN or Inf) for all.
    """
    columns = _columns(view, key)
    if columns is None:
        return None
    one = view.series[key]
    return {
        "loop": view.graph.nodes[key]["loop"],
        "names": [name for name, _ in columns],
        "values": [[float(f"{v:.4g}") if np.isfinite(v) else None for v in values[::every].tolist()] for _, values in columns],
        "bad": one.troubles(),
    }


def _columns(view: RolledGraph, key: str) -> list[tuple[str, Floats]] | None:
    """What the table says of each iteration; None where there are too few, or nothing is known."""
    card = view.card.get(key)
    if card is None:
        return None
    loop = view.places.loops[view.places.loop[card]]
    node = view.graph.nodes[key]
    stepping = node["kind"] == "step"
    if len(loop) < 3 or (stepping and not node["loop"]):
        return None
    one = view.series[key]
    if not (np.isfinite(one.value).any() or np.isfinite(one.grad).any() or one.bad.any()):
        return None
    if stepping:
        return [("lr", one.value), ("moved", one.grad)]
    if bool(view.places.stays[card]) and bool(np.isfinite(one.grad).any()):
        return [("‖grad‖", one.grad), ("‖w‖", one.norm), ("moved", view.updates(key))]
    return [("‖grad‖", one.grad), ("value", one.value), ("±", one.spread)]


def _ridges(recording: Recording, view: RolledGraph, key: str, row: int | None) -> str:
    """How value, gradient and update are spread in some iterations; "" of an optimizer's step, which holds no values."""
    card = view.card[key]
    if view.graph.nodes[key]["kind"] == "step":
        return ""
    one, loop = view.series[key], view.places.loops[view.places.loop[card]]
    rows = chosen(len(one.value), row)
    spreads = [Spread("gradient", "grad", one.grads), Spread("value", "value", one.arrays)]
    if view.places.stays[card]:
        before = np.concatenate([[view.before([key])[0]], one.arrays[:-1]])
        spreads.append(Spread("update", "step", one.arrays, before))
    return spreads_html(recording, spreads, rows, loop.ends, [bool(one.bad[at]) for at in rows], row)


def _table(one: Series, loop: Iterations, row: int, columns: list[tuple[str, Floats]]) -> str:
    rows = []
    for at in range(max(0, row - BESIDE), min(len(loop), row + BESIDE + 1)):
        bad = int(one.bad[at])
        cells = [_cell(values[at], bad) for _, values in columns]
        rows.append(("gt-now" if at == row else "", [moment(int(loop.ends[at]), f"{at}"), *cells]))
    return table(["iteration", *(name for name, _ in columns)], rows, cls="gt-table gt-run")


def _cell(value: float, bad: int) -> str:
    if np.isfinite(value):
        return text(number(float(f"{value:.3g}")))
    return tag("span", text("NaN" if bad & NAN else "Inf"), cls="gt-out") if bad & (NAN | INF) else text("–")
