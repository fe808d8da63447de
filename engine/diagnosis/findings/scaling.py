"""Rules about the scaler of mixed precision: gradients of a scaled loss are to be scaled back before they are used."""

from __future__ import annotations

import ast
import math
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ...graph.numbers import norm, number
from ...recording.columns import columns_of
from ...recording.events import NOTHING, Accumulated, GradSet, Site
from ..cadence import Cadence, Call, Window, cadence_of
from ..mending import Changes, argument_at, before, beside, call_of, receiver_at, site_of, spot, text_at
from ..mends.training import DOTTED
from ..optimizer_text import given, methods, stepped_by
from ..paths import paths_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .clipping import CLIPPING, shrinks
from .registry import rule

NOT_UNSCALED = Kind(
    "not_unscaled", "error", "The optimizer steps with the gradients of a scaled loss, and nothing scales them back."
)
CLIP_SCALED = Kind(
    "clip_scaled", "error", "The gradients of a scaled loss are clipped before they are scaled back.", mechanical=True
)

_SCALED = 16.0
"""A factor from which on a loss is scaled as a scaler does."""
_SCALE = re.compile(r"(?<![a-z])scale(?![a-z])")
"""A name that may stand for the scale."""


@rule(121, NOT_UNSCALED)
def not_unscaled(run: Run) -> Iterator[Finding]:
    """The pass begins at scaler.scale(loss), and the program calls optimizer.step() itself."""
    source = paths_of(run.recording).source
    for name, bindings in source.assigned.items():
        if not any(isinstance(v, ast.Call) and ast.unparse(v.func).endswith("GradScaler") for _, _, v in bindings):
            continue
        if methods(run, name, "step") or methods(run, name, "unscale_") or not methods(run, name, "scale"):
            continue
        for entry in run.passes:
            root = entry.event.roots[0][0] if entry.event.roots else NOTHING
            factor = _factor(run, root)
            stepped = next((step for step, _ in run.optimizer_steps if step > entry.began), None)
            if factor < _SCALED or stepped is None:
                continue
            optimizer = stepped_by(run, stepped) or "optimizer"
            yield finding(
                run, NOT_UNSCALED,
                f"{optimizer}.step() uses the gradients of the scaled loss: they are {number(factor)} times too large.",
                f"{name}.scale() multiplies the loss at {run.where(entry.began)}, so that small gradients do not vanish in "
                f"half precision. {name}.step() would divide the gradients by the same before the optimizer uses them; nothing "
                "does.",
                f"Call {name}.step({optimizer}) and {name}.update() in the place of {optimizer}.step().",
                step=stepped, related=[run.site(entry.began)],
                evidence=[("factor of the loss", number(factor)), (f"calls of {name}.step()", "0")],
                nodes=[key(root)],
            )  # fmt: skip
            break


def _factor(run: Run, root: int) -> float:
    """By how much a pass's root is its loss times a number; 0 where it is no such product."""
    if root == NOTHING or run.tensors[root].op.op != "mul":
        return 0.0
    event = run.tensors[root].op
    for tensor in run.inputs(event):
        if run.tensors[tensor].op.op == "constant":
            return run.scalar(run.tensors[tensor].info.array) or 0.0
    return 0.0


# --- clipped ------------------------------------------------------------------------------------------------------------------


class Clipped(NamedTuple):
    """A call that clipped what a scaler scaled back only afterwards."""

    call: Call
    window: Window
    factor: float


