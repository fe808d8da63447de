"""`Series.str`: what texts can do, for each text of a column."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .values import inferred, plain

METHODS = (
    "capitalize casefold endswith find isalnum isalpha isdigit islower isnumeric isupper ljust lower lstrip rjust rstrip "
    "startswith strip swapcase title upper zfill"
)
"""Those that are Python's own."""


class Strings:
    """The texts of a column; what is no text becomes a gap."""

    __module__ = "pandas"
    __slots__ = ("_series",)

    def __init__(self, series: Any) -> None:
        if series._column.dtype.kind != "O":
            raise AttributeError("Can only use .str accessor with string values!")
        self._series = series

    def _each(self, does: Callable[[str], Any]) -> Any:
        found = [plain(does(item)) if type(item) is str else float("nan") for item in self._series]
        return self._series._with(inferred(found))

    def len(self) -> Any:
        """How many signs each has."""
        return self._each(len)

    def contains(self, pat: str, case: bool = True, regex: bool = True, na: Any = None) -> Any:
        """Which have a pattern in them."""
        pat = plain(pat)
        if not regex:
            return self._each(lambda text: pat in text)
        pattern = re.compile(pat, 0 if case else re.IGNORECASE)
        return self._each(lambda text: pattern.search(text) is not None)

    def replace(self, pat: str, repl: str, regex: bool = False) -> Any:
        """With something else for a text or a pattern."""
        pat, repl = plain(pat), plain(repl)
        return self._each(lambda text: re.sub(pat, repl, text) if regex else text.replace(pat, repl))

    def slice(self, start: Any = None, stop: Any = None, step: Any = None) -> Any:
        """A part of each."""
        return self._each(lambda text: text[start:stop:step])

    def __getitem__(self, key: Any) -> Any:
        return self._each(lambda text: text[key])

    def get(self, i: int) -> Any:
        """One sign of each."""
        return self._each(lambda text: text[i] if -len(text) <= i < len(text) else float("nan"))

    def count(self, pat: str) -> Any:
        """How often each has a pattern in it."""
        pattern = re.compile(plain(pat))
        return self._each(lambda text: len(pattern.findall(text)))

    def split(self, pat: Any = None, n: int = -1, expand: bool = False) -> Any:
        """The pieces, as columns of a table.

        Raises:
            NotImplementedError: for lists as cells, which tables do not hold here.
        """
        if not expand:
            raise NotImplementedError("a column of lists is not here; use str.split(…, expand=True), or a list of your own")
        pat, n = plain(pat), plain(n)
        rows = [text.split(pat, n) if type(text) is str else [text] for text in self._series]
        from .frame import DataFrame

        widest = max(map(len, rows), default=0)
        return DataFrame([[*row, *[None] * (widest - len(row))] for row in rows], index=self._series.index)


def _method(name: str) -> Callable[..., Any]:
    def each(self: Strings, *arguments: Any) -> Any:
        given = [plain(argument) for argument in arguments]
        return self._each(lambda text: getattr(text, name)(*given))

    each.__name__ = name
    return each


for _name in METHODS.split():
    setattr(Strings, _name, _method(_name))
