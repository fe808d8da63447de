"""What the cells of a table may hold, and columns of them: NumPy arrays of numbers, or of texts.

A column holds plain values only: whatever a program hands over is looked at one by one, so that no code of the program's stands
behind a value when columns are compared, sorted or added up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ...tensor import Tensor

Array = Any
SCALARS = frozenset({*np.sctypeDict.values()} - {np.void, np.object_, np.datetime64, np.timedelta64})
NAMES = {
    "bool": np.bool_, "category": np.object_, "float": np.float64, "int": np.int64, "object": np.object_, "str": np.object_,
    "string": np.object_,
}  # fmt: skip
"""Names of kinds that are not NumPy's own."""
TYPES = {bool: "bool", float: "float64", int: "int64", object: "object", str: "str"}


def plain(value: Any) -> Any:
    """A value as a cell may hold it.

    Raises:
        TypeError: for anything but numbers, texts, truth values and None.
    """
    kind = type(value)
    if kind in (bool, float, int, str) or value is None:
        return value
    if kind in SCALARS:
        return np.generic.item(value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, Tensor) and value.ndim == 0:
        raise TypeError("a tensor cannot be a cell of a table here; take its number with .item()")
    raise TypeError(f"the cells of a table are numbers, texts and truth values here, not {kind.__name__}")


def label(value: Any) -> Any:
    """A value that may name a row or a column: a plain one, or a tuple of them."""
    return tuple(map(plain, value)) if type(value) is tuple else plain(value)


class Held:
    """What has a column of its own, and perhaps a name: a `Series`, an `Index`."""

    __slots__ = ("_column", "_name")
    _column: Array
    _name: Any

    @property
    def name(self) -> Any:
        """What the values are called."""
        return self._name

    @name.setter
    def name(self, name: Any) -> None:
        self._name = None if name is None else label(name)

    @property
    def values(self) -> Array:
        """The values as an array."""
        return self._column.copy()

    @property
    def dtype(self) -> Any:
        """What kind of values they are."""
        return self._column.dtype

    @property
    def shape(self) -> tuple[int]:
        """How many there are."""
        return (len(self._column),)

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self._column)

    def __len__(self) -> int:
        return len(self._column)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._column.tolist())

    def tolist(self) -> list[Any]:
        """The values as a list."""
        found: list[Any] = self._column.tolist()
        return found

    to_list = tolist


def is_list(value: Any) -> bool:
    """Whether something stands for several values."""
    return isinstance(value, dict | Held | list | np.ndarray | range | set | Tensor | tuple)


def inferred(items: list[Any]) -> Array:
    """A column of plain values: of the narrowest kind that holds them all."""
    kinds = {type(item) for item in items if item is not None}
    gaps = any(item is None for item in items)
    if kinds == {bool} and not gaps:
        return np.array(items, np.bool_)
    if kinds == {int} and not gaps and all(-(2**63) <= item < 2**63 for item in items):
        return np.array(items, np.int64)
    if kinds and kinds <= {float, int}:
        return np.array([np.nan if item is None else item for item in items], np.float64)
    return texts(items)


def texts(items: list[Any]) -> Array:
    """A column that keeps plain values as they are."""
    made = np.empty(len(items), np.object_)
    for k, item in enumerate(items):
        made[k] = item
    return made


def column(values: Any) -> Array:
    """A column of whatever a program has as several values; a copy.

    Raises:
        TypeError: for what holds anything else than plain values.
        ValueError: for an array of more dimensions.
    """
    if isinstance(values, Held):
        return values._column.copy()
    if isinstance(values, Tensor):
        values = values.detach().numpy()
    if isinstance(values, np.ndarray):
        array = np.array(values, subok=False)
        if array.ndim != 1:
            raise ValueError("Per-column arrays must each be 1-dimensional")
        if array.dtype.kind in "biuf":
            return array
        values = array.tolist()
    return inferred([plain(value) for value in values])


def full(value: Any, length: int) -> Array:
    """A column of one value."""
    return inferred([plain(value)] * length) if length else np.empty(0, np.object_)


