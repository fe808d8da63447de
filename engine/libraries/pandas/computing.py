"""Arithmetic, comparisons and sums of columns."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .values import Array, inferred, missing, missing_one, order, plain, texts

ARITHMETIC = {
    name: getattr(operator, name) for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor")
}
COMPARISONS = {name: getattr(operator, name) for name in ("lt", "le", "gt", "ge", "eq", "ne")}
Operation = Callable[[Any, Any], Any]


def computed(does: Operation, one: Any, other: Any) -> Array:
    """An operation on two columns of one length, or on a column and a value."""
    compares = does in COMPARISONS.values()
    if all(not isinstance(side, np.ndarray) or side.dtype.kind != "O" for side in (one, other)) and not any(
        isinstance(side, str) or side is None for side in (one, other)
    ):
        with np.errstate(all="ignore"):
            return does(one, other)
    length = len(one) if isinstance(one, np.ndarray) else len(other)
    left, right = (side.tolist() if isinstance(side, np.ndarray) else [side] * length for side in (one, other))
    found = [_one(does, a, b, compares) for a, b in zip(left, right, strict=True)]
    return np.array(found, np.bool_) if compares else inferred(found) if found else texts(found)


def _one(does: Operation, a: Any, b: Any, compares: bool) -> Any:
    if missing_one(a) or missing_one(b):
        return does is operator.ne if compares else float("nan")
    return does(a, b)


def numbers(array: Array, what: str) -> Array:
    """A column's numbers, without gaps.

    Raises:
        TypeError: for a column of texts.
    """
    if array.dtype.kind == "O":
        items = [item for item in array.tolist() if not missing_one(item)]
        if any(type(item) is str for item in items):
            raise TypeError(f"Could not convert {items[:3]} to numeric: {what} takes a column of numbers")
        return np.array(items, np.float64 if any(type(item) is float for item in items) else None)
    return array[~missing(array)] if array.dtype.kind == "f" else array


def _of_numbers(name: str, does: Callable[[Array], Any], least: int = 1) -> Callable[..., Any]:
    def reduce(array: Array, skipna: bool = True) -> Any:
        values = numbers(array, f"{name}()")
        if len(values) < least or (not skipna and len(values) < len(array)):
            return np.nan
        return does(values)

    return reduce


def _least(name: str, does: Callable[[Any], Any]) -> Callable[..., Any]:
    def reduce(array: Array, skipna: bool = True) -> Any:
        there = array[~missing(array)]
        if not len(there) or (not skipna and len(there) < len(array)):
            return np.nan
        return does(there.tolist()) if array.dtype.kind == "O" else getattr(there, name)()

    return reduce


def total(array: Array, skipna: bool = True) -> Any:
    """The sum; of texts all of them in one."""
    items = [item for item in array.tolist() if not missing_one(item)] if array.dtype.kind == "O" else []
    if items and all(type(item) is str for item in items):
        return "".join(items)
    values = numbers(array, "sum()")
    return np.nan if not skipna and len(values) < len(array) else values.sum()


REDUCTIONS: dict[str, Callable[..., Any]] = {
    "all": lambda array, skipna=True: bool(all(array.tolist())),
    "any": lambda array, skipna=True: bool(any(item for item in array.tolist() if not missing_one(item))),
    "count": lambda array, skipna=True: int((~missing(array)).sum()),
    "max": _least("max", max),
    "mean": _of_numbers("mean", np.mean),
    "median": _of_numbers("median", np.median),
    "min": _least("min", min),
    "nunique": lambda array, skipna=True: len({*array[~missing(array)].tolist()}),
    "prod": lambda array, skipna=True: numbers(array, "prod()").prod(),
    "std": _of_numbers("std", lambda values: values.std(ddof=1), 2),
    "sum": total,
    "var": _of_numbers("var", lambda values: values.var(ddof=1), 2),
}
"""By name, what makes one value of a column."""
OF_NUMBERS = frozenset(("mean", "median", "prod", "std", "var"))
"""Those that texts do not have."""


def quantile(array: Array, q: float) -> Any:
    """The value below which this share of the others lies."""
    values = numbers(array, "quantile()")
    return np.quantile(values.astype(np.float64), plain(q)) if len(values) else np.nan


CUMULATIONS = {"cumsum": np.add, "cumprod": np.multiply, "cummax": np.maximum, "cummin": np.minimum}


def cumulated(name: str, array: Array) -> Array:
    """Running sums, products and extremes; gaps stay where they are."""
    does = CUMULATIONS[name]
    if array.dtype.kind == "b":
        array = array.astype(np.int64)
    there = ~missing(array)
    found = array.copy()
    found[there] = does.accumulate(numbers(array, f"{name}()"))
    return found


def ranked(array: Array) -> Array:
    """The rank of each value, the mean of theirs for equal ones."""
    at = order(array)[: int((~missing(array)).sum())]
    found, items = np.full(len(array), np.nan), array.tolist()
    k = 0
    while k < len(at):
        end = k
        while end < len(at) and items[at[end]] == items[at[k]]:
            end += 1
        found[at[k:end]] = (k + 1 + end) / 2
        k = end
    return found
