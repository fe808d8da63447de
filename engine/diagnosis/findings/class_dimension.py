"""A rule about losses that take another dimension for that of the classes."""

from __future__ import annotations

from collections.abc import Iterator

from ...graph.numbers import shape_text
from ...recording.events import NOTHING, Site
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

CLASSES_IN_LAST = Kind(
    "classes_in_last",
    "warning",
    "cross_entropy takes dimension 1 for the classes, and a Linear layer has put them into the last one.",
)

_LINEAR = "Linear"


@rule(282, CLASSES_IN_LAST)
def classes_in_last(run: Run) -> Iterator[Finding]:
    """What a loss for positions takes comes straight from a Linear layer, (batch, positions, classes), and nothing fails, as
    there are as many positions as classes."""
    told: set[Site | None] = set()
    scopes = run.recording.scopes
    for step, event in run.ops_of(["log_softmax"]):
        given = run.argument(event, "self")
        dim = next((a.text for a in event.inputs if a.name == "dim"), "")
        shape = run.tensors[given].info.shape if given != NOTHING else ()
        if len(shape) != 3 or dim != "1" or shape[1] != shape[2] or run.site(step) in told:
            continue
        made = run.tensors[given].op
        if made.scope < 0 or scopes[made.scope].module_class != _LINEAR or not _is_for_positions(run, event.outputs[0].id):
            continue
        told.add(run.site(step))
        yield finding(
            run, CLASSES_IN_LAST,
            f"The loss takes dimension 1 of {shape_text(shape)} for the classes, which is that of the positions.",
            f"Scores for each position are expected as (batch, classes, positions). {run.title(given)} comes from "
            f"{scopes[made.scope].module or 'a Linear layer'} ({run.where(run.tensors[given].born)}), whose outputs are the "
            f"last dimension: (batch, positions, classes). Nothing fails, as both are {shape[1]}; but the softmax goes over "
            "the positions.",
            f"Exchange them, {run.title(given)}.transpose(1, 2), or flatten batch and positions of scores and targets.",
            step=step, related=[run.site(run.tensors[given].born)], nodes=[key(given), key(event.outputs[0].id)],
            evidence=[("scores", shape_text(shape))],
        )  # fmt: skip


def _is_for_positions(run: Run, tensor: int) -> bool:
    """Whether log-probabilities go, rearranged at most, into a loss with a target for each position."""
    queue = [tensor]
    for each in queue:
        for at in run.consumers.get(each, ()):
            event = run.events[at]
            op = getattr(event, "op", "")
            if op.startswith("nll_loss"):
                return True
            if op in run.having("same_values") and len(queue) < 8:
                queue += [info.id for info in event.outputs]  # type: ignore[union-attr]
    return False
