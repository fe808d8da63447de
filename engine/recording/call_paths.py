"""Through which calls of the program its innermost frame was reached."""

from __future__ import annotations

from functools import cached_property
from types import CodeType, FrameType
from typing import Any, TypeAlias

CallPath: TypeAlias = tuple[int, ...]
"""Outermost first, per call: id() of the caller's code, its instruction, id() of the code that was called."""

_COMPREHENSIONS = frozenset(("<listcomp>", "<setcomp>", "<dictcomp>"))
"""Frames of their own until Python 3.12; they are no calls."""
_DEEPEST = 64
"""Calls of a path, the innermost ones of a deeper recursion: no path costs more than this."""


def is_top(name: str) -> bool:
    """Whether code of this name is no function's. IPython 7 and 8 name a cell's statements by their lines."""
    return name == "<module>" or name.startswith("<cell line")


class Known:
    """A code that has run."""

    def __init__(self, code: CodeType, cell: int) -> None:
        self.code, self.cell = code, cell
        """The code, kept so that its id() stays its own, and the cell of the program that it is from, -1 for other code."""
        self.top = is_top(code.co_name)
        """Whether it is called by no code of the program."""
        self.sites: dict[int, int] = {}
        """Instruction → the row of its site."""

    @cached_property
    def positions(self) -> list[Any]:
        """Where in the text each instruction stands."""
        return list(self.code.co_positions())


class Codes:
    """The code that has run."""

    __slots__ = ("known", "program")

    def __init__(self, program: dict[str, int]) -> None:
        self.program = program
        """File names under which the program's code was compiled, with their cell numbers."""
        self.known: dict[int, Known] = {}
        """By id()."""

    def of(self, code: CodeType) -> Known:
        """What is known of a code."""
        known = self.known.get(id(code))
        if known is None:
            known = self.known[id(code)] = Known(code, self.program.get(code.co_filename, -1))
        return known

    def cell(self, code: CodeType) -> int:
        """The cell that a code is from; -1 for code that is not the program's."""
        return self.of(code).cell

    def code(self, id: int) -> Known:
        """A code by its id()."""
        return self.known[id]

    def path(self, frame: FrameType) -> CallPath:
        """The calls of the program that led to one of its frames; () for one that no function of the program has called."""
        if frame.f_code.co_name == "<module>":
            return ()
        path: list[int] = []
        called = frame.f_code
        outer = frame.f_back
        known = self.known
        while outer is not None and len(path) < 3 * _DEEPEST:
            code = outer.f_code
            met = known.get(id(code)) or self.of(code)
            if met.cell >= 0:
                if called.co_name not in _COMPREHENSIONS:
                    path += (id(called), outer.f_lasti, id(code))
                if met.top:
                    break
                called = code
            outer = outer.f_back
        return tuple(path[::-1])
