"""`assert_close`: that two tensors, numbers, or lists and dicts of them are equal up to rounding, and what is not."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from .. import dtypes
from ..context import outside
from ..dtypes import dtype as Dtype  # noqa: N812
from ..ops.creation.conversions import as_tensor
from ..precision import tolerances
from ..tensor import Tensor

OF_NUMBERS = {int: dtypes.int64, float: dtypes.float64}
Path = tuple[Any, ...]
"""Where in lists and dicts something stands."""


@dataclass
class Mismatch(Exception):
    """What is not equal, or cannot be compared."""

    kind: type[Exception]
    text: str
    path: Path = ()

    def error(self, said: Any) -> Exception:
        """The error for a program, which may have something to say."""
        if isinstance(said, str):
            return self.kind(said)
        items = "".join(str([item]) for item in self.path)
        text = self.text + (f"\n\nThe failure occurred for item {items}" if self.path else "")
        return self.kind(said(text) if callable(said) else text)


@dataclass
class Options:
    """How strictly two things are compared."""

    allow_subclasses: bool
    rtol: float | None
    atol: float | None
    equal_nan: bool
    check_device: bool
    check_dtype: bool
    check_layout: bool
    check_stride: bool

    def tolerances(self, path: Path, *kinds: Dtype) -> tuple[float, float]:
        """The relative and the absolute one, of the least precise dtype where none is given."""
        if (self.rtol is None) != (self.atol is None):
            lacks = "rtol" if self.rtol is None else "atol"
            raise Mismatch(ValueError, f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {lacks}.", path)
        if self.rtol is not None and self.atol is not None:
            return self.rtol, self.atol
        return tolerances(*[kind.name for kind in kinds])


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Assert that two things are equal up to rounding: |actual - expected| is at most atol + rtol * |expected|.

    Raises:
        AssertionError: if they are not; it says where they differ most.
        TypeError, ValueError: for what cannot be compared, and tolerances of which one is missing.
    """
    options = Options(allow_subclasses, rtol, atol, equal_nan, check_device, check_dtype, check_layout, check_stride)
    try:
        # What cannot be compared is told before what is not equal.
        for compare in list(_pairs(actual, expected, (), options)):
            compare()
    except Mismatch as found:
        raise found.error(msg) from None


def assert_allclose(
    actual: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = True,
    msg: str = "",
) -> None:
    """`assert_close` as it was: dtypes may differ, and NaN is equal to NaN; deprecated."""
    warnings.warn(
        "`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a future release. Please use "
        "`torch.testing.assert_close()` instead. You can find detailed upgrade instructions in "
        "https://github.com/pytorch/pytorch/issues/61844.",
        FutureWarning,
        stacklevel=outside(),
    )
    actual, expected = (x if isinstance(x, Tensor) else as_tensor(x) for x in (actual, expected))
    assert_close(
        actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan, check_device=True, check_dtype=False, msg=msg or None
    )


def _pairs(actual: Any, expected: Any, path: Path, options: Options) -> Iterator[Callable[[], None]]:
    """What compares two things, part by part."""
    if all(isinstance(x, Sequence) and not isinstance(x, str) for x in (actual, expected)):
        if len(actual) != len(expected):
            raise Mismatch(AssertionError, f"The length of the sequences mismatch: {len(actual)} != {len(expected)}", path)
        for k in range(len(actual)):
            yield from _pairs(actual[k], expected[k], (*path, k), options)
        return
    if all(isinstance(x, Mapping) for x in (actual, expected)):
        keys, wanted = set(actual.keys()), set(expected.keys())
        if keys != wanted:
            raise Mismatch(
                AssertionError,
                "The keys of the mappings do not match:\n"
                f"Missing keys in the actual mapping: {sorted(wanted - keys)}\n"
                f"Additional keys in the actual mapping: {sorted(keys - wanted)}",
                path,
            )
        for key in sorted(keys):
            yield from _pairs(actual[key], expected[key], (*path, key), options)
        return
    yield _pair(actual, expected, path, options)


def _pair(actual: Any, expected: Any, path: Path, options: Options) -> Callable[[], None]:
    both = actual, expected
    if all(isinstance(x, bool | np.bool_) for x in both):
        return partial(_booleans, bool(actual), bool(expected), path)
    if all(isinstance(x, int | float | np.number) and not isinstance(x, bool) for x in both):
        a, b = (x.item() if isinstance(x, np.number) else x for x in both)
        rtol, atol = options.tolerances(path, OF_NUMBERS[type(a)], OF_NUMBERS[type(b)])
        return partial(_numbers, a, b, path, options, rtol, atol)
    related = isinstance(actual, type(expected)) or isinstance(expected, type(actual))
    related = related and (options.allow_subclasses or type(actual) is type(expected))
    if related and all(isinstance(x, Tensor | np.ndarray) for x in both):
        a, b = (x if isinstance(x, Tensor) else as_tensor(x) for x in both)
        return partial(_tensors, a, b, path, options, *options.tolerances(path, a.dtype, b.dtype))
    raise Mismatch(
        TypeError, f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}.", path
    )


