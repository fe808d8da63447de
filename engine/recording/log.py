"""The log as a sequence of structs that are made from its columns when they are looked at, and kept as long as there is
room."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, Generic, TypeVar, overload

from .events import AnyEvent, Scope, Site
from .tables import Table, Tape, rows

T = TypeVar("T")
PIECE = 8
"""Rows that are made together: to make one alone takes a third of the time of these."""
RUN = 256
"""Pieces that are made together where the whole log is gone through."""
WALK = 32
"""Most pieces that are made together for who looks at one piece after the other."""
KEPT = 32_768
"""Pieces that are kept: a quarter of a million rows, so that logs of usual length are made once."""


class Rows(Sequence[T], Generic[T]):
    """Rows of a table as structs."""

    def __init__(self, size: int, make: Callable[[int, int], list[T]]) -> None:
        self._size, self._make = size, make
        self._pieces: dict[int, list[T]] = {}
        self._walk = 1
        """Pieces that are made together at present: twice as many with every one that stands beside one that is there."""

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> list[T]: ...
    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            first, last, step = place.indices(self._size)
            if step != 1:
                return [self[k] for k in range(first, last, step)]
            return self._between(first, last)
        if place < 0:
            place += self._size
        piece = self._pieces.get(place // PIECE)
        if piece is None:
            if not 0 <= place < self._size:
                raise IndexError(place)
            piece = self._beside(place // PIECE)
        return piece[place % PIECE]

    def __iter__(self) -> Iterator[T]:
        return chain.from_iterable(self._piece(number, RUN) for number in range(-(-self._size // PIECE)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{self._size} rows>"

    def ahead(self) -> None:
        """Make all rows at once, as far as there is room, for who is about to ask for every one: alone, each takes four
        times as long."""
        if self._size <= KEPT * PIECE:
            for number in range(0, -(-self._size // PIECE), RUN):
                self._piece(number, RUN)

    def _between(self, first: int, last: int) -> list[T]:
        if last <= first:
            return []
        if last - first > KEPT * PIECE:
            return self._make(first, last)
        pieces = [self._piece(number, RUN) for number in range(first // PIECE, (last - 1) // PIECE + 1)]
        found = list(chain.from_iterable(pieces))
        skipped = first % PIECE
        return found[skipped : skipped + last - first]

    def _beside(self, number: int) -> list[T]:
        """One piece, and where somebody goes on or back from piece to piece, those that will be asked for next."""
        back, on = number + 1 in self._pieces, number - 1 in self._pieces
        self._walk = min(2 * self._walk, WALK, KEPT // 4) if back or on else 1
        if back:
            self._piece(max(number - self._walk + 1, 0), min(self._walk, number + 1))
        return self._piece(number, self._walk)

    def _piece(self, number: int, run: int = 1) -> list[T]:
        """One piece; where it is not there, as many as are wanted are made together, for somebody who goes through the log."""
        pieces = self._pieces
        found = pieces.get(number)
        if found is None:
            first = number * PIECE
            made = self._make(first, min(first + run * PIECE, self._size))
            if len(pieces) + run > KEPT:
                for old in list(pieces)[: max(KEPT // 4, run)]:
                    del pieces[old]
            found = made[:PIECE]
            for k in range(0, len(made), PIECE):
                pieces.setdefault(number + k // PIECE, made[k : k + PIECE])
        return found


class Events(Rows[AnyEvent]):
    """The events of a log that is kept in columns, as structs."""

    def __init__(self, tape: Tape) -> None:
        super().__init__(tape.size, tape.decoded)
        self.tape = tape


def _rows_of(table: Table, texts: list[str]) -> Rows[Any]:
    return Rows(table.size, lambda first, last: rows(table, first, last, texts))


def sites_of(tape: Tape) -> Rows[Site]:
    """The table of sites that events refer to."""
    return _rows_of(tape.sites, tape.texts)


def scopes_of(tape: Tape) -> Rows[Scope]:
    """The table of scopes that events refer to."""
    return _rows_of(tape.scopes, tape.texts)
