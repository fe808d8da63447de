"""Rewrites a program's syntax tree so that it reports its names, loops and statements; nothing else changes.

Reports are calls of a name that is not an identifier users can write by accident and that lives among the built-ins, so it
does not appear in `globals()`. Inserted nodes carry the position of the statement they report on.
"""

from __future__ import annotations

import ast
from typing import Any

from .policy.syntax import READER, WRITER

TAPE = "__gradtape__"
"""The built-in name of the reporter: has `bind`, `given`, `grown`, `passing`, `loop`, `tick`, `leave`, `mark` and `show`."""

_FILLING = frozenset(
    ("append", "extend", "insert", "update", "add_module", "register_module", "register_parameter", "register_buffer")
)
_GUARDS = frozenset((READER, WRITER))
Function = ast.FunctionDef | ast.AsyncFunctionDef


def instrument(tree: ast.Module, show_last: bool = False) -> ast.Module:
    """The tree with reports; with `show_last`, as a notebook's cell, the value of a last expression is handed to `show`, and
    imports from `__future__` may stand anywhere."""
    if show_last:
        tree.body.sort(key=lambda s: not (isinstance(s, ast.ImportFrom) and s.module == "__future__"))
    made: ast.Module = _Rewriter().visit(tree)
    if show_last and made.body:
        # The report after an expression statement stands behind it.
        for i in range(len(made.body) - 1, -1, -1):
            statement = made.body[i]
            if isinstance(statement, ast.Expr) and not _is_report(statement):
                statement.value = _call("show", statement.value, at=statement.value)
                break
            if not _is_report(statement):
                break
    return ast.fix_missing_locations(made)


