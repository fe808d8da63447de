"""What PyTorch refuses with an error about gradients or shapes: the error, explained."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...graph.numbers import shape_text
from ...recording.events import NOTHING
from ..backward_call import receiver
from ..failed_passes import kind_of
from ..failures import FAILURES, failure_of
from ..mends.refusals import accepted
from ..paths import paths_of
from ..reason import Finding
from ..run import Run, finding, key
from .registry import rule

_TARGET = re.compile(r"\s*([A-Za-z_]\w*)")
_ELSEWHERE = frozenset(("loss_not_connected", "backward_of_number", "freed_graph", "in_place_on_saved"))
"""Failures whose cause lies earlier in the run, so that rules of their own look for it."""
KINDS = {failure.code: kind_of(failure) for failure in FAILURES if failure.code not in _ELSEWHERE}


@rule(60, *KINDS.values(), everywhere=True)
def refused(run: Run) -> Iterator[Finding]:
    """An error that is about gradients, explained."""
    if run.raised is None:
        return
    step, event = run.raised
    failure = failure_of(event.message)
    if failure is None or failure.code in _ELSEWHERE:
        return
    tensor, title, name, evidence = NOTHING, failure.title, "", [("error", event.message)]
    if failure.code == "backward_on_vector":
        tensor = receiver(paths_of(run.recording), step)
        shape = run.tensors[tensor].info.shape if tensor != NOTHING else ()
        name = run.title(tensor) if tensor != NOTHING else ""
        title = (
            f"{name or 'The result'} has {shape_text(shape)} elements, and backward() without an argument needs a single one."
        )
        evidence = [("shape", str(list(shape)))]
    elif failure.code.startswith("in_place_on") and (target := _TARGET.match(run.segment(run.site(step)))):
        tensor = run.named_at(target[1], step)
        name = target[1] if tensor != NOTHING else ""
        if name and failure.code == "in_place_on_leaf":
            title = f"{name} is a leaf that requires grad, and is written in place while operations are recorded."
    yield finding(
        run, KINDS[failure.code], title, failure.explanation, failure.remedy(name),
        step=step,
        related=[run.site(run.tensors[tensor].born)] if tensor != NOTHING else [],
        evidence=evidence,
        nodes=[key(tensor)] if tensor != NOTHING else [],
        changes=accepted(run, failure.code, step, event.message, name),
    )  # fmt: skip
