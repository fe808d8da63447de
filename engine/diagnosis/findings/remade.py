"""Rules about optimizers that are made anew: what they have learnt of the gradients is lost each time."""

from __future__ import annotations

import ast
import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...recording.columns import columns_of
from ...recording.events import NOTHING, Site, Stepped
from ..mending import Changes, site_of
from ..mends.order import made_once
from ..optimizer_text import given
from ..paths import paths_of
from ..program_ast import Source
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

REMADE_OPTIMIZER = Kind(
    "remade_optimizer", "warning", "The optimizer is made anew for every step or epoch, and forgets its state each time.",
    mechanical=True,
)  # fmt: skip

_EACH = 3
"""Iterations from which on a habit shows."""
_LOOKED_AT = 5
"""Turns of a loop whose data are compared."""
_MOST = 200
"""Tensors of one turn that are looked at one by one."""
Loops = tuple[tuple[int, int], ...]


@rule(145, REMADE_OPTIMIZER)
def remade_optimizer(run: Run) -> Iterator[Finding]:
    """Within one loop an optimizer with a state is made, and steps once, in every iteration, for the same parameters."""
    source = paths_of(run.recording).source
    for name in {event.optimizer for _, event in run.optimizer_steps}:
        for cell, call in source.calls.get(name, ()):
            loop = next((a for a in source.around(call) if isinstance(a, ast.For | ast.While)), None)
            function = source.function(call)
            if loop is None or (function is not None and function not in source.around(loop)) or not _keeps(name, call):
                continue
            last = loop.end_lineno or loop.lineno
            turns: dict[tuple[tuple[int, int], ...], list[tuple[int, tuple[int, ...]]]] = {}
            for step, event in run.optimizer_steps:
                site, loops = run.site(step), run.loops(step)
                depth = next((k for k, (line, _) in enumerate(loops) if line == loop.lineno), NOTHING)
                here = site is not None and site.cell == cell and loop.lineno <= site.line <= last
                if event.optimizer == name and here and depth >= 0:
                    turns.setdefault(loops[: depth + 1], []).append((step, event.parameters))
            steps = [made[0] for made in turns.values()]
            if len(steps) < _EACH or any(len(made) != 1 for made in turns.values()) or len({p for _, p in steps}) != 1:
                continue
            site = site_of(cell, call)
            yield finding(
                run, REMADE_OPTIMIZER,
                f"{name} is made anew in every iteration, so it forgets what it has learnt of the gradients.",
                f"Its state (momentum, averages of gradients, counts of steps) begins at zero each time: {len(steps)} steps at "
                f"{run.where(steps[0][0])}, each the first of its optimizer.",
                f"Make it once, before the loop at {run.site_text(Site(cell, loop.lineno, 0, loop.lineno, 0))}.",
                step=steps[1][0], site=site, related=[run.site(steps[0][0])],
                evidence=[("optimizers", str(len(steps))), ("steps of each", "1")],
                nodes=[key(t) for t in steps[0][1][:20]], steps=[step for step, _ in steps],
                changes=made_once(run, site, site_of(cell, loop)),
            )  # fmt: skip


def _keeps(name: str, call: ast.Call) -> bool:
    """Whether an optimizer has a state from step to step: all have, but for plain gradient descent."""
    momentum = given(call, 2, "momentum")
    return name != "SGD" or not (momentum is None or (isinstance(momentum, ast.Constant) and momentum.value == 0))


# --- in every epoch -----------------------------------------------------------------------------------------------------------


class Turn(NamedTuple):
    """The optimizer's steps in one turn of the loop in which it is made."""

    steps: list[int]
    depth: int
    """Loops around the turn, its own included."""