def _is_report(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and getattr(statement, "gradtape", False)


def _call(method: str, *arguments: ast.expr, at: ast.AST) -> ast.Call:
    function = ast.Attribute(ast.Name(TAPE, ast.Load()), method, ast.Load())
    call = ast.Call(function, list(arguments), [])
    for node in (function, function.value, call):
        ast.copy_location(node, at)
    # CPython gives a call of a method the last line alone where what it is called on ends on another line than the call begins.
    function.end_lineno, function.end_col_offset = function.lineno, function.col_offset
    return call


def _report(method: str, *arguments: ast.expr, at: ast.stmt) -> ast.Expr:
    for a in arguments:
        ast.copy_location(a, at)
    statement = ast.copy_location(ast.Expr(_call(method, *arguments, at=at)), at)
    statement.gradtape = True  # type: ignore[attr-defined]
    return statement


def _names(target: ast.expr) -> list[str]:
    """The names that an assignment target binds."""
    if isinstance(target, ast.Name):
        return [target.id]
    if isinstance(target, ast.Tuple | ast.List):
        return [name for part in target.elts for name in _names(part)]
    return _names(target.value) if isinstance(target, ast.Starred) else []


def _changed(target: ast.expr) -> list[str]:
    """The names of what assignments to attributes and items (`net.fc = …`, `w[0] = …`) change, so that what is in there now
    gets its names. What a method does to its own object is seen when that is bound, and where it gives it a module
    (`_placed`)."""
    if isinstance(target, ast.Tuple | ast.List):
        return [name for part in target.elts for name in _changed(part)]
    return [name for name in [_root(target)] if name not in ("", "self")] if not isinstance(target, ast.Name) else []


def _placed(node: ast.Assign) -> list[ast.Attribute]:
    """The attributes that a method gives its own object, `self.target = …`, where they may be modules."""
    if not isinstance(node.value, ast.Name | ast.Attribute | ast.Call):
        return []
    return [t for t in node.targets if isinstance(t, ast.Attribute) and _root(t) == "self"]


def _root(node: ast.expr) -> str:
    """The name that attributes and items are taken of, by guards or not; "" where it is none."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        if isinstance(node, ast.Call):
            if not (isinstance(node.func, ast.Name) and node.func.id in _GUARDS and node.args):
                return ""
            node = node.args[0]
        else:
            node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _filled(value: ast.expr) -> str:
    """The name of what `name.append(…)` adds to, so that its new items get their names; "" for anything else."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _FILLING:
        root = _root(value.func.value)
        return root if root != "self" else ""
    return ""


def _is_appending(value: ast.expr) -> bool:
    """Whether it is `name.append(…)`."""
    return (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and (value.func.attr == "append" and isinstance(value.func.value, ast.Name))
    )


class _Rewriter(ast.NodeTransformer):
    def __init__(self) -> None:
        self.functions: list[str] = [""]
        self.globals: list[set[str]] = [set()]
        self.in_class = False

    def _function_of(self, name: str) -> str:
        """The function whose variable a name is here, "" for a global."""
        return "" if name in self.globals[-1] else self.functions[-1]

    def _binds(self, names: list[str], at: ast.stmt, how: str = "bind") -> list[ast.stmt]:
        if self.in_class:
            return []
        return [
            _report(how, ast.Constant(n), ast.Name(n, ast.Load()), ast.Constant(self._function_of(n)), at=at)
            for n in dict.fromkeys(names)
        ]

    def visit_Assign(self, node: ast.Assign) -> Any:
        """`a = b = value`."""
        placed = [] if self.in_class else _placed(node)
        reports = [_report("placed", ast.Name("self", ast.Load()), ast.Constant(t.attr), at=node) for t in placed]
        self.generic_visit(node)
        names = [n for t in node.targets for n in (*_names(t), *_changed(t))]
        return [node, *self._binds(names, node), *reports]

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        """`a += value`."""
        self.generic_visit(node)
        return [node, *self._binds(_names(node.target), node), _report("mark", at=node)]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        """`a: int = value`."""
        self.generic_visit(node)
        names = [*_names(node.target), *_changed(node.target)]
        return [node, *self._binds(names, node)] if node.value is not None else node

    def visit_Expr(self, node: ast.Expr) -> Any:
        """An expression statement; a docstring stays what it is."""
        if isinstance(node.value, ast.Constant):
            return node
        filled = _filled(node.value)
        how = "grown" if filled and _is_appending(node.value) else "bind"
        self.generic_visit(node)
        return [node, *(self._binds([filled], node, how) if filled else ()), _report("mark", at=node)]

    def visit_NamedExpr(self, node: ast.NamedExpr) -> Any:
        """`(a := value)`: the value passes through the tape, since the name may not be bound when the statement ends."""
        self.generic_visit(node)
        name, function = (ast.copy_location(ast.Constant(x), node) for x in (node.target.id, self._function_of(node.target.id)))
        node.value = _call("passing", name, node.value, function, at=node.value)
        return node

    def visit_For(self, node: ast.For) -> Any:
        """`for a in b`: the iterable counts its iterations."""
        self.generic_visit(node)
        node.iter = _call("loop", ast.copy_location(ast.Constant(node.lineno), node.iter), node.iter, at=node.iter)
        node.body = [*self._binds(_names(node.target), node.body[0], "given"), *node.body]
        return node

    def visit_While(self, node: ast.While) -> Any:
        """`while a`: counts its iterations, and says when it is left, however it is left."""
        self.generic_visit(node)
        line = ast.Constant(node.lineno)
        node.body = [_report("tick", line, at=node.body[0]), *node.body]
        whole = ast.Try([node], [], [], [_report("leave", ast.Constant(node.lineno), at=node)])
        return ast.copy_location(whole, node)

    def visit_With(self, node: ast.With) -> Any:
        """`with a as b`."""
        self.generic_visit(node)
        names = [n for item in node.items if item.optional_vars is not None for n in _names(item.optional_vars)]
        node.body = [*self._binds(names, node.body[0]), *node.body]
        return node

    def _function(self, node: Function) -> Any:
        self.functions.append(node.name)
        self.globals.append({n for s in ast.walk(node) if isinstance(s, ast.Global) for n in s.names})
        outside, self.in_class = self.in_class, False
        self.generic_visit(node)
        a = node.args
        names = [p.arg for p in [*a.posonlyargs, *a.args, *([a.vararg] if a.vararg else []), *a.kwonlyargs] if p.arg != "self"]
        head = 1 if ast.get_docstring(node, clean=False) is not None else 0
        at = node.body[min(head, len(node.body) - 1)]
        node.body = [*node.body[:head], *self._binds(names, at, "given"), *node.body[head:]]
        self.in_class = outside
        self.functions.pop()
        self.globals.pop()
        return node

    visit_FunctionDef = _function
    visit_AsyncFunctionDef = _function

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        """A class: names bound in its body are attributes, not variables."""
        outside, self.in_class = self.in_class, True
        self.generic_visit(node)
        self.in_class = outside
        return node

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        """Expressions hold no statements."""
        return node
