"""Through which calls of the program its innermost frame was reached."""

from __future__ import annotations

from types import CodeType, FrameType
from typing import TypeAlias

CallPath: TypeAlias = tuple[int, ...]
"""Outermost first, per call: id() of the caller's code, its instruction, id() of the code that was called."""

_COMPREHENSIONS = frozenset(("<listcomp>", "<setcomp>", "<dictcomp>"))
"""Frames of their own until Python 3.12; they are no calls."""
_DEEPEST = 64
"""Calls of a path, the innermost ones of a deeper recursion: no path costs more than this."""


class Codes:
    """The code that has run, each with the cell of the program that it is from, -1 for other code; kept, so that its id stays
    its own."""

    __slots__ = ("_known", "program")

    def __init__(self, program: dict[str, int]) -> None:
        self.program = program
        """File names under which the program's code was compiled, with their cell numbers."""
        self._known: dict[int, tuple[CodeType, int]] = {}

    def cell(self, code: CodeType) -> int:
        """The cell that a code is from; -1 for code that is not the program's."""
        known = self._known.get(id(code))
        if known is None:
            known = self._known[id(code)] = (code, self.program.get(code.co_filename, -1))
        return known[1]

    def code(self, id: int) -> tuple[CodeType, int]:
        """A code by its id(), with its cell."""
        return self._known[id]

    def path(self, frame: FrameType) -> CallPath:
        """The calls of the program that led to one of its frames; () for one that no function of the program has called."""
        if frame.f_code.co_name == "<module>":
            return ()
        path: list[int] = []
        called = frame.f_code
        outer = frame.f_back
        while outer is not None and len(path) < 3 * _DEEPEST:
            code = outer.f_code
            if self.cell(code) >= 0:
                if called.co_name not in _COMPREHENSIONS:
                    path += (id(called), outer.f_lasti, id(code))
                if code.co_name == "<module>":
                    break
                called = code
            outer = outer.f_back
        return tuple(path[::-1])
