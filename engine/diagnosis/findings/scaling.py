"""Rules about the scaler of mixed precision: gradients of a scaled loss are to be scaled back before they are used."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...graph.numbers import number
from ...recording.events import NOTHING
from ..optimizer_text import methods, stepped_by
from ..paths import paths_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

NOT_UNSCALED = Kind(
    "not_unscaled", "error", "The optimizer steps with the gradients of a scaled loss, and nothing scales them back."
)

_SCALED = 16.0
"""A factor from which on a loss is scaled as a scaler does."""


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
