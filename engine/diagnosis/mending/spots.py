"""Where in a program's text a mend begins: nodes of its syntax tree, by the sites of a run."""

from __future__ import annotations

import ast
from typing import NamedTuple, TypeAlias

from ...program.changes import TextChange
from ...program.parsing import ProgramAst
from ...recording.events import Site
from ..paths import paths_of
from ..program_ast import Function, site_of
from ..run import Run

Changes: TypeAlias = list[TextChange]


class Spot(NamedTuple):
    """A node of the program, with where it stands."""

    cell: int
    program: ProgramAst
    node: ast.expr | ast.stmt

    def text(self) -> str:
        """Its text."""
        return self.program.lines.of(self.node)

    def place(self, offset: int) -> tuple[int, int]:
        """The line and the column in bytes of an offset in characters."""
        lines = self.program.lines
        line = lines.line_of(offset)
        return line, len(lines.text[lines.starts[line - 1] : offset].encode())


def spot(run: Run, site: Site | None) -> Spot | None:
    """The expression or statement with exactly the span of a site; an expression, where it is a statement by itself."""
    source = paths_of(run.recording).source
    node = source.at(site)
    program = source.programs[site.cell] if site is not None and node is not None else None
    if site is None or program is None or not isinstance(node, ast.expr | ast.stmt):
        return None
    return Spot(site.cell, program, node)


def call_of(found: Spot | None) -> ast.Call | None:
    """The call that an expression is, or that is a statement by itself."""
    node = found.node if found is not None else None
    node = node.value if isinstance(node, ast.Expr) else node
    return node if isinstance(node, ast.Call) else None


def begin(node: ast.expr | ast.stmt) -> tuple[int, int]:
    """The line and the column at which a node begins."""
    return node.lineno, node.col_offset


def end(node: ast.expr | ast.stmt) -> tuple[int, int]:
    """The line and the column at which a node ends."""
    return node.end_lineno or node.lineno, node.end_col_offset or 0


def statement_of(run: Run, site: Site | None) -> Spot | None:
    """The statement that the expression at a site stands in, or is by itself."""
    found = spot(run, site)
    statement = paths_of(run.recording).source.statement(found.node) if found is not None else None
    return None if found is None or statement is None else found._replace(node=statement)


def statement_at(run: Run, site: Site | None) -> Site | None:
    """Its site."""
    found = statement_of(run, site)
    return None if found is None else site_of(found.cell, found.node)


def loop_around(run: Run, site: Site | None, *, outermost: bool = False) -> Site | None:
    """The site of the innermost (or the outermost) loop around a site, within the same function."""
    found = spot(run, site)
    loops: list[ast.For | ast.While] = []
    for above in paths_of(run.recording).source.around(found.node) if found is not None else ():
        if isinstance(above, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            break
        if isinstance(above, ast.For | ast.While):
            loops.append(above)
    return site_of(found.cell, loops[-1 if outermost else 0]) if found is not None and loops else None


def sites_at(run: Run, step: int) -> list[Site]:
    """Where the program is at a step: the site of the step, then the calls that led there, innermost first."""
    event, recording = run.events[step], run.recording
    own = run.site(step)
    calls = recording.scopes[event.scope].calls if event.scope >= 0 else ()
    return [*([own] if own is not None else []), *(recording.sites[row] for row, _ in reversed(calls) if row >= 0)]


def beside(run: Run, step: int, other: Site | None) -> Site | None:
    """Where in the function (or at the level) of another site the program is at a step: its own site, or that of a call."""
    there = spot(run, other)
    if there is None:
        return None
    for site in sites_at(run, step):
        here = spot(run, site)
        if here is not None and here.cell == there.cell and _function(run, here) is _function(run, there):
            return site
    return None


def in_body(run: Run, site: Site | None, other: Site | None) -> Site | None:
    """The statement around a site that stands in the same block as the statement at another site."""
    here, there = spot(run, site), spot(run, other)
    source = paths_of(run.recording).source
    target = source.statement(there.node) if there is not None else None
    if here is None or there is None or here.cell != there.cell or target is None:
        return None
    above = here.program.parents.get(target)
    body = next((b for n in ("body", "orelse", "finalbody") if target in (b := getattr(above, n, ()) or ())), ())
    return next(
        (site_of(here.cell, n) for n in (here.node, *source.around(here.node)) if isinstance(n, ast.stmt) and n in body), None
    )


def _function(run: Run, found: Spot) -> Function | None:
    return paths_of(run.recording).source.function(found.node)


def definition_of(run: Run, site: Site | None) -> Site | None:
    """The call that made what the call at a site calls, if the name has one value: `nn.NLLLoss()` for `criterion(x, y)`."""
    found = spot(run, site)
    call = call_of(found)
    if found is None or call is None:
        return None
    values = paths_of(run.recording).source.values(found.program.lines.of(call.func))
    calls = [(cell, value) for cell, _, value in values if isinstance(value, ast.Call)]
    if isinstance(call.func, ast.Call):
        calls = [(found.cell, call.func)]
    return site_of(*calls[0]) if len(calls) == 1 and len(values) <= 1 else None


def receiver_at(run: Run, site: Site | None) -> Site | None:
    """The site of `optimizer` in a call `optimizer.step()`."""
    found = spot(run, site)
    call = call_of(found)
    if found is None or call is None or not isinstance(call.func, ast.Attribute):
        return None
    return site_of(found.cell, call.func.value)


def argument_at(run: Run, site: Site | None, position: int, name: str = "") -> Site | None:
    """The site of an argument of the call at a site, by its position or its name."""
    found = spot(run, site)
    call = call_of(found)
    if found is None or call is None:
        return None
    if any(isinstance(each, ast.Starred) for each in call.args[: position + 1]):
        return None
    given = call.args[position] if position < len(call.args) else next((k.value for k in call.keywords if k.arg == name), None)
    return None if given is None else site_of(found.cell, given)


def text_at(run: Run, site: Site | None) -> str:
    """The text of the expression or statement at a site, "" where there is none."""
    found = spot(run, site)
    return found.text() if found is not None else ""
