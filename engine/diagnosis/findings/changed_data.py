"""Rules about data that a program changes while it goes through them again and again."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import prod
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...recording.columns import columns_of
from ...recording.events import NOTHING, OpRan
from ..mending import Changes, with_call
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

DATA_CHANGED = Kind(
    "data_changed", "warning", "A batch is a view of the data, and what is written into it changes the data for good.",
    mechanical=True,
)  # fmt: skip

_VIEWS = 4_000
"""Views that were written, of which so many are looked at."""
_DEEP = 16
"""Views of views that are followed."""
_USES = 64
"""Operations on a batch that are followed on their way to a layer, and on what is written back to where it comes from."""
_MOVES = 0.01
"""A change of the second time this small beside the first is the rounding of one that is done already."""
_ROUNDED = 1e-4
"""So is one this small beside the data."""

_Part: TypeAlias = tuple[object, ...]
"""Which part of which tensor a view shows: the arguments of the operations that made it."""


class _Visit(NamedTuple):
    """A batch that was taken, written and given to a layer."""

    view: int
    write: int
    read: int


@rule(222, DATA_CHANGED)
def data_changed(run: Run) -> Iterator[Finding]:
    """A view of a tensor is written and given to a layer, and when the same part of the tensor is taken again, it is as it was
    left, and is changed further."""
    found: dict[object, list[tuple[_Visit, _Visit]]] = {}
    for visits in _visits(run).values():
        start = _numbers(run, run.status(visits[0].view, visits[0].write - 1).array)
        if not start.size or float(start.min()) == float(start.max()):
            continue  # a state that begins with nothing in it
        for first, second in pairwise(visits):
            site = run.events[first.write].site
            if _added(run, first, second) and _outside(run, first.view, [first.write, second.write]):
                found.setdefault(site, []).append((first, second))
    for pairs in found.values():
        if len(pairs) < 2:
            continue
        first, second = pairs[0]
        made = run.tensors[first.view]
        batch, data = run.title(first.view), run.title(run.inputs(made.op)[0])
        write, taken = run.site(first.write), run.site(made.born)
        before, after = (run.texts.describe(run.status(each.view, each.write - 1).array) for each in (first, second))
        yield finding(
            run, DATA_CHANGED,
            f"{batch} is a part of {data} and no copy: what is written into it changes the data, more in each epoch.",
            f"{run.expression(taken) or made.op.op} at {run.site_text(taken)} is a view, on the memory of {data}. "
            f"{run.line(write).strip() or 'The write'} changes it in place before a layer gets it, and when the same part is "
            "taken again, it is as it was left, and is changed once more.",
            f"Change a copy: {_copied(run, first.view)}.",
            step=first.write, site=write, related=[taken, run.site(first.read)],
            evidence=[("a batch before it is written", before), ("the same the next time", after)],
            nodes=[key(first.view), key(made.info.view_of)], steps=[one.write for pair in pairs for one in pair],
            changes=_copies(run, first.view),
        )  # fmt: skip


def _copied(run: Run, view: int) -> str:
    text = run.expression(run.site(run.tensors[view].born))
    return f"{text}.clone()" if text and _copies(run, view) else f"{run.title(view)}.clone(), before it is written"


def _copies(run: Run, view: int) -> Changes:
    """A copy of the view where it is made, if that makes nothing else."""
    made = run.tensors[view]
    return with_call(run, run.site(made.born), "clone()") if len(made.op.outputs) == 1 else []


# --- batches that are written -------------------------------------------------------------------------------------------------


def _visits(run: Run) -> dict[_Part, list[_Visit]]:
    """The batches that are views of data, in order, by the part that they show."""
    columns = columns_of(run.recording)
    written = columns.writes
    if not run.updates or not len(written.tensor):
        return {}
    tensors = columns.tensors
    rows = columns.row_of[np.unique(written.tensor)]
    rows = rows[(rows != NOTHING) & (tensors.view_of[rows] != NOTHING) & (tensors.requires_grad[rows] == 0)]
    found: dict[_Part, list[_Visit]] = {}
    for view in tensors.id[rows[:_VIEWS]].tolist():
        if not _is_part(run, view):
            continue
        writes = _own_writes(run, view)
        for read, before in _reads(run, view) if writes else ():
            own = [step for step in writes if before < step < read]
            if own:
                found.setdefault(_part(run, view), []).append(_Visit(view, own[0], read))
    for visits in found.values():
        visits.sort(key=lambda visit: visit.write)
    return found


def _is_part(run: Run, view: int) -> bool:
    """Whether a view shows a part of a tensor that holds data."""
    info = run.tensors[view].info
    base = run.tensors[info.view_of].info
    if base.is_parameter or base.grad_of != NOTHING or base.requires_grad or not run.inputs(run.tensors[view].op):
        return False
    return prod(info.shape) < prod(base.shape) and prod(info.shape) > 1


def _own_writes(run: Run, view: int) -> list[int]:
    """The steps at which the program writes into a view, or into a part that it takes of it."""
    found = []
    for step in run.writes[view]:
        event = run.events[step]
        if isinstance(event, OpRan) and not event.in_backward and not run.index.stepping[step]:
            given = run.inputs(event)
            if given and view in _beneath(run, given[0]):
                found.append(step)
    return found


def _beneath(run: Run, tensor: int) -> list[int]:
    """A tensor, and what it is a view of, one behind the other."""
    found = [tensor]
    while len(found) < _DEEP and run.tensors[tensor].info.view_of != NOTHING:
        given = run.inputs(run.tensors[tensor].op)
        if not given:
            break
        tensor = given[0]
        found.append(tensor)
    return found


def _part(run: Run, view: int) -> _Part:
    """Which part of which tensor a view shows."""
    base, parts = run.tensors[view].info.view_of, []
    for tensor in _beneath(run, view):
        if tensor == base:
            break
        made = run.tensors[tensor].op
        place = next((k for k, info in enumerate(made.outputs) if info.id == tensor), 0)
        parts.append((made.op, place, tuple(argument.text for argument in made.inputs)))
    return (base, *parts)


def _reads(run: Run, view: int) -> list[tuple[int, int]]:
    """The steps at which a view as a whole is taken to be given to a layer that is trained, in order, and each time the step
    of the one before. A single sample counts where a batch is made of it: by itself it may be a state that goes on."""
    info, around = run.tensors[view].info, run.loops(run.tensors[view].born)
    kept = run.having("same_values") | run.having("elementwise") | run.having("joins")
    batch = len(info.shape) == len(run.tensors[info.view_of].info.shape)
    queue, seen, taken = [(view, NOTHING, batch)], {view}, set()
    for tensor, began, whole in queue:
        for step in run.consumers.get(tensor, [])[:_USES]:
            event, first = run.events[step], step if began == NOTHING else began
            if not isinstance(event, OpRan) or not event.outputs or run.loops(step)[: len(around)] != around:
                continue
            others = [run.beneath_views(other) for other in run.inputs(event) if other != tensor]
            if event.node is not None and any(other in run.trained for other in others):
                taken.update([first] if whole else [])
            elif event.op in kept and len(queue) < _USES:
                for made in event.outputs:
                    if made.id not in seen and not made.requires_grad and prod(made.shape) >= prod(info.shape):
                        seen.add(made.id)
                        queue.append((made.id, first, whole or "joins" in run.traits(event.op)))
    steps = sorted(taken)
    return list(zip(steps, [run.tensors[view].born, *steps], strict=False))


# --- what becomes of the data -------------------------------------------------------------------------------------------------


def _added(run: Run, first: _Visit, second: _Visit) -> bool:
    """Whether the second change goes on from where the first one has left the data, and is a change again."""
    start = run.status(first.view, first.write - 1).array
    left = run.status(first.view, first.read).array
    again = run.status(second.view, second.write - 1).array
    end = run.status(second.view, second.read).array
    if NOTHING in (start, left, again, end) or not run.same(left, again) or run.same(again, end) or run.same(start, left):
        return False
    kept = [_numbers(run, array) for array in (start, left, again, end)]
    if (
        len({numbers.shape for numbers in kept}) != 1
        or not kept[0].size
        or not all(np.isfinite(numbers).all() for numbers in kept)
    ):
        return False
    moved, before = float(np.abs(kept[3] - kept[2]).max()), float(np.abs(kept[1] - kept[0]).max())
    return moved > _MOVES * before and moved > _ROUNDED * float(np.abs(kept[2]).max())


def _numbers(run: Run, array: int) -> NDArray[np.float64]:
    """The values of an array, or of a large one the means of its blocks."""
    stored = run.recording.arrays[array]
    values = stored.to_numpy()
    if values is None and stored.summary is not None:
        values = np.array(stored.summary.picture, np.float64)
    if values is None or values.dtype.kind not in "fiub":
        return np.empty(0)
    return values.astype(np.float64)


def _outside(run: Run, view: int, writes: list[int]) -> bool:
    """Whether what is written is chosen without a look at what is learned, and belongs to no sample: numbers, draws, and what
    is computed of the batch itself. Else a program may keep a state of its own for each sample."""
    base = run.tensors[view].info.view_of
    size = prod(run.tensors[view].info.shape)
    queue = [tensor for step in writes for tensor in run.inputs_at(step)[1:]]
    seen = set(queue)
    for tensor in queue:
        history = run.tensors[tensor]
        info = history.info
        if len(queue) > _USES or info.requires_grad or info.is_parameter or info.grad_of != NOTHING:
            return False
        if base in (tensor, info.view_of):
            continue
        given = [] if history.op.op in run.having("creation") else run.inputs(history.op)
        if not given and prod(info.shape) * 2 > size and not (run.loops(history.born) and "draws" in run.traits(history.op.op)):
            return False
        queue += [each for each in given if each not in seen]
        seen.update(given)
    return True
