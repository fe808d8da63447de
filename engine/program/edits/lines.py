"""Whole lines of a program's text: added at the end, put after another one, or given a block around them."""

from __future__ import annotations

import ast
from typing import NamedTuple

from ..parsing import UnreadError, alike, read
from .names import bindings
from .parsed import Parsed, RefusedError, joined

INDENT = "    "
MAX_LINE = 80
"""Characters of a line by which it is offered."""


class Block(NamedTuple):
    """A statement as a choice: its lines and its text's first line."""

    first: int
    last: int
    text: str
    depth: int


def appended(text: str, code: str) -> str:
    """The program with lines at its end, and `import torch` at its top if it lacks it."""
    text = text if not text.strip() or _knows_torch(text) else _imported(text)
    if not text.strip():
        text = "import torch\n"
    return text.rstrip("\n") + "\n" + code + "\n"


def after(text: str, name: str, code: str) -> str:
    """The program with a line right after the last one that assigns `name`, indented like it."""
    parsed = Parsed(text)
    found = bindings(parsed, name)
    if not found:
        raise RefusedError(f"No line of the program assigns {name}.")
    statement = found[-1]
    if isinstance(statement, ast.For | ast.With):
        raise RefusedError(f"{name} is made by the head of a block in line {statement.lineno}.")
    _, last = parsed.lines_of(statement)
    lines = list(parsed.source.lines)
    if not lines[last - 1].endswith("\n"):
        lines[last - 1] += "\n"
    return "".join([*lines[:last], f"{parsed.indent_of(statement)}{code}\n", *lines[last:]])


def blocks(text: str) -> list[Block]:
    """The program's statements as choices, in order, those inside blocks too; none if it is no Python."""
    try:
        parsed = Parsed(text)
    except RefusedError:
        return []
    found = []
    for body in parsed.bodies():
        for statement in body:
            try:
                first, last = parsed.lines_of(statement)
            except RefusedError:
                continue
            line = parsed.source.lines[first - 1].lstrip()[:MAX_LINE].rstrip()
            found.append(Block(first, last, line, len(parsed.indent_of(statement))))
    return sorted(found, key=lambda block: (block.first, -block.last))


def wrapped(text: str, first: int, last: int, head: str) -> str:
    """The program with a block such as `with torch.no_grad():` around its lines `first` to `last`."""
    parsed = Parsed(text)
    chosen: list[ast.stmt] = []
    for body in parsed.bodies():
        inside = [statement for statement in body if first <= statement.lineno and (statement.end_lineno or 0) <= last]
        if inside and parsed.lines_of(inside[0])[0] == first and parsed.lines_of(inside[-1])[1] == last:
            chosen = inside
            break
    if not chosen:
        raise RefusedError(f"{joined([first, last]).capitalize()} are not whole statements of one block.")
    if any(isinstance(statement, ast.ImportFrom) and statement.module == "__future__" for statement in chosen):
        raise RefusedError("An import from __future__ must stand at the top.")
    indent = parsed.indent_of(chosen[0])
    lines = list(parsed.source.lines)
    moved = [INDENT + line if line.strip() else line for line in lines[first - 1 : last]]
    changed = "".join([*lines[: first - 1], f"{indent}{head}\n", *moved, *lines[last:]])
    # Indenting the inside of a text over several lines would change the text.
    made = [statement for body in Parsed(changed).bodies() for statement in body]
    block = next(each for each in made if each.lineno == first and isinstance(each, ast.With | ast.For))
    if len(block.body) != len(chosen) or not all(map(alike, block.body, chosen)):
        raise RefusedError("A text in quotes goes over several lines here, and indenting would change it.")
    return changed


def _knows_torch(text: str) -> bool:
    try:
        tree = read(text).tree
    except UnreadError:
        return True
    for node in tree.body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname == "torch" or (alias.asname is None and alias.name.split(".")[0] == "torch"):
                    return True
    return False


def _imported(text: str) -> str:
    """With the import at the top, below a docstring and imports from the future."""
    parsed = Parsed(text)
    last = 0
    for position, statement in enumerate(parsed.tree.body):
        docstring = position == 0 and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        if not docstring and not future:
            break
        last = statement.end_lineno or 0
    head, rest = "".join(parsed.source.lines[:last]), "".join(parsed.source.lines[last:]).lstrip("\n")
    return f"{head}{chr(10) if head else ''}import torch\n\n{rest}"