@rule(145, REMADE_OPTIMIZER)
def remade_each_epoch(run: Run) -> Iterator[Finding]:
    """In every turn of a loop, or in a function that it calls, an optimizer is made for the same parameters, and goes over the
    same data."""
    source = paths_of(run.recording).source
    for name in sorted({event.optimizer for _, event in run.optimizer_steps}):
        calls = source.calls.get(name, ())
        if len(calls) != 1 or not _keeps(name, calls[0][1]) or name == "LBFGS":
            continue
        ((cell, call),) = calls
        block = _block(source, call)
        if block is None or _by_the_loop(source, call):
            continue
        for turns in _turns(run, name, cell, block):
            steps = [step for turn in turns for step in turn.steps]
            often = max(len(turn.steps) for turn in turns)
            if len(turns) < _EACH or (often == 1 and isinstance(block, ast.For | ast.While)) or not _alone(run, steps):
                continue
            if often > 1 and not _same_data(run, turns):
                continue
            event = run.events[steps[0]]
            if event.scope < 0:
                continue
            scope = run.recording.scopes[event.scope]
            line = scope.loops[turns[0].depth - 1][0]
            loop = Site(scope.around[turns[0].depth - 1][0] if scope.around else cell, line, 0, line, 0)
            if often > 1 and _in_stages(source, loop):
                continue
            lexical = isinstance(block, ast.For | ast.While)
            changes: Changes = made_once(run, site_of(cell, call), site_of(cell, block)) if lexical else []
            function = "" if isinstance(block, ast.For | ast.While) else f", and give it to {block.name}()"
            yield finding(
                run, REMADE_OPTIMIZER,
                f"{name} is made anew in every turn of the loop at {run.site_text(loop)}, so it forgets what it has learnt of "
                "the gradients.",
                f"Its state (momentum, averages of gradients, counts of steps) begins at zero {len(turns)} times, each "
                f"time for the same parameters, and is gone after {often} step{'s' * (often > 1)} at {run.where(steps[0])}.",
                f"Make it once, before the loop at {run.site_text(loop)}{function}.",
                step=turns[1].steps[0], site=site_of(cell, call), related=[run.site(steps[0])],
                evidence=[("optimizers", str(len(turns))), ("steps of each", str(often))],
                nodes=[key(t) for t in (event.parameters[:20] if isinstance(event, Stepped) else ())],
                steps=[turn.steps[0] for turn in turns], changes=changes,
            )  # fmt: skip
            break


def _block(source: Source, call: ast.Call) -> ast.For | ast.While | ast.FunctionDef | None:
    """The loop or the function that makes an optimizer each time; None where that hangs on a condition."""
    if not isinstance(source.statement(call), ast.Assign | ast.AnnAssign):
        return None
    for above in source.around(call):
        if isinstance(above, ast.For | ast.While | ast.FunctionDef):
            return above
        if not isinstance(above, ast.Assign | ast.AnnAssign | ast.With | ast.Try | ast.Tuple):
            return None
    return None


def _by_the_loop(source: Source, call: ast.Call) -> bool:
    """Whether what an optimizer is given hangs on the variable of a loop."""
    parts: list[ast.AST] = [*call.args[1:], *(k.value for k in call.keywords)]
    for part in parts:
        for node in ast.walk(part):
            if not isinstance(node, ast.Name) or len(parts) > _MOST:
                continue
            loops = [a for a in source.around(node) if isinstance(a, ast.For)]
            if any(isinstance(n, ast.Name) and n.id == node.id for loop in loops for n in ast.walk(loop.target)):
                return True
            parts += [value for _, value in source.values_of(node)[:4] if isinstance(value, ast.expr) and value not in parts]
    return False


def _turns(run: Run, name: str, cell: int, block: ast.For | ast.While | ast.FunctionDef) -> Iterator[list[Turn]]:
    """The turns in which an optimizer of this class is made and steps, those of one loop together."""
    found: dict[tuple[Loops, tuple[int, ...]], dict[Loops, Turn]] = {}
    depths: dict[int, int] = {}
    for step, event in run.optimizer_steps:
        if event.optimizer != name or event.scope < 0:
            continue
        if event.scope not in depths:
            depths[event.scope] = _depth(run, event.scope, cell, block)
        depth, loops = depths[event.scope], run.loops(step)
        if not depth or len(loops) > depth + 1:
            return  # it steps elsewhere as well, or in more loops than those of an epoch and its batches
        same = found.setdefault((loops[: depth - 1], event.parameters), {})
        same.setdefault(loops[:depth], Turn([], depth)).steps.append(step)
    yield from (list(turns.values()) for turns in found.values())


def _depth(run: Run, number: int, cell: int, block: ast.For | ast.While | ast.FunctionDef) -> int:
    """How many loops are around what a loop does in a turn, or a function in a call, at a scope; 0 where it is not in it."""
    scope = run.recording.scopes[number]
    if not isinstance(block, ast.FunctionDef):
        around = scope.around or tuple((cell, 0) for _ in scope.loops)
        places = [k for k, loop in enumerate(scope.loops) if loop[0] == block.lineno and around[k][0] == cell]
        return places[0] + 1 if len(places) == 1 else 0
    source = paths_of(run.recording).source
    calls = [k for k, (_, called) in enumerate(scope.calls) if called == block.name]
    if len(calls) != 1 or len(source.functions.get(block.name, ())) != 1 or len(scope.around) != len(scope.loops):
        return 0
    return sum(1 for _, outside in scope.around if outside <= calls[0])


