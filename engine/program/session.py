"""Sessions: text copied from an interactive Python, with its prompts, what came of each input, and what stands between.

Three kinds are read: Python's own (`>>> x`), IPython's (`In [1]: x`, `Out[1]: …`), and a notebook that was saved or copied as
text, where `In [1]:` stands alone in a line, and code, what came of it and notes follow without marks of their own.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from typing import NamedTuple

from . import parsing

_PYTHON = re.compile(r"(\s*)(>>>|\.\.\.)(?: (.*)|\s*)$")
_IPYTHON = re.compile(r"()(In \[\d+\]:|\s+\.\.\.:)(?: (.*)|\s*)$")
_RESULT = re.compile(r"Out\s?\[\d+\]:")
_HEADING = re.compile(r"#{1,6} \S")
_FIRST = ("In", ">>")
"""With what the prompt of an input begins."""
TRIES = 8
"""Paragraphs that are no Python, after which none is looked for that ends what they may have begun."""
AGAIN = 200_000
"""Characters of a session that are read a second time, and as many more as two of its own lengths: each paragraph of a function
is read with all that stand before it."""

CODE = ("code", "cell")
"""The kinds of parts that run."""


class Part(NamedTuple):
    """Some lines of a session."""

    kind: str
    """"code", which had prompts, "cell", which had a mark above it, "output" or "note"."""
    line: int
    """The first one's number, from 1."""
    lines: tuple[str, ...]
    """Without prompts."""

    @property
    def text(self) -> str:
        """The lines as one text, without empty ones around it."""
        return "\n".join(self.lines).strip("\n").rstrip()


def is_session(text: str) -> bool:
    """Whether a text is a session: its first line that is not empty is an input."""
    return begins_input(next((line for line in text.splitlines() if line.strip()), ""))


def begins_input(line: str) -> bool:
    """Whether a line begins with the prompt of an input, not of a line that goes on with it."""
    found = _prompted(line)
    return found is not None and found[2].startswith(_FIRST)


def parts_of(text: str) -> list[Part]:
    """The parts of a session, in order; empty lines belong to the part before them, marks of cells to none."""
    return [part for block in _blocks(text.split("\n")) for part in block if part.text]


def cells_of(text: str) -> tuple[list[str], list[tuple[int, str]]]:
    """A session as a notebook's code cells, and the notes between them, each with how many cells stand before it.

    Inputs with prompts that follow one another stand in one cell, up to one of which something has come: a cell shows its last
    value only.
    """
    cells: list[str] = []
    notes: list[tuple[int, str]] = []
    before = ""
    for part in parts_of(text):
        if part.kind == before == "code":
            cells[-1] += "\n" + part.text
        elif part.kind in CODE:
            cells.append(part.text)
        elif part.kind == "note":
            notes.append((len(cells), part.text))
        before = part.kind
    return cells, notes


def as_program(text: str) -> str:
    """A session as a program with as many lines: without prompts, values that were shown are printed, all else is commented."""
    lines = [""] * (text.count("\n") + 1)
    parts = parts_of(text)
    for part, after in zip(parts, [*parts[1:], None]):
        shown = part.kind in CODE and after is not None and after.kind == "output"
        told = _printing(part.lines) if shown else part.lines
        for number, line in enumerate(told, part.line - 1):
            lines[number] = line if part.kind in CODE or not line.strip() else f"# {line}"
    return "\n".join(lines)


def _prompted(line: str) -> re.Match[str] | None:
    return _PYTHON.match(line) or _IPYTHON.match(line)


def _blocks(lines: list[str]) -> Iterator[list[Part]]:
    """For each input its parts, and before the first one what stands there."""
    again = _Again(AGAIN + 2 * sum(map(len, lines)))
    starts = [number for number, line in enumerate(lines) if begins_input(line)]
    yield [Part("note", 1, tuple(lines[: starts[0]] if starts else lines))]
    known = set(dir(builtins))
    for start, end in zip(starts, [*starts[1:], len(lines)]):
        found = _prompted(lines[start])
        assert found is not None
        if found[2].startswith("In") and not (found[3] or "").strip():
            yield _unmarked(lines, start + 1, end, known, again)
        else:
            yield _marked(lines, start, end)


class _Again:
    """How much of a session may still be read a second time."""

    def __init__(self, characters: int) -> None:
        self._left = characters

    def allows(self, lines: list[str]) -> bool:
        """Whether these lines may be read, which then counts."""
        self._left -= sum(map(len, lines))
        return self._left >= 0


