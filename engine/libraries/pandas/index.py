"""`Index`: the names of rows and columns."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from .values import Array, Held, column, inferred, is_list, kind_of, label, missing_one, places, texts


class Index(Held):
    """Names in order; one may come more than once."""

    __module__ = "pandas"
    __slots__ = ("_where",)

    def __init__(self, data: Any = (), name: Any = None) -> None:
        if isinstance(data, Index) and name is None:
            name = data._name
        if isinstance(data, list | tuple) and any(type(one) is tuple for one in data):
            self._column = texts([label(one) for one in data])
        else:
            self._column = np.arange(len(data)) * data.step + data.start if isinstance(data, range) else column(data)
        self._where: dict[Any, list[int]] | None = None
        self.name = name

    def to_numpy(self, dtype: Any = None) -> Array:
        """The names as an array."""
        return self._column.copy() if dtype is None else self._column.astype(kind_of(dtype)[0])

    @property
    def is_unique(self) -> bool:
        """Whether none comes twice."""
        return len(self._places()) == len(self._column)

    def get_loc(self, key: Any) -> Any:
        """Where a name stands.

        Raises:
            KeyError: if it is not there.
        """
        places = self._places_of(label(key))
        return places[0] if len(places) == 1 else np.array(places)

    def isin(self, values: Any) -> Array:
        """Which of the names are among some values."""
        among = {label(value) for value in values}
        return np.array([item in among for item in self.tolist()], np.bool_)

    def drop(self, labels: Any) -> Index:
        """Without some names."""
        leave = {label(one) for one in (labels if isinstance(labels, list | tuple | Index | np.ndarray) else [labels])}
        for one in leave:
            self._places_of(one)
        return Index([item for item in self.tolist() if item not in leave], self._name)

    def _places(self) -> dict[Any, list[int]]:
        if self._where is None:
            self._where = {}
            for k, item in enumerate(self._column.tolist()):
                self._where.setdefault("\0gap" if missing_one(item) else item, []).append(k)
        return self._where

    def _places_of(self, key: Any) -> list[int]:
        """Where a plain name stands.

        Raises:
            KeyError: if it does not.
        """
        try:
            return self._places()["\0gap" if missing_one(key) else key]
        except KeyError:
            raise KeyError(key) from None

    def _taken(self, positions: Any) -> Index:
        return _made(self._column[positions], self._name)

    def _same(self, other: Index) -> bool:
        return self._column.shape == other._column.shape and self.tolist() == other.tolist()

    def _is_plain(self) -> bool:
        """Whether the names are the numbers from 0 on."""
        return self._column.dtype.kind == "i" and np.array_equal(self._column, np.arange(len(self._column)))

    def __contains__(self, key: Any) -> bool:
        try:
            return label(key) in self._places()
        except TypeError:
            return False

    def __getitem__(self, key: Any) -> Any:
        at = places(len(self), key)
        return self._taken(at) if isinstance(at, np.ndarray) else self.tolist()[at]

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        return self.to_numpy(dtype)

    def __eq__(self, other: object) -> Any:
        others = column(other).tolist() if is_list(other) and type(other) is not tuple else [label(other)] * len(self)
        return np.array([one == two for one, two in zip(self.tolist(), others, strict=True)], np.bool_)

    def __ne__(self, other: object) -> Any:
        return ~(self == other)

    def _compare(self, other: Any, name: str) -> Array:
        return getattr(self._column, name)(label(other))

    def __lt__(self, other: Any) -> Array:
        return self._compare(other, "__lt__")

    def __le__(self, other: Any) -> Array:
        return self._compare(other, "__le__")

    def __gt__(self, other: Any) -> Array:
        return self._compare(other, "__gt__")

    def __ge__(self, other: Any) -> Array:
        return self._compare(other, "__ge__")

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        named = "" if self._name is None else f", name={self._name!r}"
        if self._is_plain():
            return f"RangeIndex(start=0, stop={len(self)}, step=1{named})"
        return f"Index({self.tolist()!r}, dtype='{self.dtype}'{named})"


def _made(array: Array, name: Any = None) -> Index:
    """An index of an array that is ours."""
    made = Index((), name)
    made._column = array
    return made


def numbered(length: int) -> Index:
    """The numbers from 0 on."""
    return _made(np.arange(length))


def named(values: Any, length: int) -> Index:
    """What names rows: the given names, or the numbers from 0 on.

    Raises:
        ValueError: for a wrong number of names.
    """
    if values is None:
        return numbered(length)
    found = values if isinstance(values, Index) else Index(list(values) if not isinstance(values, np.ndarray) else values)
    if len(found) != length:
        raise ValueError(f"Length of values ({length}) does not match length of index ({len(found)})")
    return found


def united(one: Index, other: Index) -> Index:
    """The names of both, sorted where they can be."""
    items = [*one.tolist(), *(item for item in other.tolist() if item not in one)]
    with suppress(TypeError):
        items.sort()
    return _made(inferred(items) if not any(type(item) is tuple for item in items) else texts(items))
