"""How an array of one run differs from the same array of another."""

from __future__ import annotations

import math

import msgspec
import numpy as np

from ...recording.arrays import arrays_from
from ...recording.events import NOTHING
from ...recording.store import StoredArray, Summary, summarize
from .array_pairs import unlike
from .tolerance import RERUN, Tolerance

_FIRST = np.zeros(1, np.int64)
_STATISTICS = {"mean": "means", "std": "standard deviations", "min": "least elements", "max": "largest elements"}
_PLAIN = 0.01
"""By how much of the largest element means differ so that nothing else needs to be told."""


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One array in both runs, by id, NOTHING where there is none."""

    before: int = NOTHING
    after: int = NOTHING
    changed: bool = False
    largest: float | None = None
    """The largest difference of two elements; None where elements cannot be compared."""
    relative: float | None = None
    """The largest difference divided by the largest finite element of `before`."""
    note: str = ""
    """What is different beside the numbers: "None before", "shape [2] → [3]", "NaN now"."""


def array_change(a: StoredArray | None, b: StoredArray | None, tolerance: Tolerance = RERUN) -> Change:
    """How two arrays differ. NaN is the same as NaN, and infinite the same as equally infinite."""
    if a is None or b is None:
        note = "" if a is b else "None before" if a is None else "None now"
        return Change(changed=a is not b, note=note)
    if a.shape != b.shape:
        return Change(changed=True, note=f"shape {list(a.shape)} → {list(b.shape)}")
    changed = bool(unlike(arrays_from([a]), arrays_from([b]), _FIRST, _FIRST, tolerance)[0])
    types = f"{a.dtype} → {b.dtype}" if a.dtype != b.dtype else ""
    x, y = a.to_numpy(), b.to_numpy()
    if x is None or y is None:
        return _of_summaries(_summary(a), _summary(b), types, changed)
    if x.size == 0:
        return Change(changed=changed, largest=0.0, relative=0.0, note=types)
    wide = np.complex128 if "c" in (x.dtype.kind, y.dtype.kind) else np.float64
    x, y = x.astype(wide), y.astype(wide)
    lost, found = np.isnan(y) & ~np.isnan(x), np.isnan(x) & ~np.isnan(y)
    with np.errstate(all="ignore"):
        apart = np.where((x == y) | (np.isnan(x) & np.isnan(y)), 0.0, np.abs(y - x))
        size = float(np.max(np.abs(x), where=np.isfinite(x), initial=0.0))
        numbers = apart[~np.isnan(apart)]
        largest = float(numbers.max()) if numbers.size else math.nan
    nan = f"{int(lost.sum())} NaN now" if lost.any() else f"{int(found.sum())} NaN before" if found.any() else ""
    relative = largest / size if size else (0.0 if largest == 0 else math.inf)
    note = ", ".join(part for part in (types, nan) if part)
    return Change(changed=changed, largest=largest, relative=relative, note=note)


def _of_summaries(a: Summary, b: Summary, types: str, changed: bool) -> Change:
    """Arrays of which only statistics are compared: the one that differs most by the size of the elements is told."""
    size = max(abs(a.min), abs(a.max), abs(b.min), abs(b.max))
    apart = [(abs(getattr(a, name) - getattr(b, name)), name) for name in _STATISTICS]
    if math.isnan(size) or any(math.isnan(each) for each, _ in apart):
        return Change(changed=changed, note=types)
    largest, name = max(apart, key=lambda each: each[0]) if apart[0][0] < _PLAIN * size else apart[0]
    own = abs(getattr(a, name))
    note = ", ".join(part for part in (types, f"of the {_STATISTICS[name]}" if changed else "") if part)
    return Change(changed=changed, largest=largest, relative=largest / own if own else None, note=note)


def _summary(stored: StoredArray) -> Summary:
    """What is known of an array, worked out of its elements where they are there."""
    array = stored.to_numpy()
    if array is not None:
        return summarize(array)
    assert stored.summary is not None
    return stored.summary
