"""Mends of expressions: another one, a call more or less, a keyword more or less, a new tensor instead of a write."""

from __future__ import annotations

import ast
import re

from ...compat.names import SURFACE, TENSOR_METHODS
from ...program.changes import TextChange
from ...program.parsing import last_name
from ...recording.events import Site
from ..paths import paths_of
from ..program_ast import site_of
from ..run import Run
from .spots import Changes, Spot, begin, call_of, end, spot

_TIGHT = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.List, ast.Dict, ast.Set, ast.ListComp, ast.JoinedStr)
"""Expressions that need no parentheses, whatever stands behind them."""
_UNSPANNED = (ast.GeneratorExp, ast.Starred, ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Slice)
"""Expressions that are left alone: their parentheses may be another's, or they stand for no value of their own."""


def replaced(run: Run, site: Site | None, text: str) -> Changes:
    """Another text for the expression at a site."""
    found = spot(run, site)
    if found is None or not isinstance(found.node, ast.expr) or isinstance(found.node, _UNSPANNED):
        return []
    return [TextChange(found.cell, *begin(found.node), *end(found.node), text)]


def wrapped(run: Run, site: Site | None, front: str, behind: str) -> Changes:
    """Text in front of and behind the expression at a site: `wrapped(run, site, "torch.sqrt(", ")")`."""
    found = spot(run, site)
    if found is None or not isinstance(found.node, ast.expr) or isinstance(found.node, _UNSPANNED):
        return []
    first, last = begin(found.node), end(found.node)
    return [TextChange(found.cell, *first, *first, front), TextChange(found.cell, *last, *last, behind)]


def with_call(run: Run, site: Site | None, call: str) -> Changes:
    """A method called on the expression at a site: `x + y` with "detach()" becomes `(x + y).detach()`."""
    found = spot(run, site)
    if found is None:
        return []
    tight = isinstance(found.node, _TIGHT)
    return wrapped(run, site, "" if tight else "(", f".{call}" if tight else f").{call}")


def without_call(run: Run, site: Site | None, *names: str) -> Changes:
    """The method that the call at a site calls left out, if it has one of these names: `x.detach()` becomes `x`."""
    found = spot(run, site)
    call = call_of(found)
    if found is None or call is None or not isinstance(call.func, ast.Attribute) or call.func.attr not in names:
        return []
    return _cut_behind(found, call.func, call)


def without_attribute(run: Run, site: Site | None, *names: str) -> Changes:
    """The attribute at a site left out, if it has one of these names: `x.data` becomes `x`."""
    found = spot(run, site)
    if found is None or not isinstance(found.node, ast.Attribute) or found.node.attr not in names:
        return []
    return _cut_behind(found, found.node, found.node)


def without_function(run: Run, site: Site | None) -> Changes:
    """The single argument of the call at a site in the call's place: `float(loss)` becomes `loss`."""
    found = spot(run, site)
    call = call_of(found)
    if found is None or call is None or len(call.args) != 1 or isinstance(call.args[0], _UNSPANNED):
        return []
    given = found.program.lines.of(call.args[0])
    text = given if isinstance(call.args[0], _TIGHT) else f"({given})"
    return [TextChange(found.cell, *begin(call), *end(call), text)]


def renamed(run: Run, site: Site | None, name: str) -> Changes:
    """Another function or method called by the call at a site: `F.softmax(x)` with "log_softmax"."""
    found = spot(run, site)
    call = call_of(found)
    if found is None or call is None or not isinstance(call.func, ast.Attribute | ast.Name):
        return []
    line, column = end(call.func)
    before = last_name(call.func)
    return [TextChange(found.cell, line, column - len(before.encode()), line, column, name)]


def _cut_behind(found: Spot, attribute: ast.Attribute, last: ast.expr) -> Changes:
    """From the dot of an attribute to the end of an expression."""
    lines, name = found.program.lines, attribute.attr
    start, stop = lines.span(attribute.value)[1], lines.span(attribute)[1]
    dot = lines.text.rfind(".", start, stop - len(name))
    if dot < 0 or lines.text[dot + 1 : stop].strip() != name:
        return []
    line = lines.line_of(dot)
    column = len(lines.text[lines.starts[line - 1] : dot].encode())
    return [TextChange(found.cell, line, column, *end(last), "")]


# --- arguments and operators ------------------------------------------------------------------------------------------------


