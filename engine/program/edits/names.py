"""Names in a program's text: which are free, what uses them, and how to change or remove one."""

from __future__ import annotations

import ast
import builtins
import keyword
import symtable
from collections.abc import Collection, Iterator

from ..parsing import UnreadError, alike, read
from ..parsing import fresh as fresh_tree
from .parsed import Parsed, RefusedError, joined

FIRST = "xwabcdefghkmnpqrstuvyz"
"""Proposals for leaves."""
RESULTS = "yzuvrsqpnmkhgfedcba"
"""Proposals for results."""
MAX_LENGTH = 40


def taken(text: str) -> set[str]:
    """All names that the program mentions."""
    parsed = Parsed(text)
    return parsed.program.once("names", lambda: set(_mentioned(parsed.tree)))


def fresh(used: Collection[str], proposals: str = RESULTS) -> str:
    """A name that is not used yet."""
    for name in proposals:
        if name not in used:
            return name
    number = 1
    while f"t{number}" in used:
        number += 1
    return f"t{number}"


def check(name: str, used: Collection[str] = ()) -> None:
    """Refuse what cannot be a new name."""
    if not name.isidentifier() or keyword.iskeyword(name) or len(name) > MAX_LENGTH:
        raise RefusedError("A name has letters, digits and _, and does not start with a digit.")
    if name.startswith("__"):
        raise RefusedError("Names that start with __ are Python's own.")
    if name in ("torch", "np", "nn", "F") or hasattr(builtins, name):
        raise RefusedError(f"{name} means something else already.")
    if name in used:
        raise RefusedError(f"The program has a {name} already.")


def bindings(parsed: Parsed, name: str) -> list[ast.stmt]:
    """The statements that bind a name, in order."""
    found = []
    for node in ast.walk(parsed.tree):
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store):
            found.append(parsed.statement_of(node))
    return sorted(dict.fromkeys(found), key=lambda statement: statement.lineno)


def binding(parsed: Parsed, name: str) -> ast.Assign:
    """The one plain assignment `name = …` that makes a name."""
    found = bindings(parsed, name)
    if not found:
        raise RefusedError(f"No line of the program assigns {name}.")
    if len(found) > 1:
        raise RefusedError(f"{name} is assigned more than once: {joined([statement.lineno for statement in found])}.")
    match found[0]:
        case ast.Assign(targets=[ast.Name()]) as statement:
            return statement
        case statement:
            raise RefusedError(f"Line {statement.lineno} does more than assign {name}.")


def uses(parsed: Parsed, name: str) -> list[int]:
    """The lines that read a name, or bind it in a way of their own."""
    lines = []
    for node in ast.walk(parsed.tree):
        match node:
            case ast.Name(id=id) if id == name and not isinstance(node.ctx, ast.Store):
                lines.append(node.lineno)
            case ast.AugAssign(target=ast.Name(id=id)) if id == name:
                lines.append(node.lineno)
            case ast.Global(names=names) | ast.Nonlocal(names=names) if name in names:
                lines.append(node.lineno)
    return sorted(set(lines))


def deleted(text: str, name: str) -> str:
    """The text without the line that makes `name`; refused while anything uses it."""
    parsed = Parsed(text)
    used = uses(parsed, name)
    if used:
        raise RefusedError(f"{name} is used in {joined(used)}.")
    statement = binding(parsed, name)
    first, last = parsed.lines_of(statement)
    lines = parsed.source.lines
    alone = len(parsed.body_of(statement)) == 1 and not isinstance(parsed.parents[statement], ast.Module)
    stand_in = [f"{parsed.indent_of(statement)}pass\n"] if alone else []
    return "".join([*lines[: first - 1], *stand_in, *lines[last:]])


def renamed(text: str, old: str, new: str) -> str:
    """The text with a variable of the program called otherwise, everywhere."""
    parsed = Parsed(text)
    check(new, taken(text))
    if not bindings(parsed, old):
        raise RefusedError(f"No line of the program assigns {old}.")
    # The table is made in C like the tree, from a text that is within the same bounds.
    try:
        owner = next((table for table in _scopes(text) if _has_own(table, old)), None)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise RefusedError("The program is not Python yet.") from None
    if owner is not None:
        raise RefusedError(f"{old} is also a name of its own inside {owner.get_name()}.")
    expected = fresh_tree(text)
    spans = []
    for node, other in zip(ast.walk(parsed.tree), ast.walk(expected), strict=True):
        match node, other:
            case ast.Name(id=id), ast.Name() if id == old:
                other.id = new
                spans.append(parsed.source.span(node))
            case ast.Global(names=names) | ast.Nonlocal(names=names), _ if old in names:
                raise RefusedError(f"Line {node.lineno} declares {old} global.")
            case _:
                pass
    parts, offset = [], 0
    for start, end in sorted(set(spans)):
        parts += [text[offset:start], new]
        offset = end
    changed = "".join([*parts, text[offset:]])
    # A name inside an f-string has no exact span, and `f"{x = }"` prints it.
    if not _is(changed, expected):
        raise RefusedError(f"{old} stands in an f-string, where it cannot be renamed.")
    return changed


def _is(text: str, expected: ast.Module) -> bool:
    try:
        return alike(read(text).tree, expected)
    except UnreadError:
        return False


def _mentioned(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.alias(name=name, asname=asname):
                yield asname or name.split(".")[0]
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                yield from names


def _scopes(text: str) -> Iterator[symtable.SymbolTable]:
    """The scopes inside a program: functions, classes, comprehensions."""
    waiting = list(symtable.symtable(text, "program", "exec").get_children())
    while waiting:
        table = waiting.pop()
        yield table
        waiting += table.get_children()


def _has_own(table: symtable.SymbolTable, name: str) -> bool:
    return name in table.get_identifiers() and table.lookup(name).is_local()
