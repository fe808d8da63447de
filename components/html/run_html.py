"""A node over the run: how its gradient or value is spread from the first iteration to the last, and a table of those around
the chosen one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from components.html.markup import moment, muted, section, table, tag, text
from engine.graph.numbers import number
from engine.graph.rolled_view import RolledView
from engine.graph.shown.series import INF, NAN, Iterations, Series
from engine.graph.shown.statistics import Floats
from engine.recording import Recording

RIDGES = 11
"""Iterations whose distributions are drawn."""
BINS = 36
BESIDE = 2
"""Iterations in the table on either side of the chosen one."""


def over_run_html(recording: Recording, view: RolledView, key: str, step: int) -> str:
    """How a card's value, gradient and update go over the iterations of its loop; "" where there are too few."""
    columns = _columns(view, key)
    if columns is None:
        return ""
    one, loop = view.series[key], view.places.loops[view.places.loop[view.card[key]]]
    row = max(0, int(np.searchsorted(loop.starts, step, "right")) - 1)
    return section(*_ridges(recording, view, key, row), _table(one, loop, row, columns), label="over the run")


def ridges_html(recording: Recording, view: RolledView, key: str) -> str:
    """The part of it that is the same in all iterations."""
    return "".join(_ridges(recording, view, key, None)) if _columns(view, key) is not None else ""


def columns_of_card(view: RolledView, key: str, every: int = 1) -> dict[str, Any] | None:
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


def _columns(view: RolledView, key: str) -> list[tuple[str, Floats]] | None:
    """What the table says of each iteration; None where there are too few, or nothing is known."""
    card = view.card.get(key)
    if card is None:
        return None
    one, loop = view.series[key], view.places.loops[view.places.loop[card]]
    if len(loop) < 3 or not (np.isfinite(one.value).any() or np.isfinite(one.grad).any() or one.bad.any()):
        return None
    if bool(view.places.stays[card]) and bool(np.isfinite(one.grad).any()):
        return [("‖grad‖", one.grad), ("‖w‖", one.norm), ("moved", view.updates(key))]
    return [("‖grad‖", one.grad), ("value", one.value), ("±", one.spread)]


def _ridges(recording: Recording, view: RolledView, key: str, row: int | None) -> list[str]:
    one = view.series[key]
    grads = bool(np.isfinite(one.grad).any())
    ridges = _ridgeline(recording, one, row, grads)
    return [muted("how its gradient is spread" if grads else "how its value is spread"), ridges] if ridges else []


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


def _ridgeline(recording: Recording, one: Series, row: int | None, grads: bool) -> str:
    """Distributions in iterations from the first to the last, the chosen one among them; "" for single numbers."""
    total = len(one.value)
    chosen = sorted(
        {*np.linspace(0, total - 1, min(RIDGES, total)).round().astype(int).tolist(), *(() if row is None else (row,))}
    )
    ids = (one.grads if grads else one.arrays)[chosen]
    arrays = [recording.array(int(id)) for id in ids]
    if not any(array is not None and array.size > 1 and array.dtype.kind == "f" for array in arrays):
        return ""
    parts = [np.zeros(0) if array is None else array[np.isfinite(array)].ravel().astype(np.float64) for array in arrays]
    if not any(part.size for part in parts):
        return ""
    low, high = min(part.min() for part in parts if part.size), max(part.max() for part in parts if part.size)
    if not np.isfinite(high - low) or high <= low:
        return ""
    lines = []
    for at, part in zip(chosen, parts, strict=True):
        counts = np.histogram(part, BINS, (low, high))[0].tolist() if part.size else [0] * BINS
        lines.append(_ridge(at, counts, bool(one.bad[at]), at == row, grads))
    ends = tag("div", *(tag("span", text(number(float(f"{value:.3g}")))) for value in (low, high)), cls="gt-ends")
    what = f"Distributions of the {'gradient' if grads else 'value'} in {len(chosen)} of {total} iterations"
    return tag("div", *lines, ends, cls="gt-ridges", role="img", aria_label=what)


def _ridge(iteration: int, counts: Sequence[int], bad: bool, now: bool, grads: bool) -> str:
    """One distribution as a hill: a shape that the background is cut to, since what is sent as HTML may hold no SVG."""
    most = max(max(counts), 1)
    tops = [f"{100 * (k + 0.5) / BINS:.1f}% {100 - 97 * count / most:.0f}%" for k, count in enumerate(counts)]
    hill = tag("div", cls="gt-hill", style=f"clip-path: polygon(0% 97%, {', '.join(tops)}, 100% 97%, 100% 100%, 0% 100%)")
    kind = " ".join(["gt-ridge", "grad" if grads else "value", *(["bad"] if bad else []), *(["now"] if now else [])])
    return tag("div", hill, tag("span", text(f"{iteration}" + (" ✗" if bad else ""))), cls=kind)
