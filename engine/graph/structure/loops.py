"""The loops of a run, their iterations as steps of the log, and whether their iterations are time or depth.

A loop is *time* where its iterations use the same parameters (epochs, batches, time steps, the steps of a solver), and *depth*
where each uses its own (the layers of a model, an ensemble). Iterations of time are merged in the rolled view; those of depth
stand side by side. What decides is counted over the whole run, and said in a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
import numpy.ma  # np.unique loads it at its first call, when a process may open no file any more

from ...recording.columns import Columns, Flags, Ints, columns_of
from ...recording.events import NOTHING, Scope
from ...recording.recording import Recording
from .calls import Calls, Recursion

Kind: TypeAlias = Literal["time", "depth"]

LIKE = 3
"""Iterations from which on it is worth while to roll a loop."""
_TITLE = 60
_HEADER_END = re.compile(r"(?<!\s)\s*:\s*(#.*)?$")


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """A loop of the program's text, reached through certain calls and loops, with all its iterations in the order of time."""

    id: str
    cell: int
    line: int
    title: str
    """Its header, "for bx, by in loader"."""
    parent: str
    """The id of the loop around it, or ""."""
    kind: Kind
    reason: str
    """Why it is time or depth: a sentence."""
    total: int
    """How many iterations it has in the whole run."""
    starts: Ints
    """The first step of each iteration."""
    ends: Ints
    """The last step of each iteration."""
    outer: Ints
    """For each iteration that of the nearest time loop around it, NOTHING where there is none."""
    number: Ints
    """How the program counts each: from 0, anew whenever the loop begins."""
    around: int
    """How many calls of a path are around it, recursion rolled up."""


@dataclass(frozen=True, eq=False)
class Nests:
    """The loops of a recording, and in which of their iterations every event happened."""

    loops: tuple[Loop, ...]
    """Outer loops stand before those in them."""
    scopes: tuple[tuple[tuple[int, int], ...], ...]
    """Per scope: its loops (positions in `loops`), outermost first, with the number of the iteration."""
    calls: tuple[Calls, ...]
    """Per scope: its call path, recursion rolled up."""
    at: tuple[Ints, ...]
    """Per depth of nesting, for each event: the loop, NOTHING where there is none."""
    row: tuple[Ints, ...]
    """Per depth of nesting, for each event: the iteration (row in `starts`) of that loop."""
    loop: Ints
    """For each event: the innermost time loop around it."""
    iteration: Ints
    """For each event: the iteration of that loop."""
    worth: bool
    """Whether a loop has so many like iterations that the rolled view is what to show first. One in which autograd records
    nothing, as when weights are set to random numbers, is not what a run with a graph is about."""

    @cached_property
    def before(self) -> Ints:
        """For each loop, how many iterations those before it have together: where its own begin when those of all loops are
        counted on."""
        return np.concatenate(([0], np.cumsum([loop.total for loop in self.loops], dtype=np.int64)))

    def time(self, loop: int) -> bool:
        """Whether a loop's iterations are merged."""
        return self.loops[loop].kind == "time"


def nests_of(recording: Recording, turned: Collection[str] = ()) -> Nests:
    """The loops of a recording, those whose ids are in `turned` taken for the other kind."""
    key = ("nests", frozenset(turned))
    return recording.once(str(key), lambda: _Reader(recording, frozenset(turned)).read())


@dataclass(slots=True, eq=False)
class _Raw:
    """A loop while it is being read."""

    cell: int
    line: int
    parent: int
    depth: int
    id: str
    around: int


