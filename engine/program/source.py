"""Programs: the text of a .py file, or the cells of a notebook."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .. import limits
from ..compat.version import asked_for
from ..recording.story import NONE, Note, Story
from . import project, session
from .magics import without_magics
from .notebook import document_of, lines, read_cells

MAX_TEXT = limits.PROGRAM.value()
"""Characters of a program."""
MAX_CELLS = limits.CELLS.value()


class ProgramError(ValueError):
    """A file that holds no program, or too large a one."""


@dataclass(frozen=True, slots=True)
class Program:
    """Text to run: one cell for a .py file, several for a notebook."""

    cells: tuple[str, ...]
    name: str = "program"
    notebook: bool = False
    files: tuple[tuple[str, bytes], ...] = ()
    """What was opened together with it and lies in the folder that it runs in: paths with their bytes."""
    arguments: tuple[str, ...] = ()
    """What follows its name in `sys.argv`."""
    story: Story = NONE
    """What stands between a notebook's cells, and how a lesson looks at them."""

    def __post_init__(self) -> None:
        # Half a character (a lone surrogate) cannot be encoded, so it cannot be sent.
        object.__setattr__(self, "cells", tuple(text.encode("utf-8", "replace").decode("utf-8") for text in self.cells))
        if sum(map(len, self.cells)) > MAX_TEXT:
            raise ProgramError(f"{limits.PROGRAM.past()}, not {sum(map(len, self.cells)):,}")
        if len(self.cells) > MAX_CELLS:
            raise ProgramError(f"{limits.CELLS.past()}, not {len(self.cells):,}")
        try:
            self.story.check(len(self.cells))
        except ValueError as error:
            raise ProgramError(str(error)) from None
        self._check_files()

    def _check_files(self) -> None:
        for path, _ in self.files:
            if not project.sound(path):
                raise ProgramError(f"{path!r} is no path of a file below a folder")
        if len(self.files) > limits.FILE_COUNT.value():
            raise ProgramError(f"{limits.FILE_COUNT.past()}, not {len(self.files):,}")
        size = sum(len(data) for _, data in self.files)
        if size > limits.FILE_BYTES.value():
            raise ProgramError(f"{limits.FILE_BYTES.past()}, not {limits.FILE_BYTES.shown(size)}")
        if self.files and sum(map(len, self.modules.values())) > MAX_TEXT:
            raise ProgramError(f"its modules are too long: {limits.PROGRAM.past()}")

    @property
    def release(self) -> str | None:
        """The release of PyTorch that it asks for in a comment, None where it asks for none."""
        return asked_for(self.cells)

    @property
    def modules(self) -> dict[str, str]:
        """Those of its files that it imports: their texts by path."""
        return project.modules(self.cells, dict(self.files)) if self.files else {}

    def with_cells(self, cells: Sequence[str]) -> Program:
        """The same program with other text."""
        return replace(self, cells=tuple(cells), story=self.story.until(len(cells)))

    @staticmethod
    def from_text(text: str, name: str = "program") -> Program:
        """A program of one cell."""
        return Program((text,), name)

    @staticmethod
    def from_cells(cells: tuple[str, ...], name: str = "notebook", story: Story = NONE) -> Program:
        """A notebook's code cells, and what stands between them."""
        return Program(tuple(cells), name, notebook=True, story=story)

    @staticmethod
    def from_file(source: str | Path | bytes, name: str = "") -> Program:
        """A .py or .ipynb file or a session as text, which becomes a notebook; by path, or by its bytes and its name.

        Raises:
            ProgramError: for anything that is neither, with what is wrong.
        """
        data = source if isinstance(source, bytes) else Path(source).read_bytes()
        name = name or ("" if isinstance(source, bytes) else Path(source).name)
        if len(data) > limits.PROGRAM_FILE.value():
            raise ProgramError(f"the file is too large: {limits.PROGRAM_FILE.past()}")
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise ProgramError("the file is not text in UTF-8") from None
        if "\0" in text:
            raise ProgramError("the file holds null characters, so it is no program")
        if name.endswith(".ipynb"):
            return _from_notebook(text, name)
        text = lines(text)
        if session.is_session(text):
            return _from_session(text, name)
        if name.endswith(".txt"):
            raise ProgramError("a text is run if it begins with the prompt of a session: >>> or In [1]:")
        return Program.from_text(text, name or "program")

    def to_notebook(self, outputs: Sequence[list[dict[str, Any]]] = ()) -> str:
        """The program as the text of an .ipynb file, with the code cells' `outputs` where there are any."""
        return document_of(self.cells, self.story, outputs)


def _from_notebook(text: str, name: str) -> Program:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise ProgramError("the notebook is not valid JSON") from None
    cells: Any = document.get("cells") if isinstance(document, dict) else None
    if cells is None and isinstance(document, dict) and isinstance(document.get("worksheets"), list):
        raise ProgramError("the notebook is of format 3 or older; open and save it in Jupyter to convert it")
    if not isinstance(cells, list):
        raise ProgramError("the notebook has no list of cells")
    try:
        code, story = read_cells(cells)
    except ValueError as error:
        raise ProgramError(str(error)) from None
    if not code:
        raise ProgramError("the notebook has no code cells")
    return Program.from_cells(code, name, story)


def _from_session(text: str, name: str) -> Program:
    cells, notes = session.cells_of(text)
    return Program.from_cells(tuple(map(without_magics, cells)), name, Story(tuple(Note(at, note) for at, note in notes)))