@rule(121, CLIP_SCALED)
def clip_scaled(run: Run) -> Iterator[Finding]:
    """Between the pass of a scaled loss and the scaler's step, which then scales the gradients back, they are clipped."""
    calls = cadence_of(run).calls(CLIPPING) if run.optimizer_steps else []
    at: dict[Site, list[Clipped]] = {}
    for windows in cadence_of(run).windows.values() if calls else ():
        for window in windows:
            for found in _clipped(cadence_of(run), calls, window):
                at.setdefault(found.call.site, []).append(found)
    for clipped in at.values():
        call, window, factor = clipped[0]
        scaler, optimizer = _named(run, window)
        limit, norms = run.segment(call.site), _norms(run, call, window)
        yield finding(
            run, CLIP_SCALED,
            "The gradients are clipped before they are scaled back: the limit holds for those of the scaled loss.",
            f"{scaler}.scale() has made the loss, and with it all gradients, {number(factor)} times as large, and "
            f"{scaler}.step() at {run.where(window.step)} divides them by that only after "
            f"{limit if len(limit) <= 60 else 'the clipping'} has cut them: what reaches the optimizer is {number(factor)} "
            "times smaller than the limit.",
            f"Call {scaler}.unscale_({optimizer}) right before the clipping; {scaler}.step({optimizer}) then does not do it "
            "again.",
            step=call.first, related=[run.site(window.step)],
            evidence=[
                ("factor of the loss", number(factor)), *norms,
                ("steps with such gradients", str(len({each.window.step for each in clipped}))),
            ],
            nodes=[key(t) for t in window.owned[:20]], steps=[each.call.first for each in clipped],
            changes=_unscaled(run, clipped),
        )  # fmt: skip
    if not at:
        yield from _clipped_in_text(run, calls)


def _clipped(cadence: Cadence, calls: list[Call], window: Window) -> Iterator[Clipped]:
    """The first call before a step that made gradients smaller which the call of the step scaled back itself."""
    run, owned = cadence.run, set(window.owned)
    fills = cadence.fills(window)
    first, last = (bisect_left(calls, at, key=lambda call: call.first) for at in (window.begun + 1, window.step))
    if first == last or not fills:
        return
    unscaled = _scaled_back(run, window)
    for call in calls[first:last]:
        place = bisect_left(fills, call.first) - 1
        if place < 0 or call.last > unscaled or not call.changed & owned or not shrinks(run, call):
            continue
        factor = _factor_of_fill(run, fills[place])
        if factor >= _SCALED and not _goes_by_the_scale(run, call.site):
            yield Clipped(call, window, factor)
            return


def _scaled_back(run: Run, window: Window) -> int:
    """The step at which the call `scaler.step(optimizer)` begins to change the gradients that the optimizer uses at a step;
    NOTHING where it does not."""
    found = spot(run, run.site(window.step))
    call = call_of(found)
    if call is None or not call.args:
        return NOTHING
    sites = columns_of(run.recording).events.site[window.begun + 1 : window.step]
    there = np.flatnonzero(sites == window.event.site)
    if not len(there):
        return NOTHING
    step = window.begun + 1 + int(there[0])
    event = run.events[step]
    multiplies = isinstance(event, GradSet) and event.how.rstrip("_") in run.having("product")
    return step if multiplies and isinstance(event, GradSet) and event.tensor in window.owned else NOTHING


def _factor_of_fill(run: Run, step: int) -> float:
    """By how much the loss was scaled whose pass filled a gradient at a step."""
    event = run.events[step]
    entry = run.index.passes.get(event.number) if isinstance(event, Accumulated) else None
    return _factor(run, entry.event.roots[0][0]) if entry is not None and entry.event.roots else 0.0


def _goes_by_the_scale(run: Run, site: Site) -> bool:
    """Whether a call is given what is computed from the scale: then its limit is meant for scaled gradients."""
    source, found = paths_of(run.recording).source, spot(run, site)
    call = call_of(found)
    parts: list[ast.AST] = [*call.args, *(k.value for k in call.keywords)] if call is not None else []
    for part in parts:
        for node in ast.walk(part):
            if isinstance(node, ast.Name | ast.Attribute) and _SCALE.search(ast.unparse(node)):
                return True
            if isinstance(node, ast.Name) and len(parts) < 40:
                parts += [value for _, value in source.values_of(node)[:4] if value not in parts]
    return call is None


