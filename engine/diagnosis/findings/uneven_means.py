"""A rule about means over unequally many targets, which count alike in one step of an optimizer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...recording.events import NOTHING
from ...recording.index import Pass
from ..cadence import cadence_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

UNEVEN_MEANS = Kind(
    "uneven_means", "hint", "Means over unequally many targets are added up, so that single targets count unequally."
)

_FULL = 2
"""Steps of an optimizer that have to show it."""
_TIMES = 2
"""How much more one target has to count than another."""
_NEAR = 8
"""Operations between a loss and the mean that it is."""


class _Mean(NamedTuple):
    """A mean over the targets of one pass."""

    step: int
    target: int
    targets: int
    weight: float
    """What one target of it counts."""


@rule(276, UNEVEN_MEANS)
def uneven_means(run: Run) -> Iterator[Finding]:
    """The passes before one step go through means over targets of which a loss leaves out some, here more and there less."""
    cadence = cadence_of(run)
    told = set()
    for (optimizer, _), windows in cadence.windows.items():
        shown: list[tuple[int, list[_Mean]]] = []
        for window in windows[: 2 * _FULL]:
            entries = [run.index.passes[number] for number in cadence.passes(window)]
            means = [mean for entry in entries if (mean := _mean_of(run, entry)) is not None] if len(entries) > 1 else []
            if not means or len(means) < len(entries) or len({run.site(mean.step) for mean in means}) > 1:
                continue
            weights = [mean.weight for mean in means]
            if max(weights) >= _TIMES * min(weights):
                shown.append((window.step, means))
        if len(shown) < _FULL or run.site(shown[0][1][0].step) in told:
            continue
        step, means = shown[0]
        told.add(run.site(means[0].step))
        times = max(mean.weight for mean in means) / min(mean.weight for mean in means)
        least, most = (choose(means, key=lambda mean: mean.targets) for choose in (min, max))
        yield finding(
            run, UNEVEN_MEANS,
            f"Each of {len(means)} passes before a step brings a mean over its own targets, of {least.targets} to "
            f"{most.targets}: a target counts up to {times:.3g} times what another one does.",
            f"The loss leaves out the targets that its ignore_index names, and divides by how many are left. {optimizer} at "
            f"{run.where(step)} steps with the sum of these means, which is not the mean over all targets that one batch of "
            "them would have.",
            'Take sums (reduction="sum"), and divide by the number of targets of all the batches that make up a step.',
            step=means[0].step, related=[run.site(step)],
            evidence=[("targets that count", ", ".join(str(mean.targets) for mean in means[:_NEAR]))],
            nodes=[key(mean.target) for mean in means[:_NEAR]], steps=[mean.step for _, each in shown for mean in each],
        )  # fmt: skip


def _mean_of(run: Run, entry: Pass) -> _Mean | None:
    """The mean, over targets of which some are left out, that a pass begins with, perhaps multiplied or divided by numbers."""
    tensor, factor = entry.event.roots[0][0] if entry.event.roots else NOTHING, 1.0
    for _ in range(_NEAR if tensor != NOTHING else 0):
        step, event = run.op_of(tensor)
        given = run.inputs(event)
        if event.op in ("nll_loss", "nll_loss2d"):
            target, ignored = run.argument(event, "target"), run.setting(event, "ignore_index")
            values = run.values(target, step) if target != NOTHING else None
            if values is None or "mean" not in run.setting(event, "reduction") or run.argument(event, "weight") != NOTHING:
                return None
            count = int(np.count_nonzero(values != int(ignored))) if ignored.lstrip("-").isdigit() else 0
            return _Mean(step, target, count, abs(factor) / count) if count and factor else None
        scales = "division" in run.traits(event.op) or "product" in run.traits(event.op)
        if not scales and event.op not in run.having("same_values"):
            return None
        by = run.number(event) if scales else 1.0
        for other in given[1:]:
            number = run.scalar(run.status(other, step).array)
            if number is None or run.status(other, step).requires_grad:
                return None
            by *= number
        if not by or not given:
            return None
        factor, tensor = factor / by if "division" in run.traits(event.op) else factor * by, given[0]
    return None
