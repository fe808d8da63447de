"""A rule about weights that are to be each sample's own, and are one for the whole batch."""

from __future__ import annotations

from collections.abc import Iterator

from ...recording.events import NOTHING, OpRan
from ..mending import definition_of, keyword
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

WEIGHT_OF_MEAN = Kind(
    "weight_of_mean",
    "warning",
    "A loss is weighted by its own probability, and both are means over the batch.",
    mechanical=True,
)

_NEAR = 8
"""Operations between a probability and the weight that is made of it."""


@rule(168, WEIGHT_OF_MEAN)
def weight_of_mean(run: Run) -> Iterator[Finding]:
    """`(1 - exp(-loss)) ** gamma * loss`, as a focal loss has it, where `loss` is one number for several samples."""
    for step, event in run.first_ops_of({"exp"}, 1):
        logarithm = run.argument(event, "self")
        loss = _mean(run, logarithm) if logarithm != NOTHING and not event.in_backward else NOTHING
        weighted = _weighted(run, event.outputs[0].id, {loss, logarithm}) if loss != NOTHING else NOTHING
        if weighted == NOTHING:
            continue
        made = run.tensors[loss]
        (samples, *_), site = run.tensors[run.inputs(made.op)[0]].info.shape, run.site(made.born)
        name = run.title(loss)
        yield finding(
            run, WEIGHT_OF_MEAN,
            f"{name} is the mean of {samples} samples already, and so is the weight at {run.where(weighted)}: one for all.",
            f"The weight is made of exp(-{name}), which is to be the probability of each sample's class, so that those that "
            "are easy count less. Of a mean it is one number: it makes the whole gradient smaller, and no sample counts less "
            "than another.",
            'Take the loss of each sample: reduction="none", and the mean of the weighted losses at the end.',
            step=made.born, site=site, related=[run.site(step), run.site(weighted)],
            evidence=[("shape of the weight", "[]"), ("samples", str(samples))], nodes=[key(loss), key(event.outputs[0].id)],
            changes=keyword(run, definition_of(run, site) or site, "reduction", '"none"'),
        )  # fmt: skip


def _mean(run: Run, tensor: int) -> int:
    """The loss whose negative a tensor is, where that is the mean of several samples; NOTHING for anything else."""
    event = run.tensors[tensor].op
    given = run.inputs(event)
    if event.op != "neg" or len(given) != 1 or run.tensors[given[0]].info.shape:
        return NOTHING
    made = run.tensors[given[0]].op
    shapes = [run.tensors[t].info.shape for t in run.inputs(made)]
    several = bool(shapes and shapes[0]) and shapes[0][0] > 1
    return given[0] if several and "mean" in run.setting(made, "reduction") and made.node is not None else NOTHING


def _weighted(run: Run, probability: int, losses: set[int]) -> int:
    """The step at which a loss, or its negative, is multiplied by what was made of a probability; NOTHING where none is."""
    for step in (at for loss in losses for at in run.consumers.get(loss, ())):
        event = run.events[step]
        if not isinstance(event, OpRan) or event.op not in run.having("product") & run.having("elementwise"):
            continue
        others = [t for t in run.inputs(event) if t not in losses]
        if len(others) == 1 and probability in run.behind(others[0], most=_NEAR):
            return step
    return NOTHING
