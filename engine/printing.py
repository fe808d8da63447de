"""Tensors as text, exactly as PyTorch prints them.

All elements of a tensor share one format, decided from the elements that are shown: whole numbers get a bare point ("1."),
wide ranges scientific notation, everything else four decimals; each element is as wide as the widest. Follows
`torch/_tensor_str.py` of PyTorch 2.13.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from .dtypes import FLOATING

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class PrintOptions:
    """How tensors are printed: decimals, elements before summarizing, elements shown at each end, line width."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


PROFILES: dict[str, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}

_options = PrintOptions()


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Set options; `profile` is "default", "short" or "full". `sci_mode` None lets each tensor decide, and is always set."""
    global _options
    changes: dict[str, Any] = dict(PROFILES.get(profile or "", {}))
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    changes |= {name: value for name, value in given.items() if value is not None}
    _options = replace(_options, sci_mode=sci_mode, **changes)


@contextmanager
def printoptions(**changes: Any) -> Iterator[None]:
    """Other options within the block."""
    global _options
    before = _options
    set_printoptions(**changes)
    try:
        yield
    finally:
        _options = before


def format_tensor(
    array: Array,
    *,
    dtype_name: str,
    default_dtype_name: str = "float32",
    requires_grad: bool = False,
    grad_fn_name: str | None = None,
    tangent: str | None = None,
    is_parameter: bool = False,
    tensor_class: str | None = None,
) -> str:
    """What `repr(tensor)` gives."""
    prefix = "tensor(" if tensor_class is None else f"{tensor_class}("
    indent = len(prefix)
    suffixes = []
    usual = dtype_name in (
        default_dtype_name,
        "int64",
        "bool",
        "complex128" if default_dtype_name == "float64" else "complex64",
    )
    if array.size == 0:
        # An empty tensor shows its shape, and its dtype unless it is the one that an empty list would get.
        if array.ndim != 1:
            suffixes.append(f"size={_shape(array)}")
        if dtype_name != default_dtype_name:
            suffixes.append(f"dtype=torch.{dtype_name}")
        text_of = "[]"
    else:
        if not usual:
            suffixes.append(f"dtype=torch.{dtype_name}")
        text_of = body(array, indent)
    if grad_fn_name is not None:
        suffixes.append(f"grad_fn=<{grad_fn_name}>")
    elif requires_grad:
        suffixes.append("requires_grad=True")
    if tangent is not None:
        suffixes.append(f"tangent={tangent}")
    text = prefix + text_of + joined(text_of, prefix, suffixes, indent)
    return f"Parameter containing:\n{text}" if is_parameter else text


def _shape(array: Array) -> str:
    inner = ", ".join(map(str, array.shape))
    return f"({inner},)" if array.ndim == 1 else f"({inner})"


def joined(body: str, prefix: str, suffixes: list[str], indent: int, newline: bool = False) -> str:
    """The suffixes behind the body, each on a new line where it does not fit, and the first one on one where that is wanted."""
    text = prefix + body
    length = len(text) - text.rfind("\n") + 1
    parts = []
    for suffix in suffixes:
        if newline or length + len(suffix) + 2 > _options.linewidth:
            newline = False
            parts.append(",\n" + " " * indent + suffix)
            length = indent + len(suffix)
        else:
            parts.append(", " + suffix)
            length += len(suffix) + 2
    return "".join(parts) + ")"


def body(array: Array, indent: int) -> str:
    """The elements as text, whose lines after the first are indented."""
    summarize = array.size > _options.threshold
    shown = _shown(array) if summarize else array
    width, write = _complex_formatter(shown) if array.dtype.kind == "c" else _formatter(shown)
    return _nested(array, indent, summarize, width, write)


def _shown(array: Array) -> Array:
    """The elements that a summarized print shows."""
    edge = _options.edgeitems
    for axis, length in enumerate(array.shape):
        if length > 2 * edge:
            array = array.take([*range(edge), *range(length - edge, length)], axis=axis)
    return array


def _formatter(array: Array) -> tuple[int, Callable[[Any], str]]:
    """The width of an element and the function that writes one."""
    flat = array.ravel().tolist()
    if array.dtype.kind not in FLOATING:
        width = max((len(str(v)) for v in flat), default=1)
        return width, lambda v: str(v).rjust(width)
    precision = _options.precision
    numbers = [v for v in flat if v != 0 and math.isfinite(v)]
    fixed, scientific = f"{{:.{precision}f}}", f"{{:.{precision}e}}"
    if not numbers:
        return 1, _whole(1)
    smallest, largest = min(map(abs, numbers)), max(map(abs, numbers))
    wide = largest / smallest > 1000.0 or largest > 1.0e8 or smallest < 1.0e-4
    if wide if _options.sci_mode is None else _options.sci_mode:
        width = max(1, *(len(scientific.format(v)) for v in numbers))
        return width, lambda v: scientific.format(v).rjust(width)
    if all(v == math.ceil(v) for v in numbers):
        width = max(1, *(len(f"{v:.0f}") + 1 for v in numbers))
        return width, _whole(width)
    width = max(1, *(len(fixed.format(v)) for v in numbers))
    return width, lambda v: fixed.format(v).rjust(width)


def _complex_formatter(array: Array) -> tuple[int, Callable[[Any], str]]:
    """The same for complex numbers: their parts each have a format of their own."""
    (width, real), (more, imag) = _formatter(array.real), _formatter(array.imag)

    def write(v: complex) -> str:
        below = imag(v.imag).lstrip() + "j"
        return real(v.real) + ("" if below[0] in "+-" else "+") + below

    return width + more + 1, write


def _whole(width: int) -> Callable[[float], str]:
    """Writes whole numbers with a bare point, which says that they are floating point."""

    def write(v: float) -> str:
        return (f"{v:.0f}." if math.isfinite(v) else f"{v:.0f}").rjust(width)

    return write


def _nested(array: Array, indent: int, summarize: bool, width: int, write: Callable[[Any], str]) -> str:
    if array.ndim == 0:
        return write(array.item())
    if array.ndim == 1:
        return _vector(array, indent, summarize, width, write)
    edge = _options.edgeitems
    rows: list[Any] = list(range(len(array)))
    cut = summarize and len(array) > 2 * edge
    if cut:
        rows = [*rows[:edge], None, *rows[len(rows) - edge :]]
    parts = ["..." if i is None else _nested(array[i], indent + 1, summarize, width, write) for i in rows]
    return "[" + ("," + "\n" * (array.ndim - 1) + " " * (indent + 1)).join(parts) + "]"


def _vector(array: Array, indent: int, summarize: bool, width: int, write: Callable[[Any], str]) -> str:
    edge = _options.edgeitems
    per_line = max(1, (_options.linewidth - indent) // (width + 2))
    if summarize and not edge:
        items = ["..."]
    elif summarize and len(array) > 2 * edge:
        items = [*map(write, array[:edge].tolist()), " ...", *map(write, array[len(array) - edge :].tolist())]
    else:
        items = [*map(write, array.tolist())]
    lines = [", ".join(items[i : i + per_line]) for i in range(0, len(items), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
