"""The user's own code: the files of a folder, without what is installed in it."""

from __future__ import annotations

import linecache
import sysconfig
from functools import lru_cache
from os.path import dirname, islink
from pathlib import Path
from threading import Lock
from traceback import extract_tb
from types import CodeType
from typing import Any

from ..recording.call_paths import Codes, Known
from ..recording.events import Site

_numbering = Lock()
_INSTALLED = tuple({str(Path(place).resolve()) for place in sysconfig.get_paths().values()})
_GRADTAPE = str(Path(__file__).resolve().parents[1])


@lru_cache(maxsize=4096)
def is_installed(folder: str) -> bool:
    """Whether a folder is one of what is installed. A program imports thousands of modules from a few hundred of them."""
    return str(Path(folder).resolve()).startswith(_INSTALLED)


class ProjectCodes(Codes):
    """The code of a project, of which files are numbered as they are met.

    Args:
        folder: where its files are.
        first: the file that is number 0.
    """

    __slots__ = ("folder", "trace")

    def __init__(self, folder: Path, first: str) -> None:
        super().__init__({first: 0})
        self.folder = str(folder.resolve())
        self.trace: Any = None
        """What Python tells of calls and lines, where it is told by a trace function."""

    def of(self, code: CodeType) -> Known:
        """What is known of a code."""
        known = self.known.get(id(code))
        if known is None:
            if code.co_filename not in self.program and self.has(code.co_filename):
                with _numbering:
                    self.program.setdefault(code.co_filename, len(self.program))
            known = super().of(code)
        return known

    def has(self, file: str) -> bool:
        """Whether a file is the project's own."""
        if not file.endswith(".py") or file.startswith("<") or (is_installed(dirname(file)) and not islink(file)):
            return False
        path = str(Path(file).resolve())
        inside = path.startswith(self.folder + "/") or path.startswith(self.folder + "\\")
        return inside and not path.startswith((*_INSTALLED, _GRADTAPE))

    def span_of(self, error: BaseException) -> Site | None:
        """Where in the program an error came out."""
        for frame in reversed(extract_tb(error.__traceback__)):
            cell = self.program.get(frame.filename)
            if cell is not None and frame.lineno:
                return Site(cell, frame.lineno, frame.colno or 0, frame.end_lineno or frame.lineno, frame.end_colno or 0)
        return None

    def sources(self) -> tuple[str, ...]:
        """The texts of the files that were met, in the order of their numbers."""
        return tuple("".join(linecache.getlines(file)) for file in self.program)

    def names(self) -> tuple[str, ...]:
        """The files' names, as seen from the folder."""
        return tuple(self._name(file) for file in self.program)

    def _name(self, file: str) -> str:
        try:
            return Path(file).resolve().relative_to(self.folder).as_posix()
        except ValueError:
            return Path(file).name
