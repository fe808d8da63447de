"""`iloc` and `loc`: values of columns and tables by their place and by their name."""

from __future__ import annotations

from typing import Any

import numpy as np

from .index import Index
from .values import Array, Held, column, inferred, is_list, label, places, plain, texts


def positions(index: Index, key: Any) -> Any:
    """Where names stand: a number for one name, else an array of them.

    Raises:
        KeyError: for a name that is not there.
    """
    if isinstance(key, slice):
        start = 0 if key.start is None else index._places_of(label(key.start))[0]
        stop = len(index) if key.stop is None else index._places_of(label(key.stop))[-1] + 1
        return np.arange(start, stop)[:: key.step]
    if type(key) is tuple or not is_list(key):
        places = index._places_of(label(key))
        return places[0] if len(places) == 1 else np.array(places)
    wanted = column(key)
    if wanted.dtype.kind == "b":
        return _where(wanted, len(index), key, index)
    absent = [one for one in wanted.tolist() if one not in index]
    if absent and len(absent) == len(wanted):
        raise KeyError(f"None of [{Index(wanted)!r}] are in the [index]")
    if absent:
        raise KeyError(f"{absent} not in index")
    return np.array([place for one in wanted.tolist() for place in index._places_of(one)], np.int64)


def _where(mask: Array, length: int, key: Any, index: Index) -> Array:
    """The places where a mask holds; the mask of a column goes by its names."""
    own: Index | None = getattr(key, "_index", None) if isinstance(key, Held) else None
    if own is not None and not own._same(index):
        by_name = dict(zip(own.tolist(), mask.tolist(), strict=True))
        mask = np.array([by_name.get(item, False) for item in index], np.bool_)
    if len(mask) != length:
        raise IndexError(f"Boolean index has wrong length: {len(mask)} instead of {length}")
    return np.flatnonzero(mask)


def written(array: Array, at: Array, value: Any) -> Array:
    """A column with other values at some places: the same one where they fit into it, else a wider one."""
    new = column(value) if is_list(value) else inferred([plain(value)])
    if new.dtype.kind == "O" and array.dtype.kind == "f" and all(item is None for item in new.tolist()):
        new = np.full(len(new), np.nan)
    if len(new) not in (1, len(at)):
        raise ValueError(f"cannot set using a list-like indexer with a different length than the value: {len(new)}, {len(at)}")
    same = array.dtype.kind == new.dtype.kind or (array.dtype.kind == "f" and new.dtype.kind in "iu")
    if not same and array.dtype.kind != "O":
        numbers = array.dtype.kind in "iuf" and new.dtype.kind in "iuf"
        array = array.astype(np.float64) if numbers else texts(array.tolist())
    if array.dtype.kind == "O":
        items = new.tolist() if len(new) == len(at) else new.tolist() * len(at)
        for k, item in zip(at.tolist(), items, strict=True):
            array[k] = item
    else:
        array[at] = new
    return array


class _Reach:
    """Reads and writes parts of a column or a table; `_rows` and `_across` say where a key stands."""

    __slots__ = ("_of",)

    def __init__(self, of: Any) -> None:
        self._of = of

    def _rows(self, key: Any) -> Any:
        raise NotImplementedError

    def _across(self, key: Any) -> Any:
        raise NotImplementedError

    def _split(self, key: Any) -> tuple[Any, Any]:
        """Rows and columns of a key."""
        if self._of.ndim == 1 or type(key) is not tuple or (len(key) == 2 and key in self._of._index):
            return key, ...
        if len(key) != 2:
            raise IndexError("Too many indexers")
        return key

    def __getitem__(self, key: Any) -> Any:
        rows, across = self._split(key)
        if callable(rows):
            rows = rows(self._of)
        at = self._rows(rows)
        if self._of.ndim == 1:
            return self._of._part(at)
        return self._of._part(at, None if across is ... else self._across(across))

    def __setitem__(self, key: Any, value: Any) -> None:
        rows, across = self._split(key)
        if self._of.ndim == 1:
            self._of._write(np.atleast_1d(self._rows(rows)), value)
            return
        before = len(self._of)
        at = np.atleast_1d(self._new_row(rows))
        if len(self._of) > before and is_list(value) and not isinstance(value, dict):
            value = column(value)  # the values of a new row are of one kind
        self._of._put(at, None if across is ... else self._new_column(across), value)
        if len(self._of) > before:
            self._of._held = [inferred(array.tolist()) for array in self._of._held]

    def _new_row(self, key: Any) -> Any:
        return self._rows(key)

    def _new_column(self, key: Any) -> Any:
        return self._across(key)


class ByPlace(_Reach):
    """`iloc`."""

    __slots__ = ()

    def _rows(self, key: Any) -> Any:
        return places(len(self._of), key)

    def _across(self, key: Any) -> Any:
        return places(len(self._of._columns), key)


class ByName(_Reach):
    """`loc`."""

    __slots__ = ()

    def _rows(self, key: Any) -> Any:
        return positions(self._of._index, key)

    def _across(self, key: Any) -> Any:
        return positions(self._of._columns, key)

    def _new_row(self, key: Any) -> Any:
        if type(key) is not tuple and (is_list(key) or isinstance(key, slice) or callable(key)):
            return self._rows(key(self._of) if callable(key) else key)
        if key not in self._of._index:
            self._of._lengthen(key)
        return self._rows(key)

    def _new_column(self, key: Any) -> Any:
        if not is_list(key) and not isinstance(key, slice) and key not in self._of._columns:
            self._of[key] = np.nan
        return self._across(key)


class Located:
    """What has parts by place and by name: a column, a table."""

    __slots__ = ()

    @property
    def iloc(self) -> ByPlace:
        """Values, or rows and columns, by their place."""
        return ByPlace(self)

    @property
    def loc(self) -> ByName:
        """Values, or rows and columns, by their name."""
        return ByName(self)

    iat, at = iloc, loc