class _Reader:
    def __init__(self, recording: Recording, turned: frozenset[str]) -> None:
        self.recording = recording
        self.turned = turned
        self.columns: Columns = columns_of(recording)
        self.raw: list[_Raw] = []
        self.nests: dict[tuple[object, ...], list[tuple[int, int]]] = {}
        """Calls and lines of loops → the loops' numbers, and which of the scope's they are."""
        self.called: list[list[int]] = []
        """Per scope and loop, the line in the loop's own text from which what happened was called; NOTHING where it happened in
        that text itself."""
        self._lines: dict[tuple[object, ...], list[int]] = {}

    def read(self) -> Nests:
        recursion = Recursion(self.recording)
        known: dict[tuple[int, int, int, Calls], int] = {}
        nests = tuple(self._nest(scope, recursion, known) for scope in self.recording.scopes)
        calls = tuple(recursion.rolled(scope.calls) for scope in self.recording.scopes)
        at, row, starts, ends, numbers = self._iterations(nests)
        kinds = _Kinds(self.columns, self.raw, at, row, starts, ends, numbers)
        decided = [kinds.of(i) for i in range(len(self.raw))]
        time = [(kind == "time") != (raw.id in self.turned) for (kind, _), raw in zip(decided, self.raw)]
        events = len(self.columns.events.kind)
        loop, iteration = np.full(events, NOTHING), np.full(events, NOTHING)
        is_time = np.array([*time, False])
        outers: dict[int, Ints] = {}
        for depth in range(len(at)):
            for i, raw in enumerate(self.raw):
                if raw.depth == depth:
                    outers[i] = iteration[starts[i]]
            here = is_time[at[depth]]
            loop[here], iteration[here] = at[depth][here], row[depth][here]
        loops = tuple(
            Loop(
                raw.id,
                raw.cell,
                raw.line,
                self._title(raw),
                self.raw[raw.parent].id if raw.parent != NOTHING else "",
                "time" if time[i] else "depth",
                decided[i][1],
                len(starts[i]),
                starts[i],
                ends[i],
                outers[i],
                numbers[i],
                raw.around,
            )
            for i, raw in enumerate(self.raw)
        )
        recorded = self.columns.nodes.step
        about = (
            {i for loops_at in at for i in np.unique(loops_at[recorded]).tolist()} if len(recorded) else set(range(len(loops)))
        )
        worth = any(one.kind == "time" and one.total >= LIKE and i in about for i, one in enumerate(loops))
        return Nests(loops, nests, calls, at, row, loop, iteration, worth)

    def _nest(
        self, scope: Scope, recursion: Recursion, known: dict[tuple[int, int, int, Calls], int]
    ) -> tuple[tuple[int, int], ...]:
        """A scope's loops by number. A loop that runs within itself, by recursion, counts once: by its outermost run. What does
        not depend on the iterations is worked out once for all scopes of a place."""
        loops = scope.loops
        where = (scope.calls, scope.around, *[line for line, _ in loops])
        kept = self.nests.get(where)
        if kept is None:
            kept = []
            seen: set[tuple[int, int, Calls]] = set()
            for i, (line, _) in enumerate(loops):
                cell, around = scope.around[i] if i < len(scope.around) else (0, 0)
                place = (cell, line, recursion.rolled(scope.calls[:around]))
                if place in seen:
                    continue
                seen.add(place)
                parent = kept[-1][0] if kept else NOTHING
                number = known.get((parent, *place))
                if number is None:
                    number = known[parent, *place] = len(self.raw)
                    self.raw.append(_Raw(cell, line, parent, len(kept), self._id(cell, line, parent), len(place[2])))
                kept.append((number, i))
            self.nests[where] = kept
            inner = [scope.around[i][1] if i < len(scope.around) else len(scope.calls) for _, i in kept]
            sites = self.recording.sites
            self._lines[where] = [sites[scope.calls[n][0]].line if n < len(scope.calls) else NOTHING for n in inner]
        self.called.append(self._lines[where])
        return tuple([(number, loops[i][1]) for number, i in kept])

    def _id(self, cell: int, line: int, parent: int) -> str:
        """A name that stays the same as long as the loop's place in the text does."""
        own = f"L{line}" if cell == 0 else f"C{cell}L{line}"
        id = f"{self.raw[parent].id}/{own}" if parent != NOTHING else own
        taken = {raw.id for raw in self.raw}
        alike = 1
        while (found := id if alike == 1 else f"{id}#{alike}") in taken:
            alike += 1
        return found

    def _title(self, raw: _Raw) -> str:
        source = self.recording.source
        lines = source[raw.cell].splitlines() if 0 <= raw.cell < len(source) else []
        text = lines[raw.line - 1].strip() if 0 < raw.line <= len(lines) else ""
        text = _HEADER_END.sub("", text)
        return text if 0 < len(text) <= _TITLE else f"{text[: _TITLE - 1]}…" if text else f"loop, line {raw.line}"

    def _iterations(
        self, nests: tuple[tuple[tuple[int, int], ...], ...]
    ) -> tuple[tuple[Ints, ...], tuple[Ints, ...], list[Ints], list[Ints], list[Ints]]:
        """Per depth and event the loop and its iteration; per loop its iterations' first and last steps and numbers."""
        deepest = max(map(len, nests), default=0)
        table = np.full((deepest, len(nests) + 1, 3), NOTHING, np.int64)
        for scope, (nest, inner) in enumerate(zip(nests, self.called, strict=True)):
            for depth, ((loop, k), line) in enumerate(zip(nest, inner, strict=True)):
                table[depth, scope] = loop, k, line
        scope_of = self.columns.events.scope  # NOTHING is the last row, which has no loop
        site_of = self.columns.events.site
        line_of_site = np.array([*[site.line for site in self.recording.sites], NOTHING])
        header = np.array([raw.line for raw in self.raw], np.int64)
        at, row = [], []
        empty = np.empty(0, np.int64)
        starts, ends, numbers = ([empty] * len(self.raw) for _ in range(3))
        around = np.zeros(len(scope_of), np.int64)
        for depth in range(deepest):
            loops, counts = table[depth, scope_of, 0], table[depth, scope_of, 1]
            rows = np.full(len(scope_of), NOTHING)
            steps = np.flatnonzero(loops != NOTHING)
            steps = steps[np.argsort(loops[steps], kind="stable")]
            one, k, outer = loops[steps], counts[steps], around[steps]
            new = np.ones(len(steps), bool)
            new[1:] = (one[1:] != one[:-1]) | (k[1:] != k[:-1]) | (outer[1:] != outer[:-1])
            called = table[depth, scope_of[steps], 2]
            lines = np.where(called == NOTHING, line_of_site[site_of[steps]], called)
            _join_ends(new, one, k, outer, lines != header[one])
            firsts = np.flatnonzero(new)
            every = np.cumsum(new) - 1
            lasts = np.append(firsts[1:], len(steps)) - 1
            begun = one[firsts]
            first_of_loop = np.searchsorted(begun, np.arange(len(self.raw)))
            rows[steps] = every - first_of_loop[one]
            for i in np.unique(begun):
                mine = slice(*np.searchsorted(begun, (i, i + 1)))
                starts[i], ends[i], numbers[i] = steps[firsts[mine]], steps[lasts[mine]], k[firsts[mine]]
            at.append(loops)
            row.append(rows)
            # A number for each iteration at this depth, and 0 outside, for what lies deeper.
            around = np.zeros(len(scope_of), np.int64)
            around[steps] = every + 1
        return tuple(at), tuple(row), starts, ends, numbers


