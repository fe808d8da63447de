"""Expressions inside a program's lines: one gets a name of its own, or a line's value grows by an operation."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TypeAlias

from engine.writing.names import binding, check, taken, uses
from engine.writing.parsed import Parsed, RefusedError, joined, same

Span: TypeAlias = tuple[int, int, int, int]
"""Line, column, end line, end column, as `ast` counts."""

_HOLDERS = (
    ast.BinOp, ast.UnaryOp, ast.Call, ast.Attribute, ast.Subscript, ast.List, ast.Tuple, ast.Dict, ast.keyword, ast.Starred,
    ast.Slice,
)  # fmt: skip
"""What an expression may stand in and still be worked out exactly once, whatever happens."""
_RANDOM = {"rand", "randn", "randint", "randperm", "rand_like", "randn_like", "normal", "bernoulli", "multinomial", "dropout"}
_PURE = {
    "exp", "log", "sqrt", "sin", "cos", "tan", "tanh", "sigmoid", "relu", "abs", "sum", "mean", "max", "min", "prod", "std",
    "var", "norm", "softmax", "log_softmax", "matmul", "mm", "dot", "outer", "reshape", "view", "flatten", "transpose",
    "permute", "squeeze", "unsqueeze", "detach", "clone", "tensor", "Tensor", "ones", "zeros", "ones_like", "zeros_like",
    "full", "arange", "linspace", "eye", "float", "double", "int", "long", "len", "cat", "stack", "clamp", "pow", "square",
    "add", "sub", "mul", "div", "item", "size", "t",
}  # fmt: skip
"""Calls that change nothing outside themselves."""


def named(text: str, span: Span, name: str) -> str:
    """The program with a line `name = <the expression at span>` before the one that it stands in, which then uses the name."""
    parsed = Parsed(text)
    check(name, taken(text))
    node = _at(parsed, span)
    statement = parsed.statement_of(node)
    first, _ = parsed.lines_of(statement)
    if isinstance(statement, ast.FunctionDef | ast.ClassDef) or _function_around(parsed, statement):
        raise RefusedError("It is made inside a function, whose names the rest of the program cannot see.")
    _check_place(parsed, statement, node)
    code = parsed.source.of(node)
    start, end = parsed.source.span(node)
    line = parsed.indent_of(statement) + f"{name} = {f'({code})' if chr(10) in code else code}\n"
    if isinstance(statement, ast.Expr) and statement.value is node and same(text, text[:start] + code + text[end:]):
        begin = parsed.source.starts[first - 1]
        stop = parsed.source.starts[statement.end_lineno or first]
        rest = text[end:stop]
        if not text[begin:start].strip() and (not rest.strip() or rest.lstrip().startswith("#")):
            return text[:begin] + line.rstrip("\n") + rest + text[stop:]
    changed = _unwrapped(text, start, end, name)
    place = parsed.source.starts[first - 1]
    return changed[:place] + line + changed[place:]


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
    outside = [node for node in parsed.tree.body if parsed.within(node, statement)]
    if statement not in outside:
        raise RefusedError(f"{name} is made inside a block.")
    # Parentheses around the value belong to the statement, not to the value.
    end = parsed.source.span(statement)[1]
    start = text.index("=", parsed.source.span(statement.targets[0])[1]) + 1
    while text[start].isspace():
        start += 1
    value = text[start:end]
    safe = text[:start] + template.format(a=f"({value})") + text[end:]
    plain = text[:start] + template.format(a=value) + text[end:]
    changed = plain if same(plain, safe) else safe
    _check_order(Parsed(changed), name)
    return changed


def _check_order(parsed: Parsed, name: str) -> None:
    """What a line reads must be made above it."""
    statement = binding(parsed, name)
    for node in ast.walk(statement.value):
        if isinstance(node, ast.Name):
            made = [s.lineno for s in ast.walk(parsed.tree) if isinstance(s, ast.Assign) and _binds(s, node.id)]
            if made and min(made) >= statement.lineno:
                raise RefusedError(f"{node.id} is made below the line of {name}.")


def _binds(statement: ast.Assign, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for target in statement.targets for node in ast.walk(target))


def _at(parsed: Parsed, span: Span) -> ast.expr:
    """The expression at a place; where a call is broken over lines, Python names only its end exactly."""
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


def _check_place(parsed: Parsed, statement: ast.stmt, node: ast.expr) -> None:
    """Refuse where the expression may run never, more than once, or after something that must come first."""
    if not isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr):
        raise RefusedError(f"It is part of the head of a block in line {statement.lineno}.")
    at: ast.AST = node
    while at is not statement:
        parent = parsed.parents[at]
        if parent is not statement and not isinstance(parent, _HOLDERS):
            raise RefusedError(f"Line {node.lineno} may work it out never, or more than once.")
        at = parent
    begin = parsed.source.span(node)[0]
    own_random = any(isinstance(each, ast.Call) and not _pure(each) for each in ast.walk(node))
    for other in ast.walk(statement):
        if isinstance(other, ast.Call) and not parsed.within(node, other) and not parsed.within(other, node):
            earlier = parsed.source.span(other)[1] <= begin
            if earlier and not _pure(other) and (own_random or _callee(other) not in _RANDOM):
                raise RefusedError(
                    f"In line {node.lineno} {_callee(other) or 'a call'}() runs before it, and must go on doing so."
                )


def _pure(call: ast.Call) -> bool:
    return _callee(call) in _PURE


def _callee(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""


def _unwrapped(text: str, start: int, end: int, name: str) -> str:
    """The text with a name for an expression, without the parentheses that a name does not need."""
    changed = text[:start] + name + text[end:]
    while text[start - 1 : start] == "(" and text[end : end + 1] == ")":
        start, end = start - 1, end + 1
        shorter = text[:start] + name + text[end:]
        if not same(changed, shorter):
            break
        changed = shorter
    return changed
