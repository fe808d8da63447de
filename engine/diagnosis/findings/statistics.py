"""Rules about the statistics that a normalisation keeps of what it has seen."""

from __future__ import annotations

from collections.abc import Iterator

from ...recording.events import NOTHING
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

FROZEN_STATISTICS = Kind(
    "frozen_statistics",
    "hint",
    "A frozen part of a model is in training mode: the statistics of its batch normalisation go on.",
)


@rule(136, FROZEN_STATISTICS)
def frozen_statistics(run: Run) -> Iterator[Finding]:
    """The weight of a batch normalisation is frozen, others are trained, and it goes by the statistics of its batches."""
    if not run.updates:
        return
    first, last = min(steps[0] for steps in run.updates.values()), max(steps[-1] for steps in run.updates.values())
    scopes = run.recording.scopes
    found: dict[str, tuple[int, int]] = {}
    for step, event in run.first_ops_of({"batch_norm"}, 64):
        scope = scopes[event.scope] if event.scope >= 0 else None
        weight = run.argument(event, "weight")
        if scope is None or scope.mode != "train" or not scope.module or weight == NOTHING or event.in_backward:
            continue
        if not run.tensors[weight].info.is_parameter or run.status(weight, step).requires_grad or weight in run.updates:
            continue
        if any(written > first for written in run.writes.get(weight, ())):
            continue  # it follows another one as an average does, and its statistics as well
        if step <= last and run.tensors[weight].ledger is None:
            found.setdefault(scope.module, (step, weight))
    if not found:
        return
    names = list(found)
    step, weight = found[names[0]]
    yield finding(
        run, FROZEN_STATISTICS,
        f"{' and '.join(names[:2])}{f' and {len(names) - 2} more' if len(names) > 2 else ''} "
        f"{'are' if len(names) > 1 else 'is'} frozen, and in training mode: the running statistics change all the same.",
        f"requires_grad=False keeps {run.title(weight)} as it is. The running mean and variance are no parameters: in training "
        "mode each forward pass moves them towards its own batch, and normalises by that batch. So the frozen part gives "
        "something else after the training than before.",
        f"Set it to evaluation mode, after each model.train(): {names[0].rpartition('.')[0] or names[0]}.eval().",
        step=step, evidence=[("frozen normalisations in training mode", str(len(found)))],
        nodes=[key(w) for _, w in found.values()],
    )  # fmt: skip
