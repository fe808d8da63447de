"""What a statement does to names has the statement's own site, however many lines it has."""

from __future__ import annotations

import pytest

from engine.recording.events import Named
from engine.sandbox import run


@pytest.mark.parametrize(
    ("statement", "end"),
    [
        ("y = torch.ones(2)", (2, 17)),
        ("y = torch.ones(\n    2,\n    requires_grad=True,\n)", (5, 1)),
        ("y = torch.stack([x,\n                 x])[0]", (3, 23)),
        ("y = (\n    x * 2\n).sum()", (4, 7)),
    ],
    ids=["one line", "a call", "an item", "a method"],
)
def test_a_name_is_bound_by_the_whole_statement(statement: str, end: tuple[int, int]) -> None:
    recording = run(f"import torch; x = torch.ones(2)\n{statement}\n").recording
    (site,) = [recording.site(event) for event in recording.events if isinstance(event, Named) and event.name == "y"]
    assert site is not None
    assert (site.line, site.column, site.end_line, site.end_column) == (2, 0, *end)
