"""Which loops run in code whose text is not changed: Python tells of the lines that it comes to, and a loop's header comes once
more with every iteration.

Where Python has `sys.monitoring` (3.12) that is asked for of the project's own code alone. Before, it takes the place of a
debugger; where there is one already, loops are not told apart.
"""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from threading import get_ident
from types import CodeType, FrameType
from typing import Any, NamedTuple

from ..recording.call_paths import is_top
from .project import ProjectCodes

Told = Callable[[tuple[tuple[tuple[int, int, int], ...], tuple[int, ...]]], None]
"""Gets the loops that run, as (line, cell, calls around it) of each, and the iteration of each."""
NAME = "gradtape"


class Span(NamedTuple):
    """A loop's lines."""

    header: int
    first: int
    """The first line of its body."""
    last: int
    endless: bool
    """Whether it is a `while` without a test, of which no header comes."""


class Open:
    """A loop that runs."""

    __slots__ = ("k", "key", "span")

    def __init__(self, span: Span, key: tuple[int, int, int]) -> None:
        self.span, self.key, self.k = span, key, 0


class Frame:
    """A call of the project's code, and where in its loops it is."""

    __slots__ = ("before", "cell", "depth", "open", "spans")

    def __init__(self, spans: tuple[Span, ...], cell: int, depth: int) -> None:
        self.spans, self.cell, self.depth = spans, cell, depth
        self.open: list[Open] = []
        self.before = 0
        """The line it came from."""

    def at(self, line: int) -> bool:
        """It came to a line; whether other loops, or other iterations, run now."""
        before, self.before = self.before, line
        count = len(self.open)
        while self.open and not self.open[-1].span.header <= line <= self.open[-1].span.last:
            self.open.pop()
        changed = len(self.open) != count
        for span in self.spans:
            if line == span.header or (span.endless and line == span.first):
                changed = self._header(span, before) or changed
        return changed

    def _header(self, span: Span, before: int) -> bool:
        for place, loop in enumerate(self.open):
            if loop.span is span:
                if span.endless and before == span.header:
                    return False
                del self.open[place + 1 :]
                loop.k += 1
                return True
        self.open.append(Open(span, (span.header, self.cell, self.depth)))
        return True


