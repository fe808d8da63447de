"""A program's text with its syntax tree, and what every change of the text needs: parents, bodies, whole lines."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from engine.whatif.text import Text


class RefusedError(ValueError):
    """A change that is not made, and why, in words for the user."""


class Parsed:
    """A text that is Python; anything else is refused."""

    def __init__(self, text: str) -> None:
        try:
            self.tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            line = getattr(error, "lineno", None)
            raise RefusedError(f"The program is not Python yet{f': see line {line}' if line else ''}.") from None
        self.text = text
        self.source = Text(text)
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

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
        for other in ast.walk(self.tree):
            if isinstance(other, ast.stmt) and other is not statement and not self.within(statement, other):
                begins_here = first <= other.lineno <= last
                ends_here = not _has_body(other) and other.end_lineno is not None and first <= other.end_lineno <= last
                if begins_here or ends_here:
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


def same(first: str, second: str) -> bool:
    """Whether two texts are the same program, whatever their spacing and parentheses."""
    try:
        return ast.dump(ast.parse(first)) == ast.dump(ast.parse(second))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def joined(numbers: Sequence[int]) -> str:
    """`line 7`, `lines 7 and 9`, `lines 1, 2 and 3`."""
    unique = sorted(set(numbers))
    if len(unique) == 1:
        return f"line {unique[0]}"
    return f"lines {', '.join(map(str, unique[:-1]))} and {unique[-1]}"
