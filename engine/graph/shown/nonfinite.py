"""Which arrays of a recording hold NaN or infinities, and since when a node of a graph does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from ...recording.recording import Recording
from ...recording.store import DTYPES
from .node_states import WholeFaces

_BATCH = 8 * 2**20
"""Bytes that are looked at in one go: small arrays by the thousand, without a copy of everything at once."""


def not_finite(recording: Recording) -> frozenset[int]:
    """The ids of the arrays with a NaN or an infinity in them. Found once and kept on the recording."""
    made = recording.derived.get("not finite")
    if made is None:
        made = recording.derived["not finite"] = frozenset(_search(recording))
    assert isinstance(made, frozenset)
    return made


def troubles(recording: Recording, faces: WholeFaces) -> dict[str, int]:
    """Node → the first step at which its value or a gradient of it is not finite."""
    bad = not_finite(recording)
    if not bad:
        return {}
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
