"""`DataFrame`: columns beside each other, with the names of rows and columns. (Its many methods are one idea.)"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...tensor import Tensor
from . import computing, printing
from .index import Index, _made, named, numbered, united
from .locating import Located, positions, written
from .reading import written_as_csv
from .series import Series, _counts, drawn, of_ufunc, with_operators
from .values import Array, cast, column, full, inferred, is_list, label, missing, order, plain, repeated, taken, texts

OWN = ("_columns", "_held", "_index", "columns", "index")
"""Attributes that are no columns."""


class DataFrame(Located):
    """A table."""

    __module__ = "pandas"
    __slots__ = ("_columns", "_held", "_index")

    def __init__(self, data: Any = None, index: Any = None, columns: Any = None, dtype: Any = None, copy: Any = None) -> None:
        wanted = None if columns is None else Index(list(columns))
        names, arrays, rows = _columns_of(data, wanted, index)
        if wanted is not None and names is not None:
            length = len(rows) if rows is not None else len(arrays[0]) if arrays else 0
            by_name = dict(zip(names, arrays, strict=True))
            arrays = [by_name[name] if name in by_name else full(np.nan, length) for name in wanted]
        if wanted is None:
            wanted = Index(names if names else range(len(arrays))) if names or arrays else Index()
        if len(wanted) != len(arrays):
            raise ValueError(f"{len(wanted)} columns passed, passed data had {len(arrays)} columns")
        lengths = {len(array) for array in arrays}
        if len(lengths) > 1:
            raise ValueError("All arrays must be of the same length")
        length = lengths.pop() if lengths else len(index) if index is not None else 0
        self._columns = wanted
        self._held: list[Array] = [array if dtype is None else cast(array, dtype) for array in arrays]
        self._index = rows if rows is not None else named(index, length)
        if len(self._index) != length:
            raise ValueError(f"Shape of passed values is ({length}, {len(arrays)}), indices imply {len(self._index)} rows")

    def __setattr__(self, name: str, value: Any) -> None:
        if name in OWN:
            object.__setattr__(self, name, value)
        elif name in self._columns:
            self[name] = value
        else:
            raise AttributeError(f"a table has no attribute {name!r}; write df[{name!r}] = … for a new column")

    def __getattr__(self, name: str) -> Any:
        if name[:1] != "_" and name in self._columns:
            return self[name]
        raise AttributeError(f"'DataFrame' object has no attribute '{name}'")

    # --- what it is ---------------------------------------------------------------------------------------------------------

    @property
    def columns(self) -> Index:
        """The names of the columns."""
        return self._columns

    @columns.setter
    def columns(self, names: Any) -> None:
        found = names if isinstance(names, Index) else Index(list(names))
        if len(found) != len(self._held):
            raise ValueError(
                f"Length mismatch: Expected axis has {len(self._held)} elements, new values have {len(found)} elements"
            )
        self._columns = found

    @property
    def index(self) -> Index:
        """The names of the rows."""
        return self._index

    @index.setter
    def index(self, names: Any) -> None:
        self._index = named(names, len(self))

    @property
    def values(self) -> Array:
        """The cells as an array (rows, columns)."""
        return self._cells()

    def _cells(self) -> Array:
        if not self._held:
            return np.empty((len(self._index), 0))
        kinds = {array.dtype for array in self._held}
        if any(kind.kind == "O" for kind in kinds) or (any(kind.kind == "b" for kind in kinds) and len(kinds) > 1):
            found = np.empty(self.shape, np.object_)
            for k, array in enumerate(self._held):
                found[:, k] = texts(array.tolist())
            return found
        return np.column_stack(self._held) if len(self._index) else np.empty(self.shape, np.result_type(*kinds))

    def to_numpy(self, dtype: Any = None, copy: Any = None) -> Array:
        """The cells as an array (rows, columns)."""
        if dtype is None:
            return self._cells()
        return np.column_stack([cast(array, dtype) for array in self._held])

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        return self.to_numpy(dtype)

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns there are."""
        return (len(self._index), len(self._held))

    @property
    def size(self) -> int:
        """How many cells there are."""
        return len(self._index) * len(self._held)

    @property
    def empty(self) -> bool:
        """Whether there are none."""
        return not self.size

    @property
    def dtypes(self) -> Any:
        """What kind of values each column holds."""
        return Kinds(self._columns, [array.dtype for array in self._held])

    @property
    def T(self) -> DataFrame:  # noqa: N802
        """Rows as columns."""
        return DataFrame(self.values.T, index=self._columns, columns=self._index)

    ndim = 2

    def transpose(self) -> DataFrame:
        """Rows as columns."""
        return self.T

    def __len__(self) -> int:
        return len(self._index)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._columns)

    def __contains__(self, key: Any) -> bool:
        return key in self._columns

    def __repr__(self) -> str:
        return printing.frame(self._index, self._columns, self._held)

    def __bool__(self) -> bool:
        raise ValueError("The truth value of a DataFrame is ambiguous. Use a.empty, a.bool(), a.item(), a.any() or a.all().")

    def to_string(self, index: bool = True, **_: Any) -> str:
        """The whole table as text."""
        return printing.frame(self._index, self._columns, self._held, whole=True, beside=index)

    def to_csv(self, path_or_buf: Any = None, sep: str = ",", index: bool = True, header: Any = True, **options: Any) -> Any:
        """Write it as comma-separated values, or give them as text."""
        mode, columns = options.pop("mode", "w"), options.pop("columns", None)
        given = self if columns is None else self[list(columns)]
        return written_as_csv(given, path_or_buf, sep, index, header, mode, options)

    def to_dict(self, orient: str = "dict") -> Any:
        """As dictionaries: by column, or a list of rows (`records`)."""
        names = self._columns.tolist()
        if orient == "records":
            return [dict(zip(names, row, strict=True)) for row in self._rows()]
        if orient == "list":
            return dict(zip(names, [array.tolist() for array in self._held], strict=True))
        if orient == "index":
            return dict(zip(self._index, self.to_dict("records"), strict=True))
        if orient != "dict":
            raise ValueError(f"orient '{orient}' not understood")
        return {name: self[name].to_dict() for name in names}

    def info(self, *_: Any, **__: Any) -> None:
        """Print which columns there are, and of what kind."""
        rows = "0 entries" if not len(self) else f"{len(self)} entries, {self._index.tolist()[0]} to {self._index.tolist()[-1]}"
        print(f"<class 'pandas.core.frame.DataFrame'>\n{'Range' if self._index._is_plain() else ''}Index: {rows}")
        print(f"Data columns (total {len(self._held)} columns):")
        there = [f"{int((~missing(array)).sum())} non-null" for array in self._held]
        kinds = [str(array.dtype) for array in self._held]
        parts = [
            [" # ", "---", *(f" {k}" for k in range(len(self._held)))], ["Column", "------", *map(str, self._columns)],
            ["Non-Null Count", "--------------", *there], ["Dtype", "-----", *kinds],
        ]  # fmt: skip
        print(printing.side_by_side(parts, 2))
        print(f"dtypes: {', '.join(f'{kind}({kinds.count(kind)})' for kind in sorted(set(kinds)))}")

    @property
    def plot(self) -> Any:
        """Refused: matplotlib draws columns."""
        raise NotImplementedError("DataFrame.plot is not here; draw with matplotlib, as in plt.plot(df['x'])")

    # --- parts --------------------------------------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Any:
        if callable(key):
            key = key(self)
        if isinstance(key, slice):
            return self._part(np.arange(len(self))[key], None) if _counts(key) else self.loc[key]
        if isinstance(key, DataFrame):
            raise NotImplementedError("a table of truth values does not choose cells here; use where() of each column")
        if is_list(key) and type(key) is not tuple:
            wanted = column(key)
            if wanted.dtype.kind == "b":
                return self._part(positions(self._index, key), None)
            return self._part(None, positions(self._columns, key))
        at = positions(self._columns, key)
        if isinstance(at, np.ndarray):
            return self._part(None, at)
        return _series(self._held[at], self._index, self._columns.tolist()[at])

    def __setitem__(self, key: Any, value: Any) -> None:
        if is_list(key) and type(key) is not tuple and column(key).dtype.kind == "b":
            self._put(np.atleast_1d(positions(self._index, key)), None, value)
            return
        if is_list(key) and type(key) is not tuple:
            for one, part in zip(key, self._parts(value, len(key)), strict=True):
                self[one] = part
            return
        array = self._as_column(value)
        name = label(key)
        if name in self._columns:
            self._held[self._columns._places_of(name)[0]] = array
        else:
            self._columns = Index([*self._columns, name], self._columns.name)
            self._held.append(array)

    def _parts(self, value: Any, width: int) -> list[Any]:
        """What is written into so many columns."""
        if isinstance(value, DataFrame):
            return [_series(array, value._index, None) for array in value._held]
        return DataFrame(value)._held if _is_grid(value) else [value] * width

    def _as_column(self, value: Any) -> Array:
        if not len(self._index) and not self._held and is_list(value):
            self._index = value._index if isinstance(value, Series) else numbered(len(value))
        if isinstance(value, Series):
            return (value if value._index._same(self._index) else value.reindex(self._index))._column.copy()
        array = column(value) if is_list(value) else full(value, len(self._index))
        if len(array) != len(self._index):
            raise ValueError(f"Length of values ({len(array)}) does not match length of index ({len(self._index)})")
        return array

    def __delitem__(self, key: Any) -> None:
        at = self._columns._places_of(label(key))[0]
        self._columns = self._columns.drop(key)
        del self._held[at]

    def insert(self, loc: int, column: Any, value: Any) -> None:
        """Put a column between others."""
        if column in self._columns:
            raise ValueError(f"cannot insert {column}, already exists")
        names = self._columns.tolist()
        array = self._as_column(value)
        self._columns = Index([*names[:loc], label(column), *names[loc:]])
        self._held.insert(loc, array)

    def pop(self, item: Any) -> Series:
        """Take a column out."""
        found: Series = self[item]
        del self[item]
        return found

    def get(self, key: Any, default: Any = None) -> Any:
        """A column, or something else where there is none."""
        return self[key] if is_list(key) or key in self._columns else default

    def _part(self, rows: Any, across: Any) -> Any:
        """Rows and columns at some places: a cell, a column, a row or a table."""
        if across is not None and not isinstance(across, np.ndarray):
            array, name = self._held[across], self._columns.tolist()[across]
            if rows is not None and not isinstance(rows, np.ndarray):
                return array[rows] if array.dtype.kind != "O" else array.tolist()[rows]
            at = np.arange(len(self)) if rows is None else rows
            return _series(array[at], self._index._taken(at), name)
        columns = self._columns if across is None else self._columns._taken(across)
        held = self._held if across is None else [self._held[k] for k in across.tolist()]
        if rows is not None and not isinstance(rows, np.ndarray):
            kinds = {array.dtype.kind for array in held}
            one = np.concatenate([array[rows : rows + 1] for array in held]) if len(kinds) == 1 or kinds <= {*"iuf"} else (
                texts([array.tolist()[rows] for array in held])
            )  # fmt: skip
            return _series(one, columns, self._index.tolist()[rows])
        if rows is None:
            return _frame([array.copy() for array in held], self._index, columns)
        return _frame([array[rows] for array in held], self._index._taken(rows), columns)

    def _put(self, rows: Array, across: Any, value: Any) -> None:
        """Write into cells."""
        at = range(len(self._held)) if across is None else np.atleast_1d(across).tolist()
        if isinstance(value, DataFrame):
            parts: Sequence[Any] = value._held
        elif isinstance(value, dict):
            parts = [value[name] for name in self._columns.tolist()]
        elif _is_grid(value):
            parts = DataFrame(value)._held
        elif is_list(value) and len(rows) == 1 and across is not None and not isinstance(across, np.ndarray):
            parts = [value]
        elif is_list(value) and len(rows) == 1:
            parts = list(value)
        else:
            parts = [value] * len(at)
        if len(parts) != len(at):
            raise ValueError("cannot set a row with mismatched columns")
        for k, part in zip(at, parts, strict=True):
            self._held[k] = written(self._held[k], rows, part)

    def _lengthen(self, key: Any) -> None:
        """One more row, of gaps."""
        names = [*self._index.tolist(), label(key)]
        self._held = [texts([*array.tolist(), None]) for array in self._held]
        self._index = Index(names, self._index.name)

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        lists = [array.tolist() for array in self._held]
        return iter(zip(*lists, strict=True)) if lists else iter([()] * len(self))

    def head(self, n: int = 5) -> DataFrame:
        """The first rows."""
        return self[:n]  # type: ignore[no-any-return]

    def tail(self, n: int = 5) -> DataFrame:
        """The last rows."""
        return self[len(self) - min(n, len(self)) :]  # type: ignore[no-any-return]

    def sample(self, n: Any = None, frac: Any = None, random_state: Any = None, **_: Any) -> DataFrame:
        """Some rows, by chance."""
        found: DataFrame = self._part(drawn(len(self), n, frac, random_state), None)
        return found

    def items(self) -> Iterator[tuple[Any, Series]]:
        """Names of columns with the columns."""
        return iter([(name, self[name]) for name in self._columns])

    def keys(self) -> Index:
        """The names of the columns."""
        return self._columns

    def iterrows(self) -> Iterator[tuple[Any, Series]]:
        """Names of rows with the rows."""
        for k, name in enumerate(self._index):
            yield name, self._part(k, None)

    def itertuples(self, index: bool = True, name: Any = "Pandas") -> Iterator[Any]:
        """The rows, whose values have the names of the columns."""
        names = self._columns.tolist()
        for place, row in zip(self._index, self._rows(), strict=True):
            yield Row((place, *row) if index else row, ["Index", *names] if index else names)

    def copy(self, deep: Any = True) -> DataFrame:
        """Another one with the same cells."""
        found: DataFrame = self._part(None, None)
        return found

    def select_dtypes(self, include: Any = None, exclude: Any = None) -> DataFrame:
        """The columns of some kinds."""
        kinds = {"number": "iuf", "object": "O", "bool": "b", "int": "iu", "float": "f", "category": "", "str": "O"}

        def among(array: Array, wanted: Any) -> bool:
            some = wanted if isinstance(wanted, list | tuple) else [wanted]
            words = ["number" if one is np.number else one.__name__ if isinstance(one, type) else str(one) for one in some]
            return any(array.dtype.kind in kinds[w] if w in kinds else str(array.dtype) == w for w in words)

        at = [
            k for k, array in enumerate(self._held)
            if (include is None or among(array, include)) and not (exclude is not None and among(array, exclude))
        ]  # fmt: skip
        found: DataFrame = self._part(None, np.array(at, np.int64))
        return found

    # --- other rows and columns ---------------------------------------------------------------------------------------------

    def _or_here(self, found: DataFrame, inplace: bool) -> Any:
        if not inplace:
            return found
        self._columns, self._held = found._columns, found._held
        self._index = found._index
        return None

    def drop(self, labels: Any = None, axis: Any = 0, index: Any = None, columns: Any = None, inplace: bool = False) -> Any:
        """Without some rows or columns."""
        if labels is not None:
            index, columns = (labels, columns) if axis in (0, "index") else (index, labels)
        rows = None if index is None else np.flatnonzero(~self._index.isin(_checked(self._index, index)))
        across = None if columns is None else np.flatnonzero(~self._columns.isin(_checked(self._columns, columns)))
        return self._or_here(self._part(rows, across), inplace)

    def rename(self, mapper: Any = None, index: Any = None, columns: Any = None, axis: Any = 0, inplace: bool = False) -> Any:
        """With other names."""
        if mapper is not None:
            index, columns = (mapper, columns) if axis in (0, "index") else (index, mapper)

        def renamed(names: Index, by: Any) -> Index:
            return names if by is None else Index([by(n) if callable(by) else by.get(n, n) for n in names], names.name)

        found = self.copy()
        found._columns = renamed(self._columns, columns)
        found._index = renamed(self._index, index)
        return self._or_here(found, inplace)

    def set_index(self, keys: Any, drop: bool = True, inplace: bool = False) -> Any:
        """With a column's values as the names of the rows."""
        if isinstance(keys, list) and len(keys) > 1:
            raise NotImplementedError("names of several levels are not here; use one column")
        name = keys[0] if isinstance(keys, list) else keys
        array = self[name]._column
        found = self.drop(columns=name) if drop else self.copy()
        found._index = _made(array.copy(), label(name))
        return self._or_here(found, inplace)

    def reset_index(self, drop: bool = False, inplace: bool = False, **_: Any) -> Any:
        """Numbered anew; the old names become a column unless they are dropped."""
        found = self.copy()
        found._index = numbered(len(self))
        if not drop:
            found.insert(0, "index" if self._index.name is None else self._index.name, self._index._column)
        return self._or_here(found, inplace)

    def reindex(self, index: Any = None, columns: Any = None) -> DataFrame:
        """The cells of other names; gaps where there are none."""
        found: DataFrame = self
        if index is not None:
            wanted = index if isinstance(index, Index) else Index(list(index))
            at = np.array([self._index._places_of(key)[0] if key in self._index else -1 for key in wanted], np.int64)
            found = _frame([taken(array, at) for array in self._held], wanted, self._columns)
        if columns is not None:
            names = Index(list(columns))
            held = [found[name]._column if name in found else full(np.nan, len(found)) for name in names]
            found = _frame(held, found._index, names)
        return found

    def sort_values(self, by: Any, ascending: Any = True, inplace: bool = False, ignore_index: bool = False, **_: Any) -> Any:
        """By the values of columns."""
        keys = list(by) if isinstance(by, list | tuple) else [by]
        ways = list(ascending) if isinstance(ascending, list | tuple) else [ascending] * len(keys)
        at = np.arange(len(self))
        for key, way in reversed([*zip(keys, ways, strict=True)]):
            at = at[order(self[key]._column[at], ascending=bool(way))]
        found = self._part(at, None)
        return self._or_here(found.reset_index(drop=True) if ignore_index else found, inplace)

    def sort_index(self, ascending: bool = True) -> DataFrame:
        """By the names of the rows."""
        found: DataFrame = self._part(order(self._index._column, ascending=ascending), None)
        return found

    def nlargest(self, n: int, columns: Any) -> DataFrame:
        """The rows with the largest values."""
        found: DataFrame = self.sort_values(columns, ascending=False).head(n)
        return found

    def assign(self, **columns: Any) -> DataFrame:
        """With more columns."""
        found = self.copy()
        for name, value in columns.items():
            found[name] = value(found) if callable(value) else value
        return found

    def merge(self, right: DataFrame, **options: Any) -> DataFrame:
        """Beside the rows of another table with the same values."""
        from .combining import merge

        return merge(self, right, **options)

    def join(self, other: DataFrame) -> DataFrame:
        """Beside the rows of another table with the same names."""
        found = self.copy()
        for name in other.columns:
            found[name] = other[name].reindex(self._index)
        return found

    # --- gaps, kinds, functions ---------------------------------------------------------------------------------------------

    def _each(self, does: Callable[[Series], Series]) -> DataFrame:
        """A function of each column that leaves the rows as they are."""
        return _frame([does(self[k])._column for k in self._columns], self._index, self._columns)

    def isna(self) -> DataFrame:
        """Where there is no value."""
        return self._each(lambda one: one.isna())

    def notna(self) -> DataFrame:
        """Where there is a value."""
        return self._each(lambda one: one.notna())

    isnull, notnull = isna, notna

    def dropna(self, axis: Any = 0, how: str = "any", subset: Any = None, inplace: bool = False, **_: Any) -> Any:
        """Without rows, or columns, that have gaps."""
        within = self if subset is None else self[[subset] if not is_list(subset) else list(subset)]
        gaps = np.column_stack([missing(array) for array in within._held]) if within._held else np.zeros((len(self), 1), bool)
        lost = (gaps.any if how == "any" else gaps.all)(axis=1 if axis in (0, "index") else 0)
        left = np.flatnonzero(~lost)
        return self._or_here(self._part(left, None) if axis in (0, "index") else self._part(None, left), inplace)

    def fillna(self, value: Any, inplace: bool = False) -> Any:
        """With something in the gaps: one value, or one for each column by name."""
        found = self.copy()
        for name in self._columns:
            if not isinstance(value, dict | Series) or name in value:
                found[name] = self[name].copy().fillna(value[name] if isinstance(value, dict | Series) else value)
        return self._or_here(found, inplace)

    def astype(self, dtype: Any, copy: Any = None) -> DataFrame:
        """As other kinds of values."""
        kinds = dtype if isinstance(dtype, dict) else dict.fromkeys(self._columns, dtype)
        return self._each(lambda one: one.astype(kinds[one.name]) if one.name in kinds else one.copy())

    def apply(self, func: Any, axis: Any = 0, args: Any = (), **options: Any) -> Any:
        """A function of each column, or of each row."""
        if isinstance(func, str):
            return self._reduced(func, axis)
        across = axis in (1, "columns")
        parts = [row for _, row in self.iterrows()] if across else [self[name] for name in self._columns]
        found = [func(part, *args, **options) for part in parts]
        if found and all(isinstance(one, Series) for one in found):
            if across:
                return DataFrame([one.to_dict() for one in found], index=self._index)
            return DataFrame(dict(zip(self._columns, found, strict=True)))
        return _series(inferred([plain(one) for one in found]), self._index if across else self._columns, None)

    def applymap(self, func: Callable[[Any], Any]) -> DataFrame:
        """A function of each cell."""
        return self._each(lambda one: one.map(func))

    map = applymap

    def replace(self, to_replace: Any, value: Any = None) -> DataFrame:
        """With other values for some."""
        return self._each(lambda one: one.replace(to_replace, value))

    def clip(self, lower: Any = None, upper: Any = None) -> DataFrame:
        """Within bounds."""
        return self._each(lambda one: one.clip(lower, upper))

    def round(self, decimals: int = 0) -> DataFrame:
        """With so many decimals."""
        return self._each(lambda one: one.round(decimals))

    def abs(self) -> DataFrame:
        """Without signs."""
        return self._each(lambda one: one.abs())

    def shift(self, periods: int = 1) -> DataFrame:
        """Each row so many further down."""
        return self._each(lambda one: one.shift(periods))

    def diff(self, periods: int = 1) -> DataFrame:
        """What each row has more than an earlier one."""
        return self._each(lambda one: one.diff(periods))

    def isin(self, values: Any) -> DataFrame:
        """Which cells are among some values."""
        return self._each(lambda one: one.isin(values))

    def duplicated(self, subset: Any = None) -> Series:
        """Which rows have come before."""
        within = self if subset is None else self[subset if is_list(subset) else [subset]]
        return _series(repeated(within._rows()), self._index, None)

    def drop_duplicates(self, subset: Any = None, inplace: bool = False, **_: Any) -> Any:
        """Each row once."""
        return self._or_here(self._part(np.flatnonzero(~self.duplicated(subset)._column), None), inplace)

    # --- what is counted ----------------------------------------------------------------------------------------------------

    def _reduced(self, name: str, axis: Any = 0, skipna: bool = True, numeric_only: bool = False, **_: Any) -> Any:
        within = self.select_dtypes(["number", "bool"]) if numeric_only else self
        if axis in (1, "columns"):
            rows = [inferred(list(row)) for row in within._rows()]
            return _series(inferred([plain(computing.REDUCTIONS[name](row, skipna)) for row in rows]), self._index, None)
        found = [plain(computing.REDUCTIONS[name](array, skipna)) for array in within._held]
        return _series(inferred(found), within._columns, None)

    def _cumulated(self, name: str) -> DataFrame:
        return self._each(lambda one: one._cumulated(name))

    def quantile(self, q: float = 0.5, numeric_only: bool = False) -> Series:
        """The values below which a share of the others lies."""
        within = self.select_dtypes("number") if numeric_only else self
        return _series(np.array([computing.quantile(array, q) for array in within._held]), within._columns, q)

    def idxmax(self, axis: Any = 0) -> Series:
        """Where the largest values stand."""
        parts = [row for _, row in self.iterrows()] if axis in (1, "columns") else [one for _, one in self.items()]
        return _series(
            inferred([one.idxmax() for one in parts]), self._index if axis in (1, "columns") else self._columns, None
        )

    def describe(self, **_: Any) -> DataFrame:
        """How many, their mean, spread and quartiles, of each column of numbers; of texts, where there are no numbers."""
        within = self.select_dtypes("number")
        within = within if len(within.columns) else self
        return DataFrame({name: one.describe() for name, one in within.items()})

    def corr(self, numeric_only: bool = False, **_: Any) -> DataFrame:
        """How far the columns go with each other."""
        within = self.select_dtypes(["number", "bool"]) if numeric_only else self
        parts = [one for _, one in within.items()]
        return DataFrame([[one.corr(other) for other in parts] for one in parts], within.columns, within.columns)

    def value_counts(self, subset: Any = None) -> Series:
        """How often the values of one column come."""
        found: Series = self[subset[0] if is_list(subset) else self._columns.tolist()[0] if subset is None else subset]
        return found.value_counts()

    def nunique(self, axis: Any = 0) -> Any:
        """How many kinds of values there are in each column."""
        return self._reduced("nunique", axis)

    def agg(self, func: Any, axis: Any = 0) -> Any:
        """What functions make of all values of a column."""
        if isinstance(func, list | tuple):
            return DataFrame({name: one.agg(func) for name, one in self.items()})
        if isinstance(func, dict):
            return _series(inferred([plain(self[n].agg(f)) for n, f in func.items()]), Index(list(func)), None)
        return self.apply(func, axis)

    def groupby(self, by: Any, sort: bool = True, as_index: bool = True, **_: Any) -> Any:
        """In groups by the values of a column, or of several."""
        from .grouping import FrameGroups, grouped

        keys = list(by) if isinstance(by, list | tuple) else [by]
        parts = [
            self[key] if not isinstance(key, Series | Index | np.ndarray) and key in self._columns else key for key in keys
        ]
        return FrameGroups(self, *grouped(parts, sort), as_index)

    def rolling(self, window: int, min_periods: Any = None) -> Any:
        """The last so many rows at each place."""
        from .rolling import Rolling

        return Rolling(self, window, min_periods)

    def _computed(self, does: computing.Operation, other: Any, *, turned: bool = False) -> Any:
        if isinstance(other, DataFrame):
            if other._columns._same(self._columns) and other._index._same(self._index):
                return self._pairwise(does, [*self._columns], [other[name] for name in self._columns], turned)
            names, rows = united(self._columns, other._columns), united(self._index, other._index)
            mine, theirs = (one.reindex(rows, names) for one in (self, other))
            return mine._pairwise(does, [*names], [theirs[name] for name in names], turned)
        if isinstance(other, Series):
            if not other._index._same(self._columns):
                names = united(self._columns, other._index)
                return self.reindex(columns=names)._computed(does, other.reindex(names), turned=turned)
            return self._pairwise(does, [*self._columns], other.tolist(), turned)
        if is_list(other):
            others = DataFrame(other)._held if _is_grid(other) else column(other).tolist()
            return self._pairwise(does, [*self._columns], others, turned)
        return self._pairwise(does, [*self._columns], [other] * len(self._held), turned)

    def _pairwise(self, does: computing.Operation, names: list[Any], others: list[Any], turned: bool) -> DataFrame:
        if len(others) != len(names):
            raise ValueError(f"Unable to coerce to Series, length must be {len(names)}: given {len(others)}")
        held = [self[name]._computed(does, part, turned=turned)._column for name, part in zip(names, others, strict=True)]
        return _frame(held, self._index, self._columns)

    def __neg__(self) -> DataFrame:
        return self._each(lambda one: -one)

    def __invert__(self) -> DataFrame:
        return self._each(lambda one: ~one)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        arrays = of_ufunc(ufunc, method, inputs, options)
        found = arrays if isinstance(arrays, np.ndarray) else arrays[0]
        return _frame([column(np.array(found[:, k])) for k in range(found.shape[1])], self._index, self._columns)

    __hash__ = None  # type: ignore[assignment]


