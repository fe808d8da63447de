"""Which line, operation, tensor and moment of one run is which of another run: of a program that was changed in between, on
another machine, or by PyTorch instead of our engine.

Lines are matched as a diff matches them; operations then by their line, function, loop iterations and module, first with the
calls around them: by the program's name for the result, by their text, or by their kind, in the order in which they ran. What
is left is matched by the program's names alone, and by what feeds it. What is not matched was added or removed.

Whatever two events have to have in common becomes a number, the same in both runs, and all pairs are found at once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property
from typing import Any

import numpy as np

from ...graph.structure.drawn import occurrence
from ...graph.structure.places import unique_rows
from ...recording.columns import Flags, Ints, columns_of
from ...recording.events import (
    NOTHING,
    Accumulated,
    BackwardBegan,
    BackwardEnded,
    FlagSet,
    GradSet,
    HookRan,
    Named,
    NodeRan,
    OpRan,
    Raised,
    Site,
    Stepped,
)
from ...recording.index import index_of
from ...recording.recording import Recording
from ...recording.tables import KINDS
from .line_diff import parts

Line = tuple[int, int]
"""(cell, line)."""

_ALIKE = 0.5
"""How alike two changed lines must be to be the same line."""
_MAX_PAIRS = 4_000
"""Pairs of changed lines that are compared letter by letter."""
_MAX_LINES = 100_000
"""Lines of both programs beyond which none is matched; operations still are, by their names."""
_MAX_LINE = 200
"""Characters of a line that are."""
_MAX_SIGNS = 4_000_000
"""Pairs of their letters, of all changed lines together."""


@dataclass(eq=False)
class Matching:
    """What of `before` is what of `after`: positions, ids and steps of one mapped to the other, NOTHING where there is none."""

    before: Recording
    after: Recording
    lines: dict[Line, Line] = field(default_factory=dict)
    step_of: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """Step → step."""
    tensor_of: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """Id → id, as the next two."""
    node_of: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    pass_of: Ints = field(default_factory=lambda: np.zeros(0, np.int64))

    @cached_property
    def events(self) -> dict[int, int]:
        """Steps to steps, of what both have."""
        return _as_dict(self.step_of)

    @cached_property
    def tensors(self) -> dict[int, int]:
        """Tensors' ids to ids."""
        return _as_dict(self.tensor_of)

    @cached_property
    def step_back(self) -> Ints:
        """Step of `after` → step of `before`."""
        found = np.full(len(self.after.events), NOTHING)
        both = np.flatnonzero(self.step_of != NOTHING)
        found[self.step_of[both]] = both
        return found

    def moment(self, step: int) -> int:
        """The step of `after` that shows what `step` of `before` shows: the same event, else the last one before it that both
        runs have; the end for the end."""
        last = len(self.after.events) - 1
        if step >= len(self.before.events) - 1:
            return last
        if step >= 0 and self.step_of[step] != NOTHING:
            return int(self.step_of[step])
        earlier = int(self._matched.searchsorted(step, "right"))
        return int(self.step_of[self._matched[earlier - 1]]) if earlier else min(max(step, 0), last)

    def key(self, key: str) -> str | None:
        """The node of `after`'s graph for a node (`t12`, `n3`) of `before`'s."""
        table, id = self.tensor_of if key[0] == "t" else self.node_of, int(key[1:])
        found = int(table[id]) if 0 <= id < len(table) else NOTHING
        return None if found == NOTHING else f"{key[0]}{found}"

    @property
    def likeness(self) -> float:
        """The share of events that both runs have, from 0 to 1."""
        most = max(len(self.before.events), len(self.after.events))
        return len(self._matched) / most if most else 1.0

    @cached_property
    def _matched(self) -> Ints:
        found: Ints = np.flatnonzero(self.step_of != NOTHING)
        return found


def _as_dict(table: Ints) -> dict[int, int]:
    both = np.flatnonzero(table != NOTHING)
    return dict(zip(both.tolist(), table[both].tolist(), strict=True))


def match(before: Recording, after: Recording, *, keep: bool = True) -> Matching:
    """Match two runs. Linear in their events; the answer is kept on `after`, and `before` with it, unless told not to."""
    found: Matching | None = after.derived.get("matching")
    if found is None or found.before is not before:
        found = _Matcher(before, after).run()
        if keep:
            after.derived["matching"] = found
    return found


