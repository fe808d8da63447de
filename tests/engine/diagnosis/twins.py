"""Broken programs after real threads, each with its mended twin in the same cell.

A line that begins with `# + ` stands in the mended program alone, one that ends in `# -` in the broken one alone; `# <-` marks
the lines that may be named as the cause (`# <- -` is both).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.corpus import Case, corpora

FOLDER = Path(__file__).parent / "corpus/threads"

_ADDED = re.compile(r"( *)# \+ (.*)")
_MARK = re.compile(r"  # (<-)?(?: ?(-))?$")


@dataclass(frozen=True)
class Twins:
    """A broken program and what became of it."""

    case: Case
    broken: str
    mended: str
    lines: frozenset[int]
    """The lines of `broken` that are the cause."""

    def __str__(self) -> str:
        return f"{self.case.group}::{self.case.name}"

    @property
    def causes(self) -> tuple[str, ...]:
        """The kinds of findings that name the cause."""
        return tuple(self.case["cause"].split(", "))

    def said(self, key: str) -> str:
        """What its cell says, "" where it says nothing of it."""
        return self.case.said.get(key, "")


def twins(case: Case) -> Twins:
    """Take the two programs of a cell apart."""
    broken, mended = case.head.splitlines(), case.head.splitlines()
    lines: set[int] = set()
    for line in case.text.splitlines():
        if added := _ADDED.fullmatch(line):
            mended.append(added[1] + added[2])
            continue
        mark = _MARK.search(line)
        bare = line[: mark.start()] if mark and (mark[1] or mark[2]) else line
        broken.append(bare)
        if mark and mark[1]:
            lines.add(len(broken))
        if not (mark and mark[2]):
            mended.append(bare)
    assert broken != mended, f"{case}: nothing was mended"
    assert lines, f"{case}: no line is marked"
    return Twins(case, "\n".join(broken) + "\n", "\n".join(mended) + "\n", frozenset(lines))


def all_twins() -> Iterator[Twins]:
    """Those of all files."""
    return (twins(case) for case in corpora(FOLDER))