def _marked(lines: list[str], start: int, end: int) -> list[Part]:
    """An input whose lines all have prompts; what comes of it ends where a line is empty or none is a prompt's."""
    code: list[str] = []
    at = start
    while at < end and (found := _prompted(lines[at])) is not None:
        code.append(found[3] or "")
        at += 1
    blank = next((k for k in range(at, end) if not lines[k].strip()), end)
    margin = lines[start][: len(lines[start]) - len(lines[start].lstrip())]
    output = tuple(line.removeprefix(margin) for line in lines[at:blank])
    return [
        Part("code", start + 1, tuple(code)),
        Part("output", at + 1, output),
        Part("note", blank + 1, tuple(lines[blank:end])),
    ]


def _unmarked(lines: list[str], start: int, end: int, known: set[str], again: _Again) -> list[Part]:
    """A notebook's cell: its code is as many paragraphs as are Python that knows its names, the first one in any case."""
    stop, shows = _code_ends(lines, start, end, known, again)
    rest = next((k for k in range(stop, end) if _HEADING.match(lines[k])), end) if shows else stop
    return [
        Part("cell", start + 1, tuple(lines[start:stop])),
        Part("output", stop + 1, tuple(lines[stop:rest])),
        Part("note", rest + 1, tuple(lines[rest:end])),
    ]


def _code_ends(lines: list[str], start: int, end: int, known: set[str], again: _Again) -> tuple[int, bool]:
    """Where a cell's code ends, and whether something may have come of it; its names become `known`."""
    begins, stop, shows, failed = start, start, False, 0
    for paragraph in _paragraphs(lines, start, end):
        if stop > start and _said(lines[stop:paragraph]):
            break
        # A function's body may go on behind an empty line, as a text in quotes may.
        begin, found = stop, _tree(lines[stop:paragraph])
        if found is None and begins < stop and again.allows(lines[begins:paragraph]):
            begin, found = begins, _tree(lines[begins:paragraph])
        if found is None:
            failed += 1
            if failed > TRIES:
                break
            continue
        binds = _binds(found)
        if stop > start and not all(_loads(each) <= known | binds for each in found.body):
            break
        known |= binds
        begins, stop, failed = begin, paragraph, 0
        shows |= any(isinstance(node, ast.Expr) for node in ast.walk(found))
    if stop == start:  # what is no Python stays, for Python to say why
        return next(iter(_paragraphs(lines, start, end)), end), False
    return stop, shows


def _tree(lines: list[str]) -> ast.Module | None:
    """The tree of some lines; None if they are no Python."""
    try:
        return parsing.read("\n".join(lines)).tree
    except parsing.UnreadError:
        return None


def _said(paragraph: list[str]) -> bool:
    """Whether a paragraph is a heading or the result's own line, not code."""
    words = [line for line in paragraph if line.strip()]
    return bool(words) and (all(_HEADING.match(line) for line in words) or _RESULT.match(words[0]) is not None)


def _paragraphs(lines: list[str], start: int, end: int) -> Iterator[int]:
    """Where paragraphs end: behind the empty lines after them."""
    at = start
    while at < end:
        while at < end and lines[at].strip():
            at += 1
        while at < end and not lines[at].strip():
            at += 1
        yield at


def _binds(tree: ast.AST) -> set[str]:
    """Names that a text binds anywhere."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.ClassDef(name=name) | ast.arg(arg=name):
                found.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                found.add(name)
            case ast.alias(name=name, asname=alias):
                found.add(alias or name.partition(".")[0])
            case ast.ExceptHandler(name=str(name)):
                found.add(name)
    return found


def _loads(statement: ast.stmt) -> set[str]:
    """Names that a statement uses when it runs, without those that its functions use when they are called.

    A constant of the session's own, such as the 42 that was shown, uses none: it is taken for a name that nobody knows.
    """
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant | ast.List | ast.Tuple | ast.Dict):
        return {"<a value>"}
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        inside: list[ast.AST] = [*statement.decorator_list, *statement.args.defaults]
    else:
        inside = [statement]
    nodes = (node for part in inside for node in ast.walk(part))
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def _printing(lines: tuple[str, ...]) -> list[str]:
    """Code whose last statement is an expression, as a program that prints it; what prints already stays."""
    text = "\n".join(lines)
    try:
        found = parsing.read(text)
    except parsing.UnreadError:
        return list(lines)
    last = found.tree.body[-1] if found.tree.body else None
    if not isinstance(last, ast.Expr) or (isinstance(last.value, ast.Call) and parsing.last_name(last.value.func) == "print"):
        return list(lines)
    start, end = found.lines.span(last.value)
    return f"{text[:start]}print({text[start:end]}){text[end:]}".split("\n")
