"""Pieces of a program that decide how gradients flow, taken out and put back: `.detach()`, `no_grad()`, `zero_grad()`.

What is taken out leaves a comment in its place, so that the text alone says how to put it back and every line keeps its number:

    y = x.detach() * 2           y = x * 2  # without .detach() @5
    with torch.no_grad():        if True:  # without: with torch.no_grad():
    optimizer.zero_grad()        # without: optimizer.zero_grad()
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from engine.whatif.text import MARK, Text, spliced

_CALLED = {"detach", "retain_grad", "requires_grad_", "detach_"}
"""Methods without arguments that can be left out of an expression."""
_STATEMENTS = {"zero_grad", "retain_grad", "requires_grad_", "detach_", "step"}
_MODES = {"no_grad", "inference_mode", "enable_grad", "set_grad_enabled"}
_LINE = re.compile(r"(?P<indent>[ \t]*)(?P<stand_in>(?:pass  |if True:  )?)# without: (?P<rest>\S[^\n]*)")
_MAX_LABEL = 40


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of the text, or the place where it was."""

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


def pieces(source: Text, tree: ast.Module) -> Iterator[Piece]:
    """All pieces that can be taken out of the text or put back."""
    for node in ast.walk(tree):
        for body in (getattr(node, "body", None), getattr(node, "orelse", None), getattr(node, "finalbody", None)):
            if isinstance(body, list):
                for statement in body:
                    yield from _whole_line(source, statement, len(body) == 1)
        if isinstance(node, ast.FunctionDef):
            for decorator in node.decorator_list:
                if _mode(decorator):
                    yield from _line_piece(source, decorator.lineno, "")
    bare = {statement.value for statement in ast.walk(tree) if isinstance(statement, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.expr) and node not in bare:
            yield from _part(source, node)
    yield from _taken_out(source, tree)


def take_out(text: str, piece: Piece) -> str:
    """The text without the piece, with a comment that says what is missing."""
    if not piece.text:
        return text[: piece.start] + f"{piece.stand_in}# without: " + text[piece.start :]
    source = Text(text)
    start = source.starts[piece.line - 1]
    shorter = spliced(text, piece.start, piece.end, "")
    stop = shorter.find("\n", piece.start)
    stop = len(shorter) if stop < 0 else stop
    return f"{shorter[:stop]}  # without {piece.text} @{piece.start - start}{shorter[stop:]}"


def put_back(text: str, piece: Piece) -> str:
    """The text with the piece where it was."""
    if piece.mark is None:
        return text[: piece.start] + text[piece.end :]
    first, last = piece.mark
    return spliced(text[:first] + text[last:], piece.start, piece.start, piece.text)


def _whole_line(source: Text, node: ast.stmt, alone: bool) -> Iterator[Piece]:
    match node:
        case ast.With(items=[ast.withitem(context_expr=mode, optional_vars=None)]) if _mode(mode):
            if node.body[0].lineno > node.lineno:
                yield from _line_piece(source, node.lineno, "if True:  ")
        case ast.Expr(ast.Call(func=ast.Attribute(attr=name))) if name in _STATEMENTS:
            yield from _line_piece(source, node.lineno, "pass  " if alone else "", node.end_lineno)
        case ast.Expr(ast.Call(func=ast.Attribute(value=ast.Attribute(attr="grad"), attr="zero_"))):
            yield from _line_piece(source, node.lineno, "pass  " if alone else "", node.end_lineno)
        case ast.Assign(targets=[ast.Attribute(attr="grad")], value=ast.Constant(None)):
            yield from _line_piece(source, node.lineno, "pass  " if alone else "", node.end_lineno)


def _line_piece(source: Text, line: int, stand_in: str, last: int | None = None) -> Iterator[Piece]:
    """A statement that has its line to itself."""
    text = source.lines[line - 1]
    code = text.strip()
    indent = len(text) - len(text.lstrip())
    if (
        last not in (None, line)
        or code.endswith("\\")
        or ";" in code
        or (stand_in.startswith("if") and not code.startswith("with "))
    ):
        return
    if not stand_in.startswith("if") and not _is_whole(code):
        return
    start = source.starts[line - 1] + indent
    yield Piece(_label(code), line, True, start, source.starts[line - 1] + len(text.rstrip("\n")), stand_in)


def _is_whole(code: str) -> bool:
    """Whether the line is a statement (or a decorator) of its own, and not the tail of `if x: y`."""
    if code.startswith("@"):
        return True
    try:
        body = ast.parse(code).body
    except SyntaxError:
        return False
    return len(body) == 1 and not hasattr(body[0], "body")


def _part(source: Text, node: ast.expr) -> Iterator[Piece]:
    """`.detach()` and `.data` inside an expression."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name) as attribute, args=[], keywords=[]) if name in _CALLED:
            pass
        case ast.Attribute(attr="data", ctx=ast.Load()) if not _is_module(node.value):
            attribute = node
        case _:
            return
    begin = source.span(attribute.value)[1]
    end = source.span(node)[1]
    start = source.text.rfind(".", begin, source.span(attribute)[1])
    piece = source.text[start:end]
    line = source.line_of(start)
    last = source.lines[line - 1].rstrip("\n")
    if start < 0 or any(c.isspace() for c in piece) or last.endswith("\\") or line in source.open_lines:
        return
    yield Piece(piece, line, True, start, end, text=piece)


def _taken_out(source: Text, tree: ast.Module) -> Iterator[Piece]:
    for comment in source.comments:
        first = source.starts[comment.line - 1]
        last = first + len(source.lines[comment.line - 1].rstrip("\n"))
        whole = _LINE.fullmatch(source.text, first, last)
        if whole and comment.start in (whole.start("rest") - len("# without: "),):
            label = _label(whole["rest"])
            yield Piece(label, comment.line, False, whole.end("indent"), whole.start("rest"), whole["stand_in"])
            continue
        for mark in MARK.finditer(source.text, comment.start - 2, comment.end):
            place = first + int(mark["column"])
            if place <= comment.start:
                piece = Piece(mark["piece"], comment.line, False, place, place, mark=mark.span(), text=mark["piece"])
                if _parses(put_back(source.text, piece)):
                    yield piece


def _mode(node: ast.expr) -> bool:
    """Whether an expression names a grad mode: `torch.no_grad()`, `no_grad`."""
    function = node.func if isinstance(node, ast.Call) else node
    name = function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    return name in _MODES


def _is_module(node: ast.expr) -> bool:
    """`torch.utils.data` is a module, not a tensor's `.data`."""
    return isinstance(node, ast.Attribute) and node.attr == "utils"


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _label(code: str) -> str:
    """The code without its comment."""
    code = re.sub(r"\s+#[^'\"]*$", "", code)
    return code if len(code) <= _MAX_LABEL else code[: _MAX_LABEL - 1] + "…"
