"""Lines of equal height lie where the height is."""

from __future__ import annotations

import numpy as np
import pytest

from engine.sweep.contours import contours, levels

AXIS = [float(v) for v in np.linspace(-2, 2, 41)]


def test_a_bowl_has_circles() -> None:
    x, y = np.meshgrid(AXIS, AXIS, indexing="ij")
    ends = [p for a, b, c, d in contours(AXIS, AXIS, x * x + y * y, 1.0) for p in ((a, b), (c, d))]
    assert len(ends) > 100
    assert np.abs(np.hypot(*np.array(ends).T) - 1).max() < 0.002


def test_lines_are_closed_or_end_at_the_border() -> None:
    x, y = np.meshgrid(AXIS, AXIS, indexing="ij")
    count: dict[tuple[float, float], int] = {}
    for a, b, c, d in contours(AXIS, AXIS, np.sin(3 * x) * np.cos(2 * y) + 0.013 * x, 0.1):
        for p in ((round(a, 9), round(b, 9)), (round(c, 9), round(d, 9))):
            count[p] = count.get(p, 0) + 1
    assert all(n == 2 or 2.0 in map(abs, p) for p, n in count.items())


@pytest.mark.parametrize("swap", [False, True])
def test_a_saddle_is_divided_by_its_middle(swap: bool) -> None:
    z = np.array([[1.0, 0.0], [0.0, 1.0]])
    found = list(contours([0.0, 1.0], [0.0, 1.0], 1 - z if swap else z, 0.4))
    assert len(found) == 2
    cut = {tuple(sorted(((a < 0.5) == (b < 0.5), (c < 0.5) == (d < 0.5)))) for a, b, c, d in found}
    assert cut


def test_cells_with_unknown_corners_have_no_lines() -> None:
    z = np.array([[0.0, 1.0, 0.0], [1.0, np.nan, 1.0], [0.0, 1.0, 0.0]])
    assert list(contours([0.0, 1.0, 2.0], [0.0, 1.0, 2.0], z, 0.5)) == []


def test_levels_divide_what_is_finite() -> None:
    z = np.array([[np.nan, 1.0, 2.0], [3.0, 4.0, np.inf]])
    assert levels(z, 2) == [2.0, 3.0]
    assert levels(np.ones((3, 3))) == []
