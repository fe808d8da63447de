"""`csv` for programs, and what `json` does with files.

Python's own readers and writers, written in C, are given lines and rows of ours only: what a program hands over is gone through
here, in Python.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from typing import Any

from ...policy.guards import Guards
from ..facade import picked

QUOTES = "Error QUOTE_ALL QUOTE_MINIMAL QUOTE_NONE QUOTE_NONNUMERIC QUOTE_NOTNULL QUOTE_STRINGS"
DIALECTS = ("excel", "excel-tab", "unix")
OPTIONS = ("delimiter", "doublequote", "escapechar", "lineterminator", "quotechar", "quoting", "skipinitialspace", "strict")
PLAIN = (bool, float, int, str, type(None))


def _options(dialect: Any, given: dict[str, Any]) -> dict[str, Any]:
    """A dialect and options, as plain values that no code stands behind."""
    for name in given:
        if name not in OPTIONS:
            raise TypeError(f"this function got an unexpected keyword argument '{name}'")
    options = dict(given)
    if isinstance(dialect, str):
        if dialect not in DIALECTS:
            raise csv.Error("unknown dialect")
    else:
        # A class or an object of the program's.
        options = {name: getattr(dialect, name) for name in OPTIONS if hasattr(dialect, name)} | options
        dialect = "excel"
    for name, value in options.items():
        if type(value) not in PLAIN:
            raise TypeError(f'"{name}" must be a plain value, not {type(value).__name__}')
    return {"dialect": dialect, **options}


class Reader:
    """What `csv.reader` gives: an iterator over rows."""

    __slots__ = ("_inner", "_running")

    def __init__(self, csvfile: Any, dialect: Any = "excel", **options: Any) -> None:
        self._running = False
        lines = iter(csvfile)

        def feed() -> Iterator[str]:
            for line in lines:
                if not isinstance(line, str):
                    raise csv.Error(
                        f"iterator should return strings, not {type(line).__name__} (the file should be opened in text mode)"
                    )
                yield str.__str__(line)

        self._inner = csv.reader(feed(), **_options(dialect, options))

    def __iter__(self) -> Reader:
        return self

    def __next__(self) -> Any:
        if self._running:
            raise ValueError("reader already executing")
        self._running = True
        try:
            return next(self._inner)
        finally:
            self._running = False

    line_num = property(lambda self: self._inner.line_num)


class DictReader:
    """As `csv.DictReader`."""

    def __init__(
        self, f: Any, fieldnames: Any = None, restkey: Any = None, restval: Any = None, dialect: Any = "excel", **options: Any
    ) -> None:
        self._fieldnames = fieldnames if fieldnames is None else list(fieldnames)
        self.restkey, self.restval = restkey, restval
        self.reader = Reader(f, dialect, **options)

    line_num = property(lambda self: self.reader.line_num)

    @property
    def fieldnames(self) -> Any:
        """The names of the columns."""
        if self._fieldnames is None:
            self._fieldnames = next(self.reader, None)
        return self._fieldnames

    def __iter__(self) -> DictReader:
        return self

    def __next__(self) -> dict[Any, Any]:
        names = self.fieldnames
        row = next(self.reader)
        while not row:
            row = next(self.reader)
        found = dict(zip(names or (), row, strict=False))
        if len(names or ()) < len(row):
            found[self.restkey] = row[len(names or ()) :]
        for name in (names or ())[len(row) :]:
            found[name] = self.restval
        return found


class _Number:
    """A number that is written as its text."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> str:
        return self._text

    def __float__(self) -> float:
        return float(self._text)