def _join_ends(new: Flags, one: Ints, k: Ints, outer: Ints, in_body: Flags) -> None:
    """Take what a loop's header does when it finds nothing more (a sampler, the test of a `while`) for a part of the iteration
    before: that the header was come to does not make it another one.

    Args:
        new: where iterations begin; those that are none begin no more.
        one: the loop that something happened in.
        k: the number of the iteration.
        outer: the iteration of the loop around it.
        in_body: whether it happened behind the header.
    """
    firsts = np.flatnonzero(new)
    if len(firsts) < 2:
        return
    acts = np.add.reduceat(in_body, firsts) > 0
    goes_on = (one[firsts][1:] == one[firsts][:-1]) & (outer[firsts][1:] == outer[firsts][:-1])
    goes_on &= k[firsts][1:] > k[firsts][:-1]  # each from the one before it
    ends = np.append(~goes_on[1:], True)
    new[firsts[1:][goes_on & ends & ~acts[1:] & acts[:-1]]] = False


class _Kinds:
    """Which loops are time: what their iterations use is looked at."""

    def __init__(
        self,
        columns: Columns,
        raw: list[_Raw],
        at: tuple[Ints, ...],
        row: tuple[Ints, ...],
        starts: list[Ints],
        ends: list[Ints],
        numbers: list[Ints],
    ) -> None:
        self.columns, self.raw, self.at, self.row = columns, raw, at, row
        self.starts, self.ends, self.numbers = starts, ends, numbers
        tensors, inputs = columns.tensors, columns.inputs
        self.parameter = parameters_among(columns)
        base = np.where(tensors.view_of == NOTHING, tensors.id, tensors.view_of)
        # What is used, with views taken for what they are views of.
        rows = columns.row_of[inputs.tensor]
        self.used_at = inputs.step
        self.used = columns.row_of[base[rows]]
        self.used = np.where(self.used == NOTHING, rows, self.used)
        self.last_use = np.full(len(tensors.id), NOTHING)
        np.maximum.at(self.last_use, rows, inputs.step)

    def of(self, i: int) -> tuple[Kind, str]:
        """A loop's kind, and why."""
        depth, starts, numbers = self.raw[i].depth, self.starts[i], self.numbers[i]
        total = len(starts)
        if not total:
            return "time", "nothing is recorded in it"  # it ended with an error before anything else happened
        outer = self.row[depth - 1][starts] if depth else np.zeros(total, np.int64)
        begins = np.ones(total, bool)
        begins[1:] = (outer[1:] != outer[:-1]) | (numbers[1:] <= numbers[:-1])
        run = np.cumsum(begins) - 1  # which run of the loop an iteration is in
        first = starts[begins][run]
        last = np.append(self.ends[i][np.flatnonzero(begins)[1:] - 1], self.ends[i][-1])[run]
        size = np.bincount(run)
        rows = self.row[depth]
        made = self._made(i, rows, last)
        if made:
            return "depth", f"{_iterations(made, total)} make parameters that are used afterwards"
        here = self.at[depth][self.used_at] == i
        step, tensor = self.used_at[here], self.used[here]
        iteration = rows[step]
        older = self.columns.tensors.step[tensor] < first[iteration]
        iteration, tensor = iteration[older], tensor[older]
        is_parameter = self.parameter[tensor]
        for what, chosen in (("parameter", is_parameter), ("tensor", ~is_parameter)):
            mine, own, shared = _uses(iteration[chosen], tensor[chosen], run, len(self.parameter))
            if not len(mine):
                continue
            several = size[run] > 1
            acting = int(several.sum())
            alone = int((own[several] > shared[several]).sum())
            several_shared = len(np.unique(tensor[chosen][shared[iteration[chosen]] > 0])) if shared.any() else 0
            if 2 * alone > acting:
                each = "each" if alone == acting else f"{alone} of {acting}"
                return "depth", f"{each} of its iterations {'uses' if alone == acting else 'use'} {what}s of its own"
            if shared.any():
                there = f"the same {several_shared} {what}s" if several_shared > 1 else f"the same {what}"
                return "time", f"{_all(total)} {there}"
            if what == "parameter":
                break
        return "time", f"{_all(total)} no parameters of {'their' if total > 1 else 'its'} own"

    def _made(self, i: int, rows: Ints, last: Ints) -> int:
        """How many iterations make parameters that are used when the loop is over; 0 where most do not."""
        tensors = self.columns.tensors
        depth = self.raw[i].depth
        kept = np.flatnonzero(self.parameter & (self.at[depth][tensors.step] == i))
        iteration = rows[tensors.step[kept]]
        kept_iterations = np.unique(iteration[self.last_use[kept] > last[iteration]])
        return len(kept_iterations) if 2 * len(kept_iterations) > len(last) else 0


