"""`pandas`: tables in memory, as programs keep their data and results in them.

Numbers, texts and truth values with the names of their rows and columns, read from files that were opened together with the
program; no dates, no names of several levels, no categories. Columns of texts are of the kind `object`, as in pandas 2.
"""

from __future__ import annotations

from typing import Any

from .combining import concat, factorize, get_dummies, isna, merge, notna, to_numeric, unique
from .frame import DataFrame
from .grouping import NamedAgg
from .index import Index
from .reading import read_csv, read_table
from .series import Series

__version__ = "2.3.3"
__all__ = [
    "NA", "DataFrame", "Index", "NamedAgg", "Options", "Series", "concat", "factorize", "get_dummies", "isna", "isnull",
    "merge", "notna", "notnull", "options", "read_csv", "read_table", "set_option", "to_numeric", "unique",
]  # fmt: skip

NA = float("nan")
isnull, notnull = isna, notna


class Options:
    """How tables are shown: taken, without effect."""

    __module__ = "pandas"

    def __getattr__(self, name: str) -> Any:
        if name[:1] == "_":
            raise AttributeError(f"no option is called {name!r}")
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        """Taken, without effect."""


options = Options()


def set_option(*_: Any) -> None:
    """Taken, without effect."""
