"""The log's structs as tables, without loss: a column for each field, and a table of its own for whatever there may be any
number of.

What a table has follows from its struct, so a new field of an event is a new column and nothing else is to be written. Numbers
are NumPy arrays, texts are positions in one list of texts; a field that holds several things is the number of them in its row,
and they stand one after another in a child table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import chain, pairwise
from operator import attrgetter, itemgetter
from typing import Any, TypeAlias, TypeVar

import msgspec
import numpy as np
import numpy.ma
from msgspec import inspect
from numpy.typing import NDArray

from .events import AnyEvent, Scope, Site
from .store import RecordingError

Numbers: TypeAlias = NDArray[Any]
E = TypeVar("E")
KINDS: tuple[type[Any], ...] = AnyEvent.__args__
"""The kinds of events; a kind is a position here, and new ones come last."""
KIND = {kind: number for number, kind in enumerate(KINDS)}
PLACE = ("site", "scope")
"""What every event has: columns of the whole log, and none of its kind's table."""
INT, BOOL, TEXT, MAYBE_TEXT, FLOAT = "int", "bool", "text", "maybe", "float"
NO_TEXT = -1
TEXT_KINDS = frozenset((TEXT, MAYBE_TEXT))


class Texts:
    """Numbers for texts, in the order of their first appearance."""

    def __init__(self, texts: Sequence[str] = ()) -> None:
        self.list = list(texts)
        self._number: dict[str | None, int] = {text: number for number, text in enumerate(self.list)}
        self._number[None] = NO_TEXT

    def numbers(self, texts: Sequence[str | None]) -> list[int]:
        """The number of each text; None has NO_TEXT."""
        known = self._number
        for text in dict.fromkeys(texts):
            if text not in known:
                assert text is not None  # which is known from the start
                known[text] = len(self.list)
                self.list.append(text)
        return [known[text] for text in texts]


class Layout:
    """What the table of one struct, or of what a field holds any number of, consists of."""

    def __init__(self, fields: Sequence[Field], split: Callable[[Sequence[Any]], list[Any]], join: Callable[..., Any]) -> None:
        self.fields = tuple(fields)
        self.split = split
        """Rows → a list for each field."""
        self.join = join
        """A list for each field → an iterator of rows."""


class Field:
    """A column of numbers, or (with a layout of its own) how many rows of a child table belong to each row."""

    def __init__(
        self, name: str, kind: str, default: Any = None, child: Layout | None = None, one: bool = False, gaps: bool = False
    ):
        self.name, self.kind, self.child = name, kind, child
        self.default = default
        """What the column holds where it is not written: that of the struct's field, as a number; None where there is none."""
        self.one = one
        """Whether it is one struct or None, not a tuple."""
        self.gaps = gaps
        """Whether there may be None among the structs of the tuple; the child's column "there" tells."""


_layouts: dict[type[Any], Layout] = {}


def layout(kind: type[Any]) -> Layout:
    """The layout of a struct."""
    made = _layouts.get(kind)
    if made is None:
        made = _layouts[kind] = _layout(kind)
    return made


BEHIND = ("opened", "rates", "gradient", "help", "module", "layer")
"""Fields of events that stand behind their place, and are given by name."""


def _layout(kind: type[Any]) -> Layout:
    skipped = PLACE if kind in KIND else ()
    fields = [f for f in msgspec.structs.fields(kind) if f.name not in skipped]
    types = {f.name: f.type for f in inspect.type_info(kind).fields}  # type: ignore[attr-defined]
    found = [_field(f.name, types[f.name], f.default) for f in fields]
    names = [f.name for f in fields]
    getters = [attrgetter(name) for name in names]
    return Layout(found, lambda rows: [list(map(get, rows)) for get in getters], _joiner(kind, names))


def _joiner(kind: type[Any], names: list[str]) -> Callable[..., Any]:
    if kind not in KIND:
        return lambda *columns: map(kind, *columns)
    positional = [name for name in names if name not in BEHIND]
    behind = [name for name in names if name in BEHIND]

    def join(*columns: Any) -> Any:
        *rest, site, scope = columns
        if behind:
            last = zip(*[columns[names.index(name)] for name in behind], strict=True)
            rest = [columns[names.index(name)] for name in positional]
            return [
                kind(*row, site=a, scope=b, **dict(zip(behind, c)))
                for row, a, b, c in zip(zip(*rest, strict=True), site, scope, last, strict=True)
            ]
        return [kind(*row, site=a, scope=b) for row, a, b in zip(zip(*rest, strict=True), site, scope, strict=True)]

    return join


