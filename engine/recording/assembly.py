"""Batches of a log put together as columns: the rows of each form take what the form says, and their own numbers where it has
holes, for all of them at once.

Batches may come from a stranger. Every number that is used as a position is looked at before; what the log then says is for
`check` to look at, as it does with files.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .arrays import Arrays
from .batch import HOLE, TEXT_HOLE, WIDTH, Batch
from .events import NOTHING, Scope, Site
from .op_info import OpInfo
from .store import DTYPES, GONE, RecordingError, Row
from .tables import FLOAT, KIND, KINDS, Layout, Numbers, Table, Tape, Texts, empty, layout, narrow, shred, together

FEW = 64
"""Rows that are looked at one by one."""
TOGETHER = 65_536
"""Events that are made columns of together, about."""
_LONGEST = 2**40


class Rows:
    """Rows of some batches: their forms and numbers, one after another."""

    def __init__(self, front: int) -> None:
        self.front = front
        """Numbers of each row before those that fill holes."""
        self.count = 0
        self._numbers: list[Numbers] = []
        self._lengths: list[Numbers] = []

    def add(self, rows: bytes, lengths: bytes, forms: int) -> list[int]:
        """Take some more, of so many forms that there are; returns the form of each.

        Raises:
            RecordingError: for rows that do not fit together.
        """
        if len(rows) % WIDTH or len(lengths) % 2:
            raise RecordingError("rows that are cut off")
        numbers, sizes = np.frombuffer(rows, "<i4"), np.frombuffer(lengths, "<u2")
        if len(sizes) <= FEW:
            found = self._few(numbers.tolist(), sizes.tolist(), forms)
            self._numbers.append(numbers)
            self._lengths.append(sizes)
            self.count += len(sizes)
            return found
        ends = np.cumsum(sizes, dtype=np.int64)
        if (int(ends[-1]) if len(ends) else 0) != len(numbers) or (len(sizes) and int(sizes.min()) < self.front):
            raise RecordingError("rows of another length than they have")
        each = numbers[ends - sizes]
        if int(each.min()) < 0 or int(each.max()) >= forms:
            raise RecordingError("row of a form that there is not")
        self._numbers.append(numbers)
        self._lengths.append(sizes)
        self.count += len(sizes)
        return [*each.tolist()]

    def _few(self, numbers: list[int], sizes: list[int], forms: int) -> list[int]:
        """The forms of a few rows, for which arrays would take longer."""
        found, at = [], 0
        for size in sizes:
            if size < self.front or at + size > len(numbers):
                raise RecordingError("rows of another length than they have")
            form = numbers[at]
            if not 0 <= form < forms:
                raise RecordingError("row of a form that there is not")
            found.append(form)
            at += size
        if at != len(numbers):
            raise RecordingError("rows of another length than they have")
        return found

    def all(self) -> tuple[Numbers, Numbers, Numbers]:
        """All numbers, where each row begins, and how many it has."""
        numbers = np.concatenate([np.zeros(0, np.int32), *self._numbers])
        lengths = np.concatenate([np.zeros(0, np.uint16), *self._lengths])
        self._numbers, self._lengths = [numbers], [lengths]
        wide = lengths.astype(np.int64)
        return numbers, np.cumsum(wide) - wide, wide

    def forget(self) -> None:
        """Drop them."""
        self._numbers, self._lengths, self.count = [], [], 0


class Forms:
    """Forms of one layout, as a table that grows."""

    def __init__(self, layout: Layout, texts: Texts) -> None:
        self.layout, self.texts = layout, texts
        self.count = 0
        self._new: list[Any] = []
        self._table: Table | None = None

    def add(self, form: Any) -> int:
        """Take one more; returns its row."""
        self._new.append(form)
        self.count += 1
        return self.count - 1

    @property
    def table(self) -> Table:
        """All of them."""
        if self._new:
            made = shred(self.layout, self._new, self.texts)
            self._table = made if self._table is None else together([self._table, made])
            self._new = []
        return empty(self.layout) if self._table is None else self._table


class Filling:
    """What fills the holes of rows: all numbers, where those of each row begin, and how many they are."""

    __slots__ = ("begins", "counts", "numbers", "texts")

    def __init__(self, numbers: Numbers, begins: Numbers, counts: Numbers, texts: Numbers) -> None:
        self.numbers, self.begins, self.counts, self.texts = numbers, begins, counts, texts

    def of(self, rows: Numbers) -> Filling:
        """The same for rows that are picked out."""
        return Filling(self.numbers, self.begins[rows], self.counts[rows], self.texts)

    def numbers_at(self, holes: Numbers) -> Numbers:
        """The number that fills each row's hole. RecordingError where there is none."""
        if bool(((holes < 0) | (holes >= self.counts)).any()):
            raise RecordingError("hole that nothing fills")
        found: Numbers = self.numbers[self.begins + holes]
        return found