with_operators(DataFrame)


class Row(tuple[Any, ...]):
    """A row of `itertuples`."""

    __module__ = "pandas"

    def __new__(cls, values: Any, names: Any) -> Row:
        made = super().__new__(cls, values)
        vars(made)["_fields"] = tuple(str(name) for name in names)
        return made

    def __getattr__(self, name: str) -> Any:
        if name[:1] != "_" and name in self._fields:
            return self[self._fields.index(name)]
        raise AttributeError(f"'Pandas' object has no attribute '{name}'")

    def __repr__(self) -> str:
        return f"Pandas({', '.join(f'{name}={value!r}' for name, value in zip(self._fields, self, strict=True))})"


class Kinds(Series):
    """What `df.dtypes` is: the kind of each column, which are compared with names of kinds."""

    __slots__ = ()

    def __init__(self, columns: Index, kinds: list[Any]) -> None:
        super().__init__([str(kind) for kind in kinds], columns)

    def _computed(self, does: computing.Operation, other: Any, *, turned: bool = False) -> Any:
        return super()._computed(does, str(np.dtype(other)) if other is not None else other, turned=turned)

    def __repr__(self) -> str:
        return printing.series(self._index, self._column, "dtype: object")


def _is_grid(value: Any) -> bool:
    """Whether something has rows and columns."""
    if isinstance(value, np.ndarray | Tensor):
        return value.ndim == 2
    return isinstance(value, list | tuple) and bool(value) and is_list(value[0]) and not isinstance(value, Index)


