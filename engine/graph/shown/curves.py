"""The timeline of a rolled run: curves over the iterations of its main loop, and the iterations that are worth going to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import msgspec
import numpy as np

from ...recording.columns import Columns, Flags, columns_of
from ...recording.events import NOTHING
from ...recording.recording import Recording
from ..numbers import number
from ..structure.tensor_titles import best_names
from .captions import titles
from .nonfinite import harmless
from .series import Iterations, Number, Places, arrays_at, owners
from .statistics import Floats, Ints, statistics, without_faults

LOSSES = 4
"""Losses with a curve of their own."""
MOST = 200
"""Marks of one kind."""


class Curve(msgspec.Struct, frozen=True):
    """A number for each iteration of the main loop; None where there is none that is finite."""

    name: str
    tone: str
    """"loss", "gradient", "rate", or "" for whatever colour is free."""
    log: bool
    values: list[Number]


class Mark(msgspec.Struct, frozen=True):
    """An iteration that is worth going to."""

    kind: str
    """"nan", "inf", "largest", "last-good", "shape" or "finding"."""
    loop: str
    iteration: int
    """NOTHING for what is in none."""
    step: int
    title: str


@dataclass(frozen=True, slots=True)
class Timeline:
    """The curves and marks of a run."""

    curves: list[Curve]
    marks: list[Mark]


def timeline(recording: Recording, loop: str, main: Iterations, places: Places) -> Timeline:
    """The curves and marks over the main loop."""
    log = columns_of(recording)
    size, step = _gradient_norm(recording, log, main)
    norms = [Curve("gradient norm", "gradient", True, _sent(size))] if np.isfinite(size).any() else []
    marks = [
        *not_finite(recording, loop, main),
        *_largest(loop, size, step),
        *_shapes(log, loop, main, places),
    ]
    return Timeline([*losses(recording, main), *norms, *_rates(log, main)], sorted(marks, key=lambda mark: mark.step))


def losses(recording: Recording, main: Iterations, fewest: int = 2) -> list[Curve]:
    """The numbers that backward passes began from, by the names of the tensors; several of one iteration by their mean. Those
    from which fewer passes began have no curve, and those that fill `.grad` come first: what `autograd.grad` begins from is
    seldom what is trained."""
    found = statistics(recording)
    every, steps, arrays, filling = _began_from(recording)
    rows = main.rows(steps)
    inside = np.flatnonzero(rows >= 0)
    rows, arrays, names = rows[inside], arrays[inside], [every[at] for at in inside.tolist()]
    trained = {every[at] for at in inside.tolist() if filling[at]}
    often = sorted(Counter(names).most_common(), key=lambda found: found[0] not in trained)
    curves = []
    for place, (name, many) in enumerate(often[:LOSSES]):
        own = np.array([at for at, each in enumerate(names) if each == name])
        sums, counts = np.zeros(len(main)), np.bincount(rows[own], minlength=len(main))
        np.add.at(sums, rows[own], without_faults(found.mean[arrays[own]], found, arrays[own]))
        with np.errstate(all="ignore"):
            values = np.where(counts > 0, sums / counts, np.nan)
        if np.isfinite(values).any() and many >= fewest:
            curves.append(Curve(name, "loss" if place == 0 else "", False, _sent(values)))
    return curves


def last_losses(recording: Recording) -> dict[str, float]:
    """The number that the last backward pass of each loss began from, NaN and infinities too."""
    found = statistics(recording)
    names, _, arrays, _ = _began_from(recording)
    last = dict(zip(names, arrays.tolist(), strict=True))
    return {name: float("nan" if found.nan[array] else "inf" if found.inf[array] else found.mean[array])
            for name, array in last.items()}  # fmt: skip


def _began_from(recording: Recording) -> tuple[list[str], Ints, Ints, Flags]:
    """The numbers that backward passes began from: their names, the steps of the passes, the arrays, and which of the passes
    fill `.grad`."""
    log = columns_of(recording)
    roots = log.roots.tensor
    began = dict(zip(log.passes.number.tolist(), log.passes.began.tolist(), strict=True))
    steps = np.array([began[number] for number in log.roots.number.tolist()], np.int64)
    arrays = arrays_at(log, roots, steps)
    fills = dict(zip(log.passes.number.tolist(), (log.passes.via == 0).tolist(), strict=True))
    filling = np.array([fills[number] for number in log.roots.number.tolist()], bool)
    single = np.flatnonzero(statistics(recording).size[arrays] == 1)
    names = _names(recording, roots[single].tolist(), filling[single].tolist())
    return names, steps[single], arrays[single], filling[single]


def _names(recording: Recording, tensors: list[int], filling: list[bool]) -> list[str]:
    """What roots are called; one without a name belongs to those that have one and whose passes do the same, if there is only
    one name, and goes by its expression where there is none."""
    best = best_names(recording)
    names = [best.get(tensor, "") for tensor in tensors]
    told = {}
    for fills in set(filling):
        own = [at for at, each in enumerate(filling) if each == fills]
        known = {names[at] for at in own if names[at]}
        unnamed = next((at for at in own if not names[at]), None)
        if unnamed is not None:
            told[fills] = known.pop() if len(known) == 1 else "loss" if known else titles(recording)(tensors[unnamed])
    return [name or told[fills] or "loss" for name, fills in zip(names, filling, strict=True)]


def _gradient_norm(recording: Recording, log: Columns, main: Iterations) -> tuple[Floats, Ints]:
    """The norm of all parameters' gradients after the passes of each iteration, and the step at which it was complete.

    A black box has measured it when optimizers stepped; then that is said of all iterations, and not of some this, of others
    that: between the two, gradients may be clipped.
    """
    found, g = statistics(recording), log.grads
    leaf = log.tensors.is_leaf[log.row_of[g.tensor]] == 1
    rows = main.rows(g.step)
    own = np.flatnonzero((g.number > 0) & leaf & (rows >= 0) & (log.tensors.grad_of[log.row_of[g.tensor]] == NOTHING))
    # Of each tensor and iteration the last total; the log is in the order of steps.
    keys = g.tensor[own] * max(len(main), 1) + rows[own]
    _, last = np.unique(keys[::-1], return_index=True)
    own = own[len(own) - 1 - last]
    squares = without_faults(found.norm[g.total[own]], found, g.total[own]) ** 2
    total, seen = np.zeros(len(main)), np.bincount(rows[own], minlength=len(main))
    np.add.at(total, rows[own], squares)
    step = np.full(len(main), NOTHING, np.int64)
    np.maximum.at(step, rows[own], g.step[own])
    size = np.where(seen > 0, np.sqrt(total), np.nan)
    steps = log.steps
    if len(steps.measured):
        at = steps.step[steps.measured]
        rows = main.rows(at)
        inside = rows >= 0
        size[:] = np.nan
        size[rows[inside]] = steps.gradient[inside]  # the last one of an iteration has all
        step[rows[inside]] = at[inside]
    return size, step


def _rates(log: Columns, main: Iterations) -> list[Curve]:
    """The learning rate of each kind of optimizer whose rate changes, after the last step of each iteration."""
    rows, curves = main.rows(log.steps.step), []
    for kind, name in enumerate(log.optimizer_names):
        own = np.flatnonzero((log.steps.optimizer == kind) & (rows >= 0) & np.isfinite(log.steps.rate))
        values = np.full(len(main), np.nan)
        values[rows[own]] = log.steps.rate[own]  # the last one of an iteration counts
        if len(np.unique(log.steps.rate[own])) > 1:
            label = "learning rate" if len(log.optimizer_names) == 1 else f"learning rate of {name}"
            curves.append(Curve(label, "rate", False, _sent(values)))
    return curves


def not_finite(recording: Recording, loop: str, main: Iterations) -> list[Mark]:
    """The first NaN, the first infinity that is not meant, and the last iteration before both; not in memory that nobody has
    written yet."""
    log, found = columns_of(recording), statistics(recording)
    t, w, g, r = log.tensors, log.writes, log.grads, log.received
    made_by = owners(log, r.node, r.output)
    steps = np.concatenate([t.step, w.step, g.step, r.step])
    arrays = np.concatenate([t.array, w.array, g.total, r.array])
    tensors = np.concatenate([t.id, w.tensor, g.tensor, made_by])
    gradient = np.repeat([False, True], [len(t.step) + len(w.step), len(g.step) + len(r.step)])
    alarming = np.ones(len(found.size), bool)
    alarming[list(harmless(recording))] = False
    marks = []
    told = titles(recording)
    for kind, word, bad in (("nan", "NaN", found.nan > 0), ("inf", "Inf", (found.inf > 0) & (found.nan == 0))):
        at = np.flatnonzero((bad & alarming)[arrays])
        if not len(at):
            continue
        first = int(at[np.argmin(steps[at])])
        step, tensor = int(steps[first]), int(tensors[first])
        row = int(main.rows(steps[first : first + 1])[0])
        what = told(tensor) if tensor != NOTHING else "a tensor"
        line = recording.line(recording.events[step])
        title = f"first {word}: {'the gradient of ' if gradient[first] else ''}{what}" + (f", line {line}" if line else "")
        marks.append(Mark(kind, loop, row, step, title))
    rows = [mark.iteration for mark in marks if mark.iteration >= 0]
    if rows and (good := min(rows) - 1) >= 0:
        marks.append(Mark("last-good", loop, good, int(main.ends[good]), f"iteration {good} is the last good one"))
    return marks


def _largest(loop: str, size: Floats, step: Ints) -> list[Mark]:
    if not np.isfinite(size).any():
        return []
    row = int(np.nanargmax(np.where(np.isfinite(size), size, np.nan)))
    return [
        Mark("largest", loop, row, int(step[row]), f"largest gradient: ‖grad‖ {number(float(size[row]))} in iteration {row}")
    ]


def _shapes(log: Columns, loop: str, main: Iterations, places: Places) -> list[Mark]:
    """Iterations that have other places than those before them, and than most have."""
    cards = np.full(len(log.row_of), NOTHING, np.int64)
    known = min(len(cards), len(places.of_tensor))
    cards[:known] = places.of_tensor[:known]
    ids, rows = log.tensors.id, main.rows(log.tensors.step)
    # That a `.grad` is made in the first iteration and written in the others is no other shape.
    own = np.flatnonzero((cards[ids] >= 0) & (rows >= 0) & (log.tensors.grad_of == NOTHING))
    if not len(own):
        return []
    own = own[~places.stays[cards[ids[own]]]]
    pairs = np.unique(rows[own] * len(places.loop) + cards[ids[own]])
    # A number for each set of places: sums of numbers that look like chance are as good as different.
    drawn = np.arange(1, len(places.loop) + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    drawn = (drawn ^ (drawn >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    sums = np.zeros(len(main), np.uint64)
    np.add.at(sums, pairs // len(places.loop), drawn[pairs % len(places.loop)])
    kinds, counts = np.unique(sums, return_counts=True)
    usual = kinds[np.argmax(counts)]
    changed = np.flatnonzero((sums[1:] != sums[:-1]) & (sums[1:] != usual)) + 1
    if sums[0] != usual:
        changed = np.concatenate([[0], changed])
    many = dict(zip(kinds.tolist(), counts.tolist(), strict=True))
    of = f"of {len(main):,} iterations"
    return [
        Mark("shape", loop, row, int(main.starts[row]), f"iteration {row} has another shape: {many[int(sums[row])]:,} {of}")
        for row in changed[:MOST].tolist()
    ]


def found(loop: str, main: Iterations, findings: Iterable[tuple[int, str]]) -> list[Mark]:
    """Marks for findings, which are pairs (step, title)."""
    pairs = [pair for pair in findings if pair[0] >= 0][:MOST]
    rows = main.rows(np.array([step for step, _ in pairs], np.int64)).tolist()
    return [Mark("finding", loop, row, step, title) for row, (step, title) in zip(rows, pairs, strict=True)]


def _sent(values: Floats) -> list[Number]:
    return [float(f"{value:.6g}") if np.isfinite(value) else None for value in values.tolist()]