def filled(forms: Table, picked: Numbers, filling: Filling) -> Table:
    """A row of `forms` for each of `picked`, with its holes filled."""
    columns: dict[str, Numbers] = {}
    children: dict[str, Table] = {}
    texts: Numbers | None = None
    for field in forms.layout.fields:
        column = forms.columns[field.name]
        if field.child is not None:
            counts = column[picked].astype(np.int64)
            columns[field.name] = column[picked]
            total = int(counts.sum())
            if not total:
                children[field.name] = empty(field.child, field.gaps)
                continue
            row = np.repeat(np.arange(len(picked)), counts)
            ahead = np.cumsum(counts) - counts
            chosen = np.arange(total) + (forms.starts(field.name)[:-1][picked] - ahead)[row]
            children[field.name] = filled(forms.children[field.name], chosen, filling.of(row))
        elif field.kind == FLOAT or not len(column) or int(column.min()) > HOLE:
            columns[field.name] = column[picked]
        else:
            columns[field.name], said = _filled(column, picked, filling)
            texts = said if texts is None else texts
    if texts is not None and "text" in columns:
        own = columns["text"].astype(np.int64)
        own[texts[0]] = texts[1]
        columns["text"] = narrow(own)
    if "there" in forms.columns:
        columns["there"] = forms.columns["there"][picked]
    return Table(forms.layout, len(picked), columns, children)


def _filled(column: Numbers, picked: Numbers, filling: Filling) -> tuple[Numbers, Any]:
    """A column with its holes filled; and where a text fills them, which rows these are and what texts."""
    values = column[picked]
    texts = None
    if int(column.min()) <= TEXT_HOLE:
        rows = np.flatnonzero(values <= TEXT_HOLE)
        if len(rows):
            some = filling.of(rows)
            numbers = some.numbers_at(TEXT_HOLE - values[rows])
            if int(numbers.min()) < 0 or int(numbers.max()) >= len(filling.texts):
                raise RecordingError("text that does not exist")
            texts = rows, filling.texts[numbers]
            values[rows] = NOTHING
    rows = np.flatnonzero(values <= HOLE)
    if len(rows) == len(values):
        return narrow(filling.numbers_at(HOLE - values)), texts
    if len(rows):
        values[rows] = filling.of(rows).numbers_at(HOLE - values[rows])
    return narrow(values), texts


class Taken(NamedTuple):
    """What a batch is made of."""

    forms: list[int]
    """The form of each event, and below that of each scope, and the kind of each array."""
    nests: list[int]
    kinds: list[int]
    sizes: list[int]
    """The bytes of each array, NOTHING where they were not kept."""


