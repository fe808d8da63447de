"""A rule about training loops by hand in which gradients are gone before the update uses them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...recording.events import NOTHING, Accumulated, GradSet, OpRan, Site, Stepped
from ..paths import Paths, paths_of
from ..reason import Finding
from ..run import Run, finding, key
from .registry import rule
from .training import CLEARED_BEFORE_STEP

_PASSES = 2
"""Passes from which on what happens in each of them is no exception."""


@rule(131, CLEARED_BEFORE_STEP)
def cleared_before_update(run: Run) -> Iterator[Finding]:
    """Every gradient that a pass brings is cleared before the program's own update, so that nothing moves."""
    if run.optimizer_steps or len(run.passes) < _PASSES:
        return
    paths = paths_of(run.recording)
    lost: dict[Site | None, list[tuple[int, int]]] = {}
    kept = False
    for tensor, history in run.tensors.items():
        if history.ledger is None or not history.info.is_leaf:
            continue
        cleared = _cleared_unused(run, tensor)
        if cleared is None:
            kept = True
            break
        lost.setdefault(run.site(cleared[0]), []).extend((step, tensor) for step in cleared)
    update = None if kept or len(lost) != 1 else _update_in_text(paths)
    if update is None:
        return
    ((site, moments),) = lost.items()
    tensors = list(dict.fromkeys(tensor for _, tensor in moments))
    step = min(moments)[0]
    name = run.names(tensors)
    yield finding(
        run, CLEARED_BEFORE_STEP,
        "The gradients are cleared between backward() and the update.",
        f"{run.where(step)} clears what backward() has just computed for {name}; the update at {run.site_text(update)} then "
        "has nothing to work with, and the parameters stay as they are.",
        "Clear them after the update, or before backward(), not between the two.",
        step=step, site=site, related=[update, run.site(run.passes[0].began)],
        evidence=[("passes", str(len(run.passes))), ("gradients used", "0")],
        nodes=[key(t) for t in tensors], steps=sorted({step for step, _ in moments}),
    )  # fmt: skip


def _cleared_unused(run: Run, tensor: int) -> list[int] | None:
    """The steps at which a leaf's `.grad` was cleared, if every pass's gradient was, before anything was done with it."""
    found: list[int] = []
    filled = NOTHING
    for step, event in run.history(tensor):
        if isinstance(event, Accumulated):
            if filled != NOTHING:
                return None
            filled = step
        elif filled != NOTHING:
            zeroed = isinstance(event, GradSet) and (event.array == NOTHING or run.zero(event.array))
            if not zeroed or _is_read(run, tensor, filled, step):
                return None
            found.append(step)
            filled = NOTHING
    return found if filled == NOTHING and len(found) >= _PASSES else None


def _is_read(run: Run, tensor: int, begin: int, end: int) -> bool:
    """Whether something is done with a `.grad` between two steps: computed, printed, or read on a line that says so."""
    clear = run.site(end)
    for step in range(begin + 1, end):
        event = run.events[step]
        if isinstance(event, OpRan) and any(
            argument.tensor >= 0 and run.tensors[argument.tensor].info.grad_of == tensor for argument in event.inputs
        ):
            return True
        site = run.site(step)
        if not isinstance(event, OpRan | Stepped) and site != clear and ".grad" in run.line(site):
            return True
    return False


def _update_in_text(paths: Paths) -> Site | None:
    """The statement that changes something by a `.grad`, as far as the text says so."""
    for cell, spans in enumerate(paths.source.spans):
        for span, node in spans.items():
            value = node.value if isinstance(node, ast.AugAssign | ast.Assign) else None
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("sub_", "add_"):
                value = node
            if value is not None and any(isinstance(part, ast.Attribute) and part.attr == "grad" for part in ast.walk(value)):
                return Site(cell, *span)
    return None
