"""Rules about the statistics that a normalisation keeps of what it has seen."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from ...recording.events import NOTHING, OpRan
from ..paths import paths_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

FROZEN_STATISTICS = Kind(
    "frozen_statistics",
    "hint",
    "A frozen part of a model is in training mode: the statistics of its batch normalisation go on.",
)

_BEFORE = 8
"""Events before a batch normalisation by which it keeps its statistics."""


@rule(136, FROZEN_STATISTICS)
def frozen_statistics(run: Run) -> Iterator[Finding]:
    """The weight of a batch normalisation is frozen, others are trained, and it goes by the statistics of its batches."""
    if not run.updates:
        return
    first, last = min(steps[0] for steps in run.updates.values()), max(steps[-1] for steps in run.updates.values())
    found: dict[str, tuple[int, int]] = {}
    for step, event in run.first_ops_of({"batch_norm"}, 64):
        weight = run.argument(event, "weight")
        if not _in_training(run, step, event, weight) or weight in run.updates or run.tensors[weight].ledger is not None:
            continue
        if any(written > first for written in run.writes.get(weight, ())):
            continue  # it follows another one as an average does, and its statistics as well
        if step <= last:
            found.setdefault(run.recording.scopes[event.scope].module, (step, weight))
    for step, weight in _frozen_later(run):
        normalised = run.events[step]
        if step <= last and isinstance(normalised, OpRan) and _in_training(run, step, normalised, weight):
            found.setdefault(run.recording.scopes[normalised.scope].module, (step, weight))
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


def _in_training(run: Run, step: int, event: OpRan, weight: int) -> bool:
    """Whether a module's batch normalisation with a frozen weight writes down the statistics of its batch."""
    scope = run.recording.scopes[event.scope] if event.scope >= 0 else None
    if scope is None or scope.mode != "train" or not scope.module or weight == NOTHING or event.in_backward:
        return False
    if not run.tensors[weight].info.is_parameter or run.status(weight, step).requires_grad:
        return False
    before = (e for e in run.events[max(step - _BEFORE, 0) : step] if (e.site, e.scope) == (event.site, event.scope))
    return any(isinstance(e, OpRan) and e.written for e in before)


def _frozen_later(run: Run) -> Iterator[tuple[int, int]]:
    """The first batch normalisations of weights that were trained before, and from when they were frozen to the end of the run
    have not changed, with a weight each."""
    for weight, flags in paths_of(run.recording).flags.items():
        frozen = [step for step, flag, value in flags if flag == "requires_grad" and not value]
        if weight not in run.updates or not frozen or run.updates[weight][-1] > frozen[0]:
            continue  # as a discriminator is frozen for the generator's step
        since = frozen[0]
        writes = run.writes.get(weight, [])
        if writes and writes[-1] > since:
            continue
        uses = run.consumers.get(weight, [])
        for step in uses[bisect_left(uses, since) :][:64]:
            event = run.events[step]
            if isinstance(event, OpRan) and event.op == "batch_norm" and run.argument(event, "weight") == weight:
                yield step, weight
