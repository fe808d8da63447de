"""A notebook's code: its cells, whenever they ran, and the modules beside it."""

from __future__ import annotations

import sys
from pathlib import Path, PurePath
from types import FrameType
from typing import Any

from ..pytorch.project import ProjectCodes


class NotebookCodes(ProjectCodes):
    """The code of a notebook, of which cells and files are numbered as they are met: the cell that is recorded comes first.

    Args:
        shell: IPython's shell.
    """

    __slots__ = ("below", "shell")

    def __init__(self, shell: Any) -> None:
        super().__init__(Path.cwd(), "")
        self.program.clear()
        self.shell = shell
        self.below: set[str] = set()
        """The files of what runs the shell, which are not the notebook's."""
        frame: FrameType | None = sys._getframe()
        while frame is not None:
            self.below.add(frame.f_code.co_filename)
            frame = frame.f_back

    def has(self, file: str) -> bool:
        """Whether a file is a cell, or a module beside the notebook."""
        return self._cell(file) is not None or (file not in self.below and super().has(file))

    def _cell(self, file: str) -> str | None:
        """A cell's name, as tracebacks have it; None for what is no cell."""
        named = getattr(self.shell.compile, "format_code_name", lambda _: None)(file)  # since IPython 8
        if named is not None:
            return str(named[1])
        path = PurePath(file)
        return "cell" if file.startswith("<ipython-input-") or path.parent.name.startswith("ipykernel_") else None

    def _name(self, file: str) -> str:
        return self._cell(file) or super()._name(file)
