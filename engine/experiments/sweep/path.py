"""Where a run went: the values of leaves, and the loss, at each of its backward passes and at its end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...recording.events import NOTHING, BackwardEnded
from ...recording.index import Index, StepFunction, index_of
from ...recording.recording import Recording
from .messages import MAX_PATH, Spot


def last_pass(recording: Recording) -> int:
    """The last backward pass that came to its end without an error, 0 if there is none."""
    return max((e.number for e in recording.events if isinstance(e, BackwardEnded) and not e.error), default=0)


def loss_of(recording: Recording, number: int) -> float:
    """The root of a backward pass, summed with the weights that the pass starts from; NaN where it is not in the recording.

    For 0, of a program without backward pass: the last floating-point number that an operation computed.
    """
    index = index_of(recording)
    if number == 0:
        numbers = [h for h in index.tensors.values() if "float" in h.info.dtype and np.prod(h.info.shape, dtype=int) == 1]
        loss = recording.array(numbers[-1].info.array) if numbers else None
        return float("nan") if loss is None else float(loss.item())
    entry = index.passes.get(number)
    if entry is None:
        return float("nan")
    total = 0.0
    for tensor, weight in entry.event.roots:
        value, weights = recording.array(index.tensors[tensor].status(entry.began).array), recording.array(weight)
        if value is None or weights is None:
            return float("nan")
        total += float((value * weights).sum())
    return total


def path(recording: Recording, leaves: Sequence[tuple[int, tuple[int, ...]] | None]) -> list[Spot]:
    """Each backward pass's spot, and the one at the end (pass 0) if the leaves went on after the last pass.

    `leaves` are tensors with one of their elements; None stands for a literal, which is 0 here. A program may give a leaf's
    name to a new leaf in each iteration; the path follows the name.
    """
    index = index_of(recording)
    spots = []
    for number, entry in index.passes.items():
        values = _values(recording, index, leaves, entry.began)
        if values is not None:
            spots.append(Spot(number, values, loss_of(recording, number), recording.line(entry.event)))
    end = _values(recording, index, leaves, len(recording.events) - 1)
    if end is not None and spots and end != spots[-1].values:
        spots.append(Spot(0, end, float("nan")))
    if len(spots) > MAX_PATH:
        spots = [spots[i] for i in sorted({round(i * (len(spots) - 1) / (MAX_PATH - 1)) for i in range(MAX_PATH)})]
    return spots


def reach(recording: Recording, leaf: int, elements: Sequence[tuple[int, ...]]) -> list[tuple[float, ...]]:
    """The values of a leaf's elements along the run: at backward passes, of many at some of them, and at its end."""
    index = index_of(recording)
    passes = list(index.passes.values())
    if len(passes) > _LOOKED_AT:
        passes = [passes[i * len(passes) // _LOOKED_AT] for i in range(_LOOKED_AT)]
    leaves = [(leaf, element) for element in elements]
    steps = [*(entry.began for entry in passes), len(recording.events) - 1]
    return [values for step in steps if (values := _values(recording, index, leaves, step)) is not None]


_LOOKED_AT = 200
"""Backward passes at which it is looked where a leaf is."""


def _values(
    recording: Recording, index: Index, leaves: Sequence[tuple[int, tuple[int, ...]] | None], step: int
) -> tuple[float, ...] | None:  # fmt: skip
    """Where the leaves are at a step, None if one of them is not known then."""
    found = []
    for leaf in leaves:
        if leaf is None:
            found.append(0.0)
            continue
        tensor, element = _now(recording, leaf[0], step), leaf[1]
        array = None if tensor == NOTHING else recording.array(index.tensors[tensor].status(step).array)
        if array is None or len(array.shape) != len(element):
            return None
        if any(not 0 <= i < n for i, n in zip(element, array.shape, strict=True)):
            return None
        found.append(float(array[element]))
    return tuple(found)


def _now(recording: Recording, leaf: int, step: int) -> int:
    """The tensor that has the leaf's name at a step; the leaf itself if it has none."""
    index = index_of(recording)
    history = index.tensors[leaf]
    if not history.first_name:
        return leaf if history.born <= step else NOTHING
    track = _tracks(recording).get(leaf)
    if track is None:
        return leaf
    now = track.at(step, NOTHING)
    return now if now != NOTHING and index.tensors[now].status(step).is_leaf else NOTHING


def _tracks(recording: Recording) -> dict[int, StepFunction[int]]:
    """For each tensor with a name, which tensor had that name when."""
    known: dict[int, StepFunction[int]] | None = recording.derived.get("tracks of names")
    if known is None:
        known = recording.derived["tracks of names"] = {}
        index = index_of(recording)
        for (_, name), track in index.names.items():
            for tensor in track.values:
                if tensor in index.tensors and index.tensors[tensor].first_name == name:
                    known.setdefault(tensor, track)
    return known
