"""Which lines two texts have in common, in order: Python's `difflib`, within bounds.

`difflib` takes time that grows with the square of the lines and more (two texts of 5,000 equal lines hold it for minutes), and
both texts may be a stranger's. So what is equal at both ends is set aside first, which of two versions of a program leaves
little; and what is left over that is too much is held together by the lines that stand in both exactly once.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

MAX_WORK = 5_000_000
"""Comparisons of lines by `difflib`, as many as it could need at worst."""


class Part(NamedTuple):
    """Lines `a` to `b` of the one text against `c` to `d` of the other, ends left out."""

    kind: Literal["equal", "replace", "delete", "insert"]
    a: int
    b: int
    c: int
    d: int


def parts(old: Sequence[str], new: Sequence[str]) -> list[Part]:
    """How one list of lines becomes another."""
    blocks = _Blocks(old, new)
    blocks.find(0, len(old), 0, len(new))
    found: list[Part] = []
    a = c = 0
    for i, j, size in [*blocks.runs, (len(old), len(new), 0)]:
        if a < i or c < j:
            found.append(Part("replace" if a < i and c < j else "delete" if a < i else "insert", a, i, c, j))
        if size and found and found[-1].kind == "equal" and (found[-1].b, found[-1].d) == (i, j):
            found[-1] = found[-1]._replace(b=i + size, d=j + size)
        elif size:
            found.append(Part("equal", i, i + size, j, j + size))
        a, c = i + size, j + size
    return found


class _Blocks:
    """Looks for runs of equal lines, from the beginning on."""

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        self.old, self.new = old, new
        self.left = MAX_WORK
        self.runs: list[tuple[int, int, int]] = []

    def find(self, a: int, b: int, c: int, d: int, anchored: bool = False) -> None:
        """Note the runs within these lines."""
        old, new = self.old, self.new
        same = 0
        while a + same < b and c + same < d and old[a + same] == new[c + same]:
            same += 1
        if same:
            self.runs.append((a, c, same))
            a, c = a + same, c + same
        same = 0
        while a < b - same and c < d - same and old[b - same - 1] == new[d - same - 1]:
            same += 1
        b, d = b - same, d - same
        if a < b and c < d:
            self._between(a, b, c, d, anchored)
        if same:
            self.runs.append((b, d, same))

    def _between(self, a: int, b: int, c: int, d: int, anchored: bool) -> None:
        """What is left between equal ends."""
        before, after = Counter(self.old[a:b]), Counter(self.new[c:d])
        pairs = sum(count * after[line] for line, count in before.items() if line in after)
        work = (pairs + b - a + d - c) * min(b - a, d - c)
        if work <= self.left:
            self.left -= work
            matcher = SequenceMatcher(None, self.old[a:b], self.new[c:d], autojunk=False)
            self.runs += [(a + i, c + j, size) for i, j, size in matcher.get_matching_blocks() if size]
            return
        if anchored:
            return
        once = {line for line, count in before.items() if count == 1 and after.get(line) == 1}
        at = {line: j for j, line in enumerate(self.new[c:d], c) if line in once}
        for i, j in _rising([(i, at[line]) for i, line in enumerate(self.old[a:b], a) if line in once]):
            if i >= a and j >= c:
                self.find(a, i, c, j, anchored=True)
                self.runs.append((i, j, 1))
                a, c = i + 1, j + 1
        self.find(a, b, c, d, anchored=True)


def _rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The most of the pairs in which the second number rises with the first."""
    tops: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for position, (_, j) in enumerate(pairs):
        at = bisect_left(tops, j)
        before.append(ends[at - 1] if at else -1)
        if at < len(tops):
            tops[at], ends[at] = j, position
        else:
            tops.append(j)
            ends.append(position)
    found = []
    position = ends[-1] if ends else -1
    while position >= 0:
        found.append(pairs[position])
        position = before[position]
    return found[::-1]
