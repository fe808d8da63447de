"""Tables and columns made of others: `concat`, `merge`, `get_dummies`, and tests of single values."""

from __future__ import annotations

from typing import Any

import numpy as np

from .frame import DataFrame, _frame, _series
from .index import Index, numbered
from .series import Series
from .values import Array, cast, column, distinct, full, is_list, joined, missing, missing_one, order, plain, taken


def concat(objs: Any, axis: Any = 0, ignore_index: bool = False, keys: Any = None, join: str = "outer", **_: Any) -> Any:
    """Tables or columns below or beside each other.

    Raises:
        ValueError: where there is nothing to put together.
        TypeError: for what is neither a table nor a column.
    """
    parts = [one for one in (objs.values() if isinstance(objs, dict) else objs) if one is not None]
    if not parts:
        raise ValueError("No objects to concatenate")
    if any(not isinstance(one, DataFrame | Series) for one in parts):
        raise TypeError("cannot concatenate an object that is no DataFrame or Series")
    if axis in (1, "columns"):
        return _beside(parts, keys, ignore_index)
    index = numbered(sum(map(len, parts))) if ignore_index else Index(joined(one._index._column for one in parts))
    if all(isinstance(one, Series) for one in parts):
        return _series(joined(one._column for one in parts), index, parts[0]._name)
    tables = [one if isinstance(one, DataFrame) else one.to_frame() for one in parts]
    names = list(dict.fromkeys(name for table in tables for name in table._columns))
    if join == "inner":
        names = [name for name in names if all(name in table for table in tables)]
    some = [table for table in tables if len(table)] or tables
    held = [joined(t[name]._column if name in t else full(np.nan, len(t)) for t in some) for name in names]
    return _frame(held, index, Index(names))


def _beside(parts: list[Any], keys: Any, ignore_index: bool) -> DataFrame:
    rows = parts[0]._index
    if not all(one._index._same(rows) for one in parts):
        rows = Index(list(dict.fromkeys(name for one in parts for name in one._index)))
    names, held = [], []
    for k, one in enumerate(parts):
        table = one if isinstance(one, DataFrame) else one.to_frame(keys[k] if keys is not None else None)
        at = np.array([table._index._places_of(name)[0] if name in table._index else -1 for name in rows], np.int64)
        names += [k if isinstance(one, Series) and one._name is None and keys is None else name for name in table._columns]
        held += [taken(array, at) for array in table._held]
    return _frame(held, rows, Index(range(len(names)) if ignore_index else names))


def merge(
    left: DataFrame, right: DataFrame, how: str = "inner", on: Any = None, left_on: Any = None, right_on: Any = None,
    suffixes: Any = ("_x", "_y"), **_: Any,
) -> DataFrame:  # fmt: skip
    """The rows of two tables that have the same values, beside each other.

    Raises:
        NotImplementedError: for a way other than inner, left, right and outer.
    """
    if how not in ("inner", "left", "right", "outer"):
        raise NotImplementedError(f"merge(how={how!r}) is not here; there are inner, left, right and outer")
    if how == "right":
        turned = merge(right, left, "left", on, right_on, left_on, (suffixes[1], suffixes[0]))
        return turned
    if on is None and left_on is None:
        on = [name for name in left._columns if name in right]
    listed = [list(one) if isinstance(one, list | tuple) else [one] for one in (left_on or on, right_on or on)]
    ours, theirs = ([tuple(row) for row in one[keys]._rows()] for one, keys in zip((left, right), listed, strict=True))
    where: dict[Any, list[int]] = {}
    for k, key in enumerate(theirs):
        where.setdefault(key, []).append(k)
    pairs = [(k, at) for k, key in enumerate(ours) for at in (where.get(key, [-1] if how != "inner" else []))]
    if how == "outer":
        seen = {*ours}
        pairs += [(-1, k) for k, key in enumerate(theirs) if key not in seen]
    a, b = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    shared = [name for name, same in zip(listed[0], listed[1], strict=True) if name == same]
    names, held = [], []
    for name in left._columns:
        array = taken(left[name]._column, a)
        if name in shared and how == "outer":
            array = joined([array[a >= 0], taken(right[name]._column, b[a < 0])])
        names.append(f"{name}{suffixes[0]}" if name in right and name not in shared else name)
        held.append(array)
    for name in right._columns:
        if name not in shared:
            names.append(f"{name}{suffixes[1]}" if name in left else name)
            held.append(taken(right[name]._column, b))
    found = _frame(held, numbered(len(pairs)), Index(names))
    return found.sort_values(shared, ignore_index=True) if how == "outer" and shared else found