def kind_of(dtype: Any) -> Any:
    """NumPy's kind for what a program names one by, and whether the values are to be texts.

    Raises:
        TypeError: for a kind that columns do not have.
    """
    name = TYPES.get(dtype) if isinstance(dtype, type) else None
    if name is None:
        name = str(np.dtype(dtype)) if isinstance(dtype, type | np.dtype) else str.lower(str(dtype))
    kind = np.dtype(NAMES[name]) if name in NAMES else np.dtype(name)
    if kind.kind not in "biufO":
        raise TypeError(f"columns of {name} are not here; there are numbers, truth values and texts")
    return kind, name in ("str", "string")


def cast(array: Array, dtype: Any) -> Array:
    """A column as another kind.

    Raises:
        ValueError: for what cannot be converted.
    """
    kind, as_text = kind_of(dtype)
    items = array.tolist()
    if as_text:
        return texts([item if missing_one(item) else str(item) for item in items])
    if kind.kind == "O":
        return texts(items)
    if kind.kind in "iu" and missing(array).any():
        raise ValueError("Cannot convert non-finite values (NA or inf) to integer")
    if array.dtype.kind != "O":
        return array.astype(kind)
    number = {"f": float, "b": bool}.get(kind.kind, int)
    return np.array([np.nan if item is None else number(item) for item in items], kind)


def places(length: int, key: Any) -> Any:
    """Numbers of places, checked: one, or an array of them.

    Raises:
        IndexError: for a place that is not there.
        TypeError: for what is no number.
    """
    if isinstance(key, slice):
        return np.arange(length)[key]
    if is_list(key):
        wanted = column(key)
        if wanted.dtype.kind == "b":
            if len(wanted) != length:
                raise IndexError(f"Boolean index has wrong length: {len(wanted)} instead of {length}")
            return np.flatnonzero(wanted)
        wanted = wanted.astype(np.int64) if len(wanted) else np.empty(0, np.int64)
        if len(wanted) and (wanted.max() >= length or wanted.min() < -length):
            raise IndexError("positional indexers are out-of-bounds")
        return wanted % length if length else wanted
    value = plain(key)
    if type(value) is not int:
        raise TypeError(f"Cannot index by location index with a non-integer key: {value!r}")
    if not -length <= value < length:
        raise IndexError("single positional indexer is out-of-bounds")
    return value % length


def missing_one(value: Any) -> bool:
    """Whether a plain value stands for none."""
    return value is None or value != value


def missing(array: Array) -> Array:
    """Where a column has no value."""
    if array.dtype.kind == "f":
        return np.isnan(array)
    if array.dtype.kind == "O":
        return np.array([missing_one(item) for item in array.tolist()], np.bool_)
    return np.zeros(len(array), np.bool_)


def with_gaps(array: Array) -> Array:
    """A column that can hold gaps: integers become floating point numbers, truth values are kept as they are."""
    if array.dtype.kind in "iu":
        return array.astype(np.float64)
    return texts(array.tolist()) if array.dtype.kind == "b" else array.copy()


def joined(arrays: Iterable[Array]) -> Array:
    """Columns one below the other."""
    parts = list(arrays)
    kinds = {array.dtype for array in parts}
    if len(kinds) == 1 or all(kind.kind in "iuf" for kind in kinds):
        return np.concatenate(parts)
    return texts([item for array in parts for item in array.tolist()])


def taken(array: Array, positions: Array) -> Array:
    """The values at some positions; none where a position is negative."""
    absent = positions < 0
    if not absent.any():
        return array[positions]
    wider = with_gaps(array)
    found = wider[np.where(absent, 0, positions)] if len(wider) else np.empty(len(positions), wider.dtype)
    found[absent] = np.nan
    return found


def order(array: Array, *, ascending: bool = True) -> Array:
    """The positions by value, equal ones as they stand, gaps last."""
    items, absent = array.tolist(), missing(array)
    there = [k for k in range(len(items)) if not absent[k]]
    there.sort(key=lambda k: items[k], reverse=not ascending)
    return np.array(there + [k for k in range(len(items)) if absent[k]], np.int64)


def repeated(items: Iterable[Any]) -> Array:
    """Which of some values have come before."""
    seen: set[Any] = set()
    found = []
    for item in items:
        found.append(item in seen)
        seen.add(item)
    return np.array(found, np.bool_)


def distinct(array: Array) -> list[Any]:
    """The values, each once, in the order in which they come; gaps are one of them."""
    seen: dict[Any, None] = {}
    for item in array.tolist():
        seen.setdefault("\0gap" if missing_one(item) else (isinstance(item, bool), item), None)
    return [np.nan if key == "\0gap" else key[1] for key in seen]
