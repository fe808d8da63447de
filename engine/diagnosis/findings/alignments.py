"""A rule about the loss that adds up the probabilities of alignments, of what it takes for probabilities."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...recording.events import NOTHING, Site
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

CTC_OF_SCORES = Kind("ctc_of_scores", "warning", "ctc_loss is given scores or probabilities instead of log-probabilities.")

_FAR_FROM_ONE = 0.05
"""How far from 1 the sum of probabilities is that are none; rounding in half precision brings it less far."""


@rule(283, CTC_OF_SCORES)
def ctc_of_scores(run: Run) -> Iterator[Finding]:
    """At most time steps the exponentials of the classes do not sum to 1."""
    told: set[Site | None] = set()
    for step, event in run.ops_of(["ctc_loss"]):
        log_probs = run.argument(event, "log_probs")
        values = run.values(log_probs, step) if log_probs != NOTHING else None
        if values is None or not values.size or run.site(step) in told:
            continue
        sums = np.exp(values.astype(np.float64)).sum(-1)
        if not float(np.median(np.abs(sums - 1))) > _FAR_FROM_ONE:
            continue
        told.add(run.site(step))
        given = run.beneath_views(log_probs)
        yield finding(
            run, CTC_OF_SCORES, "ctc_loss is given no log-probabilities.",
            "It adds up the probabilities of all alignments, and takes exp of what it is given for the probabilities of the "
            f"classes: at a time step these sum to {float(np.median(sums)):.4g} here, not to 1. So the loss can become "
            "negative and falls as the scores grow; its gradient takes log_softmax for granted, and is not its slope.",
            "Apply log_softmax(-1) to the scores first.",
            step=step, related=[run.site(run.tensors[given].born)],
            evidence=[("input", f"{run.title(given)} = {run.texts.describe(run.status(given, step).array)}")],
            nodes=[key(given), *(key(info.id) for info in event.outputs)],
        )  # fmt: skip