def _field(name: str, kind: Any, default: Any) -> Field:
    match kind:
        case inspect.IntType():
            return Field(name, INT, default if isinstance(default, int) else None)
        case inspect.BoolType():
            return Field(name, BOOL, int(default) if isinstance(default, bool) else None)
        case inspect.FloatType():
            return Field(name, FLOAT)
        case inspect.StrType():
            return Field(name, TEXT, 0 if default == "" else None)
        case inspect.UnionType(types=types) if any(isinstance(t, inspect.StrType) for t in types):
            return Field(name, MAYBE_TEXT, NO_TEXT if default is None else None)
        case inspect.UnionType(types=types):
            (struct,) = [t for t in types if isinstance(t, inspect.StructType)]
            return Field(name, INT, 0, layout(struct.cls), one=True)
        case inspect.VarTupleType(item_type=inspect.UnionType(types=types)):
            (struct,) = [t for t in types if isinstance(t, inspect.StructType)]
            return Field(name, INT, 0, layout(struct.cls), gaps=True)
        case inspect.VarTupleType(item_type=inspect.StructType(cls=struct)):
            return Field(name, INT, 0, layout(struct))
        case inspect.VarTupleType(item_type=inspect.TupleType(item_types=types)):
            return Field(name, INT, 0, _of_tuple(types))
        case inspect.TupleType(item_types=types):
            return Field(name, INT, None, _of_tuple(types), one=True)
        case inspect.VarTupleType(item_type=item):
            return Field(name, INT, 0, Layout([_field("", item, None)], lambda rows: [rows], lambda column: column))
    raise TypeError(f"no column for {name}: {kind}")


def _of_tuple(types: Sequence[Any]) -> Layout:
    parts = [_field(str(place), part, None) for place, part in enumerate(types)]
    getters = [itemgetter(place) for place in range(len(parts))]
    return Layout(parts, lambda rows: [list(map(get, rows)) for get in getters], lambda *columns: zip(*columns, strict=True))


class Table:
    """The rows of one layout as columns, and the child tables of those of its fields that have any."""

    __slots__ = ("_starts", "children", "columns", "layout", "size")

    def __init__(self, layout: Layout, size: int, columns: dict[str, Numbers], children: dict[str, Table]) -> None:
        self.layout, self.size, self.columns, self.children = layout, size, columns, children
        self._starts: dict[str, Numbers] = {}

    def __getitem__(self, name: str) -> Numbers:
        """A column, as numbers of 64 bits with which one can calculate."""
        wide: Numbers = self.columns[name].astype(np.int64)
        return wide

    @property
    def bytes(self) -> int:
        """What the columns take, and those of the tables below."""
        own = sum([column.nbytes for column in self.columns.values()])
        return own + sum([child.bytes for child in self.children.values()])

    def starts(self, name: str) -> Numbers:
        """Where in the child table the things of each row begin; one more, for where the last one's end."""
        made = self._starts.get(name)
        if made is None:
            made = np.zeros(self.size + 1, np.int64)
            np.cumsum(self.columns[name], out=made[1:])
            self._starts[name] = made
        return made

    def places(self, name: str) -> Numbers:
        """For each row of a child table its position among those that belong to the same row."""
        found: Numbers = np.arange(self.children[name].size) - np.repeat(self.starts(name)[:-1], self.columns[name])
        return found

    def part(self, first: int, last: int) -> Table:
        """The rows from `first` up to `last`, as views."""
        columns = {name: column[first:last] for name, column in self.columns.items()}
        children = {}
        for name, child in self.children.items():
            starts = self.starts(name)
            children[name] = child.part(int(starts[first]), int(starts[last]))
        return Table(self.layout, last - first, columns, children)


@cache
def empty(layout: Layout, gaps: bool = False) -> Table:
    """The table without rows."""
    made = shred(layout, (), Texts())
    if gaps:
        made.columns["there"] = np.zeros(0, np.uint8)
    return made