class Assembly:
    """A log that comes batch by batch."""

    def __init__(self) -> None:
        self.events = self.scopes = self.arrays = 0
        """How many have come."""
        self.sites: list[Site] = []
        self.ops: dict[str, OpInfo] = {}
        self.texts = Texts(("",))
        self._said: list[int] = []
        """Numbers of the texts that fill holes."""
        self._kind_of: list[int] = []
        """For each form its kind, and below its row among the forms of that kind."""
        self._row_of: list[int] = []
        self._forms = [Forms(layout(kind), self.texts) for kind in KINDS]
        self._rows = Rows(3)
        self._parts: list[Tape] = []
        self._nests = Forms(layout(Scope), self.texts)
        self._scopes = Rows(1)
        self._array_texts = Texts()
        self._kinds = Forms(layout(Row), self._array_texts)
        self._kind_rows: list[int] = []
        """The row of each kind of array, and below its bytes, NOTHING where they were not kept."""
        self._sizes: list[int] = []
        self._whole: list[tuple[int, Row]] = []
        """The kinds of those that are kept whole, which come again and again."""
        self._summed = NOTHING
        """The last kind that was a summary."""
        self._picked: list[Numbers] = []
        self._data: list[bytes] = []

    @property
    def forms(self) -> int:
        """How many forms of events there are."""
        return len(self._kind_of)

    def add(self, batch: Batch) -> Taken:
        """Take a batch; returns what it is made of.

        Raises:
            RecordingError: for one that does not fit together.
        """
        if self._rows.count >= TOGETHER:
            self._settle()  # now, because what came before has been counted by whoever takes it from strangers
        for form in batch.forms:
            kind = KIND[form.__class__]
            self._kind_of.append(kind)
            self._row_of.append(self._forms[kind].add(form))
        for nest in batch.nests:
            self._nests.add(nest)
        for row in batch.kinds:
            if row.summary is None:
                self._whole.append((len(self._sizes), row))
            self._sizes.append(_size(row))
            self._kind_rows.append(self._kinds.add(row))
        self.sites += batch.sites
        self._said += self.texts.numbers(batch.texts)
        self.ops.update((op.name, op) for op in batch.ops)
        forms = self._rows.add(batch.rows, batch.lengths, len(self._kind_of))
        nests = self._scopes.add(batch.scopes, batch.scope_lengths, self._nests.count)
        kinds, sizes = self._take_arrays(batch)
        self.events += len(forms)
        self.scopes += len(nests)
        self.arrays += len(sizes)
        return Taken(forms, nests, kinds, sizes)

    def forget(self) -> None:
        """Drop events, scopes and arrays, and keep the forms, but for summaries, each of which is that of one array only."""
        self._rows.forget()
        self._scopes.forget()
        self._parts, self._picked, self._data = [], [], []
        if self._kinds.count > len(self._whole):
            self._kinds = Forms(layout(Row), self._array_texts)
            for kind, row in self._whole:
                self._kind_rows[kind] = self._kinds.add(row)

    def _take_arrays(self, batch: Batch) -> tuple[list[int], list[int]]:
        if len(batch.arrays) % WIDTH:
            raise RecordingError("arrays that are cut off")
        kinds = np.frombuffer(batch.arrays, "<i4")
        picked = kinds.tolist()
        if picked and (min(picked) < 0 or max(picked) >= len(self._sizes)):
            raise RecordingError("array of a kind that there is not")
        known = self._sizes
        sizes = [known[kind] for kind in picked]
        held = 0
        for kind, size in zip(picked, sizes, strict=True):
            if size != NOTHING:
                held += size
            elif kind <= self._summed:  # a summary is large, so each is that of one array only
                raise RecordingError("summary of several arrays")
            else:
                self._summed = kind
        if held != len(batch.data):
            raise RecordingError("array's bytes do not fill its shape")
        self._picked.append(kinds)
        if batch.data:
            self._data.append(batch.data)
        return picked, sizes

    def _settle(self) -> None:
        """Make columns of the rows that have come."""
        numbers, begins, lengths = self._rows.all()
        self._rows.forget()
        forms, site, scope = (numbers[begins + k] for k in range(3))
        kind = np.array(self._kind_of, np.uint8)[forms] if len(forms) else np.zeros(0, np.uint8)
        row = np.array(self._row_of, np.int64)[forms] if len(forms) else np.zeros(0, np.int64)
        filling = Filling(numbers, begins + 3, lengths - 3, np.array(self._said, np.int64))
        tables = {}
        present = set(np.unique(kind).tolist())
        for number, each in enumerate(KINDS):
            if number in present:
                rows = np.flatnonzero(kind == number)
                tables[each] = filled(self._forms[number].table, row[rows], filling.of(rows))
            else:
                tables[each] = empty(layout(each))
        nothing = empty(layout(Site)), empty(layout(Scope))
        self._parts.append(Tape(kind, narrow(site), narrow(scope), tables, *nothing, self.texts.list))

    def tape(self) -> Tape:
        """The log so far, in columns.

        Raises:
            RecordingError: for a log of which the rows do not fill their forms.
        """
        if self._rows.count or not self._parts:
            self._settle()
        if len(self._parts) > 1:
            self._parts = [_joined(self._parts)]
        (part,) = self._parts
        numbers, begins, lengths = self._scopes.all()
        filling = Filling(numbers, begins + 1, lengths - 1, np.zeros(0, np.int64))
        scopes = filled(self._nests.table, numbers[begins].astype(np.int64), filling)
        sites = shred(layout(Site), self.sites, self.texts)
        return Tape(part.kind, part.site, part.scope, part.tables, sites, scopes, self.texts.list)

    def stored(self) -> Arrays:
        """The arrays so far."""
        picked = np.concatenate([np.zeros(0, np.int64), *self._picked]).astype(np.int64)
        none, zeros = np.zeros(0, np.int64), np.zeros(len(picked), np.int64)
        rows = np.array(self._kind_rows, np.int64)[picked] if len(picked) else none
        table = filled(self._kinds.table, rows, Filling(none, zeros, zeros, none))
        sizes = np.array(self._sizes, np.int64)[picked] if len(picked) else none
        taken = np.maximum(sizes, 0)
        table.columns["start"] = np.where(sizes == NOTHING, GONE, np.cumsum(taken) - taken)
        return Arrays(table, self._array_texts.list, [b"".join(self._data)])


def _joined(parts: Sequence[Tape]) -> Tape:
    kind, site, scope = (np.concatenate([getattr(part, name) for part in parts]) for name in ("kind", "site", "scope"))
    tables = {each: together([part.tables[each] for part in parts]) for each in KINDS}
    last = parts[-1]
    return Tape(kind, site, scope, tables, last.sites, last.scopes, last.texts)


def _size(row: Row) -> int:
    """The bytes of an array of a kind; NOTHING where only its summary was kept."""
    if row.summary is not None:
        return NOTHING
    dtype = DTYPES.get(row.dtype)
    if dtype is None:
        raise RecordingError(f"array of unknown dtype {row.dtype[:40]!r}")
    if any([size < 0 for size in row.shape]):
        raise RecordingError("array of impossible shape")
    return min(math.prod(row.shape) * dtype.itemsize, _LONGEST)
