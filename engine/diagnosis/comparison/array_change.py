"""How an array of one run differs from the same array of another."""

from __future__ import annotations

import math

import msgspec
import numpy as np

from ...recording.events import NOTHING
from ...recording.store import StoredArray

TOLERANCE = 1e-6
"""Relative to the largest element; below it two arrays are the same: sums in another order differ in their last digits."""


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


def array_change(a: StoredArray | None, b: StoredArray | None) -> Change:
    """How two arrays differ. NaN is the same as NaN, and infinite the same as equally infinite."""
    if a is None or b is None:
        note = "" if a is b else "None before" if a is None else "None now"
        return Change(changed=a is not b, note=note)
    if a.shape != b.shape:
        return Change(changed=True, note=f"shape {list(a.shape)} → {list(b.shape)}")
    types = f"{a.dtype} → {b.dtype}" if a.dtype != b.dtype else ""
    x, y = a.to_numpy(), b.to_numpy()
    if x is None or y is None:
        return _of_summaries(a, b, types)
    if x.size == 0:
        return Change(changed=bool(types), largest=0.0, relative=0.0, note=types)
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
    changed = bool(types or nan or not relative <= TOLERANCE)
    return Change(
        changed=changed, largest=largest, relative=relative, note=", ".join(part for part in (types, nan) if part)
    )  # fmt: skip


def _of_summaries(a: StoredArray, b: StoredArray, types: str) -> Change:
    """Large arrays, of which only statistics are kept."""
    if a.summary is None or b.summary is None:
        return Change(changed=True, note=types or "only one was kept whole")
    changed = bool(types) or a.summary != b.summary
    apart, size = abs(a.summary.mean - b.summary.mean), abs(a.summary.mean)
    note = ", ".join(part for part in (types, "of the means" if changed else "") if part)
    return Change(changed=changed, largest=apart, relative=apart / size if size else None, note=note)
