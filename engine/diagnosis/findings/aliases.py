"""A rule about two names for one tensor: what is written for the one changes the other, too."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from ...graph.numbers import shape_text
from ...recording.events import OpRan
from ..mending import wrapped
from ..paths import paths_of
from ..program_ast import site_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

TARGET_CHANGED = Kind(
    "target_changed", "warning", "The targets are the input itself under another name, and are masked or noisy along with it.",
    mechanical=True,
)  # fmt: skip

_FIRST = 12
"""Tensors that a name stands for first, which are looked at."""
_FAR = 6
"""Operations between what is drawn at random and what is written."""


@rule(166, TARGET_CHANGED)
def target_changed(run: Run) -> Iterator[Finding]:
    """`labels = inputs`, a write of something random into `inputs`, and a loss with `labels` for its target.

    What both should have, a normalisation in place, draws nothing; and without a second name the program knows what it does.
    """
    for name, given in paths_of(run.recording).source.assigned.items():
        for cell, node, value in given:
            if not isinstance(node, ast.Assign) or not isinstance(value, ast.Name | ast.Attribute):
                continue
            other = ast.unparse(value)
            found = next(_changed(run, name, other), None) if name != other else None
            if found is None:
                continue
            base, written, loss = found
            site = site_of(cell, value)
            yield finding(
                run, TARGET_CHANGED,
                f"{name} = {other} is no copy: what is written into one at {run.where(written)} changes the other.",
                f"Both names stand for one tensor. {run.expression(run.site(written))} puts something random into it, and the "
                f"loss takes it for its target at {run.where(loss)}: the model is asked for what it is given, not for what was "
                "there before.",
                f"Copy it: {name} = {other}.clone().",
                step=written, site=site, related=[run.site(written), run.site(loss)],
                severity="" if _masked(run, written, base) else "hint",
                evidence=[(f"{name} is {other}", f"{run.tensors[base].info.dtype} {shape_text(run.tensors[base].info.shape)}")],
                nodes=[key(base)],
                changes=wrapped(run, site, "", ".clone()"),
            )  # fmt: skip


def _changed(run: Run, name: str, other: str) -> Iterator[tuple[int, int, int]]:
    """The tensors that two names stand for, each with the steps of a random write into it and of a loss that takes it for its
    target, with something between that reads it."""
    for began, base in run.named_tensors.get(name, ())[:_FIRST]:
        if run.named_at(other, began) != base:
            continue
        readers = [(step, base) for step in run.consumers.get(base, ())]
        written = next((step for step in run.writes.get(base, ()) if step > began and _random(run, step, base)), None)
        if written is None:
            continue
        for step, tensor in readers:
            event = run.events[step]
            if not isinstance(event, OpRan) or step < written:
                continue
            whole = math.prod(run.tensors[tensor].info.shape) == math.prod(run.tensors[base].info.shape)
            if run.argument(event, "target") == tensor and whole and any(written < at < step for at, _ in readers):
                yield base, written, step  # of shifted ones the model is asked for the next
            if event.op in run.having("same_values") and event.outputs and len(readers) < _FIRST**2:
                view = event.outputs[0].id
                readers += [(at, view) for at in run.consumers.get(view, ())]


def _masked(run: Run, step: int, base: int) -> bool:
    """Whether a number was written over some of the tokens: noise on values may be meant for both."""
    event = run.events[step]
    given = run.inputs(event) if isinstance(event, OpRan) else []
    numbers = all(run.tensors[t].info.shape == () or run.tensors[t].info.dtype == "bool" for t in given if t != base)
    return "int" in run.tensors[base].info.dtype and numbers


def _random(run: Run, step: int, base: int) -> bool:
    """Whether what an operation writes into a tensor, or where, was drawn at random."""
    event = run.events[step]
    if not isinstance(event, OpRan) or event.op == "copy":
        return False  # all of it is new then
    queue = [(tensor, 0) for tensor in run.inputs(event) if tensor != base]
    for tensor, far in queue:
        maker = run.tensors[tensor].op
        if "draws" in run.traits(maker.op):
            return True
        if far < _FAR and len(queue) < _FAR**2:
            queue += [(given, far + 1) for given in run.inputs(maker)]
    return False
