"""A rule about networks that learn by making two views of a sample alike."""

from __future__ import annotations

from collections.abc import Iterator

from ...recording.events import NOTHING, OpRan
from ..mending import argument_at, call_of, spot
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule
from .sampling import leaves_of

BOTH_SIDES_LEARN = Kind(
    "both_sides_learn", "warning", "Two views of a sample are only made alike, by the same network, and neither is detached."
)

_PASSES = 4
"""Backward passes that are looked at."""
_OPERATIONS = 60
"""Operations between a root and the products of rows that it is made of."""
_NEAR = 4
"""Operations that bring a row to length 1."""


@rule(139, BOTH_SIDES_LEARN)
def both_sides_learn(run: Run) -> Iterator[Finding]:
    """A loss that consists of similarities alone, each of one result with another one of the same place in the program."""
    for entry in run.passes[:_PASSES]:
        pairs = [pair for tensor, *_ in entry.event.roots for pair in _similarities(run, tensor)]
        found = [(step, one, other) for step, pair in pairs for one, other in [_sides(run, *pair)] if other != NOTHING]
        if not pairs or len(found) != len(pairs):
            continue
        step, learnt, target = found[0]
        site = run.site(step)
        text = _written(run, step, target)
        yield finding(
            run, BOTH_SIDES_LEARN,
            f"{run.title(learnt)} and {run.title(target)} are only made alike, and both learn: one point for all will do.",
            f"Both come from the same parameters ({run.names(leaves_of(run, [target]))}), and nothing in the loss holds "
            "different samples apart. So all can become the same, and the loss the best there is. Siamese networks without "
            "other samples to compare with keep one side constant (stop-gradient), or let an average of the network make it.",
            f"Take one side as a constant: {text}.detach().",
            step=step, site=site, related=[run.site(run.tensors[target].born)],
            evidence=[("similarities in the loss", str(len(pairs))), ("other terms", "0")],
            nodes=[key(learnt), key(target)],
        )  # fmt: skip
        return


def _similarities(run: Run, root: int) -> list[tuple[int, tuple[int, int]]]:
    """The products of rows with rows that a root is a mean of, each with its step; none where there is anything else."""
    found: list[tuple[int, tuple[int, int]]] = []
    queue = [root]
    for _ in range(_OPERATIONS):
        if not queue:
            return found
        tensor = queue.pop()
        if not run.tensors[tensor].info.requires_grad:
            continue
        step, event = run.op_of(tensor)
        inputs = [t for t in run.inputs(event) if run.tensors[t].info.requires_grad]
        shapes = [run.tensors[t].info.shape for t in inputs]
        times = event.op in run.having("product") and event.op in run.having("elementwise")
        scaled = times or event.op in run.having("division")
        if times and len(inputs) == 2 and len(shapes[0]) == 2 and shapes[0] == shapes[1]:
            found.append((step, (inputs[0], inputs[1])))
        elif inputs and (event.op in run.having("additive") | run.having("reduces") or (scaled and len(inputs) == 1)):
            queue += inputs
        else:
            return []
    return []


def _sides(run: Run, one: int, other: int) -> tuple[int, int]:
    """Of two rows that are compared, of length 1, the one that is to learn and the one that could be a constant: made by the
    parameters that have made something of the first one, too. NOTHING for the second if they are no such two."""
    first, second = (_before_length(run, each) for each in (one, other))
    for learnt, target in ((first, second), (second, first)):
        if NOTHING in (learnt, target) or learnt == target:
            continue
        op, leaves = run.tensors[target].op.op, leaves_of(run, [target])
        twins = [t for t in run.behind(learnt, most=_OPERATIONS, learned=True) if run.tensors[t].op.op == op and t != target]
        if leaves and any(leaves_of(run, [t]) == leaves for t in twins):
            return learnt, target
    return NOTHING, NOTHING


def _before_length(run: Run, tensor: int) -> int:
    """What was divided by its length; NOTHING where there is no such division."""
    for _ in range(_NEAR):
        _, event = run.op_of(tensor)
        inputs = run.inputs(event)
        if event.op in run.having("division") and len(inputs) == 2:
            return inputs[0]
        if event.op not in run.having("same_values") or not inputs:
            return NOTHING
        tensor = inputs[0]
    return NOTHING


def _written(run: Run, step: int, target: int) -> str:
    """How the side that could be a constant stands in the text."""
    site = run.site(step)
    if call_of(spot(run, site)) is not None:
        event = run.events[step]
        assert isinstance(event, OpRan)
        place = 1 if _before_length(run, run.inputs(event)[1]) == target else 0
        text = run.segment(argument_at(run, site, place, "x2" if place else "x1"))
        if text and text.isidentifier():
            return text
    return run.title(target)
