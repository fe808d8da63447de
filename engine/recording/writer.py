"""The log under construction: forms, the rows that fill them, and the tables that they refer to; all are handed over as a batch
and forgotten here, but for what tells the next row its number.

Nothing here knows the engine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from .batch import HOLE, HOLES, TEXT_HOLE, Batch, Pack, numbers, packer
from .bounded_text import name_of, shown
from .call_paths import CallPath, Codes, Known, is_top
from .events import NOTHING, AnyEvent, Scope, Site
from .module_paths import Inside
from .op_info import OpInfo
from .store import ArrayStore

LoopNest: TypeAlias = tuple[tuple[tuple[int, int, int], ...], tuple[int, ...]]
"""The loops that run, outermost first: (line, cell, calls around it) of each, and the iteration of each."""
Where: TypeAlias = tuple[int, int]
"""The rows of a site and a scope."""
Form: TypeAlias = tuple[int, Pack]
"""A form's number, and what packs its rows."""
NOWHERE: Where = (NOTHING, NOTHING)
SCOPES = 65_536
"""Scopes that are remembered, in case their iterations come again."""
TEXTS = 65_536
"""Numbers whose texts are remembered."""
_LEAST, _MOST = -(2**31), 2**31 - 1


class Writer:
    """Writes events as rows, which take their numbers in the order in which they come."""

    def __init__(self, store: ArrayStore, codes: Codes) -> None:
        self.store, self.codes = store, codes
        self.rows: list[bytes] = []
        """Events since the last batch; always the same list."""
        self.taken = 0
        """Events of earlier batches."""
        self.filling: list[int] = []
        """What fills the holes of the event that is being described."""
        self.forms: dict[Any, Form] = {}
        """Forms by what is said of an event before it is described, where that is enough."""
        self.depth_of: list[int] = []
        """For each scope how many calls are around it."""
        self.ops: dict[str, OpInfo] = {}
        self._known: dict[AnyEvent, Form] = {}
        self._count = 0
        self._new: list[AnyEvent] = []
        self._sites: list[Site] = []
        self._site_count = 0
        self._site_of: dict[tuple[int, ...], int] = {}
        """The row of each place; from Python 3.12 on, an instruction may be told by two offsets."""
        self._scopes: list[bytes] = []
        self._scope_of: dict[tuple[Any, ...], int] = {}
        self._nests: list[Scope] = []
        self._nest_of: dict[tuple[Any, ...], Form] = {}
        self._texts: list[str] = []
        self._text_count = 0
        self.numbers: dict[Any, int] = {}
        """The numbers of the texts of values."""
        self._ops_taken = 0

    @property
    def count(self) -> int:
        """How many events there are."""
        return self.taken + len(self.rows)

    # --- events -------------------------------------------------------------------------------------------------------------

    def hole(self, number: int) -> int:
        """A number that differs from event to event, in the place that it has in the event's form."""
        filling = self.filling
        if _LEAST <= number <= _MOST and len(filling) < HOLES:
            filling.append(number)
            return HOLE + 1 - len(filling)
        return number

    def said(self, value: Any) -> int:
        """The same for the text of a value, in the place of the tensor that there is not."""
        self.filling.append(self.number(value))
        return TEXT_HOLE + 1 - len(self.filling)

    def describe(self, make: Callable[..., AnyEvent], *what: Any) -> tuple[Form, list[int]]:
        """The form of what `make` makes of something with `hole`, and what fills it."""
        filling: list[int] = []
        self.filling = filling
        return self.form(make(*what), len(filling)), filling

    def form(self, event: AnyEvent, holes: int) -> Form:
        """The form that an event with so many holes is."""
        found = self._known.get(event)
        if found is None:
            found = self._known[event] = self._form(event, holes)
        return found

    def _form(self, event: AnyEvent, holes: int) -> Form:
        form = self._count, packer(3 + holes)
        self._new.append(event)
        self._count += 1
        return form

    def write(self, where: Where, make: Callable[..., AnyEvent], *what: Any) -> Form:
        """Write what `make` makes of something with `hole`; returns its form."""
        form, filling = self.describe(make, *what)
        self.rows.append(form[1](form[0], *where, *filling))
        return form

    def once(self, where: Where, event: AnyEvent) -> None:
        """Write an event that is like no other."""
        number, pack = self._form(event, 0)
        self.rows.append(pack(number, *where))

    def number(self, value: Any) -> int:
        """The number of a value's text, which fills a hole."""
        if value.__class__ is int or (value.__class__ is float and value):  # one 0.0 equals the other
            key: Any = value.__class__, value
        else:
            key = shown(value)
        number = self.numbers.get(key)
        if number is None:
            if len(self.numbers) > TEXTS:
                self.numbers.clear()
            number = self.numbers[key] = self._text_count
            self._texts.append(shown(value) if key.__class__ is tuple else key)
            self._text_count += 1
        return number

    # --- tables -------------------------------------------------------------------------------------------------------------

    def site(self, known: Known, instruction: int) -> int:
        """The row of an instruction's site."""
        row = known.sites.get(instruction)
        if row is None:
            line, end_line, column, end_column = (n or 0 for n in known.positions[instruction // 2])
            place = known.cell, line, column, end_line, end_column
            row = self._site_of.get(place)
            if row is None:
                row = self._site_of[place] = self.add_site(Site(*place))
            known.sites[instruction] = row
        return row

    def add_site(self, site: Site) -> int:
        """Add a row to the sites."""
        self._sites.append(site)
        self._site_count += 1
        return self._site_count - 1

    def scope(self, known: Known, nest: LoopNest, inside: Inside, path: CallPath) -> int:
        """The row of a scope: the code, the loops that run, the module with its class and mode, the call path."""
        key = known.code.co_name, nest, inside, path
        row = self._scope_of.get(key)
        if row is None:
            loops, iterations = nest
            form = self._nest_of.get((key[0], loops, inside, path))
            if form is None:
                form = self._nest_of[key[0], loops, inside, path] = self._nest(key[0], loops, inside, path)
            number, pack = form
            if len(self._scope_of) > SCOPES:
                self._scope_of.clear()
            row = len(self.depth_of)
            self._scopes.append(pack(number, *iterations))
            try:
                self.depth_of.append(len(path) // 3)
            except MemoryError:  # so that both go on having the same rows
                del self._scopes[-1]
                raise
            self._scope_of[key] = row
        return row

    def _nest(self, name: str, loops: tuple[tuple[int, int, int], ...], inside: Inside, path: CallPath) -> Form:
        calls = self._calls(path)
        self._nests.append(
            Scope(
                "" if is_top(name) else name_of(name),
                0,
                tuple([(line, HOLE - k) for k, (line, _, _) in enumerate(loops)]),
                inside[0],
                calls,
                # A generator's loops began in calls that may be over when it goes on.
                tuple([(cell, min(depth, len(calls))) for _, cell, depth in loops]),
                inside[1],
                inside[2],
            )
        )
        return len(self._nest_of), packer(1 + len(loops))

    def _calls(self, path: CallPath) -> tuple[tuple[int, str], ...]:
        """A call path with the rows of its calls' sites."""
        return tuple(
            [
                (self.site(self.codes.code(caller), instruction), name_of(self.codes.code(called).code.co_name))
                for caller, instruction, called in zip(path[::3], path[1::3], path[2::3], strict=True)
            ]
        )

    # --- handed over --------------------------------------------------------------------------------------------------------

    def take(self) -> Batch:
        """What has come since the last time; it is forgotten here."""
        rows, scopes = self.rows[:], self._scopes
        del self.rows[: len(rows)]
        self.taken += len(rows)
        forms, sites, nests, texts = self._new, self._sites, self._nests, self._texts
        self._new, self._sites, self._nests, self._texts, self._scopes = [], [], [], [], []
        kinds, arrays, data = self.store.take()
        ops = [*self.ops.values()][self._ops_taken :]
        self._ops_taken += len(ops)
        return Batch(
            forms, b"".join(rows), _lengths(rows), sites, nests, b"".join(scopes), _lengths(scopes), texts, kinds, arrays, data,
            ops,
        )  # fmt: skip


def _lengths(rows: list[bytes]) -> bytes:
    return numbers([len(row) // 4 for row in rows], "H")
