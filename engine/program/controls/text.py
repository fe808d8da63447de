"""How to change pieces of a program's text, so that the marks at the ends of its lines go on pointing to the same pieces."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from ..parsing import ProgramAst

MARK = re.compile(r"  # without (?P<piece>\.\S+) @(?P<column>\d{1,6})(?!\d)")
"""What stands at the end of a line from which a piece was taken: the piece, and the column where it goes back."""


class Edit(NamedTuple):
    """A piece of the text, and what comes in its place."""

    start: int
    end: int
    new: str


def edited(program: ProgramAst, edits: Sequence[Edit], gone: Sequence[tuple[int, int]] = ()) -> str:
    """The text with pieces of it replaced, none of which overlaps another, and without the marks at `gone`.

    One pass over the text, however many pieces there are.
    """
    text, lines = program.text, program.lines
    on_line: dict[int, list[Edit]] = defaultdict(list)
    for edit in edits:
        on_line[lines.line_of(edit.start)].append(edit)
    left_out = set(gone)
    changes = list(edits)
    for line in {*on_line, *(lines.line_of(start) for start, _ in gone)}:
        comment = program.comment_in.get(line)
        if comment is None or "# without ." not in comment.text:
            continue
        first = lines.starts[line - 1]
        begin = max([comment.start - 2, *(edit.end for edit in on_line[line] if edit.end <= comment.start)])
        moving = sorted(
            (edit.end, len(edit.new) - (edit.end - edit.start))
            for edit in on_line[line]
            if edit.end <= comment.start and "\n" not in edit.new and "\n" not in text[edit.start : edit.end]
        )
        ends = [end for end, _ in moving]
        moved_by = [0, *accumulate(by for _, by in moving)]
        for mark in MARK.finditer(text, begin, comment.end):
            column = int(mark["column"])
            moved = moved_by[bisect_right(ends, first + column)]
            if mark.span() in left_out:
                changes.append(Edit(*mark.span(), ""))
            elif moved:
                changes.append(Edit(*mark.span("column"), str(column + moved)))
    parts, offset = [], 0
    # Of pieces at one offset those that only come in stay in their order.
    for start, end, new in sorted(changes, key=lambda edit: edit[:2]):
        parts += [text[offset:start], new]
        offset = end
    return "".join([*parts, text[offset:]])
