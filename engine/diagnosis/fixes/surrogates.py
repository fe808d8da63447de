"""Losses whose value says nothing of how good a program is: that one is smaller proves no fix.

The loss of a policy is a sum of what was drawn times what came of it: only its gradient means something. The loss of one of two
networks that are trained against each other, or on each other's results, is moved by the other's training as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...recording.columns import columns_of
from ...recording.events import NOTHING, OpRan
from ...recording.index import Pass
from ...recording.recording import Recording
from ..cadence import used_fills
from ..failed_passes import failure
from ..paths import paths_of
from ..run import Run
from .places import Places

Gradients: TypeAlias = dict[str, NDArray[np.float64]]
"""What a pass gave each leaf, by its name."""
Line: TypeAlias = tuple[int, int]
"""Where passes begin: the cell and the line, of the changed program."""

_PASSES = 64
"""Passes that are looked at: who trains what shows in the first ones."""
_FAR = 40
"""Operations between a loss and a product that it is made of."""
_BEHIND = 3_000
"""Tensors behind a loss that are looked at."""
_SAME_WAY = 0.999
"""The cosine of the angle between two gradients that point the same way: sums of float32 depend on their order."""


def surrogates(recording: Recording, places: Places | None = None) -> dict[Line, str]:
    """The lines at which passes begin from such losses, with what they are."""
    run = paths_of(recording).run
    first: dict[Line, Pass] = {}
    for entry in run.passes:
        place = _line(run, entry, places)
        if place is not None:
            first.setdefault(place, entry)
    found = {place: "is weighted by numbers of both signs" for place, entry in first.items() if _weighted(run, entry)}
    for place in _moved_by_others(run, places):
        found.setdefault(place, "is moved by the training of another network, too")
    return found


def other_way(before: Recording, after: Recording, places: Places, line: Line) -> str:
    """The first leaf to which the first pass at a line gives a gradient of another direction in a second run, "" for none.

    A leaf that got none, or zeros, has no direction that could be kept.
    """
    was, now = _gradients(before, line, places), _gradients(after, line, None)
    if now is None or (was is None and paths_of(before).run.raised is not None):
        return ""  # a pass that there is with the changes alone, as the program ended before
    was = was or {}
    for name in now | was:
        old, new = was.get(name), now.get(name)
        if old is None or not old.any():
            if new is not None and new.any():
                return name
            continue
        if new is None or new.shape != old.shape or not _parallel(old, new):
            return name
    return ""


def _parallel(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    if not (np.isfinite(one).all() and np.isfinite(other).all()):
        return False
    size = float(np.linalg.norm(one) * np.linalg.norm(other))
    return size > 0 and float((one * other).sum()) >= _SAME_WAY * size


def _line(run: Run, entry: Pass, places: Places | None) -> Line | None:
    site = run.site(entry.began)
    if site is None or entry.event.via != "backward":
        return None
    return site.cell, site.line if places is None else places.lines(site)[0]


def _gradients(recording: Recording, line: Line, places: Places | None) -> Gradients | None:
    run = paths_of(recording).run
    for entry in run.passes:
        site = run.site(entry.began)
        if site is None or entry.event.via != "backward" or site.cell != line[0]:
            continue
        first, last = (site.line, site.line) if places is None else places.lines(site)
        if not first <= line[1] <= last or failure(run, entry):
            continue  # a pass that broke off has given some leaves a part of their gradients
        found: Gradients = {}
        for _, event in run.fills(entry):
            values = recording.array(event.increment)
            name = run.title(event.tensor)
            if values is not None and values.dtype.kind == "f":
                wide = values.astype(np.float64)
                found[name] = found[name] + wide if name in found and found[name].shape == wide.shape else wide
        return found
    return None


# --- a policy ---------------------------------------------------------------------------------------------------------------


def _weighted(run: Run, entry: Pass) -> bool:
    """Whether a loss is made of results, each times a number that is no result: one where those numbers are of both signs, so
    that it has no least value."""
    queue = [tensor for tensor, _ in entry.event.roots]
    seen = set(queue)
    for tensor in queue:
        step, event = run.op_of(tensor)
        given = run.inputs(event)
        if step < 0 or len(queue) > _FAR:
            continue
        if event.op == "mul" and len(given) == 2:
            learned = [run.status(t, step - 1).requires_grad for t in given]
            if sum(learned) == 1 and _of_both_signs(run, given[learned.index(False)], step):
                return True
        elif not _hands_on(run, event):
            continue
        for each in given:
            if each not in seen and run.tensors[each].info.requires_grad:
                seen.add(each)
                queue.append(each)
    return False


def _hands_on(run: Run, event: OpRan) -> bool:
    """Whether a result grows or shrinks with what it is made of, without bound."""
    if event.op in ("mul", "div"):
        return len(run.inputs(event)) == 1
    return bool({"additive", "reduces", "same_values", "joins", "casts", "chooses"} & {*run.traits(event.op)})


def _of_both_signs(run: Run, tensor: int, step: int) -> bool:
    values = run.values(tensor, step - 1)
    if values is None or values.dtype.kind != "f" or values.size < 2:
        return False
    return bool((values > 0).any() and (values < 0).any())


# --- two networks -------------------------------------------------------------------------------------------------------------


def _moved_by_others(run: Run, places: Places | None) -> set[Line]:
    """The lines of passes from losses that are computed from leaves which passes of other lines train meanwhile, and theirs
    do not; and of all that train the same leaves as such a one."""
    if len({tuple(sorted(e.parameters)) for _, e in run.optimizer_steps[:_PASSES]}) < 2:
        return set()
    trains: dict[Line, set[int]] = {}
    behind: dict[Line, frozenset[int]] = {}
    span: dict[Line, tuple[int, int]] = {}
    place_of = {entry.number: place for entry in run.passes if (place := _line(run, entry, places)) is not None}
    for leaf in run.trained:
        for number in used_fills(run, leaf)[1].tolist():
            if number in place_of:
                trains.setdefault(place_of[number], set()).add(leaf)
    for entry in run.passes:
        place = place_of.get(entry.number)
        if place is not None:
            span[place] = span.get(place, (entry.began, 0))[0], entry.ended
            if place not in behind:
                behind[place] = _leaves_behind(run, [tensor for tensor, _ in entry.event.roots])
    moved = {
        place for place, own in trains.items()
        if any(_meanwhile(run, leaf, *span[place]) for leaf in _others(place, own, behind[place], trains))
    }  # fmt: skip
    return {place for place, own in trains.items() if any(own & trains[other] for other in moved)}


def _others(place: Line, own: set[int], behind: frozenset[int], trains: dict[Line, set[int]]) -> Iterator[int]:
    """The leaves behind a loss that are trained elsewhere, by passes that train none of the same."""
    for other, theirs in trains.items():
        if other != place and not own & theirs:
            yield from behind & theirs


def _meanwhile(run: Run, leaf: int, first: int, last: int) -> bool:
    """Whether a leaf is updated between the first and the last pass of a line."""
    return any(first < step < last for step in run.updates.get(leaf, ()))


def _leaves_behind(run: Run, roots: list[int]) -> frozenset[int]:
    """The trained leaves that numbers are computed from, whether a gradient comes back to them or not."""
    tensors = columns_of(run.recording).tensors
    row_of = columns_of(run.recording).row_of
    queue, seen = list(roots), set(roots)
    for tensor in queue:
        if len(queue) > _BEHIND:
            break
        if tensor == NOTHING or tensor in run.trained:
            continue
        for given in run.inputs_at(tensors.step.item(row_of.item(tensor))):
            if given not in seen:
                seen.add(given)
                queue.append(given)
    return frozenset(seen & run.trained)
