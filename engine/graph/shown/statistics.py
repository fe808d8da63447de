"""Statistics of all arrays of a recording by their ids, with a row for none, and how far arrays are apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...recording import arrays
from ...recording.arrays import GONE
from ...recording.events import NOTHING
from ...recording.recording import Recording
from ...recording.store import DTYPES

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

BATCH = 2**20
"""Elements that are worked on in one go."""


@dataclass(frozen=True, slots=True, eq=False)
class Statistics:
    """A row for each array, by its id, and a last one for NOTHING, so that -1 may stand among ids that are looked up.

    Numbers are those of the finite elements, NaN where there are none; complex ones count by magnitude, as in summaries.
    """

    mean: Floats
    std: Floats
    norm: Floats
    low: Floats
    high: Floats
    nan: Ints
    inf: Ints
    size: Ints
    """Elements; -1 for NOTHING."""


def statistics(recording: Recording) -> Statistics:
    """The statistics of a recording's arrays, made on the first call and kept on the recording."""
    return recording.once("statistics", lambda: _with_none(recording.stored.statistics))


def _with_none(found: arrays.Statistics) -> Statistics:
    mean, std, norm, low, high = (
        np.append(column, np.nan) for column in (found.mean, found.std, found.norm, found.min, found.max)
    )
    nan, inf, size = np.append(found.nan, 0), np.append(found.inf, 0), np.append(found.size, NOTHING)
    return Statistics(mean, std, norm, low, high, nan, inf, size)


def moved(recording: Recording, before: Ints, after: Ints) -> Floats:
    """How far apart the arrays of each pair are: the norm of their difference; NaN where one is not there whole, or is of
    another dtype or size."""
    found = np.full(len(before), np.nan)
    held = recording.stored
    at = np.flatnonzero((before != NOTHING) & (after != NOTHING))
    found[at[before[at] == after[at]]] = 0.0
    old, new = before[at], after[at]
    whole = held.start != GONE
    alike = (held.dtypes[old] == held.dtypes[new]) & (held.sizes[old] == held.sizes[new]) & (held.sizes[old] > 0)
    at = at[(old != new) & whole[old] & whole[new] & alike]
    kinds = np.stack([held.dtypes[before[at]], held.sizes[before[at]]], axis=1)
    for dtype, size in np.unique(kinds, axis=0).tolist():
        places = at[(kinds == (dtype, size)).all(axis=1)]
        kind = DTYPES[held.texts[dtype]]
        wide = np.complex128 if kind.kind == "c" else np.float64
        for some in np.array_split(places, len(places) * size // BATCH + 1):
            one, other = (held.joined(ids[some], kind, size).astype(wide) for ids in (before, after))
            with np.errstate(all="ignore"):
                found[some] = np.linalg.norm(other - one, axis=1)
    return found


def without_faults(values: Floats, made: Statistics, ids: Ints) -> Floats:
    """The values of arrays, NaN where an array is not wholly finite: a mean of what is left of it would look sound."""
    return np.where((made.nan[ids] > 0) | (made.inf[ids] > 0), np.nan, values)
