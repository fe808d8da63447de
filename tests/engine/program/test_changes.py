"""Changes of a program's text: spans are replaced as they stand in the text before, and nothing else is."""

from __future__ import annotations

import pytest

from engine.program.changes import TextChange, changed

CELLS = ("a = 1\nb = a.detach()\n", "é = 'ü'; c = 2")


def test_spans_are_told_by_the_text_as_it_was() -> None:
    changes = [TextChange(0, 2, 5, 2, 14, ""), TextChange(0, 1, 4, 1, 5, "10\nz = 0")]
    assert changed(CELLS, changes) == ("a = 10\nz = 0\nb = a\n", CELLS[1])


def test_columns_count_bytes_as_those_of_the_syntax_tree() -> None:
    assert changed(CELLS, [TextChange(1, 1, 15, 1, 16, "3")]) == (CELLS[0], "é = 'ü'; c = 3".replace("c = 2", "c = 3"))


def test_text_is_written_at_the_end_or_between() -> None:
    assert changed(("x = 1\n",), [TextChange(0, 2, 0, 2, 0, "y = 2\n")]) == ("x = 1\ny = 2\n",)
    assert changed(("x = 1",), [TextChange(0, 1, 0, 1, 0, "y = 2\n")]) == ("y = 2\nx = 1",)


@pytest.mark.parametrize(
    "changes",
    [
        [TextChange(0, 1, 0, 1, 3, ""), TextChange(0, 1, 2, 1, 4, "")],
        [TextChange(0, 9, 0, 9, 0, "")],
        [TextChange(5, 1, 0, 1, 0, "")],
        [TextChange(0, 1, 3, 1, 0, "")],
    ],
)
def test_what_is_no_change_of_the_text_is_refused(changes: list[TextChange]) -> None:
    with pytest.raises(ValueError, match=r"there is no|overlap"):
        changed(CELLS, changes)