def _alone(run: Run, steps: list[int]) -> bool:
    """Whether from the first to the last of some steps nothing else changes their parameters, or steps, and the rate stays."""
    first, last = run.events[steps[0]], steps[-1]
    if not isinstance(first, Stepped):
        return False
    between = [e for s, e in run.optimizer_steps if steps[0] <= s <= last]
    if any((e.optimizer, e.parameters, e.rates) != (first.optimizer, first.parameters, first.rates) for e in between):
        return False
    stepping = run.index.stepping
    for parameter in first.parameters:
        writes = run.writes.get(parameter, [])
        inside = np.array(writes[bisect_right(writes, steps[0]) : bisect_left(writes, last)], np.int64)
        if not stepping[inside].all():
            return False
    return True


def _same_data(run: Run, turns: list[Turn]) -> bool:
    """Whether the turns take the same tensors that were there before them, and none is made for one turn alone."""
    columns = columns_of(run.recording)
    inputs, tensors = columns.inputs, columns.tensors
    first = turns[0].steps[0]
    seen = []
    for before, turn in pairwise(turns[:_LOOKED_AT]):
        begun, ended = before.steps[-1], turn.steps[-1]
        low, high = inputs.step.searchsorted((begun + 1, ended)).tolist()
        rows = columns.row_of[np.unique(inputs.tensor[low:high])]
        rows = rows[(tensors.requires_grad[rows] == 0) & (tensors.grad_of[rows] == NOTHING)]
        outside = set(tensors.id[rows[tensors.step[rows] < first]].tolist()) - run.trained
        made = tensors.id[rows[tensors.step[rows] > begun]]
        if not outside or _for_a_turn(run, made.tolist(), turn, outside):
            return False
        seen.append(outside)
    return all(outside == seen[0] for outside in seen)


def _for_a_turn(run: Run, made: list[int], turn: Turn, outside: set[int]) -> bool:
    """Whether a turn makes data for its loop: tensors that are not all of the data in another order."""
    whole = {run.tensors[t].info.shape for t in outside}
    looked = 0
    for tensor in made:
        info, born = run.tensors[tensor].info, run.tensors[tensor].born
        if len(run.loops(born)) > turn.depth or math.prod(info.shape) < 2 or info.shape in whole or "float" not in info.dtype:
            continue
        looked += 1
        within = [s for s in run.consumers.get(tensor, ())[:_MOST] if s <= turn.steps[-1]]
        if looked > _MOST or any(len(run.loops(step)) > turn.depth for step in within):
            return True
    return False


# --- stages -------------------------------------------------------------------------------------------------------------------


def _in_stages(source: Source, site: Site) -> bool:
    """Whether the turns of a loop are of different kinds: its variable is computed with, or another one grows with each turn;
    also where it is no `for`."""
    spans = source.spans[site.cell].values() if site.cell < len(source.spans) else ()
    loop = next((node for node in spans if isinstance(node, ast.For) and node.lineno == site.line), None)
    if loop is None:
        return True
    for statement in loop.body:
        match statement:
            case ast.AugAssign(op=ast.Mult() | ast.Div() | ast.Pow()):
                return True
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                if any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(value)):
                    return True
    names = [node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)]
    return any(_computed_with(source, name, statement, 3) for name in names for statement in loop.body)


def _computed_with(source: Source, name: str, within: ast.AST, depth: int) -> bool:
    """Whether anything but what is told and whether it is time for something hangs on a name."""
    for node in ast.walk(within):
        if not isinstance(node, ast.Name) or node.id != name or not isinstance(node.ctx, ast.Load):
            continue
        for above in source.around(node):
            if isinstance(above, ast.JoinedStr | ast.Compare) or (
                isinstance(above, ast.BinOp) and isinstance(above.op, ast.Mod)
            ):
                break
            if isinstance(above, ast.Call):
                called = above.func.id if isinstance(above.func, ast.Name) else ""
                if called == "print" or (node in above.args and not _used_in(source, called, above.args.index(node), depth)):
                    break
            if isinstance(above, ast.stmt):
                return True
    return False


def _used_in(source: Source, called: str, position: int, depth: int) -> bool:
    """Whether a function of the program computes with an argument; also where it is not known."""
    functions = source.functions.get(called, ())
    if len(functions) != 1 or not depth or isinstance(functions[0][1], ast.Lambda):
        return True
    function = functions[0][1]
    if position >= len(function.args.args):
        return True
    name = function.args.args[position].arg
    return any(_computed_with(source, name, statement, depth - 1) for statement in function.body)
