"""A run that has made no tensor: what was found in it stands where its graph would, with what mends it."""

from __future__ import annotations

import pytest

from engine.program.share import Link, pack
from tests.components.visits import Visit


def linked(text: str) -> Visit:
    """A visit that begins with a program as it was typed or pasted."""
    return Visit(p=pack(Link((text,))))


def test_what_ended_it_is_told() -> None:
    visit = linked("y = 1\ny.backward(\n")
    assert "SyntaxError on line 2" in visit.text("body")
    assert "Python cannot read the program." in visit.text("found")


def test_a_session_that_was_pasted_is_mended_by_a_click() -> None:
    visit = linked(">>> import math\n>>> math.sqrt(4.0)\n2.0\n").draw()
    assert "This was copied from an interactive session" in visit.text("found")
    assert "proven" in visit.text("found")
    visit.press("apply_fix_0")
    assert visit.page.edited == ["import math\nprint(math.sqrt(4.0))\n# 2.0\n"]
    assert visit.page.result is not None
    assert visit.page.result.output == "2.0\n"


@pytest.mark.parametrize("text", ["", "print(1)\n"])
def test_where_nothing_was_found_nothing_is_told(text: str) -> None:
    with pytest.raises(AssertionError, match="0 parts are called found"):
        linked(text).text("found")
