"""What stands between the cells of a notebook, and how a lesson looks at them: plain data that goes with a program's text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import msgspec
from msgspec import Meta

from .. import limits

Place = Annotated[int, Meta(ge=0, le=limits.CELLS.value())]
Count = Annotated[int, Meta(ge=0, lt=2**31)]
Word = Annotated[str, Meta(max_length=limits.NAME.value())]
MIMES = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp")
"""What a notebook's pictures may be: a drawing (SVG) may refer to other files, so it is none of them."""


class Picture(msgspec.Struct, frozen=True, array_like=True):
    """A picture that is attached to a note."""

    name: Word
    """What the note's text calls it."""
    mime: Word
    data: bytes


class Note(msgspec.Struct, frozen=True, array_like=True):
    """Prose of a notebook, in Markdown. It is a stranger's: nobody but who shows it makes anything of it."""

    at: Place
    """How many code cells stand before it."""
    text: str
    pictures: tuple[Picture, ...] = ()


class Look(msgspec.Struct, frozen=True, array_like=True):
    """How a lesson looks at a cell's run."""

    cell: Place
    moment: Count | None = None
    """The step to show, counted from the one at which the cell begins; the cell's end where there is none."""
    selected: Word = ""
    """What is selected then: a tensor by its name (`x`), a node without one as the graph calls it (`#n5`)."""
    view: Word = ""
    """The view of the graph; the one on show where there is none."""
    predict: Word = ""
    """What is to be guessed before it is shown: `x.grad`, `y.shape`, `loss.grad_fn`."""


class Story(msgspec.Struct, frozen=True, array_like=True):
    """All of it."""

    notes: tuple[Note, ...] = ()
    """In their order."""
    looks: tuple[Look, ...] = ()
    """At most one for each cell, in their order."""

    def __bool__(self) -> bool:
        return bool(self.notes or self.looks)

    def look(self, cell: int) -> Look:
        """How a cell is looked at."""
        return next((look for look in self.looks if look.cell == cell), Look(cell))

    def looking(self, look: Look) -> Story:
        """The same with another look at a cell; one that says nothing is none."""
        others = [each for each in self.looks if each.cell != look.cell]
        said = [look] if look != Look(look.cell) else []
        return Story(self.notes, tuple(sorted([*others, *said], key=lambda each: each.cell)))

    def parts(self, cells: int) -> Iterator[Note | int]:
        """What a reader comes by, in order: notes, and the numbers of the code cells."""
        rest = list(self.notes)
        for cell in range(cells):
            while rest and rest[0].at <= cell:
                yield rest.pop(0)
            yield cell
        yield from rest

    def pages(self, cells: int) -> list[tuple[list[Note], int | None]]:
        """A lesson's pages: a cell with the notes before it; notes behind the last one are a page of their own."""
        made: list[tuple[list[Note], int | None]] = []
        notes: list[Note] = []
        for part in self.parts(cells):
            if isinstance(part, Note):
                notes.append(part)
            else:
                made.append((notes, part))
                notes = []
        return [*made, (notes, None)] if notes else made

    def until(self, cells: int) -> Story:
        """What belongs to the first cells alone."""
        notes = tuple(note for note in self.notes if note.at <= cells)
        return Story(notes, tuple(look for look in self.looks if look.cell < cells))

    def plain(self) -> Story:
        """The same without pictures."""
        return Story(tuple(Note(note.at, note.text) for note in self.notes), self.looks)

    def check(self, cells: int) -> None:
        """Raise ValueError for what belongs to no such notebook, or is more than one has."""
        at = [note.at for note in self.notes]
        looked = [look.cell for look in self.looks]
        if at != sorted(at) or any(place > cells for place in at):
            raise ValueError("a note stands nowhere among the cells")
        if looked != sorted(set(looked)) or any(cell >= cells for cell in looked):
            raise ValueError("a lesson looks at a cell that does not exist")
        for row, count in (
            (limits.CELLS, len(self.notes)),
            (limits.PROGRAM, sum(len(note.text) for note in self.notes)),
            (limits.PICTURES, sum(len(picture.data) for note in self.notes for picture in note.pictures)),
        ):
            if count > row.value():
                raise ValueError(f"the notes are too long: {row.past()}")
        if any(picture.mime not in MIMES for note in self.notes for picture in note.pictures):
            raise ValueError("a note has a picture of a kind that is not shown")


NONE = Story()


def cell_title(cell: int) -> str:
    """What a notebook's cell is called, as Jupyter does."""
    return f"In [{cell + 1}]"