def shred(layout: Layout, rows: Sequence[Any], texts: Texts) -> Table:
    """Rows as a table. RecordingError for a number that is none of 64 bits."""
    columns: dict[str, Numbers] = {}
    children: dict[str, Table] = {}
    for field, values in zip(layout.fields, layout.split(rows), strict=True):
        if field.child is None:
            columns[field.name] = _column(field.kind, values, texts)
        elif field.one:
            there = [value for value in values if value is not None]
            columns[field.name] = narrow(np.fromiter((value is not None for value in values), np.uint8, len(values)))
            children[field.name] = shred(field.child, there, texts)
        else:
            columns[field.name] = _column(INT, list(map(len, values)), texts)
            items: list[Any] = list(chain.from_iterable(values))
            if field.gaps:
                there = [item is not None for item in items]
                if not all(there):
                    nothing = next(field.child.join(*[[_NOTHING[f.kind]] for f in field.child.fields]))
                    items = [nothing if item is None else item for item in items]
            child = shred(field.child, items, texts)
            if field.gaps:
                child.columns["there"] = np.array(there, np.uint8)
            children[field.name] = child
    return Table(layout, len(rows), columns, children)


_NOTHING: dict[str, Any] = {INT: -1, BOOL: False, TEXT: "", MAYBE_TEXT: None, FLOAT: 0.0}


def _column(kind: str, values: list[Any], texts: Texts) -> Numbers:
    if kind == FLOAT:
        return np.array(values, np.float64)
    numbers = texts.numbers(values) if kind in TEXT_KINDS else values
    try:
        if 0 < len(numbers) < _FEW:
            return np.array(numbers, _width(min(numbers), max(numbers)))
        return narrow(np.array(numbers, np.int64))
    except (OverflowError, ValueError, TypeError):
        raise RecordingError("a number of more than 64 bits") from None


_FEW = 64
"""Numbers of which Python finds the least and the greatest sooner than NumPy does."""
_WIDTHS = (np.int8, np.int16, np.int32)
_ENDS = [(np.iinfo(width).min, np.iinfo(width).max, width) for width in _WIDTHS]


def narrow(numbers: Numbers) -> Numbers:
    """The same numbers in as few bytes as hold them all."""
    if not len(numbers):
        return np.zeros(0, np.int8)
    return numbers.astype(_width(int(numbers.min()), int(numbers.max())))


def _width(low: int, high: int) -> type[np.signedinteger[Any]]:
    """The smallest type that holds all numbers from one to another."""
    return next((width for least, most, width in _ENDS if least <= low and high <= most), np.int64)


def rows(table: Table, first: int, last: int, texts: Sequence[str], *more: list[int]) -> list[Any]:
    """Some rows as what they were made from; `more` are columns that are kept elsewhere."""
    n = last - first
    if not n:
        return []
    columns: list[Any] = []
    for field in table.layout.fields:
        column = table.columns[field.name][first:last]
        if field.child is None:
            values = column.tolist()
            if field.kind == TEXT:
                values = [texts[number] for number in values]
            elif field.kind == MAYBE_TEXT:
                values = [None if number == NO_TEXT else texts[number] for number in values]
            elif field.kind == BOOL:
                values = [value == 1 for value in values]
            columns.append(values)
            continue
        starts = table.starts(field.name)[first : last + 1].tolist()
        begin, end = starts[0], starts[-1]
        if begin == end:
            columns.append([None if field.one else ()] * n)
            continue
        child = table.children[field.name]
        items = rows(child, begin, end, texts)
        if field.gaps:
            there = child.columns["there"][begin:end].tolist()
            items = [item if present else None for item, present in zip(items, there, strict=True)]
        if field.one:
            columns.append([items[a - begin] if b > a else None for a, b in pairwise(starts)])
        else:
            columns.append([tuple(items[a - begin : b - begin]) for a, b in pairwise(starts)])
    return list(table.layout.join(*columns, *more))


def together(tables: Sequence[Table]) -> Table:
    """Tables of one layout, one after another, as one."""
    if len(tables) == 1:
        return tables[0]
    first = tables[0]
    return Table(
        first.layout,
        sum(table.size for table in tables),
        {name: np.concatenate([table.columns[name] for table in tables]) for name in first.columns},
        {name: together([table.children[name] for table in tables]) for name in first.children},
    )