def match_lines(before: tuple[str, ...], after: tuple[str, ...]) -> dict[Line, Line]:
    """The lines of `after` for those of `before` that are still there, changed ones included."""
    if sum(text.count("\n") for text in (*before, *after)) > _MAX_LINES:
        return {}
    (old, old_lines), (new, new_lines) = _lines(before), _lines(after)
    found: dict[Line, Line] = {}
    left = _MAX_SIGNS
    for kind, a, b, c, d in parts(old, new):
        if kind == "equal":
            found |= zip(old_lines[a:b], new_lines[c:d], strict=True)
        elif kind == "replace":
            one, other = [line.strip()[:_MAX_LINE] for line in old[a:b]], [line.strip()[:_MAX_LINE] for line in new[c:d]]
            signs = sum(map(len, one)) * sum(map(len, other))
            closely = len(one) * len(other) <= _MAX_PAIRS and signs <= left
            left -= signs if closely else 0
            for i, j in _alike(one, other) if closely else zip(range(len(one)), range(len(other)), strict=False):
                found[old_lines[a + i]] = new_lines[c + j]
    return found


def _lines(cells: tuple[str, ...]) -> tuple[list[str], list[Line]]:
    numbered = [((cell, n), line.rstrip()) for cell, text in enumerate(cells) for n, line in enumerate(text.split("\n"), 1)]
    return [line for _, line in numbered], [at for at, _ in numbered]


