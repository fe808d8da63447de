"""Changes of a program's text, as plain data: what stands at a span is replaced by something else."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec


class TextChange(msgspec.Struct, frozen=True, array_like=True):
    """Text in place of a span of a cell. Lines count from 1, columns from 0, in bytes of UTF-8, as in `ast`; an empty span is a
    place to write at."""

    cell: int
    line: int
    column: int
    end_line: int
    end_column: int
    text: str


def changed(cells: Sequence[str], changes: Sequence[TextChange]) -> tuple[str, ...]:
    """The cells with all changes made, each told by the cells as they are now.

    Raises:
        ValueError: for a span outside its cell, or two that overlap.
    """
    made = list(cells)
    for number in {change.cell for change in changes}:
        if not 0 <= number < len(made):
            raise ValueError(f"there is no cell {number}")
        made[number] = _changed(made[number], [change for change in changes if change.cell == number])
    return tuple(made)


def _changed(text: str, changes: Sequence[TextChange]) -> str:
    raw = text.encode("utf-8", "surrogatepass")
    begins = [0]
    for line in raw.splitlines(keepends=True):
        begins.append(begins[-1] + len(line))

    def offset(line: int, column: int) -> int:
        # One line behind the last is where text is appended.
        if not 1 <= line <= len(begins) or not 0 <= begins[line - 1] + column <= len(raw):
            raise ValueError(f"there is no line {line}, column {column}")
        return begins[line - 1] + column

    spans = sorted(
        (offset(each.line, each.column), offset(each.end_line, each.end_column), each.text.encode("utf-8", "surrogatepass"))
        for each in changes
    )
    parts, position = [], 0
    for begin, end, new in spans:
        if begin < position or end < begin:
            raise ValueError("changes overlap")
        parts += [raw[position:begin], new]
        position = end
    return b"".join([*parts, raw[position:]]).decode("utf-8", "surrogatepass")
