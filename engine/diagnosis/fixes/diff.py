"""What is changed between two texts of a program, as a unified diff."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...recording.story import cell_title
from ..comparison.line_diff import Part, parts

AROUND = 3
"""Lines that are shown before and after what is changed."""


def unified(before: Sequence[str], after: Sequence[str]) -> str:
    """The differences of all cells as a unified diff without the names of files; in a notebook a comment says which cell."""
    told = []
    for cell, (old, new) in enumerate(zip(before, after, strict=True)):
        if old == new:
            continue
        if len(before) > 1:
            told.append(f"# {cell_title(cell)}\n")
        told += _hunks(_lines(old), _lines(new))
    return "".join(told)


def lines_changed(before: Sequence[str], after: Sequence[str]) -> int:
    """How many lines are other ones, new or gone; one that was changed counts once."""
    return sum(
        max(part.b - part.a, part.d - part.c)
        for old, new in zip(before, after, strict=True)
        for part in parts(_lines(old), _lines(new))
        if part.kind != "equal"
    )


def _hunks(old: list[str], new: list[str]) -> Iterator[str]:
    for group in _groups(parts(old, new)):
        first, last = group[0], group[-1]
        yield f"@@ -{_range(first.a, last.b)} +{_range(first.c, last.d)} @@\n"
        for part in group:
            if part.kind == "equal":
                yield from (f" {_ended(line)}" for line in old[part.a : part.b])
            else:
                yield from (f"-{_ended(line)}" for line in old[part.a : part.b])
                yield from (f"+{_ended(line)}" for line in new[part.c : part.d])


def _groups(found: list[Part]) -> Iterator[list[Part]]:
    """Differences that stand near each other, with the lines around them."""
    group: list[Part] = []
    for part in found:
        if part.kind != "equal":
            group.append(part)
            continue
        size = part.b - part.a
        if group and size > 2 * AROUND:
            yield [*group, part._replace(b=part.a + AROUND, d=part.c + AROUND)]
            group = []
        if not group or size > 2 * AROUND:
            skipped = max(size - AROUND, 0)
            group = [part._replace(a=part.a + skipped, c=part.c + skipped)]
        else:
            group.append(part)
    if any(part.kind != "equal" for part in group):
        *inner, last = group
        if last.kind == "equal":
            last = last._replace(b=min(last.b, last.a + AROUND), d=min(last.d, last.c + AROUND))
        yield [*inner, last]


def _lines(text: str) -> list[str]:
    """A text's lines with their ends."""
    lines = text.split("\n")
    return [*(line + "\n" for line in lines[:-1]), *([lines[-1]] if lines[-1] else [])]


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _range(begin: int, end: int) -> str:
    """As `diff` tells lines: the first one from 1 on, and how many; of none the one before."""
    count = end - begin
    return f"{begin + (count > 0)},{count}" if count != 1 else f"{begin + 1}"