def _series(array: Array, index: Index, name: Any) -> Series:
    return Series.__new__(Series)._with(array, index, name)


def _frame(held: list[Array], index: Index, columns: Index) -> DataFrame:
    made = DataFrame.__new__(DataFrame)
    made._columns, made._held = columns, held
    made._index = index
    return made


def _checked(names: Index, leave: Any) -> list[Any]:
    wanted = [label(one) for one in leave] if is_list(leave) and type(leave) is not tuple else [label(leave)]
    absent = [one for one in wanted if one not in names]
    if absent:
        raise KeyError(f"{absent} not found in axis")
    return wanted


def _columns_of(data: Any, wanted: Index | None, index: Any) -> tuple[list[Any] | None, list[Array], Index | None]:
    """Names of columns where the data have any, the columns, and names of rows where the data have any."""
    if data is None:
        if wanted is None:
            return None, [], None
        return None, [full(np.nan, 0 if index is None else len(index)) for _ in wanted], None
    if isinstance(data, DataFrame):
        return data._columns.tolist(), [array.copy() for array in data._held], data._index if index is None else None
    if isinstance(data, Series):
        return [0 if data.name is None else data.name], [data._column.copy()], data._index if index is None else None
    if isinstance(data, dict):
        return _of_dict(data, index)
    if isinstance(data, Tensor):
        data = data.detach().numpy()
    if isinstance(data, np.ndarray):
        if data.ndim == 1:
            return None, [column(data)], None
        if data.ndim != 2:
            raise ValueError(f"Must pass 2-d input. shape={data.shape}")
        return None, [column(np.array(data[:, k])) for k in range(data.shape[1])], None
    return _of_rows(list(data), index)


