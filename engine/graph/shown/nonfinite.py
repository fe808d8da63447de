"""Which arrays of a recording hold NaN or infinities, which are meant, and since when a node of a graph holds others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from ...recording.columns import Columns, columns_of
from ...recording.events import NOTHING, OpRan
from ...recording.operations import traits_in
from ...recording.recording import Recording
from ...recording.store import DTYPES
from .node_states import WholeFaces
from .statistics import Statistics, statistics

_BATCH = 8 * 2**20
"""Bytes that are looked at in one go: small arrays by the thousand, without a copy of everything at once."""


def not_finite(recording: Recording) -> frozenset[int]:
    """The ids of the arrays with a NaN or an infinity in them. Found once and kept on the recording."""
    return recording.once("not finite", lambda: frozenset(_search(recording)))


def troubles(recording: Recording, faces: WholeFaces, nan: bool = False) -> dict[str, int]:
    """Node → the first step at which its value or a gradient of it is not finite, and not meant to be; with `nan` holds NaN."""
    bad = not_finite(recording)
    if not bad or not (bad := bad - meant(recording)):
        return {}
    if nan:
        bad = bad.intersection(np.flatnonzero(statistics(recording).nan).tolist())
    return {key: step for key in faces.nodes if (step := _first(faces.nodes.arrays(key), bad)) >= 0}


def _first(arrays: Iterable[tuple[int, tuple[int, ...]]], bad: frozenset[int]) -> int:
    return next((step for step, ids in arrays if not bad.isdisjoint(ids)), -1)


def _search(recording: Recording) -> Iterable[int]:
    waiting: dict[str, list[int]] = defaultdict(list)
    sizes: dict[str, int] = defaultdict(int)
    for id, array in enumerate(recording.arrays):
        if array.data is None:
            if array.summary is not None and (array.summary.nan or array.summary.inf):
                yield id
        elif array.data and DTYPES[array.dtype].kind in "fc":
            waiting[array.dtype].append(id)
            sizes[array.dtype] += len(array.data)
            if sizes[array.dtype] > _BATCH:
                yield from _among(recording, array.dtype, waiting.pop(array.dtype))
                sizes[array.dtype] = 0
    for dtype, ids in waiting.items():
        yield from _among(recording, dtype, ids)


def _among(recording: Recording, dtype: str, ids: list[int]) -> Iterable[int]:
    pieces = [recording.arrays[id].data or b"" for id in ids]
    kind = DTYPES[dtype]
    finite = np.isfinite(np.frombuffer(b"".join(pieces), kind))
    if finite.all():
        return
    starts = np.cumsum([0, *(len(piece) // kind.itemsize for piece in pieces[:-1])])
    for id, good in zip(ids, np.logical_and.reduceat(finite, starts).tolist(), strict=True):
        if not good:
            yield id


# --- infinities that are meant ------------------------------------------------------------------------------------------------

_WRITTEN = frozenset({"masks", "fills", "given", "creation", "leaf"})
"""Traits of operations that put numbers into tensors which the program wrote down itself."""
_KEPT = frozenset({"same_values", "casts", "alias", "detaches", "transposes", "joins", "branches", "masks", "given", "infix"})
"""Traits of operations that keep an infinity where it is, as adding a mask to scores does."""
_SPREADS = frozenset({"matrix_product", "convolution", "reduces"})
"""Traits of those that do not: one infinity among what is added up makes an infinity of all."""


def meant(recording: Recording) -> frozenset[int]:
    """The ids of the arrays whose infinities the program wrote itself and that do no harm: a mask of -inf, and what it makes of
    the scores that a softmax takes. Found once and kept on the recording."""
    made = recording.derived.get("meant infinities")
    if made is None:
        found = statistics(recording)
        only = (found.inf > 0) & (found.nan == 0)
        made = recording.derived["meant infinities"] = _meant(recording, only, found) if only.any() else frozenset()
    assert isinstance(made, frozenset)
    return made


def _meant(recording: Recording, only: np.ndarray[tuple[int], np.dtype[np.bool_]], found: Statistics) -> frozenset[int]:
    log = columns_of(recording)
    made: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for step, tensor, array in _values(log, only):
        made[step].append((tensor, array))
    since: dict[int, bool] = {}  # tensor with infinities → whether they are meant
    arrays: dict[int, list[int]] = defaultdict(list)
    for step in sorted(made):
        event = recording.events[step]
        assert isinstance(event, OpRan)
        taken = [since[a.tensor] for a in event.inputs if a.tensor in since]
        traits = frozenset(traits_in(recording.ops, event.op))
        good = all(taken) and not traits.isdisjoint(_KEPT if taken else _WRITTEN) and traits.isdisjoint(_SPREADS)
        for tensor, array in made[step]:
            since[tensor] = good and since.get(tensor, True)
            arrays[tensor].append(array)
    _harmful(recording, log, found, since)
    bad = {array for tensor, good in since.items() if not good for array in arrays[tensor]}
    return frozenset(array for tensor, good in since.items() if good for array in arrays[tensor]) - bad


def _values(log: Columns, only: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Iterable[tuple[int, int, int]]:
    """(step, tensor, array) wherever a tensor comes to hold one of these arrays."""
    for steps, tensors, arrays in (
        (log.tensors.step, log.tensors.id, log.tensors.array),
        (log.writes.step, log.writes.tensor, log.writes.array),
    ):
        rows = only[arrays]
        yield from zip(steps[rows].tolist(), tensors[rows].tolist(), arrays[rows].tolist(), strict=True)


def _harmful(recording: Recording, log: Columns, found: Statistics, since: dict[int, bool]) -> None:
    """Take back what is meant where something is made of it that is NaN, or infinite and not meant."""
    birth = dict(zip(log.tensors.id.tolist(), log.tensors.array.tolist(), strict=True))
    users = log.inputs.step[np.isin(log.inputs.tensor, [tensor for tensor, good in since.items() if good])]
    for step in np.unique(users)[::-1].tolist():
        event = recording.events[step]
        assert isinstance(event, OpRan)
        inputs = [a.tensor for a in event.inputs if a.tensor != NOTHING]
        if any(found.nan[birth.get(tensor, NOTHING)] for tensor in inputs):
            continue  # NaN was there before
        results = [(info.id, info.array) for info in event.outputs] + [(write.tensor, write.array) for write in event.written]
        if any(found.nan[array] or (found.inf[array] and not since.get(tensor, False)) for tensor, array in results):
            since.update({tensor: False for tensor in inputs if tensor in since})