def keyword(run: Run, site: Site | None, name: str, value: str | None) -> Changes:
    """A keyword of the call at a site given another value, added where it is not there, or left out (None)."""
    found = spot(run, site)
    call = call_of(found)
    if found is None or call is None or any(isinstance(each, ast.GeneratorExp) for each in call.args):
        return []
    given = next((k for k in call.keywords if k.arg == name), None)
    if given is not None and value is not None:
        return [TextChange(found.cell, *begin(given.value), *end(given.value), value)]
    if given is not None:
        return _without_part(found, call, given)
    if value is None:
        return []
    parts: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    if parts and re.fullmatch(r"\s*,\s*\n\s*", _tail(found, call)):
        # On lines of their own, the closing parenthesis beneath them: it stands before the comma that is there.
        last = max((part.value if isinstance(part, ast.keyword) else part for part in parts), key=end)
        return [TextChange(found.cell, *end(last), *end(last), f", {name}={value}")]
    line, column = end(call)
    inside = found.program.lines.text[slice(*found.program.lines.span(call))]
    tail = re.sub(r"#[^\n]*", "", inside[:-1].rpartition("(")[2] if not (call.args or call.keywords) else _tail(found, call))
    lead = "" if not (call.args or call.keywords) or tail.rstrip().endswith(",") else ", "
    lead = " " if not lead and (call.args or call.keywords) and not tail[-1:].isspace() else lead
    return [TextChange(found.cell, line, column - 1, line, column - 1, f"{lead}{name}={value}")]


def _tail(found: Spot, call: ast.Call) -> str:
    """What stands between a call's last argument and its closing parenthesis."""
    lines = found.program.lines
    parts: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    last = max(lines.span(part)[1] for part in parts)
    return lines.text[last : lines.span(call)[1] - 1]


def without_argument(run: Run, site: Site | None) -> Changes:
    """The argument of a call, or the element of a list, at a site left out."""
    found = spot(run, site)
    above = found.program.parents.get(found.node) if found is not None else None
    if found is None or not isinstance(found.node, ast.expr) or not isinstance(above, ast.Call | ast.List):
        return []
    if found.node not in (above.args if isinstance(above, ast.Call) else above.elts):
        return []
    return _without_part(found, above, found.node)


def _without_part(found: Spot, whole: ast.Call | ast.List, part: ast.expr | ast.keyword) -> Changes:
    lines = found.program.lines
    start, stop = lines.span(part)
    text, (_, closed) = lines.text, lines.span(whole)
    ahead = re.search(r",\s*$", text[:start])
    behind = re.match(r"\s*,?\s*", text[stop:closed])
    if ahead is not None:
        start = ahead.start()
    elif behind is not None and text[:start].rstrip().endswith(("(", "[")):
        stop += behind.end()
    else:
        return []
    return [TextChange(found.cell, *found.place(start), *found.place(stop), "")]


def out_of_place(run: Run, site: Site | None) -> Changes:
    """The in-place write at a site computed into a new tensor: `y += 1` becomes `y = y + 1`, `y.mul_(2)` `y = y.mul(2)`, and
    what PyTorch has in place only is done to a copy, `y = y.clone().zero_()`."""
    found = spot(run, site)
    statement = paths_of(run.recording).source.statement(found.node) if found is not None else None
    if found is None or statement is None:
        return []
    if isinstance(statement, ast.AugAssign):
        return _operator_apart(found, statement)
    call = call_of(Spot(found.cell, found.program, statement))
    if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
        call = statement.value
    if call is None or not isinstance(call.func, ast.Attribute) or not _writes(call.func.attr):
        return []
    target, names = call.func.value, TENSOR_METHODS
    if isinstance(target, ast.Name) and (owner := _MODULES.get(target.id)) is not None and call.args:
        target, names = call.args[0], SURFACE[owner]
    elif isinstance(target, ast.Name) and _imported(found, target.id):
        return []
    plain = call.func.attr.removesuffix("_")
    line, column = end(call.func)
    if plain in names:
        changes = [TextChange(found.cell, line, column - len(call.func.attr.encode()), line, column, plain)]
    else:
        changes = with_call(run, site_of(found.cell, target), "clone()")
    if isinstance(statement, ast.Assign):
        return changes
    if not isinstance(target, ast.Name):
        return []
    return [TextChange(found.cell, *begin(statement), *begin(statement), f"{target.id} = "), *changes]


_MODULES = {"torch": "torch", "F": "torch.nn.functional", "functional": "torch.nn.functional"}
"""The names under which programs call functions, and whose they are."""


def _writes(method: str) -> bool:
    """Whether a method is one that writes in place, by its name; `requires_grad_` sets a flag."""
    return method.endswith("_") and not method.endswith("__") and method != "requires_grad_"


def _imported(found: Spot, name: str) -> bool:
    """Whether a name is that of a module, or of something out of one."""
    imports = (node for node in ast.walk(found.program.tree) if isinstance(node, ast.Import | ast.ImportFrom))
    return any((alias.asname or alias.name.partition(".")[0]) == name for node in imports for alias in node.names)


def _operator_apart(found: Spot, node: ast.AugAssign) -> Changes:
    lines = found.program.lines
    if not isinstance(node.target, ast.Name):
        return []
    between = lines.text[lines.span(node.target)[1] : lines.span(node.value)[0]]
    sign = re.fullmatch(r"\s*(\S+?)=\s*(\(*)\s*", between)
    if sign is None:
        return []
    tight = bool(sign[2]) or isinstance(node.value, (*_TIGHT, ast.Constant))
    operator = TextChange(
        found.cell, *end(node.target), *begin(node.value), f" = {node.target.id} {sign[1]} {sign[2] if tight else '('}"
    )
    return [operator] if tight else [operator, TextChange(found.cell, *end(node.value), *end(node.value), ")")]