def _of_dict(data: dict[Any, Any], index: Any) -> tuple[list[Any], list[Array], Index | None]:
    names, values = [label(key) for key in data], list(data.values())
    rows: Index | None = None
    for value in values:
        if isinstance(value, Series) and index is None:
            rows = value._index if rows is None or rows._same(value._index) else united(rows, value._index)
    if rows is not None or index is not None:
        rows = rows if rows is not None else index if isinstance(index, Index) else Index(list(index))
        values = [
            value.reindex(rows) if isinstance(value, Series) and not value._index._same(rows) else value for value in values
        ]
    lengths = {len(value) for value in values if is_list(value)}
    if not lengths and rows is None and values:
        raise ValueError("If using all scalar values, you must pass an index")
    length = len(rows) if rows is not None else lengths.pop() if lengths else 0
    arrays = [column(value) if is_list(value) and not isinstance(value, dict) else full(value, length) for value in values]
    return names, arrays, rows


def _of_rows(rows: list[Any], index: Any) -> tuple[list[Any] | None, list[Array], Index | None]:
    if rows and isinstance(rows[0], dict):
        names = list(dict.fromkeys(label(key) for row in rows for key in row))
        return names, [inferred([plain(row.get(name)) for row in rows]) for name in names], None
    if rows and isinstance(rows[0], Series):
        names = rows[0]._index.tolist()
        titles = None if index is not None or any(row.name is None for row in rows) else Index([row.name for row in rows])
        return names, [inferred([plain(row.get(name)) for row in rows]) for name in names], titles
    if rows and is_list(rows[0]):
        fields = getattr(type(rows[0]), "_fields", None)
        arrays_of = (np.ndarray, Tensor, Series, Index)
        lists = [column(row).tolist() if isinstance(row, arrays_of) else list(map(plain, row)) for row in rows]
        widest = max(map(len, lists))
        arrays = [inferred([row[k] if k < len(row) else None for row in lists]) for k in range(widest)]
        return list(fields) if fields and isinstance(fields, tuple) else None, arrays, None
    return None, [column(rows)] if rows else [], None
