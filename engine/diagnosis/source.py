"""What the program's text says beyond its events: which block switched gradients off, which numbers went into a call."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from engine.recording.events import Site

Span = tuple[int, int, int, int]
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_MODES = frozenset(("no_grad", "inference_mode", "set_grad_enabled"))
_FILLING = frozenset(("append", "extend", "insert", "add", "update", "setdefault", "appendleft", "fill", "put"))
"""Methods that put their arguments into what they are called on."""
_MOST = 400
"""Expressions looked at in search of what went into a call."""


class Source:
    """The cells of a program, parsed; nothing of it runs. A cell that cannot be parsed has no nodes."""

    def __init__(self, cells: tuple[str, ...]) -> None:
        self.trees: list[ast.Module | None] = [_parse(text) for text in cells]
        self.parents: dict[ast.AST, ast.AST] = {}
        self.spans: list[dict[Span, ast.AST]] = []
        self.assigned: dict[str, list[tuple[int, ast.AST, ast.expr | ast.stmt]]] = {}
        """Text of a name or attribute -> (cell, statement, value) for every place that gives it a value."""
        self.functions: dict[str, list[tuple[int, Function]]] = {}
        self.calls: dict[str, list[tuple[int, ast.Call]]] = {}
        """Last part of what is called -> the calls."""
        for cell, tree in enumerate(self.trees):
            found: dict[Span, ast.AST] = {}
            for node in ast.walk(tree) if tree is not None else ():
                for child in ast.iter_child_nodes(node):
                    self.parents[child] = node
                if isinstance(node, ast.expr | ast.stmt):
                    # The walk is from the outside in, and what a statement spans alone is the expression's.
                    found[_span(node)] = node
                self._note(cell, node)
            self.spans.append(found)

    def _note(self, cell: int, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._assign(cell, node, target, value)
            case ast.AugAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value):
                self._assign(cell, node, target, value)
            case ast.AnnAssign(target=target, value=value) if value is not None:
                self._assign(cell, node, target, value)
            case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
                self._assign(cell, node, target, value)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                self.functions.setdefault(name, []).append((cell, node))
            case ast.Call(func=func):
                name = _last(func)
                self.calls.setdefault(name, []).append((cell, node))
                if isinstance(func, ast.Attribute) and name in _FILLING:
                    for argument in node.args:
                        self._assign(cell, node, func.value, argument)

    def _assign(self, cell: int, node: ast.AST, target: ast.expr, value: ast.expr | ast.stmt) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            parts = value.elts if isinstance(value, ast.Tuple | ast.List) else []
            for place, part in enumerate(target.elts):
                self._assign(cell, node, part, parts[place] if len(parts) == len(target.elts) else value)
        elif isinstance(target, ast.Starred):
            self._assign(cell, node, target.value, value)
        elif isinstance(target, ast.Subscript):
            # NumPy reads a tensor where it is stored, so the whole statement counts.
            self._assign(cell, node, target.value, node if isinstance(node, ast.stmt) else value)
        else:
            self.assigned.setdefault(_dotted(target), []).append((cell, node, value))

    # --- nodes and places ---------------------------------------------------------------------------------------------------

    def at(self, site: Site | None) -> ast.AST | None:
        """The expression or statement with exactly this span."""
        if site is None or site.cell >= len(self.spans):
            return None
        return self.spans[site.cell].get((site.line, site.column, site.end_line, site.end_column))

    def place(self, node: ast.AST | None, otherwise: Site | None) -> Site | None:
        """The place of an expression in the cell of another place."""
        if not isinstance(node, ast.expr) or otherwise is None:
            return otherwise
        return _site(otherwise.cell, node)

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes that a node stands in, innermost first."""
        above = self.parents.get(node)
        while above is not None:
            yield above
            above = self.parents.get(above)

    def statement(self, node: ast.AST) -> ast.stmt | None:
        """The statement a node belongs to."""
        if isinstance(node, ast.stmt):
            return node
        return next((n for n in self.around(node) if isinstance(n, ast.stmt)), None)

    def function(self, node: ast.AST) -> Function | None:
        """The function a node stands in."""
        return next((n for n in self.around(node) if isinstance(n, Function)), None)

    def values(self, name: str) -> list[tuple[int, ast.AST, ast.expr | ast.stmt]]:
        """What is assigned to a name, or to an attribute: `box.w` finds `self.w = …` as well."""
        found = self.assigned.get(name)
        if found is None and "." in name:
            tail = name[name.index(".") :]
            found = [place for text, places in self.assigned.items() if text == f"self{tail}" for place in places]
        return found or []

    # --- what switched gradients off ------------------------------------------------------------------------------------------

    def switched_off(self, site: Site | None) -> Site | None:
        """The decorator or `with` around a place that switches gradients off, innermost first."""
        node = self.at(site)
        if node is None or site is None:
            return None
        for above in self.around(node):
            if isinstance(above, ast.With):
                for item in above.items:
                    if self._switches(item.context_expr):
                        return _site(site.cell, item.context_expr)
            if isinstance(above, ast.FunctionDef | ast.AsyncFunctionDef):
                for decorator in above.decorator_list:
                    if self._switches(decorator):
                        return _site(site.cell, decorator)
        return None

    def _switches(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Name) and node.id not in _MODES:
            return any(self._switches(value) for _, _, value in self.assigned.get(node.id, ()) if isinstance(value, ast.Call))
        called = node.func if isinstance(node, ast.Call) else node
        return _last(called) in _MODES

    # --- what went into a call ------------------------------------------------------------------------------------------------

    def expressions_behind(self, site: Site | None, tensors: Callable[[str], bool]) -> list[tuple[int, ast.AST]]:
        """The expressions whose values may have gone into the expression at a site by way of names, attributes, containers,
        arguments and calls of the program's functions; itself first. Names of `tensors` are not followed: what goes through
        them is recorded."""
        node = self.at(site)
        if node is None or site is None:
            return []
        queue: list[tuple[int, ast.AST]] = [(site.cell, node)]
        seen: set[ast.AST] = set()
        for cell, expression in queue:
            if expression in seen:
                continue
            seen.add(expression)
            if len(queue) > _MOST:
                break
            for part in ast.walk(expression):
                if not (isinstance(part, ast.Name) and tensors(part.id)):
                    queue += self._sources(cell, part)
        return list(dict.fromkeys(queue))

    def _sources(self, cell: int, part: ast.AST) -> Iterator[tuple[int, ast.AST]]:
        match part:
            case ast.Name(ctx=ast.Load()):
                yield from self._values_of(part)
            case ast.Attribute(ctx=ast.Load()):
                for where, _, value in self.values(_dotted(part)):
                    yield where, value
            case ast.Call(func=func):
                for where, function in self.functions.get(_last(func), ()):
                    if not isinstance(function, ast.Lambda):
                        yield from ((where, n.value) for n in ast.walk(function) if isinstance(n, ast.Return) and n.value)

    def _values_of(self, name: ast.Name) -> Iterator[tuple[int, ast.AST]]:
        inside = self.function(name)
        own = [(c, v) for c, at, v in self.assigned.get(name.id, ()) if inside is not None and self.function(at) is inside]
        if own:
            yield from own
            return
        place = _parameter(inside, name.id) if inside is not None else None
        if place is not None and isinstance(inside, ast.FunctionDef | ast.AsyncFunctionDef):
            for cell, call in [*self.calls.get(inside.name, ()), *self._calls_of_method(inside)]:
                yield from ((cell, a) for a in _given(call, place, name.id, inside))
            return
        yield from ((c, v) for c, at, v in self.assigned.get(name.id, ()) if self.function(at) is None or inside is None)

    def _calls_of_method(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[int, ast.Call]]:
        """`forward` and `__init__` are called under other names: the class's, or the module's."""
        if function.name in ("forward", "__init__", "__call__"):
            owner = self.parents.get(function)
            if isinstance(owner, ast.ClassDef):
                yield from self.calls.get(owner.name, ())
                for name, places in self.assigned.items():
                    if any(isinstance(v, ast.Call) and _last(v.func) == owner.name for _, _, v in places):
                        yield from self.calls.get(name.rpartition(".")[2], ())


def _parameter(function: Function, name: str) -> int | None:
    a = function.args
    names = [p.arg for p in [*a.posonlyargs, *a.args, *a.kwonlyargs]]
    return names.index(name) if name in names else None


def _given(call: ast.Call, place: int, name: str, function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.expr]:
    first = function.args.args[0].arg if function.args.args else ""
    position = place - (first == "self")
    if 0 <= position < len(call.args):
        yield call.args[position]
    yield from (k.value for k in call.keywords if k.arg == name)


def _parse(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _last(node: ast.expr) -> str:
    """The last part of a dotted name."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _dotted(node: ast.expr) -> str:
    """The text of a name or of an attribute of one; "" for anything else."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _span(node: ast.expr | ast.stmt) -> Span:
    return node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0


def _site(cell: int, node: ast.expr) -> Site:
    return Site(cell, *_span(node))


def contains(node: ast.AST, site: Site) -> bool:
    """Whether a place lies within an expression or statement."""
    if not isinstance(node, ast.expr | ast.stmt):
        return False
    line, column, end_line, end_column = _span(node)
    return (line, column) <= (site.line, site.column) and (site.end_line, site.end_column) <= (end_line, end_column)