def _uses(iteration: Ints, tensor: Ints, run: Ints, tensors: int) -> tuple[Ints, Ints, Ints]:
    """Which tensors are used by which iterations; per iteration how many by it alone in its run, and by others too."""
    pairs = np.unique(iteration * tensors + tensor)
    iteration, tensor = pairs // tensors, pairs % tensors
    _, inverse, counts = np.unique(run[iteration] * tensors + tensor, return_inverse=True, return_counts=True)
    alone = counts[inverse] == 1
    own = np.bincount(iteration[alone], minlength=len(run))
    shared = np.bincount(iteration[~alone], minlength=len(run))
    return pairs, own, shared


def _all(total: int) -> str:
    return f"its {_iterations(total, total)} use" if total > 1 else "its only iteration uses"


def _iterations(some: int, total: int) -> str:
    many = f"{total:,} iteration{'s' if total != 1 else ''}"
    return many if some == total else f"{some:,} of {many}"


def parameters_among(columns: Columns) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which tensors (rows of the table) are parameters: made as such, or leaves into which gradients go."""
    tensors, nodes = columns.tensors, columns.nodes
    found: np.ndarray[tuple[int], np.dtype[np.bool_]] = (tensors.is_parameter == 1) | (
        (tensors.requires_grad == 1) & (tensors.is_leaf == 1)
    )
    leaves = columns.row_of[nodes.variable[nodes.variable != NOTHING]]
    found[leaves[leaves != NOTHING]] = True
    return found
