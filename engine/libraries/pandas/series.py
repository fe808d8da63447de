"""`Series`: a column with the names of its rows."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from . import computing, printing
from .index import Index, _made, named, numbered, united
from .locating import Located, positions, written
from .strings import Strings
from .values import (
    Array,
    Held,
    cast,
    column,
    distinct,
    full,
    inferred,
    is_list,
    label,
    missing,
    missing_one,
    order,
    plain,
    repeated,
    taken,
    texts,
)


class Series(Held, Located):
    """Values under each other, each with a name."""

    __module__ = "pandas"
    __slots__ = ("_index",)
    _index: Index

    def __init__(self, data: Any = None, index: Any = None, dtype: Any = None, name: Any = None, copy: Any = None) -> None:
        if isinstance(data, Series):
            name = data._name if name is None else name
            if index is not None:
                data = data.reindex(index)
            index, data = data._index, data._column
        if isinstance(data, dict):
            if index is None:
                index, data = Index([label(key) for key in data]), list(data.values())
            else:
                index = Index(index)
                data = [data.get(key, np.nan) for key in index]
        if data is None or not is_list(data):
            length = len(index) if index is not None else 0 if data is None else 1
            array = full(np.nan if data is None else data, length)
        else:
            array = column(data)
        self._column = array if dtype is None else cast(array, dtype)
        self._index = named(index, len(array))
        self.name = name

    @property
    def index(self) -> Index:
        """The names of the values."""
        return self._index

    @index.setter
    def index(self, names: Any) -> None:
        self._index = named(names, len(self._column))

    # --- what it is ---------------------------------------------------------------------------------------------------------

    def to_numpy(self, dtype: Any = None, copy: Any = None) -> Array:
        """The values as an array."""
        return self._column.copy() if dtype is None else cast(self._column, dtype)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        return self.to_numpy(dtype)

    @property
    def empty(self) -> bool:
        """Whether there are none."""
        return not len(self._column)

    ndim = 1
    dtypes = Held.dtype
    T = property(lambda self: self)

    def __contains__(self, key: Any) -> bool:
        return key in self._index

    def __repr__(self) -> str:
        foot = [] if self._name is None else [f"Name: {self._name}"]
        if len(self) > printing.ROWS:
            foot.append(f"Length: {len(self)}")
        return printing.series(self._index, self._column, ", ".join([*foot, f"dtype: {self.dtype}"]))

    def __bool__(self) -> bool:
        raise ValueError("The truth value of a Series is ambiguous. Use a.empty, a.bool(), a.item(), a.any() or a.all().")

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def item(self) -> Any:
        """The only value."""
        if len(self) != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return self._column.tolist()[0]

    def to_dict(self) -> dict[Any, Any]:
        """The values by name."""
        return dict(zip(self._index, self._column.tolist(), strict=True))

    def to_string(self, *_: Any, **__: Any) -> str:
        """The whole column as text."""
        return printing.series(self._index, self._column, "").rstrip("\n")

    def items(self) -> Iterator[tuple[Any, Any]]:
        """Names and values."""
        return iter(zip(self._index.tolist(), self._column.tolist(), strict=True))

    def keys(self) -> Index:
        """The names."""
        return self._index

    def copy(self, deep: Any = True) -> Series:
        """Another one with the same values."""
        return self._with(self._column.copy())

    def to_frame(self, name: Any = None) -> Any:
        """A table of this column alone."""
        from .frame import DataFrame

        return DataFrame({(name if name is not None else 0 if self._name is None else self._name): self}, index=self._index)

    def _with(self, array: Array, index: Index | None = None, name: Any = ...) -> Series:
        found = Series.__new__(Series)
        found._column = array
        found._index = self._index if index is None else index
        found._name = self._name if name is ... else name
        return found

    @property
    def plot(self) -> Any:
        """Refused: matplotlib draws columns."""
        raise NotImplementedError("Series.plot is not here; draw with matplotlib, as in plt.plot(series)")

    # --- parts --------------------------------------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return self._taken(np.arange(len(self))[key]) if _counts(key) else self.loc[key]
        return self.loc[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, slice) and _counts(key):
            self._write(np.arange(len(self))[key], value)
        elif is_list(key) or isinstance(key, slice) or key in self._index:
            self._write(np.atleast_1d(positions(self._index, key)), value)
        else:
            longer = inferred([*self._column.tolist(), plain(value)])
            self._index = Index([*self._index, label(key)], self._index.name)
            self._column = longer

    def _write(self, at: Array, value: Any) -> None:
        self._column = written(self._column, at, value)

    def _taken(self, at: Any) -> Series:
        return self._with(self._column[at], self._index._taken(at))

    def _part(self, at: Any) -> Any:
        """The values at some places, or the one at a place."""
        return self._taken(at) if isinstance(at, np.ndarray) else self._column[at]

    def get(self, key: Any, default: Any = None) -> Any:
        """The value of a name, or something else where there is none."""
        return self[key] if key in self._index else default

    def head(self, n: int = 5) -> Series:
        """The first ones."""
        return self._taken(np.arange(len(self))[:n])

    def tail(self, n: int = 5) -> Series:
        """The last ones."""
        return self._taken(np.arange(len(self))[-n:] if n else np.arange(0))

    def reindex(self, index: Any) -> Series:
        """The values of other names; none where there is none."""
        wanted = index if isinstance(index, Index) else Index(list(index))
        at = np.array([self._index._places_of(key)[0] if key in self._index else -1 for key in wanted], np.int64)
        return self._with(taken(self._column, at), wanted)

    def reset_index(self, drop: bool = False, name: Any = None, inplace: Any = False) -> Any:
        """Numbered anew; the old names become a column unless they are dropped."""
        if drop:
            return self._with(self._column.copy(), numbered(len(self)))
        return self.to_frame(name).reset_index()

    def drop(self, labels: Any = None, index: Any = None) -> Series:
        """Without some names."""
        left = self._index.drop(labels if index is None else index)
        return self._taken(np.flatnonzero(self._index.isin(left)))

    def sample(self, n: Any = None, frac: Any = None, random_state: Any = None) -> Series:
        """Some of the values, by chance."""
        return self._taken(drawn(len(self), n, frac, random_state))

    # --- values that are not there ------------------------------------------------------------------------------------------

    def isna(self) -> Series:
        """Where there is no value."""
        return self._with(missing(self._column))

    def notna(self) -> Series:
        """Where there is a value."""
        return self._with(~missing(self._column))

    isnull, notnull = isna, notna

    def dropna(self) -> Series:
        """Those that are there."""
        return self._taken(np.flatnonzero(~missing(self._column)))

    def fillna(self, value: Any, inplace: bool = False) -> Any:
        """With something in the gaps."""
        found = written(self._column.copy(), np.flatnonzero(missing(self._column)), value)
        if inplace:
            self._column = found
            return None
        return self._with(found)

    # --- changed values -----------------------------------------------------------------------------------------------------

    def astype(self, dtype: Any, copy: Any = None) -> Series:
        """As another kind of values."""
        return self._with(cast(self._column, dtype))

    def map(self, arg: Any, na_action: Any = None) -> Series:
        """Each value as a function, a dictionary or another column says."""
        if isinstance(arg, dict | Series):
            found = [arg.get(item, np.nan) for item in self]
        else:
            found = [item if na_action == "ignore" and missing_one(item) else arg(item) for item in self]
        return self._with(inferred([plain(item) for item in found]))

    def apply(self, func: Callable[..., Any], args: Any = (), **options: Any) -> Series:
        """A function of each value."""
        return self._with(inferred([plain(func(item, *args, **options)) for item in self]))

    def replace(self, to_replace: Any, value: Any = None) -> Series:
        """With other values for some."""
        pairs = to_replace if isinstance(to_replace, dict) else dict.fromkeys(
            to_replace if is_list(to_replace) else [to_replace], value
        )  # fmt: skip
        return self._with(inferred([plain(pairs.get(item, item)) for item in self]))

    def where(self, cond: Any, other: Any = np.nan) -> Series:
        """The values where a condition holds, something else elsewhere."""
        return self._with(written(self._column.copy(), np.flatnonzero(~np.asarray(column(cond), np.bool_)), other))

    def clip(self, lower: Any = None, upper: Any = None) -> Series:
        """Within bounds."""
        return self._with(np.clip(self._column, plain(lower), plain(upper)))

    def round(self, decimals: int = 0) -> Series:
        """With so many decimals."""
        return self._with(np.round(self._column, plain(decimals)) if self._column.dtype.kind == "f" else self._column.copy())

    def abs(self) -> Series:
        """Without signs."""
        return self._with(np.abs(self._column))

    def shift(self, periods: int = 1) -> Series:
        """Each value so many rows further down."""
        at = np.arange(len(self)) - plain(periods)
        return self._with(taken(self._column, np.where(at < len(self), at, -1)))

    def diff(self, periods: int = 1) -> Series:
        """What each value has more than an earlier one."""
        found: Series = self._computed(operator.sub, self.shift(periods))
        return found

    def pct_change(self, periods: int = 1) -> Series:
        """By which share each value is larger than an earlier one."""
        found: Series = self._computed(operator.truediv, self.shift(periods))
        return found._with(found._column - 1)

    def rank(self) -> Series:
        """The rank of each value."""
        return self._with(computing.ranked(self._column))

    def rolling(self, window: int, min_periods: Any = None) -> Any:
        """The last so many values at each place."""
        from .rolling import Rolling

        return Rolling(self, window, min_periods)

    # --- what is counted ----------------------------------------------------------------------------------------------------

    def unique(self) -> Array:
        """The values, each once."""
        found = distinct(self._column)
        return texts(found) if self._column.dtype.kind == "O" else np.array(found, self._column.dtype)

    def value_counts(self, normalize: bool = False, sort: bool = True, ascending: bool = False) -> Series:
        """How often each value comes."""
        counts: dict[Any, int] = {}
        for item in self.dropna():
            counts[item] = counts.get(item, 0) + 1
        pairs = sorted(counts.items(), key=lambda pair: pair[1], reverse=not ascending) if sort else list(counts.items())
        values = np.array([count for _, count in pairs], np.int64)
        index = _made(inferred([item for item, _ in pairs]), self._name)
        return self._with(values / values.sum() if normalize else values, index, "proportion" if normalize else "count")

    def isin(self, values: Any) -> Series:
        """Which are among some values."""
        among = {plain(value) for value in values}
        return self._with(np.array([item in among for item in self], np.bool_))

    def between(self, left: Any, right: Any) -> Series:
        """Which lie between two values."""
        found: Series = (self >= left) & (self <= right)
        return found

    def duplicated(self) -> Series:
        """Which have come before."""
        return self._with(repeated(self))

    def drop_duplicates(self) -> Series:
        """Each value once."""
        return self._taken(np.flatnonzero(~self.duplicated()._column))

    def sort_values(self, ascending: bool = True, **_: Any) -> Series:
        """By value."""
        return self._taken(order(self._column, ascending=ascending))

    def sort_index(self, ascending: bool = True) -> Series:
        """By name."""
        return self._taken(order(self._index._column, ascending=ascending))

    def nlargest(self, n: int = 5) -> Series:
        """The largest ones."""
        return self.sort_values(ascending=False).head(n)

    def nsmallest(self, n: int = 5) -> Series:
        """The smallest ones."""
        return self.sort_values().head(n)

    def idxmax(self) -> Any:
        """The name of the largest one."""
        return self._index.tolist()[int(np.nanargmax(self._column))]

    def idxmin(self) -> Any:
        """The name of the smallest one."""
        return self._index.tolist()[int(np.nanargmin(self._column))]

    def argmax(self) -> int:
        """The place of the largest one."""
        return int(np.nanargmax(self._column))

    def argmin(self) -> int:
        """The place of the smallest one."""
        return int(np.nanargmin(self._column))

    def quantile(self, q: Any = 0.5) -> Any:
        """The value below which a share of the others lies."""
        if is_list(q):
            return self._with(np.array([computing.quantile(self._column, one) for one in q]), Index(list(q)))
        return computing.quantile(self._column, q)

    def describe(self) -> Series:
        """How many, their mean, spread and quartiles; of texts how many kinds."""
        if self._column.dtype.kind == "O":
            counts = self.value_counts()
            found = [len(self.dropna()), len(counts), counts.index.tolist()[0], counts.tolist()[0]]
            return self._with(texts(found), Index(["count", "unique", "top", "freq"]))
        names = ["count", "mean", "std", "min", "25%", "50%", "75%", "max"]
        parts = [
            *(computing.REDUCTIONS[name](self._column) for name in names[:4]),
            *(self.quantile(q) for q in (0.25, 0.5, 0.75)),
        ]
        return self._with(np.array([*parts, computing.REDUCTIONS["max"](self._column)], np.float64), Index(names))

    def corr(self, other: Series) -> float:
        """How far it goes with another one."""
        there = ~(missing(self._column) | missing(other._column))
        with np.errstate(all="ignore"):
            return float(np.corrcoef(self._column[there].astype(np.float64), other._column[there].astype(np.float64))[0, 1])

    def agg(self, func: Any) -> Any:
        """What a function makes of all values, or several do."""
        if isinstance(func, list | tuple):
            return self._with(inferred([plain(self.agg(one)) for one in func]), Index([str(one) for one in func]))
        return computing.REDUCTIONS[func](self._column) if isinstance(func, str) else func(self)

    def groupby(self, by: Any, sort: bool = True) -> Any:
        """In groups by the values of another column."""
        from .grouping import SeriesGroups, grouped

        return SeriesGroups(self, *grouped([by], sort))

    def _reduced(self, name: str, skipna: bool = True) -> Any:
        return computing.REDUCTIONS[name](self._column, skipna)

    def _cumulated(self, name: str) -> Series:
        return self._with(computing.cumulated(name, self._column))

    def _computed(self, does: computing.Operation, other: Any, *, turned: bool = False) -> Any:
        from .frame import DataFrame

        if isinstance(other, DataFrame):
            return NotImplemented
        mine = self
        if isinstance(other, Series):
            if not self._index._same(other._index):
                both = united(self._index, other._index)
                mine, other = self.reindex(both), other.reindex(both)
            name = self._name if self._name == other._name else None
            values = other._column
        else:
            name = self._name
            values = column(other) if is_list(other) else plain(other)
            if isinstance(values, np.ndarray) and len(values) != len(self):
                raise ValueError(f"operands could not be broadcast together with shapes ({len(self)},) ({len(values)},)")
        found = computing.computed(does, values, mine._column) if turned else computing.computed(does, mine._column, values)
        return mine._with(found, name=name)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        found = of_ufunc(ufunc, method, inputs, options)
        return self._with(column(found)) if isinstance(found, np.ndarray) and found.shape == self._column.shape else found

    def __neg__(self) -> Series:
        return self._with(-self._column)

    def __abs__(self) -> Series:
        return self.abs()

    def __invert__(self) -> Series:
        return self._with(~self._column)

    __hash__ = None  # type: ignore[assignment]


def of_ufunc(ufunc: Any, method: str, inputs: Any, options: dict[str, Any]) -> Any:
    """What one of NumPy's functions makes of tables and arrays, of which plain values alone are handed to it."""
    if method != "__call__" or options:
        raise NotImplementedError(f"np.{ufunc.__name__}.{method} is not there for tables here; give it their values")
    plainly = [_handed(one) for one in inputs]
    if any(isinstance(one, np.ndarray) and one.dtype.kind == "O" for one in plainly):
        raise TypeError(f"np.{ufunc.__name__} takes columns of numbers")
    return ufunc(*plainly)