def _alike(old: list[str], new: list[str]) -> Iterable[tuple[int, int]]:
    """Pairs of lines in order with the greatest likeness in all."""
    likeness = list(zip(*[_likenesses(old, b) for b in new]))
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in reversed(range(len(old))):
        for j in reversed(range(len(new))):
            paired = best[i + 1][j + 1] + likeness[i][j] if likeness[i][j] >= _ALIKE else 0.0
            best[i][j] = max(paired, best[i + 1][j], best[i][j + 1])
    pairs, i, j = [], 0, 0
    while i < len(old) and j < len(new):
        if likeness[i][j] >= _ALIKE and best[i][j] == best[i + 1][j + 1] + likeness[i][j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _likenesses(lines: list[str], other: str) -> list[float]:
    """How like another one each line is; 0 below `_ALIKE`, which is found out sooner."""
    matcher = SequenceMatcher(None, "", other, autojunk=False)
    found = []
    for line in lines:
        matcher.set_seq1(line)
        alike = line and other and matcher.real_quick_ratio() >= _ALIKE and matcher.quick_ratio() >= _ALIKE
        found.append(matcher.ratio() if alike else 0.0)
    return found


class _Numbers(dict[Hashable, int]):
    """A number for whatever is to be told apart, the same for what is the same in both runs."""

    def __missing__(self, key: Hashable) -> int:
        found = self[key] = len(self)
        return found


class _Side:
    """One of the two runs, what is said of its events as numbers that both share."""

    def __init__(self, recording: Recording, lines: dict[Line, Line] | None, numbers: _Numbers) -> None:
        self.recording, self.lines, self.numbers = recording, lines, numbers
        self.columns = columns_of(recording)
        self.texts = [text.split("\n") for text in recording.source]
        events = self.columns.events
        # The last of these stands for what has no site, and no scope: NOTHING is the place before the first.
        places = [self.line((site.cell, site.line)) for site in recording.sites]
        site_lines = np.array([*(numbers["line", place] for place in places), numbers["line", None]])
        plain, called = self._scopes(places)
        self.line_of, self.scope_of, self.call_of = site_lines[events.site], plain[events.scope], called[events.scope]
        table = self.columns.tape.tables[OpRan]
        self.op_steps: Ints = self.columns.operations.step
        self.op_of = self.text(table["op"])
        self.made, self.wrote = table["outputs"], table["written"]
        self.in_backward = (table["in_backward"] > 0).astype(np.int64)

    def line(self, at: Line) -> Hashable:
        cell, line = at
        if self.lines is None or cell >= len(self.texts) or line > len(self.texts[cell]):
            return at
        return self.lines.get(at, ("gone", at))

    def _scopes(self, places: list[Hashable]) -> tuple[Ints, Ints]:
        """A number for each scope, and one that tells its call path, too."""
        recording, numbers = self.recording, self.numbers
        plain, called = [], []
        for scope in recording.scopes:
            cells = [cell for cell, _ in scope.around] or [0] * len(scope.loops)
            loops = tuple([(self.line((cell, line)), count) for (line, count), cell in zip(scope.loops, cells, strict=False)])
            number = numbers["scope", scope.function, loops, scope.module]
            plain.append(number)
            calls = tuple([(places[site] if site >= 0 else None, name) for site, name in scope.calls])
            called.append(numbers["called", number, calls] if calls else number)
        nowhere = numbers["scope", "", (), ""]
        return np.array([*plain, nowhere]), np.array([*called, nowhere])

    def text(self, column: Ints) -> Ints:
        """Numbers for texts, given by their positions among those of the log."""
        used, back = np.unique(column, return_inverse=True)
        texts = self.columns.tape.texts
        found = np.array([self.numbers["text", texts[number]] for number in used.tolist()] or [0])
        return found[back.ravel()] if len(column) else np.zeros(0, np.int64)

    @cached_property
    def snippet(self) -> Ints:
        """For each operation the text of the expression that ran."""
        found = np.array(
            [*(self.numbers["text", self._snippet(site)] for site in self.recording.sites), self.numbers["text", ""]]
        )
        snippets: Ints = found[self.columns.events.site[self.op_steps]]
        return snippets

    def _snippet(self, site: Site) -> str:
        """The text of an expression, "" where it is unknown or longer than a line."""
        lines = self.texts[site.cell] if site.cell < len(self.texts) else []
        if site.line != site.end_line or not 0 < site.line <= len(lines):
            return ""
        line = lines[site.line - 1]
        raw = line if line.isascii() else line.encode()
        part = raw[site.column : site.end_column]
        return part if isinstance(part, str) else part.decode(errors="replace")

    @cached_property
    def names(self) -> Ints:
        """For each operation a number for the program's names for its results, NOTHING where they have none."""
        tensors, numbers = self.columns.tensors, self.numbers
        if not len(tensors.id):
            return np.full(len(self.op_steps), NOTHING)
        name = np.full(int(tensors.id.max(initial=-1)) + 1, NOTHING)
        for id, text in index_of(self.recording).first_names.items():
            name[id] = numbers["text", text]
        name = name[tensors.id]
        found = np.full(len(self.op_steps), NOTHING)
        starts = np.cumsum(self.made) - self.made
        one = np.flatnonzero(self.made == 1)
        found[one] = name[starts[one]]
        for row in np.flatnonzero(self.made > 1).tolist():
            several = tuple(name[starts[row] : starts[row] + self.made[row]].tolist())
            if any(each != NOTHING for each in several):
                found[row] = numbers["names", several]
        return found


class _Matcher:
    def __init__(self, before: Recording, after: Recording) -> None:
        lines = match_lines(before.source, after.source)
        numbers = _Numbers()
        self.sides = (_Side(before, lines, numbers), _Side(after, None, numbers))
        self.rows = np.full(len(self.sides[0].op_steps), NOTHING)
        """For each operation of the one run the one of the other."""
        self.taken = np.zeros(len(self.sides[1].op_steps), np.bool_)
        old = self.sides[0].columns
        self.matching = Matching(
            before, after, lines, np.full(old.tape.size, NOTHING), _table(old.tensors.id), _table(old.nodes.id),
            _table(old.tape.tables[BackwardBegan]["number"]),
        )  # fmt: skip

    def run(self) -> Matching:
        sides = self.sides
        line, scope, call = (
            [getattr(side, name)[side.op_steps] for side in sides] for name in ("line_of", "scope_of", "call_of")
        )
        op, made, back = ([getattr(side, name) for side in sides] for name in ("op_of", "made", "in_backward"))
        names, snippet = [side.names for side in sides], [side.snippet for side in sides]
        named = [name != NOTHING for name in names]
        # Whatever makes it: `y = x.detach()` is still y.
        self.pair_ops([line, call, names], named)
        self.pair_ops([line, call, op, made, back, snippet])
        self.pair_ops([line, scope, names], named)
        self.pair_ops([line, scope, op, made, back, snippet])
        self.pair_ops([line, scope, op, made, back])
        self.pair_ops([scope, names], named)
        self.enter()
        self.pair_by_inputs()
        if not _one_engine(*[side.recording for side in sides]):
            # What one of them calls by another name stands where it stands.
            some = [(side.made > 0).astype(np.int64) for side in sides]
            self.pair_ops([line, scope, some, [(side.wrote > 0).astype(np.int64) for side in sides], back])
        self.enter()
        self.nodes_of_leaves()
        self.pair_the_rest()
        return self.matching

    def pair_ops(self, keys: list[list[Ints]], held: list[Flags] | None = None) -> None:
        """Match what is still unmatched and has the same key, in order."""
        free = [self.rows == NOTHING, ~self.taken]
        if held is not None:
            free = [a & b for a, b in zip(free, held, strict=True)]
        left, right = (np.flatnonzero(each) for each in free)
        a, b = _in_order([key[0][left] for key in keys], [key[1][right] for key in keys])
        self.rows[left[a]] = right[b]
        self.taken[right[b]] = True

    def enter(self) -> None:
        """Enter steps, results and nodes of the operations that are matched."""
        m, (old, new) = self.matching, self.sides
        left = np.flatnonzero(self.rows != NOTHING)
        right = self.rows[left]
        m.step_of[old.op_steps[left]] = new.op_steps[right]
        count = np.minimum(old.made[left], new.made[right])
        within = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
        a, b = (
            np.repeat((np.cumsum(side.made) - side.made)[rows], count) + within for side, rows in ((old, left), (new, right))
        )
        m.tensor_of[old.columns.tensors.id[a]] = new.columns.tensors.id[b]
        one, other = old.columns.made_node[left], new.columns.made_node[right]
        both = (one != NOTHING) & (other != NOTHING)
        m.node_of[one[both]] = other[both]

    def pair_by_inputs(self) -> None:
        """Operations that stand elsewhere now but do the same to the same tensors."""
        old, new = self.sides
        left, right = np.flatnonzero(self.rows == NOTHING), np.flatnonzero(~self.taken)
        if not len(left) or not len(right):
            return
        tensors = self.matching.tensor_of
        known = set(tensors[tensors != NOTHING].tolist())
        ops = [side.op_of.tolist() for side in self.sides]
        waiting: dict[Hashable, list[int]] = defaultdict(list)
        for row, fed in _fed(new, right):
            if all(t in known for t in fed):
                waiting[ops[1][row], fed, int(new.made[row])].append(row)
        for queue in waiting.values():
            queue.reverse()
        for row, fed in _fed(old, left):
            there = tuple([int(tensors[t]) for t in fed])
            queue = waiting.get((ops[0][row], there, int(old.made[row])), [])
            if NOTHING not in there and queue:
                self._pair(row, queue.pop())

    def _pair(self, old: int, new: int) -> None:
        self.rows[old], self.taken[new] = new, True
        a, b = self.sides
        first, other = int(a.made[:old].sum()), int(b.made[:new].sum())
        for k in range(min(int(a.made[old]), int(b.made[new]))):
            self.matching.tensor_of[a.columns.tensors.id[first + k]] = b.columns.tensors.id[other + k]

    def nodes_of_leaves(self) -> None:
        """AccumulateGrad nodes are those of matched leaves."""
        m, (old, new) = self.matching, (side.columns.nodes for side in self.sides)
        fills = _table(self.sides[1].columns.tensors.id)
        leaves = np.flatnonzero(new.variable != NOTHING)
        fills[new.variable[leaves]] = new.id[leaves]
        mine = np.flatnonzero(old.variable != NOTHING)
        there = m.tensor_of[old.variable[mine]]
        mine, there = mine[there != NOTHING], there[there != NOTHING]
        filled = fills[there] != NOTHING
        m.node_of[old.id[mine[filled]]] = fills[there[filled]]

    def other_nodes(self) -> None:
        """Nodes that were first met at the same moment, in order."""
        m, (old, new) = self.matching, self.sides
        taken = np.isin(new.columns.nodes.id, m.node_of)
        left = np.flatnonzero(m.node_of[old.columns.nodes.id] == NOTHING)
        left = left[m.step_of[old.columns.nodes.step[left]] != NOTHING]
        right = np.flatnonzero(~taken)
        names = [
            np.array([side.numbers["text", name] for name in side.columns.node_names] or [0])[side.columns.nodes.name]
            for side in self.sides
        ]
        a, b = _in_order(
            [m.step_of[old.columns.nodes.step[left]], names[0][left]], [new.columns.nodes.step[right], names[1][right]]
        )
        m.node_of[old.columns.nodes.id[left[a]]] = new.columns.nodes.id[right[b]]

    def pair_the_rest(self) -> None:
        """Events that are no operations, by what they are about; backward passes first, which tell their events apart."""
        self.pair_events(BackwardBegan)
        began = [side.columns.tape.steps(BackwardBegan) for side in self.sides]
        numbers = [side.columns.tape.tables[BackwardBegan]["number"] for side in self.sides]
        there = self.matching.step_of[began[0]]
        both = np.flatnonzero(there != NOTHING)
        self.matching.pass_of[numbers[0][both]] = numbers[1][np.searchsorted(began[1], there[both])]
        self.other_nodes()
        for kind in KINDS:
            if kind not in (OpRan, BackwardBegan):
                self.pair_events(kind)

    def pair_events(self, kind: type[Any]) -> None:
        """Match the events of a kind that say the same, in order."""
        steps = [side.columns.tape.steps(kind) for side in self.sides]
        if all(len(each) for each in steps):
            a, b = _in_order(*[self.keys(side, kind) for side in self.sides])
            self.matching.step_of[steps[0][a]] = steps[1][b]

    def keys(self, side: _Side, kind: type[Any]) -> list[Ints]:
        """What tells events of a kind from others; ids in terms of `after`."""
        m, tape = self.matching, side.columns.tape
        table, steps = tape.tables[kind], tape.steps(kind)
        where = [side.line_of[steps], side.scope_of[steps]]

        def of(name: str) -> Ints:
            there = {"tensor": m.tensor_of, "node": m.node_of, "number": m.pass_of}[name]
            return table[name] if side is self.sides[1] else _mapped(table[name], there)

        if kind is NodeRan:
            return [of("number"), of("node")]
        if kind is Accumulated:
            return [of("number"), of("tensor")]
        if kind is BackwardEnded:
            return [of("number")]
        if kind is BackwardBegan:
            return [*where, side.text(table["via"])]
        if kind is GradSet or kind is FlagSet:
            return [*where, of("tensor")]
        if kind is HookRan:
            return [of("tensor"), of("node")]
        if kind is Named:
            return [*where, side.text(table["name"]), side.text(table["function"])]
        if kind is Stepped:
            return [*where, side.text(table["optimizer"])]
        return [np.zeros(len(steps), np.int64)] if kind is Raised else where


def _one_engine(a: Recording, b: Recording) -> bool:
    """Whether both recordings are of one engine, whatever its version."""
    return a.engine.split(" ")[0] == b.engine.split(" ")[0]


def _table(ids: Ints) -> Ints:
    """A table of ids in which there is nothing yet."""
    return np.full(int(ids.max(initial=-1)) + 1, NOTHING)


def _mapped(ids: Ints, there: Ints) -> Ints:
    """What ids are in the other run; for those that are not there numbers that nothing else has."""
    found = ids.copy()
    known = ids >= 0
    found[known] = there[ids[known]]
    gone = known & (found == NOTHING)
    found[gone] = -2 - ids[gone]
    return found


def _in_order(left: list[Ints], right: list[Ints]) -> tuple[Ints, Ints]:
    """Pairs of rows that have the same keys: the first with the first, the second with the second."""
    count = len(left[0])
    if not count or not len(right[0]):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    number = unique_rows(*[np.concatenate(pair) for pair in zip(left, right, strict=True)])
    sides = number[:count], number[count:]
    most = max(count, len(right[0])) + 1
    one, other = (each * most + occurrence(each) for each in sides)
    _, a, b = np.intersect1d(one, other, assume_unique=True, return_indices=True)
    return a, b


def _fed(side: _Side, rows: Ints) -> Iterable[tuple[int, tuple[int, ...]]]:
    """Some operations with the tensors among their arguments, those without left out."""
    inputs = side.columns.inputs
    first, last = (np.searchsorted(inputs.step, side.op_steps[rows], where) for where in ("left", "right"))
    for row, begin, end in zip(rows.tolist(), first.tolist(), last.tolist(), strict=True):
        if end > begin:
            yield row, tuple(inputs.tensor[begin:end].tolist())
