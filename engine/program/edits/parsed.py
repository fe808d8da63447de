"""A program's text with its syntax tree, and what every change of the text needs: parents, bodies, whole lines."""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..parsing import ProgramAst, UnreadError, read

READER = "can be built on"
"""How a bound is told: "The program is longer than can be built on (100,000 characters)."."""


class RefusedError(ValueError):
    """A change that is not made, and why, in words for the user."""


class _Statements(NamedTuple):
    """Where all statements of a text begin and end, and how many there are in each."""

    begins: list[int]
    """The first line of each, in order."""
    ends: list[int]
    """The last line of each that has no body, in order."""
    inside: dict[ast.AST, tuple[int, int]]
    """How many statements a node holds with itself, and how many of them have no body."""


class Parsed:
    """A text that is Python and not too much to be read; anything else is refused. Of one text only the first is parsed."""

    def __init__(self, text: str) -> None:
        try:
            self.program = read(text)
        except UnreadError as error:
            raise RefusedError(error.sentence(READER)) from None
        self.text = text
        self.tree = self.program.tree
        self.source = self.program.lines
        self.parents = self.program.parents

    def bodies(self) -> Iterator[list[ast.stmt]]:
        """Every list of statements, the program's own first."""
        for node in ast.walk(self.tree):
            for name in ("body", "orelse", "finalbody"):
                body = getattr(node, name, None)
                if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                    yield body

    def body_of(self, statement: ast.stmt) -> list[ast.stmt]:
        """The list that a statement stands in."""
        return next(body for body in self.bodies() if statement in body)

    def statement_of(self, node: ast.AST) -> ast.stmt:
        """The innermost statement around a node."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def lines_of(self, statement: ast.stmt) -> tuple[int, int]:
        """The first and last line of a statement that has them to itself, decorators included; refused otherwise."""
        assert statement.end_lineno is not None
        decorators = getattr(statement, "decorator_list", [])
        first = min([statement.lineno, *(each.lineno for each in decorators)])
        last = statement.end_lineno
        begins, ends, inside = self.program.once("statements", lambda: _statements(self.program))
        all_inside, plain_inside = inside[statement]
        if _within(begins, first, last) > all_inside or _within(ends, first, last) > plain_inside:
            raise RefusedError(f"Line {first} holds more than one statement.")
        return first, last

    def within(self, outer: ast.AST, inner: ast.AST) -> bool:
        """Whether one node is inside the other."""
        node: ast.AST | None = inner
        while node is not None and node is not outer:
            node = self.parents.get(node)
        return node is outer

    def indent_of(self, statement: ast.stmt) -> str:
        """The white space before a statement."""
        line = self.source.lines[statement.lineno - 1]
        return line[: len(line) - len(line.lstrip())]


def _has_body(statement: ast.stmt) -> bool:
    return bool(getattr(statement, "body", None))


def _statements(program: ProgramAst) -> _Statements:
    nodes = list(ast.walk(program.tree))
    statements = [node for node in nodes if isinstance(node, ast.stmt)]
    inside = dict.fromkeys(nodes, (0, 0))
    # From the inside out: the walk is the other way round.
    for node in reversed(nodes):
        many, plain = inside[node]
        if isinstance(node, ast.stmt):
            many, plain = many + 1, plain + (not _has_body(node))
            inside[node] = many, plain
        parent = program.parents.get(node)
        if parent is not None:
            above = inside[parent]
            inside[parent] = above[0] + many, above[1] + plain
    ends = sorted(node.end_lineno or 0 for node in statements if not _has_body(node))
    return _Statements(sorted(node.lineno for node in statements), ends, inside)


def _within(lines: Sequence[int], first: int, last: int) -> int:
    """How many of the lines, which are in order, are among these."""
    return bisect_right(lines, last) - bisect_left(lines, first)


def joined(numbers: Sequence[int]) -> str:
    """`line 7`, `lines 7 and 9`, `lines 1, 2 and 3`."""
    unique = sorted(set(numbers))
    if len(unique) == 1:
        return f"line {unique[0]}"
    return f"lines {', '.join(map(str, unique[:-1]))} and {unique[-1]}"
