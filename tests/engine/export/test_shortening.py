"""Texts are measured and shortened as the page does it; the page's own test has the same cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.export import shortening
from engine.export.scene import clean
from engine.graph.design.sizes import FONTS

CASES: list[list[Any]] = json.loads((Path(__file__).parent / "texts.json").read_text(encoding="utf-8"))

WAYS = {
    "fitEnd": shortening.fit_end,
    "fitMiddle": shortening.fit_middle,
    "fitNumber": shortening.fit_number,
    "fitBadge": shortening.fit_badge,
    "fitArguments": shortening.fit_arguments,
}


def made(how: str, *given: Any) -> Any:
    match how:
        case "clean":
            return clean(*given)
        case "shorterNumbers":
            return shortening.shorter_numbers(*given)
        case "namedValue":
            named = shortening.named_value(*given)
            return named and list(named)
        case "textWidth":
            return pytest.approx(shortening.text_width(FONTS[given[0]], given[1]), abs=0.01)
        case _:
            return WAYS[how](FONTS[given[0]], *given[1:])


@pytest.mark.parametrize("how", sorted({case[0] for case in CASES}))
def test_texts_are_as_the_page_has_them(how: str) -> None:
    cases = [case for case in CASES if case[0] == how]
    assert [made(*case[:-1]) for case in cases] == [case[-1] for case in cases]


def test_what_is_cut_fits_and_keeps_as_much_as_it_can() -> None:
    font, text = FONTS["small"], "MseLossBackward0"
    for room in range(0, 120, 7):
        kept = shortening.fit_end(font, text, room)
        assert shortening.text_width(font, kept) <= room
        if kept and kept != text:
            assert shortening.text_width(font, text[: len(kept)] + "…") > room


def test_paths_that_end_differently_can_be_told_apart() -> None:
    """Weight and bias, and the same weight of two layers, however little room there is for what they have in common."""
    font = FONTS["title"]
    for one, other in (
        ("model.inc.double_conv.1.weight", "model.inc.double_conv.1.bias"),
        ("model.nets.0.fc1.weight", "model.nets.1.fc1.weight"),
        ("encoder.a_long_projection_for_queries.weight", "encoder.a_long_projection_for_keys.weight"),
    ):
        assert shortening.fit_middle(font, one, 110) != shortening.fit_middle(font, other, 110)
