"""Many parameters over a run, a row of small charts for each: gradient, value and update, with what is not finite marked."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from components.html.markup import moment, more, shortened, tag, text
from engine.graph.numbers import number
from engine.graph.rolled_graph import RolledGraph
from engine.graph.shown.series import INF, NAN, Iterations, Series, points
from engine.graph.shown.statistics import Floats

SHOWN = 24
"""Parameters with charts of their own."""
POINTS = 72
"""Points of a curve."""
LOG = 30.0
"""The ratio of the largest to the smallest value from which on a curve that is positive is drawn on a log scale."""
STRETCHES = 12
"""Stretches of what is not finite that are marked in one chart."""
MAX_NAME = 80


def multiples_html(view: RolledGraph, step: int | None) -> str:
    """A row for each parameter that gets gradients, in the order in which they were made; "" where there is none, or too few
    iterations. `step` is the moment on show."""
    loop = view.iterations
    keys = [key for key in view.keys if _trained(view, key)]
    if len(loop) < 3 or not keys:
        return ""
    row = None if step is None else max(0, int(np.searchsorted(loop.starts, step, "right")) - 1)
    rows = [_row(view, key, loop, row) for key in keys[:SHOWN]]
    head = tag("div", *(tag("span", text(name)) for name in ("‖grad‖", "‖w‖", "‖Δw‖ ⁄ ‖w‖")), cls="gt-charts gt-muted")
    return tag("section", head, *rows, more(len(keys), SHOWN), cls="gt-section gt-multiples")


def _trained(view: RolledGraph, key: str) -> bool:
    """Whether a card stands for something that outlives iterations and gets gradients."""
    a, card, one = view.graph.nodes[key], view.card[key], view.series[key]
    return a["kind"] in ("leaf", "accumulate") and bool(view.places.stays[card]) and bool((one.grads >= 0).any())


def _row(view: RolledGraph, key: str, loop: Iterations, row: int | None) -> str:
    one, title = view.series[key], str(view.graph.nodes[key]["title"])
    name = tag("button", text(shortened(title, MAX_NAME)), cls="gt-moment", type="button", data_gt_select=key, title=title)
    first = int(np.argmax(one.bad > 0)) if one.bad.any() else None
    said = "" if first is None else tag("span", moment(int(loop.starts[first]), _since(one, first)), cls="gt-out gt-push")
    curves = ((one.grad, "grad"), (one.norm, "value"), (view.updates(key), "step"))
    charts = [_chart(values, tone, one, row, title) for values, tone in curves]
    head, body = tag("div", name, said, cls="gt-row"), tag("div", *charts, cls="gt-charts")
    return tag("div", head, body, cls="gt-multiple", data_gt_key=key)


def _since(one: Series, first: int) -> str:
    return f"{_word(one, first)} since iteration {first}"


def _word(one: Series, row: int) -> str:
    return "NaN" if int(one.bad[row]) & NAN else "Inf" if int(one.bad[row]) & INF else ""


def _chart(values: Floats, tone: str, one: Series, row: int | None, title: str) -> str:
    """One curve, as a shape that the background is cut to: what is sent as HTML may hold no SVG."""
    total = len(values)
    drawn = points(values, POINTS)
    parts = []
    if drawn is not None:
        tops = _tops(drawn)
        shape = ", ".join(f"{x:.1f}% {y:.0f}%" for x, y in tops)
        style = f"clip-path: polygon({tops[0][0]:.1f}% 100%, {shape}, {tops[-1][0]:.1f}% 100%)"
        parts.append(tag("div", cls=f"gt-hill {tone}", style=style))
    for first, last in _stretches(one):
        place = f"left: {100 * first / total:.1f}%; width: {max(100 * (last + 1 - first) / total, 1):.1f}%"
        parts.append(tag("div", cls="gt-bad", style=place))
    if row is not None:
        parts.append(tag("div", cls="gt-at", style=f"left: {100 * (row + 0.5) / total:.1f}%"))
    shown = "" if row is None else "not kept" if drawn is None else _value(values, row, one)
    number_now = tag("span", text(shown)) if shown else ""
    said = f"{title} over {total} iterations" + (f": now {shown}" if shown else "")
    return tag("div", tag("div", *parts, cls="gt-plot"), number_now, cls="gt-chart", role="img", aria_label=said)


def _tops(drawn: list[Any]) -> list[tuple[float, float]]:
    """The points of a curve in percent of its box, from the top; what is not there is left out."""
    there = [(at, value) for at, value in enumerate(drawn) if value is not None]
    low, high = min(value for _, value in there), max(value for _, value in there)
    log = low > 0 and high > LOG * low
    if log:
        there, low, high = [(at, math.log(value)) for at, value in there], math.log(low), math.log(high)
    wide, span = max(len(drawn) - 1, 1), high - low
    return [(100 * at / wide, 92 - 84 * (value - low) / span if span > 0 else 50.0) for at, value in there]


def _stretches(one: Series) -> list[tuple[int, int]]:
    rows = np.flatnonzero(one.bad)
    if not len(rows):
        return []
    parts = np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1)
    return [(int(part[0]), int(part[-1])) for part in parts[:STRETCHES]]


def _value(values: Floats, row: int, one: Series) -> str:
    return number(float(f"{values[row]:.3g}")) if np.isfinite(values[row]) else _word(one, row) or "–"