class Tape:
    """The events of a log, and the tables they refer to, as columns. Treat it as frozen."""

    def __init__(
        self,
        kind: Numbers,
        site: Numbers,
        scope: Numbers,
        tables: dict[type[Any], Table],
        sites: Table,
        scopes: Table,
        texts: list[str],
    ) -> None:
        self.kind, self.site, self.scope = kind, site, scope
        self.tables = tables
        """For each kind of event the table of its events, in their order."""
        self.sites, self.scopes = sites, scopes
        self.texts = texts
        self._steps: dict[type[Any], Numbers] = {}
        self._row: Numbers | None = None
        self._lines: Numbers | None = None
        """The line of each site, and of none."""

    @property
    def size(self) -> int:
        """How many events there are."""
        return len(self.kind)

    def steps(self, kind: type[Any]) -> Numbers:
        """The steps of the events of a kind, in order."""
        made = self._steps.get(kind)
        if made is None:
            made = self._steps[kind] = np.flatnonzero(self.kind == KIND[kind])
        return made

    @property
    def row(self) -> Numbers:
        """For each event its row in the table of its kind."""
        if self._row is None:
            self._row = np.zeros(self.size, np.int32)
            for kind in KINDS:
                steps = self.steps(kind)
                self._row[steps] = np.arange(len(steps))
        return self._row

    def lines(self, steps: int | Numbers) -> Numbers:
        """The lines of the program on which events happened, 0 where it is not known."""
        if self._lines is None:
            self._lines = np.append(self.sites["line"], 0)
        return self._lines[self.site[steps]]

    def cells(self, steps: int | Numbers) -> Numbers:
        """The cells of the program in which events happened, 0 where it is not known."""
        return np.append(self.sites["cell"], 0)[self.site[steps]]

    def rows_of(self, kind: type[Any], first: int, last: int) -> tuple[int, int]:
        """The rows of a kind's table that belong to the events from `first` up to `last`."""
        begin, end = np.searchsorted(self.steps(kind), (first, last))
        return int(begin), int(end)

    def part(self, first: int, last: int) -> Tape:
        """The events from `first` up to `last`, with all of the tables they refer to."""
        tables = {kind: table.part(*self.rows_of(kind, first, last)) for kind, table in self.tables.items()}
        return Tape(
            self.kind[first:last], self.site[first:last], self.scope[first:last], tables, self.sites, self.scopes, self.texts
        )

    def of_kind(self, kind: type[E]) -> list[tuple[int, E]]:
        """The events of a kind as structs, with their steps; no others are made for them."""
        steps, table = self.steps(kind), self.tables[kind]
        site, scope = self.site[steps].tolist(), self.scope[steps].tolist()
        return list(zip(steps.tolist(), rows(table, 0, table.size, self.texts, site, scope), strict=True))

    def decoded(self, first: int, last: int) -> list[AnyEvent]:
        """Some of the events as structs."""
        kinds = self.kind[first:last]
        site, scope = self.site[first:last], self.scope[first:last]
        found: list[Any] = [None] * len(kinds)
        for number in np.unique(kinds).tolist() if len(kinds) > 1 else kinds.tolist():
            table = self.tables[KINDS[number]]
            at = np.flatnonzero(kinds == number)
            begin = int(self.row[first + int(at[0])])
            made = rows(table, begin, begin + len(at), self.texts, site[at].tolist(), scope[at].tolist())
            for place, event in zip(at.tolist(), made, strict=True):
                found[place] = event
        return found


def tape_from(events: Sequence[AnyEvent], sites: Sequence[Site], scopes: Sequence[Scope]) -> Tape:
    """The columns of a log that is given as structs."""
    texts = Texts(("",))
    kinds = [KIND[event.__class__] for event in events]
    by_kind: list[list[Any]] = [[] for _ in KINDS]
    for kind, event in zip(kinds, events, strict=True):
        by_kind[kind].append(event)
    return Tape(
        np.array(kinds, np.uint8),
        _column(INT, [event.site for event in events], texts),
        _column(INT, [event.scope for event in events], texts),
        {kind: shred(layout(kind), by_kind[number], texts) for number, kind in enumerate(KINDS)},
        shred(layout(Site), sites, texts),
        shred(layout(Scope), scopes, texts),
        texts.list,
    )


def size_of(table: Table) -> int:
    """Rows of a table and of all below it."""
    return table.size + sum([size_of(child) for child in table.children.values()])


def walk(table: Table, path: str) -> Iterator[tuple[str, Table, str]]:
    """All columns of a table and of those below it: path, table, name."""
    for name in table.columns:
        yield f"{path}.{name}", table, name
    for name, child in table.children.items():
        yield from walk(child, f"{path}.{name}")
