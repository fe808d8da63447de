"""Where the program's text makes optimizers and schedules, and what it gives them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..program.parsing import last_name
from ..recording.events import Site
from .paths import paths_of
from .program_ast import Source, site_of
from .run import Run

_SCHEDULE = re.compile(r"\w*LR|ReduceLROnPlateau|CosineAnnealingWarmRestarts")
_OPTIM = re.compile(r"(?:torch\.)?optim\.[A-Z]\w*")
_IMPORT = re.compile(r"^[ \t]*from torch\.optim import ([\w, ()]+)", re.MULTILINE)


class Made(NamedTuple):
    """A call that makes an optimizer or a schedule, and the name that it is bound to."""

    name: str
    kind: str
    """The class."""
    call: ast.Call
    site: Site
    statement: ast.stmt | None


def optimizers(run: Run) -> list[Made]:
    """The optimizers that the text makes, those that are bound to a name or an attribute."""
    source = paths_of(run.recording).source
    imported = {
        name
        for text in run.recording.source
        for found in _IMPORT.findall(text)
        for name in re.findall(r"\w+", found)
        if not _SCHEDULE.fullmatch(name)
    }
    return [made for made in _bound(source) if _OPTIM.fullmatch(ast.unparse(made.call.func)) or made.kind in imported]


def schedules(run: Run, *, own: bool = False) -> list[Made]:
    """The learning rate schedules that the text makes; if asked for, those of its own classes among them."""
    source = paths_of(run.recording).source
    classes = {
        node.name
        for node in (source.parents if own else ())
        if isinstance(node, ast.ClassDef) and any(_SCHEDULE.fullmatch(last_name(base)) for base in node.bases)
    }
    return [made for made in _bound(source) if _SCHEDULE.fullmatch(made.kind) or made.kind in classes]


def _bound(source: Source) -> Iterator[Made]:
    for name, bindings in source.assigned.items():
        for cell, statement, value in bindings:
            if isinstance(value, ast.Call) and isinstance(value.func, ast.Name | ast.Attribute):
                whole = statement if isinstance(statement, ast.stmt) else None
                yield Made(name, last_name(value.func), value, site_of(cell, value), whole)


def given(call: ast.Call, position: int, name: str) -> ast.expr | None:
    """What a call gives for a parameter."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    return call.args[position] if 0 <= position < len(call.args) else None


def methods(run: Run, name: str, method: str) -> list[tuple[int, ast.Call]]:
    """The calls of a method of what is bound to a name, under its last part: `self.opt.step()` for "opt"."""
    last = name.rpartition(".")[2]
    return [
        (cell, call)
        for cell, call in paths_of(run.recording).source.calls.get(method, ())
        if isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value).rpartition(".")[2] == last
    ]


def optimizer_site(run: Run, kind: str, otherwise: Site | None) -> Site | None:
    """Where the only optimizer of a class is made; another site if there are several of it, or none that is found."""
    found = [made.site for made in optimizers(run) if made.kind == kind]
    return found[0] if len(found) == 1 else otherwise


def mentioned(run: Run, name: str) -> int:
    """How often the text takes up what is bound to a name or an attribute."""
    last = name.rpartition(".")[2]
    found = 0
    for node in paths_of(run.recording).source.parents:
        if isinstance(node, ast.Name):
            found += node.id == last and isinstance(node.ctx, ast.Load)
        elif isinstance(node, ast.Attribute) and node.attr == last and isinstance(node.ctx, ast.Load):
            found += not ast.unparse(node.value).endswith("optim")
    return found


def stepped_by(run: Run, step: int) -> str:
    """What the call at a step calls `step()` of, as the text has it: "self.optimizer"; "" where it is no such call."""
    source = paths_of(run.recording).source
    node = source.at(run.site(step))
    node = node.value if isinstance(node, ast.Expr) else node
    return ast.unparse(node.func.value) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""


def made_after(run: Run, made: Sequence[Made], born: int) -> bool:
    """Whether what was made at step `born` was certainly made after all of some optimizers: in the first forward pass, or
    further down in the text that runs from top to bottom."""
    if not made:
        return False
    if any(step < born for step, _ in run.optimizer_steps):
        return False  # in a loop, which another rule knows, or on purpose
    event = run.events[born]
    rows = [row for row, _ in run.recording.scopes[event.scope].calls] if event.scope >= 0 else []
    sites = [run.site(born), *(run.recording.sites[row] for row in rows)]
    source = paths_of(run.recording).source
    return all(any(_below(source, m, site) for site in sites) for m in made)


def _below(source: Source, made: Made, site: Site | None) -> bool:
    """Whether a site stands further down than an optimizer in the same function, which makes that once."""
    node = source.at(site)
    if node is None or made.statement is None or site is None:
        return False
    once = not any(isinstance(above, ast.For | ast.While) for above in source.around(made.statement))
    same = source.function(node) is source.function(made.statement)
    return once and same and (made.site.cell, made.site.end_line) < (site.cell, site.line)


def setting_of(run: Run, node: ast.expr) -> ast.AST:
    """The value behind a name, an argument of the command line (`args.lr`), a field (`Namespace(lr=0.1)`, a class's `lr = 0.1`)
    or an entry of a dictionary (`config["lr"]`), where the text gives one; else the node itself."""
    source = paths_of(run.recording).source
    match node:
        case ast.Name() | ast.Attribute() if len(bound := source.values(ast.unparse(node))) == 1:
            return bound[0][2]
        case ast.Attribute(value=owner, attr=name) | ast.Subscript(value=owner, slice=ast.Constant(value=str(name))):
            pass
        case _:
            return node
    found: list[ast.AST] = []
    for _, call in source.calls.get("add_argument", ()):
        if any(isinstance(each, ast.Constant) and each.value in (f"--{name}", name) for each in call.args):
            found += [keyword.value for keyword in call.keywords if keyword.arg == "default"]
    for _, _, value in source.values(ast.unparse(owner)):
        match value:
            case ast.Call(keywords=keywords):
                found += [keyword.value for keyword in keywords if keyword.arg == name]
            case ast.Dict(keys=keys, values=values):
                found += [v for k, v in zip(keys, values, strict=True) if isinstance(k, ast.Constant) and k.value == name]
    for each in source.parents:
        if isinstance(each, ast.ClassDef) and each.name == ast.unparse(owner):
            found += [a.value for a in each.body if isinstance(a, ast.Assign) and ast.unparse(a.targets[0]) == name]
    return found[0] if len(found) == 1 else node