def _named(run: Run, window: Window) -> tuple[str, str]:
    """What the program calls the scaler and the optimizer where it steps."""
    site = run.site(window.step)
    return text_at(run, receiver_at(run, site)) or "scaler", text_at(run, argument_at(run, site, 0)) or "optimizer"


def _norms(run: Run, call: Call, window: Window) -> list[tuple[str, str]]:
    """How large the gradients were before they were clipped, and when the optimizer used them."""
    told = []
    for what, step in (("norm of the gradients before the clipping", call.first - 1), ("and at the step", window.step - 1)):
        arrays = [array for t in window.event.parameters if (array := run.tensors[t].grad(step)) != NOTHING]
        known = [n for array in arrays if (n := norm(run.recording.arrays[array])) is not None]
        if known and len(known) == len(arrays):
            told.append((what, number(math.hypot(*known))))
    return told


def _unscaled(run: Run, found: Sequence[Clipped]) -> Changes:
    """The gradients of each optimizer scaled back before they are clipped."""
    statements: dict[str, None] = {}
    for call, window, _ in found:
        site = run.site(window.step)
        scaler, optimizer = text_at(run, receiver_at(run, site)), text_at(run, argument_at(run, site, 0))
        if not DOTTED.fullmatch(scaler) or not DOTTED.fullmatch(optimizer) or beside(run, call.first, site) is None:
            return []
        statements[f"{scaler}.unscale_({optimizer})"] = None
    call, window, _ = found[0]
    return before(run, beside(run, call.first, run.site(window.step)), *statements)


def _clipped_in_text(run: Run, calls: list[Call]) -> Iterator[Finding]:
    """The same where the scaler is off, as one for CUDA is without CUDA: the program's text says what it will do."""
    source = paths_of(run.recording).source
    for name, bindings in source.assigned.items() if calls else ():
        made = [v for _, _, v in bindings if isinstance(v, ast.Call) and ast.unparse(v.func).endswith("GradScaler")]
        if len(made) != 1 or len(bindings) != 1 or given(made[0], 5, "enabled") is not None or source.calls.get("unscale_"):
            continue
        for cell, step in methods(run, name, "step"):
            block = source.statement(step)
            scaled = [c for at, c in methods(run, name, "scale") if at == cell and source.function(c) is source.function(step)]
            for call in {call.site: call for call in reversed(calls)}.values():
                there = spot(run, call.site)
                if there is None or there.cell != cell or source.function(there.node) is not source.function(step):
                    continue
                before_step = any(c.lineno < there.node.lineno < step.lineno for c in scaled)
                optimizer = ast.unparse(step.args[0]) if step.args else ""
                if block is None or not before_step or not optimizer:
                    continue
                if _goes_by_the_scale(run, call.site) or _scaled_anyhow(run):
                    continue
                plain = DOTTED.fullmatch(optimizer) and isinstance(step.func, ast.Attribute)
                scaler = ast.unparse(step.func.value) if isinstance(step.func, ast.Attribute) else name
                yield finding(
                    run, CLIP_SCALED,
                    "Where the scaler is on, the gradients are clipped before they are scaled back.",
                    f"{scaler} is off here, for there is no CUDA. With it the gradients are those of the scaled loss until "
                    f"{scaler}.step() divides them again, so the limit at {run.site_text(call.site)} is as many times too "
                    "small.",
                    f"Call {scaler}.unscale_({optimizer}) right before the clipping.",
                    step=call.first, related=[site_of(cell, step)], severity="hint",
                    evidence=[(f"calls of {scaler}.unscale_()", "0")],
                    changes=before(run, call.site, f"{scaler}.unscale_({optimizer})") if plain else [],
                )  # fmt: skip
                return


def _scaled_anyhow(run: Run) -> bool:
    """Whether a pass begins at a scaled loss: then the scaler is on, and what it did is recorded."""
    return any(_factor(run, entry.event.roots[0][0]) for entry in run.first_passes if entry.event.roots)
