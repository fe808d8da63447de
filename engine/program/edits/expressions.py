"""Expressions inside a program's lines: one gets a name of its own, or a line's value grows by an operation."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import TypeAlias

from ..called import traits_called
from ..parsing import UnreadError, alike, fresh, last_name
from .names import binding, check, taken, uses
from .parsed import Parsed, RefusedError, joined

Span: TypeAlias = tuple[int, int, int, int]
"""Line, column, end line, end column, as `ast` counts."""

_HOLDERS = (
    ast.BinOp, ast.UnaryOp, ast.Call, ast.Attribute, ast.Subscript, ast.List, ast.Tuple, ast.Dict, ast.keyword, ast.Starred,
    ast.Slice,
)  # fmt: skip
"""What an expression may stand in and still be worked out exactly once, whatever happens."""
MAX_VALUE = 2_000
"""Characters of a line that can go on: it is parsed for every operation that is offered."""
_GROUPS = re.compile(r"([=(\[{,:+\-*/%@&|^~<>]|\bnot\s)\s*\($")
"""An opening parenthesis that groups, and calls nothing."""
_PURE = {
    "exp", "log", "sqrt", "sin", "cos", "tan", "tanh", "sigmoid", "relu", "abs", "sum", "mean", "max", "min", "prod", "std",
    "var", "norm", "softmax", "log_softmax", "matmul", "mm", "dot", "outer", "reshape", "view", "flatten", "transpose",
    "permute", "squeeze", "unsqueeze", "detach", "clone", "tensor", "Tensor", "ones", "zeros", "ones_like", "zeros_like",
    "full", "arange", "linspace", "eye", "float", "double", "int", "long", "len", "cat", "stack", "clamp", "pow", "square",
    "add", "sub", "mul", "div", "item", "size", "t",
}  # fmt: skip
"""Calls that change nothing outside themselves, whatever they are methods of: words of a text, which may be of no tensor."""


def named(text: str, span: Span, name: str) -> str:
    """The program with a line `name = <the expression at span>` before the one that it stands in, which then uses the name."""
    parsed = Parsed(text)
    check(name, taken(text))
    node = _at(parsed, span)
    statement = parsed.statement_of(node)
    first, _ = parsed.lines_of(statement)
    if isinstance(statement, ast.FunctionDef | ast.ClassDef) or _function_around(parsed, statement):
        raise RefusedError("It is made inside a function, whose names the rest of the program cannot see.")
    _check_movable(parsed, statement, node)
    code = parsed.source.of(node)
    start, end = parsed.source.span(node)
    line = parsed.indent_of(statement) + f"{name} = {f'({code})' if chr(10) in code else code}\n"
    if isinstance(statement, ast.Expr) and statement.value is node:
        begin = parsed.source.starts[first - 1]
        stop = parsed.source.starts[statement.end_lineno or first]
        rest = text[end:stop]
        if not text[begin:start].strip() and (not rest.strip() or rest.lstrip().startswith("#")):
            return text[:begin] + line.rstrip("\n") + rest + text[stop:]
    changed = _unwrapped(text, start, end, name)
    offset = parsed.source.starts[first - 1]
    return changed[:offset] + line + changed[offset:]


def all_named(text: str, wanted: Sequence[tuple[Span, str]]) -> str:
    """The program with names for several expressions, none of which is inside another."""
    left = sorted(wanted, key=lambda each: each[0][2:], reverse=True)
    while left:
        (span, name), *left = left
        if any(other[2:] > span[:2] for other, _ in left):
            raise RefusedError("One of the expressions is inside the other: choose one at a time.")
        before = Parsed(text)
        begin = before.statement_of(_at(before, span)).lineno
        changed = named(text, span, name)
        added = changed.count("\n") - text.count("\n")
        left = [((a + added, b, c + added, d) if a >= begin else (a, b, c, d), each) for (a, b, c, d), each in left]
        text = changed
    return text


def continued(text: str, name: str, template: str) -> str:
    """The program with the value of `name = value` inside an operation: `y = 5 * x` and `{a} + 3` make `y = 5 * x + 3`."""
    parsed = Parsed(text)
    statement = binding(parsed, name)
    used = uses(parsed, name)
    if used:
        raise RefusedError(f"{name} is used in {joined(used)}.")
    if parsed.parents[statement] is not parsed.tree:
        raise RefusedError(f"{name} is made inside a block.")
    # Parentheses around the value belong to the statement, not to the value.
    end = parsed.source.span(statement)[1]
    start = text.index("=", parsed.source.span(statement.targets[0])[1]) + 1
    while text[start].isspace():
        start += 1
    value = text[start:end]
    if len(value) > MAX_VALUE:
        raise RefusedError(f"The line of {name} has more than {MAX_VALUE:,} characters.")
    plain, safe = template.format(a=value), template.format(a=f"({value})")
    grown, meant = _expression(plain), _expression(safe)
    if meant is None:
        raise RefusedError(f"Line {statement.lineno} cannot go on.")
    _check_order(parsed, statement, name, meant)
    chosen = plain if grown is not None and alike(grown, meant) else safe
    return text[:start] + chosen + text[end:]


def _expression(code: str) -> ast.Module | None:
    """The tree of an assignment of an expression; None if it is none."""
    try:
        return fresh(f"_ = {code}\n")
    except UnreadError:
        return None


def _check_order(parsed: Parsed, statement: ast.stmt, name: str, value: ast.AST) -> None:
    """What a line reads must be made above it."""
    made = parsed.program.once("made", lambda: _first_lines(parsed))
    for node in ast.walk(value):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and made.get(node.id, 0) >= statement.lineno:
            raise RefusedError(f"{node.id} is made below the line of {name}.")


def _first_lines(parsed: Parsed) -> dict[str, int]:
    """Name → the first line that assigns to it."""
    found: dict[str, int] = {}
    for statement in ast.walk(parsed.tree):
        if isinstance(statement, ast.Assign):
            for name in _bound(statement):
                found[name] = min(found.get(name, statement.lineno), statement.lineno)
    return found


def _bound(statement: ast.Assign) -> set[str]:
    return {node.id for target in statement.targets for node in ast.walk(target) if isinstance(node, ast.Name)}


def _at(parsed: Parsed, span: Span) -> ast.expr:
    """The expression at a site; where a call is broken over lines, Python names only its end exactly."""
    expressions = [node for node in ast.walk(parsed.tree) if isinstance(node, ast.expr)]
    for node in expressions:
        if (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset) == span:
            return node
    ends = [node for node in expressions if (node.end_lineno, node.end_col_offset) == span[2:] and isinstance(node, ast.Call)]
    if len(ends) == 1:
        return ends[0]
    raise RefusedError("Its expression is not where it was: run the program first.")


def _function_around(parsed: Parsed, node: ast.AST) -> bool:
    while node in parsed.parents:
        node = parsed.parents[node]
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            return True
    return False


def _check_movable(parsed: Parsed, statement: ast.stmt, node: ast.expr) -> None:
    """Refuse where the expression may run never, more than once, or after something that must come first."""
    if not isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr):
        raise RefusedError(f"It is part of the head of a block in line {statement.lineno}.")
    at: ast.AST = node
    around: set[ast.AST] = set()
    while at is not statement:
        parent = parsed.parents[at]
        around.add(parent)
        if parent is not statement and not isinstance(parent, _HOLDERS):
            raise RefusedError(f"Line {node.lineno} may work it out never, or more than once.")
        at = parent
    begin = parsed.source.span(node)[0]
    inside = set(ast.walk(node))
    own_random = any(isinstance(each, ast.Call) and not _pure(each) for each in inside)
    for other in ast.walk(statement):
        if isinstance(other, ast.Call) and other not in inside and other not in around:
            earlier = parsed.source.span(other)[1] <= begin
            if earlier and not _pure(other) and (own_random or "draws" not in traits_called(last_name(other.func))):
                raise RefusedError(
                    f"In line {node.lineno} {last_name(other.func) or 'a call'}() runs before it, and must go on doing so."
                )


def _pure(call: ast.Call) -> bool:
    return last_name(call.func) in _PURE


def _unwrapped(text: str, start: int, end: int, name: str) -> str:
    """The text with a name for an expression, without the parentheses that a name does not need."""
    while text[start - 1 : start] == "(" and text[end : end + 1] == ")" and _GROUPS.search(text, max(0, start - 40), start):
        start, end = start - 1, end + 1
    return text[:start] + name + text[end:]
