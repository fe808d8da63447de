"""Figures as text: what goes in comes out."""

from __future__ import annotations

import numpy as np
import pytest

from engine import limits
from engine.figures import Call, Figure, decoded, encoded, title_of, title_of_text
from engine.figures.colormaps import colour, is_listed, names, table
from engine.figures.data import array_of, array_value, number_value


@pytest.mark.parametrize(
    ("array", "kind"),
    [
        (np.arange(5), "<i2"), (np.array([2**20]), "<i4"), (np.array([-(2**40)]), "<i8"), (np.array([1.5, np.nan]), "<f8"),
        (np.ones((2, 3), np.float32), "<f4"), (np.ones(2, np.float16), "<f4"), (np.array([True, False]), "|b1"),
        (np.zeros((0, 3)), "<f8"), (np.arange(9, dtype=np.uint8).reshape(3, 3).T, "|u1"),
    ],
)  # fmt: skip
def test_an_array_comes_back_as_it_was(array: np.ndarray, kind: str) -> None:
    value = array_value(array)
    assert value["t"] == kind
    np.testing.assert_array_equal(array_of(value), array)


def test_a_figure_comes_back_as_it_was() -> None:
    figure = Figure(3, 6.4, 4.8, title="Loss", calls=[Call(0, "plot", [number_value(float("nan")), 1.5], {"c": "r"}, [1])])
    assert decoded(encoded(figure)) == figure
    assert figure.size == (640, 480)
    assert title_of(figure) == title_of_text(encoded(figure)) == "figure 3: Loss"
    assert title_of_text("nonsense") == "figure"


def test_a_figure_that_is_too_long_is_refused() -> None:
    with pytest.raises(ValueError, match="at most 2,000,000 characters of a figure"):
        encoded(Figure(1, 1.0, 1.0, title="x" * limits.FIGURE.value()))


def test_colormaps_are_those_of_matplotlib() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    for name in names():
        theirs = matplotlib.colormaps[name]
        for position in np.linspace(0, 1, 50):
            ours = colour(table(name), is_listed(name), float(position))
            # Between 33 colours the others are straight lines.
            assert np.abs(np.array(ours) - theirs(float(position))).max() < (1e-9 + 1 / 255 if is_listed(name) else 0.06), name
