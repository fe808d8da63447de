"""Which arrays of a recording hold NaN or infinities, which are meant, and since when a node of a graph holds others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Literal

import numpy as np

from ...recording.columns import Columns, Flags, columns_of
from ...recording.events import NOTHING
from ...recording.operations import traits_in
from ...recording.recording import Recording
from ...recording.unset import arrays_of
from .node_states import WholeFaces
from .statistics import Ints


def not_finite(recording: Recording) -> frozenset[int]:
    """The ids of the arrays with a NaN or an infinity in them. Found once and kept on the recording."""
    return recording.once("not finite", lambda: frozenset(_faulty(recording)))


def troubles(recording: Recording, faces: WholeFaces, nan: bool = False) -> dict[str, int]:
    """Node → the first step at which its value or a gradient of it is not finite, and not meant to be; with `nan` holds NaN."""
    bad = not_finite(recording)
    if not bad or not (bad := bad - harmless(recording)):
        return {}
    if nan:
        bad = bad.intersection(np.flatnonzero(recording.stored.faults[0]).tolist())
    return {key: step for key in faces.nodes if (step := _first(faces.nodes.arrays(key), bad)) >= 0}


def _first(arrays: Iterable[tuple[int, tuple[int, ...]]], bad: frozenset[int]) -> int:
    return next((step for step, ids in arrays if not bad.isdisjoint(ids)), -1)


def _faulty(recording: Recording) -> list[int]:
    nan, inf = recording.stored.faults
    found: list[int] = np.flatnonzero((nan > 0) | (inf > 0)).tolist()
    return found


# --- infinities that are meant ------------------------------------------------------------------------------------------------

_WRITTEN = frozenset({"masks", "fills", "given", "creation", "leaf"})
"""Traits of operations that put numbers into tensors which the program wrote down itself."""
_KEPT = frozenset({"same_values", "casts", "alias", "detaches", "transposes", "joins", "branches", "masks", "given", "infix"})
"""Traits of operations that keep an infinity where it is, as adding a mask to scores does."""
_SPREADS = frozenset({"matrix_product", "convolution", "reduces"})
"""Traits of those that do not: one infinity among what is added up makes an infinity of all."""


def harmless(recording: Recording) -> frozenset[int]:
    """The ids of the arrays that are no alarm whatever is in them: what is meant, and memory that nobody has written yet."""
    return recording.once("harmless", lambda: meant(recording) | arrays_of(recording))


def meant(recording: Recording) -> frozenset[int]:
    """The ids of the arrays whose infinities the program wrote itself and that do no harm: a mask of -inf, and what it makes of
    the scores that a softmax takes. Found once and kept on the recording."""
    made = recording.derived.get("meant infinities")
    if made is None:
        nan, inf = (np.append(column, 0) for column in recording.stored.faults)  # a last row for NOTHING
        only = (inf > 0) & (nan == 0)
        made = recording.derived["meant infinities"] = _meant(recording, only, nan > 0, inf > 0) if only.any() else frozenset()
    assert isinstance(made, frozenset)
    return made


def _meant(recording: Recording, only: Flags, nan: Flags, inf: Flags) -> frozenset[int]:
    """Asked of columns alone: a mask in every iteration is thousands of operations."""
    log = columns_of(recording)
    steps, tensors, arrays = _values(log, only)
    if not len(steps):
        return frozenset()  # only gradients are infinite
    of_op = [frozenset(traits_in(recording.ops, name)) for name in log.op_names]
    kept, written, spreads = ([not traits.isdisjoint(some) for traits in of_op] for some in (_KEPT, _WRITTEN, _SPREADS))
    those, starts = np.unique(steps, return_index=True)
    ops = log.operations.op[np.searchsorted(log.operations.step, those)].tolist()
    ends = np.append(starts[1:], len(steps)).tolist()
    ids, taken_at, taken_to = log.inputs.tensor, *(np.searchsorted(log.inputs.step, those, side).tolist() for side in _SIDES)
    since: dict[int, bool] = {}  # tensor with infinities → whether they are meant
    held: dict[int, list[int]] = defaultdict(list)
    made, holds = tensors.tolist(), arrays.tolist()
    for row, (op, start, end) in enumerate(zip(ops, starts.tolist(), ends, strict=True)):
        taken = [since[t] for t in ids[taken_at[row] : taken_to[row]].tolist() if t in since]
        good = all(taken) and (kept if taken else written)[op] and not spreads[op]
        for tensor, array in zip(made[start:end], holds[start:end], strict=True):
            since[tensor] = good and since.get(tensor, True)
            held[tensor].append(array)
    _harmful(log, nan, inf, since)
    bad = {array for tensor, good in since.items() if not good for array in held[tensor]}
    return frozenset(array for tensor, good in since.items() if good for array in held[tensor]) - bad


_SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")


def _values(log: Columns, wanted: Flags) -> tuple[Ints, Ints, Ints]:
    """Step, tensor and array wherever a tensor comes to hold one of the arrays wanted, in the order of the steps."""
    tables = (log.tensors.step, log.tensors.id, log.tensors.array), (log.writes.step, log.writes.tensor, log.writes.array)
    steps, tensors, arrays = (np.concatenate(both) for both in zip(*tables, strict=True))
    rows = np.flatnonzero(wanted[arrays])
    rows = rows[np.argsort(steps[rows], kind="stable")]
    return steps[rows], tensors[rows], arrays[rows]


def _harmful(log: Columns, nan: Flags, inf: Flags, since: dict[int, bool]) -> None:
    """Take back what is meant where something is made of it that is NaN, or infinite and not meant."""
    rows = log.row_of[log.inputs.tensor]
    born = np.where(rows != NOTHING, log.tensors.array[rows], NOTHING)
    before = np.unique(log.inputs.step[nan[born]])  # NaN was there before
    using = np.unique(log.inputs.step[np.isin(log.inputs.tensor, [tensor for tensor, good in since.items() if good])])
    steps, tensors, arrays = _values(log, nan | inf)
    results: dict[int, list[tuple[int, int]]] = defaultdict(list)
    here = np.isin(steps, using) & ~np.isin(steps, before)
    for step, tensor, array in zip(steps[here].tolist(), tensors[here].tolist(), arrays[here].tolist(), strict=True):
        results[step].append((tensor, array))
    for step in reversed(results):
        if any(nan[array] or not since.get(tensor, False) for tensor, array in results[step]):
            first, last = np.searchsorted(log.inputs.step, (step, step + 1)).tolist()
            since.update({tensor: False for tensor in log.inputs.tensor[first:last].tolist() if tensor in since})
