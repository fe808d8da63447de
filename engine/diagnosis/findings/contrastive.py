"""A rule about losses that compare samples with each other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...recording.events import NOTHING, OpRan
from ..mending import argument_at, wrapped
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

SELF_SIMILARITY = Kind(
    "self_similarity", "warning", "Each sample is among its own candidates: its similarity with itself is not left out.",
    mechanical=True,
)  # fmt: skip
_FAR = 5
"""Operations between the similarities and the loss."""


@rule(137, SELF_SIMILARITY)
def self_similarity(run: Run) -> Iterator[Finding]:
    """Scores of all samples with all of the same samples go to cross entropy as they are, and nobody is his own target."""
    for step, event in run.first_ops_of({"nll_loss"}, 1):
        shares, target = run.argument(event, "self"), run.argument(event, "target")
        if NOTHING in (shares, target) or len(run.tensors[shares].info.shape) != 2:
            continue
        found = _similarities(run, shares)
        wanted, values = run.values(target, step), run.values(shares, step)
        if found is None or wanted is None or values is None or wanted.shape != values.shape[:1] or len(wanted) < 4:
            continue
        rows = np.arange(len(wanted))
        if (wanted == rows).any() or (values.argmax(1) == rows).mean() < 0.9:
            continue
        product, samples = found
        site = run.site(step)
        scores = argument_at(run, site, 0, "input")
        text = run.segment(scores) or "scores"
        count = f"len({text})" if text.isidentifier() else str(len(wanted))
        yield finding(
            run, SELF_SIMILARITY,
            f"The loss lets each of {len(wanted)} samples choose itself: its similarity with itself is the largest of its row.",
            f"{run.segment(run.site(product)) or 'The product'} at {run.where(product)} compares {run.title(samples)} with "
            "itself. On the diagonal stands each sample with itself, as similar as can be, and no target is there: the loss "
            "cannot become small.",
            f"Leave the diagonal out: {text}.fill_diagonal_(-inf), or masked_fill with torch.eye, before the loss.",
            step=step, site=site, related=[run.site(product)],
            evidence=[("rows whose largest score is their own", f"{(values.argmax(1) == rows).mean():.0%}")],
            nodes=[key(shares), key(samples)],
            changes=wrapped(run, scores, "", f".masked_fill(torch.eye({count}, dtype=torch.bool), float('-inf'))"),
        )  # fmt: skip


def _similarities(run: Run, shares: int) -> tuple[int, int] | None:
    """The step of the product of a matrix with itself that a softmax was given, scaled at most, and the matrix."""
    tensor = shares
    for _ in range(_FAR):
        step, event = run.op_of(tensor)
        given = run.inputs(event)
        if isinstance(event, OpRan) and "matrix_product" in run.traits(event.op) and len(given) == 2:
            left, right = (run.beneath_views(t) for t in given)
            return (step, left) if left == right and given[0] != given[1] else None
        if len(given) != 1 or not {"elementwise", "normalizes", "same_values"} & {*run.traits(event.op)}:
            return None
        (tensor,) = given
    return None
