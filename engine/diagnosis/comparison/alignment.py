"""Which line, operation, tensor and moment of one run is which of another run of a program that was changed in between.

Lines are matched as a diff matches them; operations then by their line, function, loop iterations and module: by the program's
name for the result, by their text, or by their kind, in the order in which they ran. What is left is matched by the program's
names alone, and by what feeds it. What is not matched was added or removed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property
from typing import Any

from ...recording.events import (
    NOTHING,
    Accumulated,
    AnyEvent,
    BackwardBegan,
    BackwardEnded,
    CellBegan,
    CellEnded,
    Drew,
    FlagSet,
    GradSet,
    HookRan,
    Named,
    NodeRan,
    OpRan,
    Printed,
    Raised,
    Read,
    Scope,
    Stepped,
    Thinned,
    Warned,
)
from ...recording.index import Index, index_of
from ...recording.recording import Recording
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
    """What of `before` is what of `after`: positions, ids and steps of one mapped to the other."""

    before: Recording
    after: Recording
    lines: dict[Line, Line] = field(default_factory=dict)
    events: dict[int, int] = field(default_factory=dict)
    tensors: dict[int, int] = field(default_factory=dict)
    nodes: dict[int, int] = field(default_factory=dict)
    passes: dict[int, int] = field(default_factory=dict)

    def moment(self, step: int) -> int:
        """The step of `after` that shows what `step` of `before` shows: the same event, else the last one before it that both
        runs have; the end for the end."""
        last = len(self.after.events) - 1
        if step >= len(self.before.events) - 1:
            return last
        if step in self.events:
            return self.events[step]
        earlier = bisect_right(self._matched, step)
        return self.events[self._matched[earlier - 1]] if earlier else min(max(step, 0), last)

    def key(self, key: str) -> str | None:
        """The node of `after`'s graph for a node (`t12`, `n3`) of `before`'s."""
        found = (self.tensors if key[0] == "t" else self.nodes).get(int(key[1:]), NOTHING)
        return None if found == NOTHING else f"{key[0]}{found}"

    @property
    def likeness(self) -> float:
        """The share of events that both runs have, from 0 to 1."""
        most = max(len(self.before.events), len(self.after.events))
        return len(self.events) / most if most else 1.0

    @cached_property
    def _matched(self) -> list[int]:
        return sorted(self.events)


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


class _Side:
    """One of the two runs, with its sites given as lines of `after`."""

    def __init__(self, recording: Recording, lines: dict[Line, Line] | None) -> None:
        self.recording = recording
        self.index: Index = index_of(recording)
        self.lines = lines
        self.texts = [text.split("\n") for text in recording.source]
        self.lines_of_sites: dict[int, Hashable] = {}
        self.scopes: dict[int, Hashable] = {}
        self.snippets: dict[int, str] = {}

    def line(self, at: Line) -> Hashable:
        cell, line = at
        if self.lines is None or cell >= len(self.texts) or line > len(self.texts[cell]):
            return at
        return self.lines.get(at, ("gone", at))

    def line_and_scope(self, event: AnyEvent) -> tuple[Hashable, Hashable]:
        """The line and the scope of an event."""
        site, scope = event.site, event.scope
        if site not in self.lines_of_sites:
            where = self.recording.sites[site] if site != NOTHING else None
            self.lines_of_sites[site] = self.line((where.cell, where.line)) if where else None
        if scope not in self.scopes:
            inside = self.recording.scopes[scope] if scope != NOTHING else Scope()
            cell = self.recording.sites[site].cell if site != NOTHING else 0
            loops = tuple((self.line((cell, line)), count) for line, count in inside.loops)
            self.scopes[scope] = (inside.function, loops, inside.module)
        return self.lines_of_sites[site], self.scopes[scope]

    def snippet(self, event: AnyEvent) -> str:
        """The text of the expression that ran, "" where it is unknown or longer than a line."""
        if event.site == NOTHING:
            return ""
        if event.site not in self.snippets:
            site = self.recording.sites[event.site]
            lines = self.texts[site.cell] if site.cell < len(self.texts) else []
            text = ""
            if site.line == site.end_line and 0 < site.line <= len(lines):
                line = lines[site.line - 1]
                raw = line if line.isascii() else line.encode()
                part = raw[site.column : site.end_column]
                text = part if isinstance(part, str) else part.decode(errors="replace")
            self.snippets[event.site] = text
        return self.snippets[event.site]


class _Matcher:
    def __init__(self, before: Recording, after: Recording) -> None:
        self.matching = Matching(before, after, match_lines(before.source, after.source))
        self.sides = (_Side(before, self.matching.lines), _Side(after, None))
        self.ops: tuple[dict[int, OpRan], ...] = tuple(
            {step: event for step, event in enumerate(side.recording.events) if isinstance(event, OpRan)} for side in self.sides
        )
        self.backwards: dict[int, int] = {}

    def run(self) -> Matching:
        def exactly(side: _Side, event: OpRan) -> Hashable:
            return (*side.line_and_scope(event), event.op, len(event.outputs), event.in_backward > 0, side.snippet(event))

        def roughly(side: _Side, event: OpRan) -> Hashable:
            return (*side.line_and_scope(event), event.op, len(event.outputs), event.in_backward > 0)

        def names(side: _Side, event: OpRan) -> tuple[str, ...]:
            return tuple(side.index.tensors[info.id].first_name for info in event.outputs)

        def named_here(side: _Side, event: OpRan) -> Hashable | None:
            # Whatever makes it: `y = x.detach()` is still y.
            return (*side.line_and_scope(event), names(side, event)) if any(names(side, event)) else None

        def named(side: _Side, event: OpRan) -> Hashable | None:
            return (side.line_and_scope(event)[1], names(side, event)) if any(names(side, event)) else None

        for key in (named_here, exactly, roughly, named):
            self.pair_ops(key)
        self.pair_by_inputs()
        self.pair_the_rest()
        return self.matching

    def pair_ops(self, key: Callable[[_Side, OpRan], Hashable | None]) -> None:
        """Match what is still unmatched and has the same key, in order."""
        waiting: dict[Hashable, list[int]] = defaultdict(list)
        for step, event in self.ops[0].items():
            if step not in self.matching.events and (k := key(self.sides[0], event)) is not None:
                waiting[k].append(step)
        for queue in waiting.values():
            queue.reverse()
        taken = self.taken
        for step, event in self.ops[1].items():
            if step not in taken and (queue := waiting.get(key(self.sides[1], event), [])):
                self.pair(queue.pop(), step)

    def pair_by_inputs(self) -> None:
        """Operations that stand elsewhere now but do the same to the same tensors."""
        tensors, taken = self.matching.tensors, self.taken
        waiting: dict[Hashable, list[int]] = defaultdict(list)
        known = {b: a for a, b in tensors.items()}

        def fed(event: OpRan) -> list[int]:
            return [argument.tensor for argument in event.inputs if argument.tensor != NOTHING]

        for step, event in self.ops[1].items():
            if step not in taken and fed(event) and all(t in known for t in fed(event)):
                waiting[event.op, tuple(fed(event)), len(event.outputs)].append(step)
        for step, event in self.ops[0].items():
            if step not in self.matching.events and fed(event) and all(t in tensors for t in fed(event)):
                queue = waiting.get((event.op, tuple(tensors[t] for t in fed(event)), len(event.outputs)))
                if queue:
                    self.pair(step, queue.pop(0))

    def pair(self, old: int, new: int) -> None:
        """Two operations are the same one."""
        m, (a, b) = self.matching, (self.ops[0][old], self.ops[1][new])
        m.events[old] = new
        for one, other in zip(a.outputs, b.outputs, strict=False):
            m.tensors[one.id] = other.id
        if a.node is not None and b.node is not None:
            m.nodes[a.node.id] = b.node.id

    def pair_the_rest(self) -> None:
        """Events that are no operations, by what they are about."""
        self.accumulators()
        m = self.matching
        waiting: dict[Hashable, list[int]] = defaultdict(list)
        same: dict[str, dict[int, int]] = {"tensor": m.tensors, "node": m.nodes, "pass": m.passes}
        nothing: dict[str, dict[int, int]] = {}
        old, new = self.sides
        # Backward passes first: their events are told apart by them.
        for only in (True, False):
            waiting.clear()
            for step, event in enumerate(old.recording.events):
                if isinstance(event, BackwardBegan) is only and not isinstance(event, OpRan):
                    waiting[self.key(old, event, same)].append(step)
            for queue in waiting.values():
                queue.reverse()
            for step, event in enumerate(new.recording.events):
                if isinstance(event, BackwardBegan) is only and not isinstance(event, OpRan):
                    queue = waiting.get(self.key(new, event, nothing), [])
                    if queue:
                        self.pair_events(queue.pop(), step)

    def pair_events(self, old: int, new: int) -> None:
        self.matching.events[old] = new
        a, b = self.matching.before.events[old], self.matching.after.events[new]
        if isinstance(a, BackwardBegan) and isinstance(b, BackwardBegan):
            self.matching.passes[a.number] = b.number

    def accumulators(self) -> None:
        """AccumulateGrad nodes are those of matched leaves."""
        fills = {h.info.variable: id for id, h in self.sides[1].index.nodes.items() if h.info.variable != NOTHING}
        for id, history in self.sides[0].index.nodes.items():
            leaf = self.matching.tensors.get(history.info.variable, NOTHING)
            if leaf in fills:
                self.matching.nodes[id] = fills[leaf]

    @staticmethod
    def key(side: _Side, event: AnyEvent, same: dict[str, dict[int, int]]) -> Hashable:
        """What tells an event from others; ids in terms of `after`."""

        def of(kind: str, id: int) -> Any:
            return same[kind].get(id, ("gone", id)) if kind in same and id != NOTHING else id

        match event:
            case NodeRan():
                return "node", of("pass", event.number), of("node", event.node)
            case Accumulated():
                return "accumulate", of("pass", event.number), of("tensor", event.tensor)
            case BackwardEnded():
                return "end", of("pass", event.number)
            case BackwardBegan():
                return "backward", *side.line_and_scope(event), event.via
            case GradSet() | FlagSet():
                return type(event).__name__, *side.line_and_scope(event), of("tensor", event.tensor)
            case HookRan():
                return "hook", of("tensor", event.tensor), of("node", event.node)
            case Named():
                return "name", *side.line_and_scope(event), event.name, event.function
            case Stepped():
                return "step", *side.line_and_scope(event), event.optimizer
            case Raised():
                return ("raise",)
            case OpRan() | Read() | Printed() | Drew() | Warned() | CellBegan() | CellEnded() | Thinned():
                return type(event).__name__, *side.line_and_scope(event)

    @property
    def taken(self) -> set[int]:
        return set(self.matching.events.values())
