"""Reads formulas as text, so that the written paths of an operation can hold them instead of calling them.

A call costs as much as a fifth of what NumPy needs for a small array, and an operation's formula and rules are mostly single
expressions.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.NamedExpr)
"""Expressions with names of their own; what holds one is called, not inlined."""


@cache
def _lines(path: str) -> list[str]:
    """The lines of a file; none where the code comes from no file."""
    try:
        return Path(path).read_text(encoding="utf-8").splitlines()
    except OSError:
        return []


@cache
def _declarations(path: str) -> dict[int, ast.FunctionDef]:
    """The functions of a file by the line of their first decorator."""
    tree = ast.parse("\n".join(_lines(path)))
    return {min([d.lineno for d in f.decorator_list], default=f.lineno): f for f in tree.body if isinstance(f, ast.FunctionDef)}


def declaration(function: Any) -> ast.FunctionDef | None:
    """The source of a function that stands at the top level of its file."""
    code = getattr(function, "__code__", None)
    if code is None:
        return None
    found = _declarations(code.co_filename).get(code.co_firstlineno)
    return found if found is not None and found.name == code.co_name else None


@cache
def _decorators(path: str, line: int, name: str) -> list[ast.expr]:
    """The decorators of the function `name` that begins at a line, read without the rest of the file: at every start of the
    sandbox those of all operations are wanted."""
    lines = _lines(path)[line - 1 :]
    header = next((i for i, text in enumerate(lines) if text.startswith("def ")), 0)
    if not header or not lines[header].startswith(f"def {name}("):
        return []
    (made,) = ast.parse("\n".join([*lines[:header], "def made(): ..."])).body
    return made.decorator_list if isinstance(made, ast.FunctionDef) else []


def formula(function: Any) -> ast.expr | None:
    """The expression a function consists of, None if it is more than one."""
    found = declaration(function)
    if found is None:
        return None
    body = [s for s in found.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    if len(body) == 1 and isinstance(body[0], ast.Return) and body[0].value is not None:
        return body[0].value
    return None


def rule(function: Any, argument: str, lambda_: FunctionType) -> ast.expr | None:
    """The expression of the rule for `argument` in the declaration of `function`."""
    code = function.__code__
    decorators = _decorators(code.co_filename, code.co_firstlineno, code.co_name)
    if len(decorators) != 1 or not isinstance(decorators[0], ast.Call):
        return None
    for keyword in decorators[0].keywords:
        if keyword.arg == argument and isinstance(keyword.value, ast.Lambda):
            names = tuple(a.arg for a in keyword.value.args.args)
            if names == lambda_.__code__.co_varnames[: lambda_.__code__.co_argcount]:
                return keyword.value.body
    return None


class _Renamed(ast.NodeTransformer):
    def __init__(self, local: Mapping[str, str], outside: Mapping[str, Any], names: dict[str, Any]) -> None:
        self.local, self.outside, self.names = local, outside, names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self.local:
            return ast.Name(self.local[node.id])
        if node.id in self.outside:
            # A name of its own: two formulas in one text may mean different things by the same name.
            given = f"g_{node.id}"
            while given in self.names and self.names[given] is not self.outside[node.id]:
                given += "_"
            self.names[given] = self.outside[node.id]
            return ast.Name(given)
        if not hasattr(builtins, node.id):
            raise KeyError(node.id)
        return node


def text(
    expression: ast.expr | None, local: Mapping[str, str], outside: Mapping[str, Any], names: dict[str, Any]
) -> str | None:
    """The expression with its parameters called as in `local`; what else it names is added to `names`. None if it cannot be
    inlined."""
    if expression is None or any(isinstance(n, SCOPES) for n in ast.walk(expression)):
        return None
    try:
        renamed = _Renamed(local, outside, names).visit(ast.parse(ast.unparse(expression), mode="eval").body)
    except KeyError:
        return None
    return ast.unparse(ast.fix_missing_locations(renamed))