@lru_cache(maxsize=256)
def _loops_of(file: str) -> dict[tuple[str, int], tuple[Span, ...]]:
    """The loops of a file's functions, outer before inner, by the name and first line that their code has."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return {}
    found: dict[tuple[str, int], list[Span]] = {}

    def visit(node: ast.AST, owner: tuple[str, int]) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                first = min([child.lineno, *(d.lineno for d in child.decorator_list)])
                visit(child, (child.name, first))
                continue
            if isinstance(child, ast.For | ast.AsyncFor | ast.While):
                endless = isinstance(child, ast.While) and isinstance(child.test, ast.Constant)
                last = child.body[-1].end_lineno or child.lineno
                found.setdefault(owner, []).append(Span(child.lineno, child.body[0].lineno, last, endless))
            visit(child, owner)

    visit(tree, ("<module>", 1))
    return {owner: tuple(spans) for owner, spans in found.items()}


class Loops:
    """The calls of a project's code that run, innermost last, and the loops that they are in."""

    def __init__(self, codes: ProjectCodes, told: Told) -> None:
        self.codes, self.told = codes, told
        self.over = False
        """Whether another thread has ended it: what Python tells of lines is this one's to end."""
        self._thread = get_ident()
        self._frames: dict[FrameType, Frame] = {}

    def entered(self, frame: FrameType) -> Frame | None:
        """A call begins, or a generator goes on; None where it has no loops."""
        known = self._frames.get(frame)
        if known is not None:
            return known
        code = frame.f_code
        spans = self.spans(code)
        if not spans:
            return None
        met = self.codes.of(code)
        made = self._frames[frame] = Frame(spans, met.cell, len(self.codes.path(frame)) // 3)
        return made

    def spans(self, code: CodeType) -> tuple[Span, ...]:
        """The loops of some code of the project's."""
        if self.codes.of(code).cell < 0:
            return ()
        owner = ("<module>", 1) if is_top(code.co_name) else (code.co_name, code.co_firstlineno)
        return _loops_of(code.co_filename).get(owner, ())

    def came(self, frame: FrameType, line: int) -> None:
        """A call came to a line."""
        if get_ident() != self._thread:
            return
        known = self._frames.get(frame) or self.entered(frame)
        if known is not None and known.at(line):
            self.tell()

    def left(self, frame: FrameType) -> None:
        """A call is over, or a generator waits."""
        if get_ident() != self._thread:
            return
        known = self._frames.pop(frame, None)
        if known is not None and known.open:
            self.tell()

    def tell(self) -> None:
        """Say which loops run now."""
        running = [loop for frame in self._frames.values() for loop in frame.open]
        self.told((tuple([loop.key for loop in running]), tuple([loop.k for loop in running])))


@contextmanager
def loops_of(codes: ProjectCodes, told: Told, around: FrameType) -> Iterator[bool]:
    """Tell of the loops of a project's code, from a call that runs already on; gives whether that can be had."""
    loops = Loops(codes, told)
    if sys.version_info >= (3, 12):
        with _monitored(loops) as can:
            yield can
    elif sys.gettrace() is None:
        with _traced(loops, around):
            yield True
    else:
        yield False


@contextmanager
def _traced(loops: Loops, around: FrameType) -> Iterator[None]:
    def local(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            loops.came(frame, frame.f_lineno)
        elif event == "return":
            loops.left(frame)
        return local

    quiet: set[int] = set()
    """The id() of code that has no loops, kept by `codes`: this is asked at every call, PyTorch's own among them."""

    def called(frame: FrameType, event: str, _: Any) -> Any:
        if loops.over:
            sys.settrace(None)
            return None
        if id(frame.f_code) in quiet:
            return None
        if loops.entered(frame) is not None:
            return local
        if not loops.spans(frame.f_code):
            quiet.add(id(frame.f_code))
        return None

    changed: list[tuple[FrameType, Any]] = []
    outer: FrameType | None = around
    while outer is not None:
        if loops.spans(outer.f_code):
            changed.append((outer, outer.f_trace))
            outer.f_trace = local
        outer = outer.f_back
    loops.codes.trace = called
    sys.settrace(called)
    try:
        yield
    finally:
        loops.codes.trace, loops.over = None, True
        if sys.gettrace() is called:
            sys.settrace(None)
        for frame, before in changed:
            frame.f_trace = before


@contextmanager
def _monitored(loops: Loops) -> Iterator[bool]:
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined, unused-ignore]
    events = monitoring.events
    tool = next((number for number in (4, 3, 5, 2, 1) if monitoring.get_tool(number) is None), None)
    if tool is None:
        yield False
        return
    lines = events.LINE | events.PY_RETURN | events.PY_YIELD
    watched: list[CodeType] = []

    def started(code: CodeType, _: int) -> Any:
        if code not in watched and loops.spans(code):
            watched.append(code)
            monitoring.set_local_events(tool, code, lines)
        return monitoring.DISABLE

    def line(code: CodeType, number: int) -> None:
        loops.came(sys._getframe(1), number)

    def left(code: CodeType, *_: Any) -> None:
        loops.left(sys._getframe(1))

    def unwound(code: CodeType, *_: Any) -> None:
        if code in watched:
            loops.left(sys._getframe(1))

    callbacks = {
        events.PY_START: started, events.PY_RESUME: started, events.LINE: line, events.PY_RETURN: left,
        events.PY_YIELD: left, events.PY_UNWIND: unwound,
    }  # fmt: skip
    monitoring.use_tool_id(tool, NAME)
    try:
        for event, callback in callbacks.items():
            monitoring.register_callback(tool, event, callback)
        outer: FrameType | None = sys._getframe(1)
        while outer is not None:
            started(outer.f_code, 0)
            outer = outer.f_back
        monitoring.set_events(tool, events.PY_START | events.PY_RESUME | events.PY_UNWIND)
        yield True
    finally:
        monitoring.set_events(tool, 0)
        for code in watched:
            monitoring.set_local_events(tool, code, 0)
        for event in callbacks:
            monitoring.register_callback(tool, event, None)
        monitoring.free_tool_id(tool)
        monitoring.restart_events()
