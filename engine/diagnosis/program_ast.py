"""What the program's text says beyond its events: which block switched gradients off, which numbers went into a call."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice

from ..program.parsing import ProgramAst, last_name, read_cells
from ..recording.events import Site

Span = tuple[int, int, int, int]
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_SWITCHING_OFF = frozenset(("no_grad", "inference_mode", "set_grad_enabled"))
_FILLING = frozenset(("append", "extend", "insert", "add", "update", "setdefault", "appendleft", "fill", "put"))
"""Methods that put their arguments into what they are called on."""
_MOST = 400
"""Expressions looked at in search of what went into a call."""
_LOOKED_AT = 50_000
"""Nodes of all of them together, and assignments, by which names get their values."""


class Source:
    """The cells of a program, parsed; nothing of it runs. A cell that cannot be parsed, or is too much to be, has no nodes."""

    def __init__(self, cells: tuple[str, ...]) -> None:
        self.programs = programs = [one if isinstance(one, ProgramAst) else None for one in read_cells(cells)]
        self.parents: dict[ast.AST, ast.AST] = {}
        self._own: dict[str, dict[Function | None, list[tuple[int, ast.AST]]]] = {}
        """Name -> function in which it is assigned -> (cell, value)."""
        self._switching: dict[str, bool] = {}
        self._behind: dict[tuple[Function | None, str], list[tuple[int, ast.AST]]] = {}
        self._returns: dict[ast.AST, list[ast.expr]] = {}
        self._called: dict[ast.AST, list[tuple[int, ast.Call]]] = {}
        self._looked_at = 0
        """Nodes and sites looked at so far, in search of what went into calls."""
        self.spans: list[dict[Span, ast.AST]] = []
        self.assigned: dict[str, list[tuple[int, ast.AST, ast.expr | ast.stmt]]] = {}
        """Text of a name or attribute -> (cell, statement, value) for everything that gives it a value."""
        self.functions: dict[str, list[tuple[int, Function]]] = {}
        self.classes: set[str] = set()
        """The names of the program's own classes."""
        self.calls: dict[str, list[tuple[int, ast.Call]]] = {}
        """Last part of what is called -> the calls."""
        self.gradients: set[str] = set()
        """What the `.grad` of is asked for, as it is written."""
        for cell, program in enumerate(programs):
            found: dict[Span, ast.AST] = {}
            self.parents |= program.parents if program is not None else {}
            for node in ast.walk(program.tree) if program is not None else ():
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
            case ast.ClassDef(name=name):
                self.classes.add(name)
            case ast.Attribute(value=value, attr="grad", ctx=ast.Load()):
                self.gradients.add(ast.unparse(value))
            case ast.Call(func=func):
                name = last_name(func)
                self.calls.setdefault(name, []).append((cell, node))
                if isinstance(func, ast.Attribute) and name in _FILLING:
                    for argument in node.args:
                        self._assign(cell, node, func.value, argument)

    def _assign(self, cell: int, node: ast.AST, target: ast.expr, value: ast.expr | ast.stmt) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            parts = value.elts if isinstance(value, ast.Tuple | ast.List) else []
            for position, part in enumerate(target.elts):
                self._assign(cell, node, part, parts[position] if len(parts) == len(target.elts) else value)
        elif isinstance(target, ast.Starred):
            self._assign(cell, node, target.value, value)
        elif isinstance(target, ast.Subscript):
            # NumPy reads a tensor where it is stored, so the whole statement counts.
            self._assign(cell, node, target.value, node if isinstance(node, ast.stmt) else value)
        else:
            self.assigned.setdefault(_dotted(target), []).append((cell, node, value))

    def keyword(self, name: str) -> tuple[str, Site] | None:
        """What calls give for an argument by its name, as it is written, and where; None where no line or several do."""
        given = {
            (cell, keyword.value.lineno): keyword
            for calls in self.calls.values()
            for cell, call in calls
            for keyword in call.keywords
            if keyword.arg == name
        }
        if len(given) != 1:
            return None
        (((cell, _), keyword),) = given.items()
        return f"{name}={ast.unparse(keyword.value)}", site_of(cell, keyword.value)

    # --- nodes and sites ----------------------------------------------------------------------------------------------------

    def at(self, site: Site | None) -> ast.AST | None:
        """The expression or statement with exactly this span."""
        if site is None or site.cell >= len(self.spans):
            return None
        return self.spans[site.cell].get((site.line, site.column, site.end_line, site.end_column))

    def innermost(self, cell: int, line: int) -> ast.stmt | None:
        """The innermost statement that a line belongs to."""
        found: ast.stmt | None = None
        for (first, _, last, _), node in self.spans[cell].items() if cell < len(self.spans) else ():
            # The spans stand from the outside in.
            if first <= line <= last:
                found = self.statement(node) or found
        return found

    def site_of(self, node: ast.AST | None, otherwise: Site | None) -> Site | None:
        """The site of an expression, in the cell of another site; that site if there is no expression."""
        if not isinstance(node, ast.expr) or otherwise is None:
            return otherwise
        return site_of(otherwise.cell, node)

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

    def reads(self, attribute: str) -> bool:
        """Whether the text reads an attribute of this name, of whatever thing."""
        return any(isinstance(n, ast.Attribute) and n.attr == attribute and isinstance(n.ctx, ast.Load) for n in self.parents)

    def values(self, name: str) -> list[tuple[int, ast.AST, ast.expr | ast.stmt]]:
        """What is assigned to a name, or to an attribute: `box.w` finds `self.w = …` as well."""
        found = self.assigned.get(name)
        if found is None and "." in name:
            found = self.assigned.get(f"self{name[name.index('.') :]}")
        return found or []

    def given_for(self, name: str) -> list[str]:
        """The names that calls of the program's functions give for an argument of that name, or that `self` goes by."""
        found: dict[str, None] = {}
        for _, function in chain.from_iterable(self.functions.values()):
            if isinstance(function, ast.Lambda):
                continue
            position = _parameter(function, name)
            if position is None:
                continue
            owner = self.parents.get(function)
            if position == 0 and isinstance(owner, ast.ClassDef):
                calls = [cell_call[1] for cell_call in self.calls.get(owner.name, ())]
                made = (at for call in calls if isinstance(at := self.parents.get(call), ast.Assign))
                found |= dict.fromkeys(text for at in made for target in at.targets if (text := _dotted(target)))
            else:
                for _, call in self._calls_of(function):
                    found |= dict.fromkeys(text for given in _given(call, position, name, function) if (text := _dotted(given)))
        found.pop(name, None)
        return list(found)[:_MOST]

    # --- what switched gradients off ------------------------------------------------------------------------------------------

    def switched_off(self, site: Site | None) -> Site | None:
        """The decorator or `with` around a site that switches gradients off, innermost first."""
        node = self.at(site)
        if node is None or site is None:
            return None
        for above in self.around(node):
            if isinstance(above, ast.With):
                for item in above.items:
                    if self._switches(item.context_expr):
                        return site_of(site.cell, item.context_expr)
            if isinstance(above, ast.FunctionDef | ast.AsyncFunctionDef):
                for decorator in above.decorator_list:
                    if self._switches(decorator):
                        return site_of(site.cell, decorator)
        return None

    def _switches(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Name) and node.id not in _SWITCHING_OFF:
            if node.id not in self._switching:
                calls = [value for _, _, value in self.assigned.get(node.id, ()) if isinstance(value, ast.Call)]
                self._switching[node.id] = any(last_name(call.func) in _SWITCHING_OFF for call in calls)
            return self._switching[node.id]
        called = node.func if isinstance(node, ast.Call) else node
        return last_name(called) in _SWITCHING_OFF

    # --- what went into a call ------------------------------------------------------------------------------------------------

    def expressions_behind(self, site: Site | None, tensors: Callable[[str], bool]) -> list[tuple[int, ast.AST]]:
        """The expressions whose values may have gone into the expression at a site by way of names, attributes, containers,
        arguments and calls of the program's functions; itself first. Names of `tensors` are not followed: what goes through
        them is recorded."""
        node = self.at(site)
        if node is None or site is None:
            return []
        queue: dict[tuple[int, ast.AST], None] = {(site.cell, node): None}
        enough = self._looked_at + _LOOKED_AT
        for cell, expression in _growing(queue):
            of_tensors: dict[str, bool] = {}
            for part in ast.walk(expression):
                if isinstance(part, ast.Name):
                    if part.id not in of_tensors:
                        of_tensors[part.id] = tensors(part.id)
                    if of_tensors[part.id]:
                        continue
                for found in self._sources(cell, part):
                    self._looked_at += 1
                    queue[found] = None
                self._looked_at += 1
                if self._looked_at > enough or len(queue) > 2 * _MOST:
                    break
            if self._looked_at > enough or len(queue) > _MOST:
                break
        return list(queue)

    def values_of(self, name: ast.Name) -> list[tuple[int, ast.AST]]:
        """What a name stands for where it is read, in the order of the text: assigned in the same function or outside of it, or
        given by its calls."""
        return list(islice(self._values_of(name), _MOST))

    def _sources(self, cell: int, part: ast.AST) -> Iterator[tuple[int, ast.AST]]:
        match part:
            case ast.Name(ctx=ast.Load()):
                key = self.function(part), part.id
                if key not in self._behind:
                    self._behind[key] = list(islice(self._values_of(part), _MOST))
                yield from self._behind[key]
            case ast.Attribute(ctx=ast.Load()):
                for where, _, value in self.values(_dotted(part))[:_MOST]:
                    yield where, value
            case ast.Call(func=func):
                for where, function in self.functions.get(last_name(func), ()):
                    if not isinstance(function, ast.Lambda):
                        yield from ((where, value) for value in self._returned(function))

    def _returned(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.expr]:
        """What a function returns."""
        if function not in self._returns:
            nodes = list(ast.walk(function))
            self._looked_at += len(nodes)
            self._returns[function] = [n.value for n in nodes if isinstance(n, ast.Return) and n.value][:_MOST]
        return self._returns[function]

    def _values_of(self, name: ast.Name) -> Iterator[tuple[int, ast.AST]]:
        inside = self.function(name)
        if name.id not in self._own:
            grouped = self._own[name.id] = {}
            for cell, at, value in self.assigned.get(name.id, ()):
                grouped.setdefault(self.function(at), []).append((cell, value))
        by_function = self._own[name.id]
        if inside in by_function:
            yield from by_function[inside]
            return
        position = _parameter(inside, name.id) if inside is not None else None
        if position is not None and isinstance(inside, ast.FunctionDef | ast.AsyncFunctionDef):
            for cell, call in self._calls_of(inside):
                self._looked_at += 1
                yield from ((cell, a) for a in _given(call, position, name.id, inside))
            return
        if inside is None:
            yield from ((cell, value) for cell, _, value in self.assigned.get(name.id, ()))
        else:
            yield from by_function.get(None, ())

    def _calls_of(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[tuple[int, ast.Call]]:
        """The calls of a function, the first of many."""
        if function not in self._called:
            calls = chain(self.calls.get(function.name, ()), self._calls_of_method(function))
            self._called[function] = list(islice(calls, _MOST))
        return self._called[function]

    def _calls_of_method(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[int, ast.Call]]:
        """`forward` and `__init__` are called under other names: the class's, or the module's."""
        if function.name in ("forward", "__init__", "__call__"):
            owner = self.parents.get(function)
            if isinstance(owner, ast.ClassDef):
                yield from self.calls.get(owner.name, ())
                self._looked_at += len(self.assigned)
                for name, bindings in self.assigned.items():
                    if any(isinstance(v, ast.Call) and last_name(v.func) == owner.name for _, _, v in bindings):
                        yield from self.calls.get(name.rpartition(".")[2], ())


def _parameter(function: Function, name: str) -> int | None:
    a = function.args
    names = [p.arg for p in [*a.posonlyargs, *a.args, *a.kwonlyargs]]
    return names.index(name) if name in names else None


def _given(call: ast.Call, parameter: int, name: str, function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.expr]:
    first = function.args.args[0].arg if function.args.args else ""
    position = parameter - (first == "self")
    if 0 <= position < len(call.args):
        yield call.args[position]
    yield from (k.value for k in call.keywords if k.arg == name)


def _growing(queue: dict[tuple[int, ast.AST], None]) -> Iterator[tuple[int, ast.AST]]:
    """What is in a dictionary, with what is put into it meanwhile."""
    done = 0
    while done < len(queue):
        waiting = list(islice(queue, done, None))
        done += len(waiting)
        yield from waiting


def _dotted(node: ast.expr) -> str:
    """The text of a name or of an attribute of one; "" for anything else."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _span(node: ast.expr | ast.stmt) -> Span:
    return node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0


def site_of(cell: int, node: ast.expr | ast.stmt) -> Site:
    """The site of a piece of a cell's text."""
    return Site(cell, *_span(node))


class Covered:
    """The sites within any of some expressions. Of one tree they lie in each other or apart, so only the outermost count."""

    def __init__(self, expressions: Iterable[tuple[int, ast.AST]]) -> None:
        spans = sorted(
            {(cell, *_span(node)) for cell, node in expressions if isinstance(node, ast.expr | ast.stmt)}, key=_wider
        )
        self._begins: list[tuple[int, int, int]] = []
        self._ends: list[tuple[int, int, int]] = []
        for cell, line, column, end_line, end_column in sorted(spans, key=_wider):
            if not self._ends or (cell, end_line, end_column) > self._ends[-1]:
                self._begins.append((cell, line, column))
                self._ends.append((cell, end_line, end_column))

    def __contains__(self, site: Site) -> bool:
        at = bisect_right(self._begins, (site.cell, site.line, site.column)) - 1
        return at >= 0 and (site.cell, site.end_line, site.end_column) <= self._ends[at] and self._begins[at][0] == site.cell


def _wider(span: tuple[int, int, int, int, int]) -> tuple[int, int, int, int, int]:
    """Orders spans by where they begin, of those that begin together the longest first."""
    cell, line, column, end_line, end_column = span
    return cell, line, column, -end_line, -end_column


def contains(node: ast.AST, site: Site) -> bool:
    """Whether a site lies within an expression or statement."""
    if not isinstance(node, ast.expr | ast.stmt):
        return False
    line, column, end_line, end_column = _span(node)
    return (line, column) <= (site.line, site.column) and (site.end_line, site.end_column) <= (end_line, end_column)
