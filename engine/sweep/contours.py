"""Lines of equal height in a grid, by marching squares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

Segment = tuple[float, float, float, float]
"""From x, y to x, y."""
_SIDES = {1: "LB", 2: "BR", 3: "LR", 4: "TR", 6: "BT", 7: "LT", 8: "LT", 9: "BT", 11: "TR", 12: "LR", 13: "BR", 14: "LB"}
"""Which corners are high (bottom left 1, bottom right 2, top right 4, top left 8) → the two sides that the line crosses."""
_SADDLES = {(5, True): ("LT", "BR"), (5, False): ("LB", "TR"), (10, True): ("LB", "TR"), (10, False): ("LT", "BR")}
"""Where two opposite corners are high: (corners, whether the middle is high, too) → the sides that the two lines cross."""


def levels(z: np.ndarray[Any, Any], count: int = 9) -> list[float]:
    """Heights that divide the finite values of a grid into parts of about equal size."""
    finite = z[np.isfinite(z)]
    if finite.size < 4 or finite.min() == finite.max():
        return []
    return sorted({float(v) for v in np.quantile(finite, np.linspace(0, 1, count + 2)[1:-1])})


def contours(x: Sequence[float], y: Sequence[float], z: np.ndarray[Any, Any], level: float) -> Iterator[Segment]:
    """The pieces of one line of equal height; `z[i, j]` is the height at `x[i], y[j]`. Cells with unknown corners have none."""
    high = z > level
    known = np.isfinite(z)
    code = high[:-1, :-1] + 2 * high[1:, :-1] + 4 * high[1:, 1:] + 8 * high[:-1, 1:]
    whole = known[:-1, :-1] & known[1:, :-1] & known[1:, 1:] & known[:-1, 1:]
    for i, j in np.argwhere(whole & (code > 0) & (code < 15)):
        a, b, c, d = z[i, j], z[i + 1, j], z[i + 1, j + 1], z[i, j + 1]
        kind = int(code[i, j])
        pairs = (_SIDES[kind],) if kind in _SIDES else _SADDLES[kind, bool((a + b + c + d) / 4 > level)]
        x0, x1, y0, y1 = x[i], x[i + 1], y[j], y[j + 1]
        crossed = {
            "B": (_between(x0, x1, a, b, level), y0),
            "T": (_between(x0, x1, d, c, level), y1),
            "L": (x0, _between(y0, y1, a, d, level)),
            "R": (x1, _between(y0, y1, b, c, level)),
        }
        for sides in pairs:
            yield (*crossed[sides[0]], *crossed[sides[1]])


def _between(p: float, q: float, at_p: float, at_q: float, level: float) -> float:
    """Where the height is reached between two corners; anywhere if both have the same one, since no line crosses there."""
    return float(p if at_p == at_q else p + (q - p) * (level - at_p) / (at_q - at_p))
