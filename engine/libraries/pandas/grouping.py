"""`groupby`: the rows that have the same values, together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from . import computing
from .frame import DataFrame, _frame, _series
from .index import Index, _made
from .series import Series
from .values import Array, column, inferred, missing_one, plain, texts


class NamedAgg(NamedTuple):
    """A column, and what is to be made of it."""

    column: Any
    aggfunc: Any


def grouped(by: list[Any], sort: bool) -> tuple[list[Any], dict[Any, Array]]:
    """The names of what is grouped by, and the places of each group's rows by its values."""
    columns = [column(one).tolist() if not callable(one) else [] for one in by]
    places: dict[Any, list[int]] = {}
    for k, key in enumerate(zip(*columns, strict=True)):
        if not any(map(missing_one, key)):
            places.setdefault(key if len(by) > 1 else key[0], []).append(k)
    keys = sorted(places) if sort else list(places)
    return [one._name if isinstance(one, Series | Index) else None for one in by], {
        key: np.array(places[key], np.int64) for key in keys
    }


class _Groups:
    """What is common to groups of a column and of a table."""

    __module__ = "pandas"
    __slots__ = ("_as_index", "_by", "_of", "_places")

    def __init__(self, of: Any, by: list[Any], places: dict[Any, Array], as_index: bool = True) -> None:
        self._of, self._by, self._places, self._as_index = of, by, places, as_index

    def _part(self, at: Array) -> Any:
        raise NotImplementedError

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        for key, at in self._places.items():
            yield key, self._part(at)

    def __len__(self) -> int:
        return len(self._places)

    @property
    def groups(self) -> dict[Any, Index]:
        """The names of the rows of each group."""
        return {key: self._of._index._taken(at) for key, at in self._places.items()}

    @property
    def ngroups(self) -> int:
        """How many groups there are."""
        return len(self._places)

    def get_group(self, name: Any) -> Any:
        """The rows of one group."""
        return self._part(self._places[name[0] if type(name) is tuple and len(self._by) == 1 else name])

    def _keys(self) -> Index:
        if len(self._by) == 1:
            return _made(inferred(list(self._places)), self._by[0])
        return _made(texts(list(self._places)))

    def size(self) -> Series:
        """How many rows each group has."""
        return _series(np.array([len(at) for at in self._places.values()], np.int64), self._keys(), None)

    def apply(self, func: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """A function of each group."""
        found = [func(part, *args, **options) for _, part in self]
        if found and isinstance(found[0], Series):
            return DataFrame([one.to_dict() for one in found], index=self._keys())
        if found and isinstance(found[0], DataFrame):
            from .combining import concat

            return concat(found)
        name = self._of._name if isinstance(self._of, Series) else None
        return _series(inferred([plain(one) for one in found]), self._keys(), name)


class SeriesGroups(_Groups):
    """Groups of a column."""

    __slots__ = ()

    def _part(self, at: Array) -> Any:
        return self._of._taken(at)

    def _reduced(self, name: str) -> Any:
        found = [computing.REDUCTIONS[name](self._of._column[at]) for at in self._places.values()]
        made = _series(inferred([plain(one) for one in found]), self._keys(), self._of._name)
        return made if self._as_index else made.reset_index()

    def agg(self, func: Any) -> Any:
        """What a function makes of each group, or several do."""
        if isinstance(func, list | tuple):
            return DataFrame({str(one): self.agg(one) for one in func})
        if isinstance(func, str):
            return self._reduced(func)
        return _series(inferred([plain(func(part)) for _, part in self]), self._keys(), self._of._name)

    aggregate = agg

    def transform(self, func: Any) -> Series:
        """What a function makes of each group, for each of its rows."""
        array = texts([None] * len(self._of))
        for _, at in self._places.items():
            found = self._part(at).agg(func) if isinstance(func, str) else func(self._part(at))
            for k, one in zip(at.tolist(), found if isinstance(found, Series) else [found] * len(at), strict=True):
                array[k] = plain(one)
        return _series(inferred(array.tolist()), self._of._index, self._of._name)

    def value_counts(self) -> Series:
        """How often each value comes in each group."""
        pairs = [((key, item), count) for key, part in self for item, count in part.value_counts().items()]
        return _series(np.array([n for _, n in pairs], np.int64), _made(texts([pair for pair, _ in pairs])), "count")


class FrameGroups(_Groups):
    """Groups of a table's rows."""

    __slots__ = ()

    def _part(self, at: Array) -> Any:
        return self._of._part(at, None)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, list):
            inner = [name for name in self._by if name in self._of._columns and name not in key]
            return FrameGroups(self._of[[*inner, *key]], self._by, self._places, self._as_index)
        return SeriesGroups(self._of[key], self._by, self._places, self._as_index)

    def __getattr__(self, name: str) -> Any:
        if name[:1] != "_" and name in self._of._columns:
            return self[name]
        raise AttributeError(f"'DataFrameGroupBy' object has no attribute '{name}'")

    def _others(self) -> list[Any]:
        return [name for name in self._of._columns if name not in self._by]

    def _reduced(self, name: str, numeric_only: bool = False) -> Any:
        names = self._others()
        if numeric_only:
            names = [one for one in names if self._of[one].dtype.kind in "biuf"]
        return self._table({one: SeriesGroups(self._of[one], self._by, self._places)._reduced(name)._column for one in names})

    def _table(self, held: dict[Any, Array]) -> Any:
        made = _frame(list(held.values()), self._keys(), Index(list(held)))
        return made if self._as_index else made.reset_index()

    def agg(self, func: Any = None, **named: Any) -> Any:
        """What functions make of the columns of each group."""
        if named:
            return self._table({name: self[of].agg(does)._column for name, (of, does) in named.items()})
        if isinstance(func, dict):
            return self._table({name: self[name].agg(does)._column for name, does in func.items()})
        return self._table({name: self[name].agg(func)._column for name in self._others()})

    aggregate = agg


def _method(name: str) -> Callable[..., Any]:
    def reduce(self: Any, *_: Any, numeric_only: bool = False, **__: Any) -> Any:
        return self._reduced(name, numeric_only) if isinstance(self, FrameGroups) else self._reduced(name)

    reduce.__name__ = name
    return reduce


def _end(name: str) -> Callable[..., Any]:
    does: Any = {"first": lambda array: array[:1], "last": lambda array: array[-1:]}[name]

    def reduce(self: Any) -> Any:
        return self.agg(lambda part: does(part.dropna()._column).tolist()[0] if len(part.dropna()) else float("nan"))

    reduce.__name__ = name
    return reduce


for _name in computing.REDUCTIONS:
    setattr(_Groups, _name, _method(_name))
for _name in ("first", "last"):
    setattr(_Groups, _name, _end(_name))
