"""Pieces of a program that decide how gradients flow, taken out and put back: `.detach()`, `no_grad()`, `zero_grad()`.

What is taken out leaves a comment in its place, so that the text alone says how to put it back and every line keeps its number:

    y = x.detach() * 2           y = x * 2  # without .detach() @5
    with torch.no_grad():        if True:  # without: with torch.no_grad():
    optimizer.zero_grad()        # without: optimizer.zero_grad()
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...limits import MARKS
from ..parsing import BOUNDS, ProgramAst, last_name, parses
from .text import MARK, Edit, edited

_CALLED = {"detach", "retain_grad", "requires_grad_", "detach_"}
"""Methods without arguments that can be left out of an expression."""
_PIECES = {".data", *(f".{name}()" for name in _CALLED)}
"""What is taken out of expressions, and so what may be put back."""
_STATEMENTS = {"zero_grad", "retain_grad", "requires_grad_", "detach_", "step"}
_GRAD_MODES = {"no_grad", "inference_mode", "enable_grad", "set_grad_enabled"}
_LINE = re.compile(r"(?P<indent>[ \t]*)(?P<stand_in>(?:pass  |if True:  )?)# without: (?P<rest>\S[^\r\n]*)")
_ENDS = re.compile(r"[\w)\]}'\".]")
"""The last sign of whatever a piece can be put behind."""
_MAX_LABEL = 40
MAX_MARKS = MARKS.value()
"""Pieces that were taken out and can be put back, in one program."""
_TRIES = 16
"""Texts that are parsed to find those among them that do not fit, the signs of all together no more than one program's."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of the text, or the offset where it was."""

    label: str
    line: int
    present: bool
    start: int
    """Where the piece begins; for one that was taken out, where it goes."""
    end: int
    stand_in: str = ""
    """For whole lines, what stands before the comment when it is out: "", "pass  " or "if True:  "."""
    mark: tuple[int, int] | None = None
    """For a part of a line that was taken out, the comment that says so."""
    text: str = ""


def pieces(program: ProgramAst) -> Iterator[Piece]:
    """All pieces that can be taken out of the text or put back, each line's after those of the lines above."""
    begun = Counter(node.lineno for node in ast.walk(program.tree) if isinstance(node, ast.stmt))
    bare: set[ast.expr] = set()
    for node in ast.walk(program.tree):
        for body in (getattr(node, "body", None), getattr(node, "orelse", None), getattr(node, "finalbody", None)):
            if isinstance(body, list):
                for statement in body:
                    if begun[statement.lineno] == 1:
                        yield from _whole_line(program, statement, len(body) == 1)
        if isinstance(node, ast.FunctionDef):
            for decorator in node.decorator_list:
                if _mode(decorator):
                    yield from _line_piece(program, decorator.lineno, "")
        if isinstance(node, ast.Expr):
            bare.add(node.value)
        elif isinstance(node, ast.expr) and node not in bare:
            yield from _part(program, node)
    yield from _taken_out(program)


def take_out(program: ProgramAst, piece: Piece) -> str:
    """The text without the piece, with a comment that says what is missing."""
    text = program.text
    if not piece.text:
        return text[: piece.start] + f"{piece.stand_in}# without: " + text[piece.start :]
    lines = program.lines
    column = piece.start - lines.starts[piece.line - 1]
    end = lines.starts[piece.line - 1] + len(lines.lines[piece.line - 1].rstrip("\r\n"))
    return edited(program, [Edit(piece.start, piece.end, ""), Edit(end, end, f"  # without {piece.text} @{column}")])


def put_back(program: ProgramAst, *taken: Piece) -> str:
    """The text with pieces where they were: one that was a whole line, or any number of parts of lines."""
    if taken[0].mark is None:
        return program.text[: taken[0].start] + program.text[taken[0].end :]
    edits = [Edit(piece.start, piece.start, piece.text) for piece in taken]
    return edited(program, edits, [piece.mark for piece in taken if piece.mark is not None])


