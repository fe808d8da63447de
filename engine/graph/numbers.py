"""Numbers and arrays in few characters: `42`, `1.2e-05`, `[1 2; 3 4]`, `mean 0.01 ± 0.9`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..recording.events import NOTHING
from ..recording.recording import Recording
from ..recording.store import StoredArray

UNMEASURED = "not recorded"
"""What a sentence says of an array of which nothing but dtype and shape is known: a recording of facts alone has no other."""
THERE = "not None"
"""What a card says of a gradient of which nothing else is known."""
_MAX_WIDTH = 22
_MAX_ELEMENTS = 6
_FEW = 64
"""Elements up to which statistics are quicker in plain Python."""


def number(value: Any) -> str:
    """A number with four significant digits; whole numbers up to seven digits without a point."""
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, complex):
        return f"{value:.3g}"
    if isinstance(value, int):
        return str(value) if abs(value) < 10**9 else f"{float(value):.4g}"
    if math.isfinite(value) and value == int(value) and abs(value) < 10**7:
        return str(int(value))
    return f"{value:.4g}"


def times(count: int) -> str:
    """How often something happened."""
    return {1: "once", 2: "twice"}.get(count, f"{number(count)} times")


def shape_text(shape: tuple[int, ...]) -> str:
    """`[64×128]`, or "scalar" for no dimensions."""
    return f"[{'×'.join(map(str, shape))}]" if shape else "scalar"


def preview(stored: StoredArray) -> str:
    """What fits on a card: the elements of a small array, mean ± standard deviation of a larger one."""
    size = math.prod(stored.shape)
    if size == 0:
        return "empty"
    array = stored.to_numpy()
    if array is None:
        return UNMEASURED if stored.unmeasured else _statistics_of_summary(stored)
    if size == 1:
        return number(array.item())
    if size <= _MAX_ELEMENTS and array.ndim <= 2:
        rows = [" ".join(map(number, row)) for row in np.atleast_2d(array).tolist()]
        text = f"[{'; '.join(rows)}]"
        if len(text) <= _MAX_WIDTH:
            return text
    return _statistics(array)


def describe(stored: StoredArray) -> str:
    """What fits in a sentence: a single number, or dtype, shape and preview: `float32 [64×128] mean 0.01 ± 0.9`."""
    return _in_a_sentence(stored, preview(stored))


def _in_a_sentence(stored: StoredArray, text: str) -> str:
    if text.startswith("[") or (math.prod(stored.shape) == 1 and text != UNMEASURED):
        return text
    return f"{stored.dtype} {shape_text(stored.shape)} {text}"


def norm(stored: StoredArray) -> float | None:
    """The Euclidean norm, or None if it is not finite (JSON has no word for that) or not known."""
    array = stored.to_numpy()
    if array is None:
        assert stored.summary is not None
        value = stored.summary.norm
    elif array.size == 1:
        value = float(abs(array.item()))
    else:
        with np.errstate(over="ignore"):
            wide = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
            value = float(np.linalg.norm(wide.ravel()))
    return value if math.isfinite(value) else None


class ArrayTexts:
    """Previews of a recording's arrays by id, each made once for all who ask."""

    def __init__(self, recording: Recording) -> None:
        self._arrays = recording.arrays
        self._previews: dict[int, str] = recording.derived.setdefault("previews", {})
        self._norms: dict[int, float | None] = recording.derived.setdefault("norms", {})

    def __call__(self, id: int) -> str:
        """The preview of an array, "" for NOTHING."""
        if id == NOTHING:
            return ""
        text = self._previews.get(id)
        if text is None:
            text = self._previews[id] = preview(self._arrays[id])
        return text

    def on_card(self, id: int) -> str:
        """The preview of an array, of one whose numbers were not recorded its shape, "" for NOTHING."""
        text = self(id)
        return shape_text(self._arrays[id].shape) if text is UNMEASURED else text

    def gradient(self, id: int) -> str:
        """The preview of a gradient, of one whose numbers were not recorded that it is there, "" for NOTHING."""
        text = self(id)
        return THERE if text is UNMEASURED else text

    def describe(self, id: int) -> str:
        """The array in a sentence, "" for NOTHING."""
        return "" if id == NOTHING else _in_a_sentence(self._arrays[id], self(id))

    def norm(self, id: int) -> float | None:
        """The array's norm, None for NOTHING and where it is not finite or not known."""
        if id == NOTHING:
            return None
        if id not in self._norms:
            self._norms[id] = norm(self._arrays[id])
        return self._norms[id]


def _statistics(array: np.ndarray[Any, np.dtype[Any]]) -> str:
    if array.dtype.kind == "b":
        return f"{int(array.sum())} of {array.size} True"
    if array.size <= _FEW and array.dtype.kind != "c":
        return _statistics_of_few(array.ravel().tolist())
    wide = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
    finite = wide[np.isfinite(wide)]
    nan = int(np.isnan(wide).sum())
    with np.errstate(all="ignore"):
        mean, std = (finite.mean().item(), finite.std().item()) if finite.size else (math.nan, math.nan)
    return _mean_and_faults(mean, std, nan, wide.size - finite.size - nan)


def _statistics_of_few(values: list[float]) -> str:
    """Statistics computed without NumPy, whose functions take ten times as long to set out on a few numbers."""
    finite = [float(value) for value in values if math.isfinite(value)]
    nan = sum([value != value for value in values]) if len(finite) < len(values) else 0
    mean = std = math.nan
    if finite:
        mean = math.fsum(finite) / len(finite)
        std = math.sqrt(math.fsum([(value - mean) ** 2 for value in finite]) / len(finite))
    return _mean_and_faults(mean, std, nan, len(values) - len(finite) - nan)


def _statistics_of_summary(stored: StoredArray) -> str:
    summary = stored.summary
    assert summary is not None
    return _mean_and_faults(summary.mean, summary.std, summary.nan, summary.inf)


def _mean_and_faults(mean: Any, std: float, nan: int, inf: int) -> str:
    faults = [f"{count} {name}" for count, name in ((nan, "NaN"), (inf, "Inf")) if count]
    if faults:
        return ", ".join(faults)
    mean_text = f"{mean:.2g}" if isinstance(mean, complex) else number(float(f"{mean:.3g}"))
    return f"mean {mean_text} ± {std:.2g}"
