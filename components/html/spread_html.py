"""How arrays are spread, from the first iteration to the last: a row of hills for each of some iterations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from components.html.markup import moment, tag, text
from engine.graph.numbers import number
from engine.graph.shown.statistics import Ints, statistics
from engine.recording import Recording
from engine.recording.events import NOTHING

RIDGES = 11
"""Iterations whose distributions are drawn."""
BINS = 36


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """What is spread: the array of each iteration, less another one where it is a change."""

    name: str
    tone: str
    """"value", "grad" or "step"."""
    arrays: Ints
    before: Ints | None = None


def chosen(total: int, row: int | None) -> list[int]:
    """The iterations that are drawn, from the first to the last, one of them among them."""
    spaced = np.linspace(0, total - 1, min(RIDGES, total)).round().astype(int).tolist()
    return sorted({*spaced, *(() if row is None else (row,))})


def spreads_html(
    recording: Recording, spreads: Sequence[Spread], rows: Sequence[int], ends: Ints, bad: Sequence[bool], row: int | None
) -> str:
    """The hills of some iterations, each a link to its end; "" where there is nothing but single numbers.

    Args:
        ends: the last step of every iteration.
        bad: whether something is not finite, for each of `rows`.
        row: the iteration on show, None where it is not known.
    """
    found = [(spread, made) for spread in spreads if (made := _counts(recording, spread, rows)) is not None]
    if not found:
        return ""
    head = tag("div", tag("span"), *(tag("div", text(spread.name)) for spread, _ in found), cls="gt-ridge gt-heads")
    lines = []
    for at, (iteration, faulty) in enumerate(zip(rows, bad, strict=True)):
        hills = [_hill(counts[at], spread.tone) for spread, (counts, _, _) in found]
        label = moment(int(ends[iteration]), f"{iteration}{' ✗' if faulty else ''}")
        kind = " ".join(["gt-ridge", *(["bad"] if faulty else []), *(["now"] if iteration == row else [])])
        lines.append(tag("div", tag("span", label), *hills, cls=kind))
    sides = [tag("div", tag("span", _short(low)), tag("span", _short(high))) for _, (_, low, high) in found]
    what = f"Distributions of {', '.join(spread.name for spread, _ in found)} in {len(rows)} of {len(ends)} iterations"
    return tag(
        "div",
        head,
        *lines,
        tag("div", tag("span"), *sides, cls="gt-ridge gt-ends"),
        cls="gt-ridges",
        role="group",
        aria_label=what,
    )


def _short(value: float) -> str:
    return text(number(float(f"{value:.2g}")))


def _counts(recording: Recording, spread: Spread, rows: Sequence[int]) -> tuple[list[list[int]], float, float] | None:
    """Histograms over one range for all iterations, and that range; None where there is nothing to see in them."""
    parts = [_part(recording, spread, row) for row in rows]
    there = [(values, weights) for values, weights in parts if values.size]
    if not any(values.size > 1 for values, _ in there):
        return None
    low, high = min(float(values.min()) for values, _ in there), max(float(values.max()) for values, _ in there)
    if not np.isfinite(high - low) or high <= low:
        return None
    made = [
        np.histogram(values, BINS, (low, high), weights=weights)[0] if values.size else np.zeros(BINS)
        for values, weights in parts
    ]
    return [np.ceil(counts).astype(int).tolist() for counts in made], low, high


_Part = tuple[NDArray[np.float64], NDArray[np.float64] | None]


def _part(recording: Recording, spread: Spread, row: int) -> _Part:
    """The finite values of an iteration, with how often each is there: of an array that only has a summary the middles of the
    summary's bins."""
    id = int(spread.arrays[row])
    array = recording.array(id) if id != NOTHING else None
    if spread.before is not None:
        other = recording.array(int(spread.before[row])) if spread.before[row] != NOTHING else None
        if array is None or other is None or array.shape != other.shape or array.dtype.kind != "f":
            return np.zeros(0), None
        with np.errstate(all="ignore"):
            array = array.astype(np.float64) - other
    if array is not None:
        if array.dtype.kind != "f":
            return np.zeros(0), None
        return array[np.isfinite(array)].ravel().astype(np.float64), None
    summary = recording.arrays[id].summary if id != NOTHING else None
    if summary is None or not sum(summary.histogram):
        return np.zeros(0), None
    low, high = float(statistics(recording).low[id]), float(statistics(recording).high[id])
    edges = np.linspace(low, high, len(summary.histogram) + 1)
    return (edges[1:] + edges[:-1]) / 2, np.array(summary.histogram, np.float64)


def _hill(counts: Sequence[int], tone: str) -> str:
    """One distribution as a hill: a shape that the background is cut to, since what is sent as HTML may hold no SVG."""
    most = max(max(counts), 1)
    tops = [f"{100 * (k + 0.5) / BINS:.1f}% {100 - 97 * count / most:.0f}%" for k, count in enumerate(counts)]
    shape = f"clip-path: polygon(0% 97%, {', '.join(tops)}, 100% 97%, 100% 100%, 0% 100%)"
    return tag("div", cls=f"gt-hill {tone}", style=shape)
