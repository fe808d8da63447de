"""A rule about what is kept for later and goes on being changed: one array, kept again and again."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...recording.events import OpRan, Site
from ..mending import Changes, with_call
from ..paths import paths_of
from ..program_ast import Source, site_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .data import layers_of
from .registry import rule

SAME_ARRAY_KEPT = Kind(
    "same_array_kept", "warning", "One array is kept again and again, and changed in place: what is kept is its last state.",
    mechanical=True,
)  # fmt: skip

_ROWS = 4
"""Rows of a batch from which on it is no chance that all are the same."""
_LOOKED_AT = 8
"""Batches of one place that are looked at."""
_STEPS = 60
"""Expressions that are followed from what is kept to where it is made."""


class _Kept(NamedTuple):
    """What is put into a list and written in place elsewhere."""

    keeping: Site
    """Where it is put there."""
    name: str
    written: Site
    """Where it is written."""
    cell: int
    node: ast.Name | ast.Attribute
    """Where it gets another name: where it is put there itself, or where a function returns it."""
    returned: bool


@rule(166, SAME_ARRAY_KEPT)
def same_array_kept(run: Run) -> Iterator[Finding]:
    """A batch whose rows are all one, of a list into which the program puts an array that it writes in place: a buffer of an
    environment's states, say. Both are needed: rows may be equal on purpose, and what is written may be copied when kept.
    """
    if not run.updates:
        return
    source, batches = paths_of(run.recording).source, dict[Site, list[tuple[int, int]]]()
    for step, event in run.first_ops_of(run.having("creation") | run.having("joins"), _LOOKED_AT):
        site = run.site(step)
        if site is None or len(event.outputs) != 1 or event.in_backward or event.outputs[0].shape[:1] < (_ROWS,):
            continue
        batches.setdefault(site, []).append((step, event.outputs[0].id))
    places: dict[tuple[str, Site], dict[int, _Kept]] = {}
    first: dict[tuple[str, Site], tuple[int, int, int]] = {}
    for site, found in batches.items():
        if not all(_one_row(run, step, tensor) for step, tensor in found):
            continue
        if not any(next(layers_of(run, tensor), None) is not None for _, tensor in found):
            continue
        for kept in _kept(source, site):
            each = kept.name, kept.written
            first.setdefault(each, (*found[0], len(found)))
            places.setdefault(each, {})[id(kept.node)] = kept
    for (name, written), those in places.items():
        step, tensor, batches_seen = first[name, written]
        rows = run.tensors[tensor].info.shape[0]
        kept = next(iter(those.values()))
        returned = any(each.returned for each in those.values())
        fix = f"Return a copy: {name}.copy()" if returned else f"Keep a copy: {name}.copy()"
        yield finding(
            run, SAME_ARRAY_KEPT,
            f"All {rows} rows of {run.title(tensor)} are the same: {run.site_text(kept.keeping)} keeps {name} itself, not what "
            "is in it.",
            f"{run.expression(kept.keeping)} puts the same array there every time, and {run.site_text(written)} writes into it "
            f"in place. So whatever was kept shows the state of now, and {run.title(tensor)} at {run.where(step)} consists of "
            f"one state, {rows} times.",
            f"{fix} (of a tensor, .clone()).",
            step=step, site=kept.keeping, related=[written, run.site(step)],
            evidence=[(f"rows of {run.title(tensor)}", f"{rows}, 1 of them different"),
                      ("batches that were looked at", str(batches_seen))],
            nodes=[key(tensor)], changes=_copied(run, source, name, list(those.values())),
        )  # fmt: skip


def _one_row(run: Run, step: int, tensor: int) -> bool:
    """Whether all rows of a batch are one: the same tensor, or the same numbers."""
    event, values = run.events[step], run.values(tensor, step)
    if not isinstance(event, OpRan) or values is None or values.dtype.kind not in "fiu" or not values.any():
        return False
    given = run.inputs(event)
    if given and (len(set(given)) > 1 or len(given) < _ROWS):
        return False
    return values.ndim > 1 and values.shape[0] >= _ROWS and bool(np.all(values == values[:1]))


def _kept(source: Source, site: Site) -> Iterator[_Kept]:
    """What is put into the lists that a batch is made of, and is written in place."""
    for cell, node in source.expressions_behind(site, lambda name: False):
        put = node if isinstance(node, ast.Assign) else source.parents.get(node)
        value: ast.AST = node
        if isinstance(put, ast.Assign) and isinstance(put.targets[0], ast.Subscript):
            value = put.value
        elif not isinstance(put, ast.Call) or not isinstance(put.func, ast.Attribute) or not _fills(source, put):
            continue
        for part in value.elts if isinstance(value, ast.Tuple | ast.List) else [value]:
            if isinstance(part, ast.Name | ast.Attribute):
                yield from _aliases(source, cell, part, site_of(cell, put))


def _fills(source: Source, call: ast.Call) -> bool:
    """Whether a call puts something into a list."""
    assert isinstance(call.func, ast.Attribute)
    return any(at is call for _, at, _ in source.assigned.get(ast.unparse(call.func.value), ()))


def _aliases(source: Source, cell: int, kept: ast.expr, keeping: Site) -> Iterator[_Kept]:
    """What an expression may be itself, not a result of it, and that is written in place."""
    queue: list[tuple[int, ast.AST]] = [(cell, kept)]
    for where, node in queue:
        if len(queue) > _STEPS:
            return
        new: list[tuple[int, ast.AST]] = []
        match node:
            case ast.Name() | ast.Attribute():
                name = ast.unparse(node)
                if (write := _written(source, name, node)) is not None:
                    returned = any(isinstance(above, ast.Return) for above in source.around(node))
                    yield _Kept(keeping, name, write, where, node, returned)
                if isinstance(node, ast.Name):
                    new = [pair for pair in source.values_of(node) if not _added(source, pair[1])]
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                new = [(where, part) for part in parts]
            case ast.IfExp(body=first, orelse=second):
                new = [(where, first), (where, second)]
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
                for there, function in source.functions.get(name, ()):
                    returns = (part.value for part in ast.walk(function) if isinstance(part, ast.Return) and part.value)
                    new += [(there, value) for value in returns]
        queue += [pair for pair in new if pair not in queue]


def _added(source: Source, value: ast.AST) -> bool:
    """Whether a value is added to a name, or put into it, instead of being given to it."""
    return isinstance(value, ast.stmt) or isinstance(source.parents.get(value), ast.AugAssign)


def _written(source: Source, name: str, at: ast.AST) -> Site | None:
    """Where something is written into what a name stands for, in the function that reads the name; an attribute, anywhere."""
    inside = source.function(at)
    for cell, node, _ in source.assigned.get(name, ()):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AugAssign) else []
        place = isinstance(node, ast.AugAssign) or any(isinstance(target, ast.Subscript) for target in targets)
        if place and isinstance(node, ast.stmt) and ("." in name or source.function(node) is inside):
            return site_of(cell, node)
    for cell, call in source.calls.get("fill", ()):
        if isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == name:
            return site_of(cell, call)
    return None


def _copied(run: Run, source: Source, name: str, kept: list[_Kept]) -> Changes:
    """What is kept is copied: where functions return it, or wherever it is kept under its own name."""
    made = [value for _, _, value in source.values(name) if isinstance(value, ast.Call)]
    arrays = any(ast.unparse(value.func).partition(".")[0] in ("np", "numpy") for value in made)
    sites = dict.fromkeys(site_of(each.cell, each.node) for each in kept)
    functions = {source.function(each.node) for each in kept if not each.returned}
    for entries in source.assigned.values() if functions else ():
        for cell, put, value in entries:
            if isinstance(put, ast.Call) and source.function(put) in functions:
                parts = value.elts if isinstance(value, ast.Tuple | ast.List) else [value]
                same = (part for part in parts if isinstance(part, ast.Name) and part.id == name)
                sites |= dict.fromkeys(site_of(cell, part) for part in same)
    return [change for site in sites for change in with_call(run, site, "copy()" if arrays else "clone()")]
