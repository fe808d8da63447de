"""Which lines two texts have in common, in order: Python's `difflib`, within bounds.

`difflib` takes time that grows with the square of the lines and more (two texts of 5,000 equal lines hold it for minutes), and
both texts may be a stranger's. So what is equal at both ends is set aside first, which of two versions of a program leaves
little; and what is left over that is too much is held together by the lines that stand in both exactly once.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Literal, NamedTuple, TypeAlias

MAX_WORK = 5_000_000
"""Comparisons of lines by `difflib`, as many as it could need at worst."""
MAX_TOKENS = 200
"""Tokens of a line that are compared one by one, beyond what its two versions have in common at their ends."""
_TOKEN = re.compile(r"\d[\w.]*|\w+|\s+|[^\w\s]")
Spans: TypeAlias = list[tuple[int, int]]
"""Pairs of the first character and the one behind the last."""


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


def changed(old: str, new: str) -> tuple[Spans, Spans]:
    """Where two versions of a line differ, in each of them; of what has too many tokens, all but the ends that are alike.
    Empty for a version that has lost or gained nothing, for both where they are the same."""
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    ahead = 0
    while ahead < min(len(before), len(after)) and before[ahead] == after[ahead]:
        ahead += 1
    behind = 0
    while behind < min(len(before), len(after)) - ahead and before[-1 - behind] == after[-1 - behind]:
        behind += 1
    middle = before[ahead : len(before) - behind], after[ahead : len(after) - behind]
    if max(map(len, middle)) > MAX_TOKENS:
        blocks = [(0, len(middle[0]), 0, len(middle[1]))]
    else:
        codes = SequenceMatcher(None, *middle, autojunk=False).get_opcodes()
        blocks = [(a, b, c, d) for kind, a, b, c, d in codes if kind != "equal"]
    return _spans(before, ahead, [(a, b) for a, b, _, _ in blocks]), _spans(after, ahead, [(c, d) for _, _, c, d in blocks])


def _spans(tokens: Sequence[str], ahead: int, blocks: Sequence[tuple[int, int]]) -> Spans:
    """Blocks of tokens as characters; those with nothing but a blank between them as one."""
    starts = [0]
    for token in tokens:
        starts.append(starts[-1] + len(token))
    found: Spans = []
    for a, b in blocks:
        if a == b:
            continue
        start, end = starts[ahead + a], starts[ahead + b]
        if found and start - found[-1][1] <= 1 and tokens[ahead + a - 1].isspace():
            start = found.pop()[0]
        found.append((start, end))
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