def _handed(one: Any) -> Any:
    from .frame import DataFrame

    if isinstance(one, DataFrame):
        return one._cells()
    if isinstance(one, np.ndarray) and one.dtype.kind in "biuf":
        return np.array(one, subok=False)
    return column(one) if is_list(one) else plain(one)


def _counts(key: slice) -> bool:
    """Whether a slice is one of places."""
    return all(end is None or type(end) is int or isinstance(end, np.integer) for end in (key.start, key.stop))


def drawn(length: int, n: Any, frac: Any, random_state: Any) -> Array:
    """Some positions by chance; as pandas draws them where a number says how chance begins."""
    count = round(frac * length) if n is None and frac is not None else 1 if n is None else int(n)
    if count > length:
        raise ValueError("Cannot take a larger sample than population when 'replace=False'")
    random_state = (
        random_state if isinstance(random_state, np.random.Generator | np.random.RandomState) else plain(random_state)
    )
    state = np.random.RandomState(random_state) if type(random_state) is int else random_state
    found: Array = (np.random if state is None else state).permutation(length)
    return found[:count]


def with_operators(cls: type) -> None:
    """Give a class the operators, and the methods of the same names, that its `_computed` does; and what its `_reduced` and
    `_cumulated` do."""

    def operator_of(does: computing.Operation, turned: bool) -> Callable[[Any, Any], Any]:
        return lambda self, other: self._computed(does, other, turned=turned)

    def method_of(does: computing.Operation) -> Callable[..., Any]:
        return lambda self, other, axis=None: self._computed(does, other)

    for name, does in (computing.ARITHMETIC | computing.COMPARISONS).items():
        plain_name = name.rstrip("_")
        setattr(cls, f"__{plain_name}__", operator_of(does, turned=False))
        if name in computing.ARITHMETIC:
            setattr(cls, f"__r{plain_name}__", operator_of(does, turned=True))
        if name[-1] != "_" and name != "xor":
            setattr(cls, plain_name, method_of(does))
    cls.div = cls.truediv  # type: ignore[attr-defined]

    def reduction(name: str) -> Callable[..., Any]:
        def reduce(self: Any, axis: Any = 0, skipna: bool = True, **options: Any) -> Any:
            return self._reduced(name, skipna) if cls is Series else self._reduced(name, axis, skipna, **options)

        reduce.__name__ = name
        return reduce

    for name in computing.REDUCTIONS:
        setattr(cls, name, reduction(name))

    def cumulation(name: str) -> Callable[..., Any]:
        return lambda self, axis=0, skipna=True: self._cumulated(name)

    for name in computing.CUMULATIONS:
        setattr(cls, name, cumulation(name))


with_operators(Series)
# Within the class the name would be no type any more.
setattr(Series, "str", property(Strings))  # noqa: B010