def _booleans(actual: bool, expected: bool, path: Path) -> None:
    if actual is not expected:
        raise Mismatch(AssertionError, f"Booleans mismatch: {actual} is not {expected}", path)


def _numbers(actual: Any, expected: Any, path: Path, options: Options, rtol: float, atol: float) -> None:
    if options.check_dtype and type(actual) is not type(expected):
        raise Mismatch(AssertionError, f"The (d)types do not match: {type(actual)} != {type(expected)}.", path)
    if actual == expected or (options.equal_nan and math.isnan(actual) and math.isnan(expected)):
        return
    difference = abs(actual - expected)
    if not (math.isfinite(difference) and difference <= atol + rtol * abs(expected)):
        raise Mismatch(AssertionError, _of_numbers(actual, expected, rtol, atol), path)


def _tensors(actual: Tensor, expected: Tensor, path: Path, options: Options, rtol: float, atol: float) -> None:
    def same(name: str, a: Any, b: Any) -> None:
        if a != b:
            raise Mismatch(AssertionError, f"The values for attribute '{name}' do not match: {a} != {b}.", path)

    same("shape", actual.shape, expected.shape)
    if options.check_stride:
        same("stride()", actual.stride(), expected.stride())
    if options.check_dtype:
        same("dtype", actual.dtype, expected.dtype)
    common = dtypes.promote_types(actual.dtype, expected.dtype)._numpy
    a, b = (t._array.astype(common, copy=False) for t in (actual, expected))
    matches = _close(a, b, rtol, atol, options.equal_nan)
    if matches.all():
        return
    if a.ndim == 0:
        raise Mismatch(AssertionError, _of_numbers(a.item(), b.item(), rtol, atol), path)
    raise Mismatch(AssertionError, _of_arrays(a, b, matches, rtol, atol), path)


def _close(a: Any, b: Any, rtol: float, atol: float, equal_nan: bool) -> Any:
    found = a == b
    if a.dtype.kind in dtypes.INEXACT:
        difference = np.abs(a - b)
        found = found | (np.isfinite(difference) & (difference <= atol + np.abs(b * a.dtype.type(rtol))))
        if equal_nan:
            found = found | (np.isnan(a) & np.isnan(b))
    elif a.dtype.kind in "iu" and (rtol or atol):
        wide = a.astype(np.int64), b.astype(np.int64)
        found = found | (np.abs(wide[0] - wide[1]) <= atol + np.abs(rtol * wide[1]))
    return np.asarray(found)


def _of_numbers(actual: Any, expected: Any, rtol: float, atol: float) -> str:
    difference = abs(actual - expected)
    relative = float("inf") if expected == 0 else difference / abs(expected)
    return _text("Scalars", f"Expected {expected} but got {actual}.", difference, relative, rtol, atol)


def _of_arrays(a: Any, b: Any, matches: Any, rtol: float, atol: float) -> str:
    wrong, n = int((~matches).sum()), matches.size
    if a.dtype.kind not in dtypes.INEXACT:
        a, b = a.astype(np.int64), b.astype(np.int64)
    difference = np.abs(a - b)
    difference[matches] = 0
    relative = (difference / np.abs(b)).astype(a.dtype if a.dtype.kind in dtypes.INEXACT else dtypes.get_default_dtype()._numpy)
    relative[matches] = 0
    most, most_relative = (tuple(map(int, np.unravel_index(x.argmax(), x.shape))) for x in (difference, relative))
    said = f"Mismatched elements: {wrong} / {n} ({wrong / n:.1%})"
    values = difference[most].item(), relative[most_relative].item()
    return _text("Tensor-likes", said, *values, rtol, atol, most, most_relative)


def _text(
    what: str, said: str, difference: Any, relative: Any, rtol: float, atol: float, at: Any = None, relative_at: Any = None
) -> str:
    exact = rtol == 0 and atol == 0
    lines = [f"{what} are not {'equal' if exact else 'close'}!", "", said]
    for kind, value, index, tolerance in (
        ("absolute", difference, at, atol),
        ("relative", relative, relative_at, rtol),
    ):
        begins = (
            f"{kind.title()} difference: {value}" if index is None else f"Greatest {kind} difference: {value} at index {index}"
        )
        lines.append(begins + ("" if exact else f" (up to {tolerance} allowed)"))
    return "\n".join(lines)
