"""`rolling`: the last values at each place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import computing
from .values import missing, plain


class Rolling:
    """The last `window` values at each place of a column, or of each column of a table."""

    __module__ = "pandas"
    __slots__ = ("_least", "_of", "_window")

    def __init__(self, of: Any, window: int, min_periods: Any = None) -> None:
        if type(window) is not int or window < 0:
            raise ValueError("window must be an integer 0 or greater")
        self._of, self._window, self._least = of, window, window if min_periods is None else int(min_periods)

    def _each(self, does: Callable[[Any], Any]) -> Any:
        if self._of.ndim == 2:
            return self._of._each(lambda one: Rolling(one, self._window, self._least)._each(does))
        array = self._of._column
        there = ~missing(array)
        found = np.full(len(array), np.nan)
        for k in range(len(array)):
            part = slice(max(k + 1 - self._window, 0), k + 1)
            if there[part].sum() >= self._least:
                found[k] = does(array[part])
        return self._of._with(found)

    def apply(self, func: Callable[[Any], Any], raw: bool = False, **_: Any) -> Any:
        """A function of the values at each place."""
        return self._each(lambda part: plain(func(part.copy())))


def _method(name: str) -> Callable[..., Any]:
    def reduce(self: Rolling) -> Any:
        return self._each(computing.REDUCTIONS[name])

    reduce.__name__ = name
    return reduce


for _name in ("max", "mean", "median", "min", "std", "sum", "var"):
    setattr(Rolling, _name, _method(_name))