class Writer:
    """What `csv.writer` gives."""

    __slots__ = ("_inner", "_pieces", "_write")

    def __init__(self, csvfile: Any, dialect: Any = "excel", **options: Any) -> None:
        write = getattr(csvfile, "write", None)
        if not callable(write):
            raise TypeError('argument 1 must have a "write" method')
        self._write: Callable[[str], Any] = write
        self._pieces: list[str] = []
        self._inner = csv.writer(_Sink(self._pieces), **_options(dialect, options))

    def writerow(self, row: Any, /) -> Any:
        """Write a row."""
        try:
            cells = [_cell(value) for value in row]
        except TypeError as error:
            if not hasattr(type(row), "__iter__") and not hasattr(type(row), "__getitem__"):
                raise csv.Error(f"iterable expected, not {type(row).__name__}") from None
            raise error
        self._inner.writerow(cells)
        pieces, self._pieces[:] = "".join(self._pieces), []
        return self._write(pieces)

    def writerows(self, rows: Any, /) -> None:
        """Write several."""
        for row in rows:
            self.writerow(row)


class _Sink:
    """Where Python's writer writes to."""

    __slots__ = ("_pieces",)

    def __init__(self, pieces: list[str]) -> None:
        self._pieces = pieces

    def write(self, text: str) -> int:
        """Keep it."""
        self._pieces.append(text)
        return len(text)


def _cell(value: Any) -> Any:
    if type(value) in PLAIN:
        return value
    text = str.__str__(str(value))
    return _Number(text) if hasattr(type(value), "__float__") else text


class DictWriter:
    """As `csv.DictWriter`."""

    def __init__(
        self, f: Any, fieldnames: Any, restval: Any = "", extrasaction: Any = "raise", dialect: Any = "excel", **options: Any
    ) -> None:
        self.fieldnames = list(fieldnames)
        self.restval = restval
        if extrasaction.lower() not in ("raise", "ignore"):
            raise ValueError(f"extrasaction ({extrasaction}) must be 'raise' or 'ignore'")
        self.extrasaction = extrasaction
        self.writer = Writer(f, dialect, **options)

    def writeheader(self) -> Any:
        """Write the names of the columns."""
        return self.writerow(dict(zip(self.fieldnames, self.fieldnames, strict=True)))

    def writerow(self, rowdict: Any) -> Any:
        """Write a row, given by names."""
        if self.extrasaction == "raise":
            wrong = [name for name in rowdict if name not in self.fieldnames]
            if wrong:
                raise ValueError(f"dict contains fields not in fieldnames: {', '.join([repr(name) for name in wrong])}")
        return self.writer.writerow([rowdict.get(name, self.restval) for name in self.fieldnames])

    def writerows(self, rowdicts: Any) -> None:
        """Write several."""
        for row in rowdicts:
            self.writerow(row)


class Dialect:
    """What a dialect of the program's inherits from."""

    delimiter, quotechar, lineterminator = ",", '"', "\r\n"
    doublequote, skipinitialspace, quoting, escapechar = True, False, csv.QUOTE_MINIMAL, None


def csv_names(guards: Guards) -> dict[str, Any]:
    """What `csv` has."""
    guards.know([Dialect], bases=True)
    made: dict[str, Any] = {"DictReader": DictReader, "DictWriter": DictWriter, "Dialect": Dialect, "excel": Dialect}

    def reader(csvfile: Any, dialect: Any = "excel", **options: Any) -> Reader:
        return Reader(csvfile, dialect, **options)

    def writer(csvfile: Any, dialect: Any = "excel", **options: Any) -> Writer:
        return Writer(csvfile, dialect, **options)

    def field_size_limit(*limit: Any) -> int:
        return 131_072

    def list_dialects() -> list[str]:
        return list(DIALECTS)

    functions: tuple[Any, ...] = (field_size_limit, list_dialects, reader, writer)
    return picked(csv, QUOTES) | made | {function.__name__: function for function in functions}


def json_names(dumps: Callable[..., str]) -> dict[str, Any]:
    """`json.dump` and `json.load`: the functions for texts, and the file's own methods."""

    def dump(obj: Any, fp: Any, **options: Any) -> None:
        fp.write(dumps(obj, **options))

    def load(fp: Any, **options: Any) -> Any:
        return json.loads(fp.read(), **options)

    return {"dump": dump, "load": load}