def _whole_line(program: ProgramAst, node: ast.stmt, alone: bool) -> Iterator[Piece]:
    match node:
        case ast.With(items=[ast.withitem(context_expr=mode, optional_vars=None)]) if _mode(mode):
            if node.body[0].lineno > node.lineno:
                yield from _line_piece(program, node.lineno, "if True:  ")
        case ast.Expr(ast.Call(func=ast.Attribute(attr=name))) if name in _STATEMENTS:
            yield from _line_piece(program, node.lineno, "pass  " if alone else "", node.end_lineno)
        case ast.Expr(ast.Call(func=ast.Attribute(value=ast.Attribute(attr="grad"), attr="zero_"))):
            yield from _line_piece(program, node.lineno, "pass  " if alone else "", node.end_lineno)
        case ast.Assign(targets=[ast.Attribute(attr="grad")], value=ast.Constant(None)):
            yield from _line_piece(program, node.lineno, "pass  " if alone else "", node.end_lineno)


def _line_piece(program: ProgramAst, line: int, stand_in: str, last: int | None = None) -> Iterator[Piece]:
    """A statement, or a decorator, of which no other shares the line."""
    text = program.lines.lines[line - 1]
    code = text.strip()
    indent = len(text) - len(text.lstrip())
    if (
        last not in (None, line)
        or code.endswith("\\")
        or ";" in code
        or (stand_in.startswith("if") and not code.startswith("with "))
    ):
        return
    start = program.lines.starts[line - 1] + indent
    yield Piece(_label(code), line, True, start, program.lines.starts[line - 1] + len(text.rstrip("\r\n")), stand_in)


def _part(program: ProgramAst, node: ast.expr) -> Iterator[Piece]:
    """`.detach()` and `.data` inside an expression."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name) as attribute, args=[], keywords=[]) if name in _CALLED:
            pass
        case ast.Attribute(attr="data", ctx=ast.Load()) if not _is_module(node.value):
            attribute = node
        case _:
            return
    lines = program.lines
    begin = lines.span(attribute.value)[1]
    end = lines.span(node)[1]
    start = program.text.rfind(".", begin, lines.span(attribute)[1])
    piece = program.text[start:end]
    line = lines.line_of(start)
    joined = lines.lines[line - 1].endswith(("\\\n", "\\\r\n", "\\\r", "\\"))
    if start < 0 or piece not in _PIECES or joined or line in program.open_lines:
        return
    yield Piece(piece, line, True, start, end, text=piece)


def _taken_out(program: ProgramAst) -> Iterator[Piece]:
    marked: list[Piece] = []
    for comment in program.comments:
        first = program.lines.starts[comment.line - 1]
        whole = _LINE.match(program.text, first, comment.end)
        if whole and whole.end() == comment.end and comment.start == whole.start("rest") - len("# without: "):
            label = _label(whole["rest"])
            yield Piece(label, comment.line, False, whole.end("indent"), whole.start("rest"), whole["stand_in"])
            continue
        for mark in MARK.finditer(program.text, comment.start - 2, comment.end):
            offset = first + int(mark["column"])
            behind = offset > first and _ENDS.match(program.text, offset - 1)
            if len(marked) < MAX_MARKS and behind and offset <= comment.start and mark["piece"] in _PIECES:
                piece = mark["piece"]
                marked.append(Piece(piece, comment.line, False, offset, offset, mark=mark.span(), text=piece))
    yield from _fitting(program, marked)


def _fitting(program: ProgramAst, marked: Sequence[Piece]) -> list[Piece]:
    """Those of the marked pieces that can be put back; a comment can be written by hand, and say anything.

    The text with all of them is parsed once. Only if it is no Python they are halved, and within bounds halved again, until
    those that do not fit are found.
    """
    fitting: list[Piece] = []
    waiting, left = [list(marked)] if marked else [], BOUNDS.signs
    for _ in range(_TRIES):
        left -= program.signs
        if not waiting or (left < 0 and len(waiting[0]) < len(marked)):
            break
        some = waiting.pop(0)
        if parses(put_back(program, *some)):
            fitting += some
        elif len(some) > 1:
            half = len(some) // 2
            waiting += [some[:half], some[half:]]
    return fitting


def _mode(node: ast.expr) -> bool:
    """Whether an expression names a grad mode: `torch.no_grad()`, `no_grad`."""
    return last_name(node.func if isinstance(node, ast.Call) else node) in _GRAD_MODES


def _is_module(node: ast.expr) -> bool:
    """`torch.utils.data` is a module, not a tensor's `.data`."""
    return isinstance(node, ast.Attribute) and node.attr == "utils"


def _label(code: str) -> str:
    """The code without its comment."""
    code = re.sub(r"\s+#[^'\"]*$", "", code[: 4 * _MAX_LABEL])
    return code if len(code) <= _MAX_LABEL else code[: _MAX_LABEL - 1] + "…"