def get_dummies(
    data: Any, prefix: Any = None, prefix_sep: str = "_", dummy_na: bool = False, columns: Any = None, drop_first: bool = False,
    dtype: Any = bool,
) -> DataFrame:  # fmt: skip
    """A column of truth values for each kind of value."""
    if not isinstance(data, DataFrame):
        one = data if isinstance(data, Series) else Series(data)
        return _kinds(one, prefix, prefix_sep, dummy_na, drop_first, dtype)
    chosen = [name for name, one in data.items() if one.dtype.kind == "O"] if columns is None else list(columns)
    parts: list[Any] = [data.drop(columns=chosen)]
    for k, name in enumerate(chosen):
        before = name if prefix is None else prefix[k] if is_list(prefix) and not isinstance(prefix, dict) else (
            prefix[name] if isinstance(prefix, dict) else prefix
        )  # fmt: skip
        parts.append(_kinds(data[name], before, prefix_sep, dummy_na, drop_first, dtype))
    found: DataFrame = concat([part for part in parts if len(part._columns)] or parts[:1], axis=1)
    return found


def _kinds(one: Series, before: Any, mark: str, gaps: bool, drops: bool, dtype: Any) -> DataFrame:
    found = one.dropna()
    kinds = found._column[order(found._column)]
    items = distinct(kinds)[1 if drops else 0 :]
    names = [item if before is None else f"{before}{mark}{item}" for item in items]
    held = [_is(one, item) for item in items]
    if gaps:
        names, held = [*names, np.nan if before is None else f"{before}{mark}nan"], [*held, missing(one._column)]
    return _frame([cast(array, dtype) for array in held], one._index, Index(names))


def _is(one: Series, item: Any) -> Array:
    return np.array([not missing_one(value) and value == item for value in one], np.bool_)


def isna(obj: Any) -> Any:
    """Whether a value is not there, or where in a column or table there is none."""
    if isinstance(obj, DataFrame | Series):
        return obj.isna()
    return missing(column(obj)) if is_list(obj) else missing_one(plain(obj))


def notna(obj: Any) -> Any:
    """The opposite of `isna`."""
    found = isna(obj)
    return not found if type(found) is bool else ~found


def unique(values: Any) -> Any:
    """The values, each once."""
    return Series(values).unique()


def factorize(values: Any) -> tuple[Array, Any]:
    """Numbers for the values, and the values by number."""
    kinds = [item for item in distinct(column(values)) if not missing_one(item)]
    number = {item: k for k, item in enumerate(kinds)}
    codes = np.array([number.get(item, -1) for item in column(values).tolist()], np.int64)
    return codes, Index(kinds) if isinstance(values, Series | Index) else column(kinds)


def to_numeric(arg: Any, errors: str = "raise", **_: Any) -> Any:
    """Texts as numbers; with `errors="coerce"` what is none becomes a gap."""

    def number(item: Any) -> Any:
        try:
            return item if type(item) in (bool, float, int) else float("nan") if item is None else float(item)
        except ValueError:
            if errors == "coerce":
                return float("nan")
            raise ValueError(f'Unable to parse string "{item}"') from None

    one = arg if isinstance(arg, Series) else Series(arg)
    found = Series([number(item) for item in one], one._index, name=one._name)
    if found.dtype.kind == "f" and one.dtype.kind == "O" and all(str(item).lstrip("+-").isdigit() for item in one):
        found = found.astype("int64")
    return found if isinstance(arg, Series) else found.values
