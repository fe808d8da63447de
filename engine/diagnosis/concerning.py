"""What was found about the very thing that somebody asks about: where the answer is but a fact, they want to know that."""

from __future__ import annotations

from collections.abc import Iterable

from ..recording.events import NOTHING
from ..recording.index import index_of
from ..recording.recording import Recording
from .reason import Finding, Reason


def concerning(recording: Recording, reason: Reason, found: Iterable[Finding]) -> Finding | None:
    """The first finding, an error or a warning, about the tensor of a reason, or about what its line made in another iteration.

    None where the reason says itself that something is wrong, and before the moment at which a finding shows. That a tensor has
    no graph because the program took it out of one is no such reason: it may be meant, and a finding about it says more.

    Args:
        found: the findings about the run that are known, in their order.
    """
    if reason.tensor == NOTHING or (reason.wrong and not reason.code.startswith("cut_")):
        return None
    asked = _place(recording, reason.tensor)
    for finding in found:
        if not finding.grave or finding.step > reason.step:
            continue
        tensors = [int(key[1:]) for key in finding.nodes if key.startswith("t")]
        if reason.tensor in tensors or (not reason.wrong and any(asked == _place(recording, each) for each in tensors)):
            return finding
    return None


def _place(recording: Recording, tensor: int) -> object:
    """The line and operation that made a result, which another iteration's has in common with it; a leaf is itself alone."""
    history = index_of(recording).tensors[tensor]
    if history.info.node == NOTHING or history.op.site < 0:
        return tensor
    return history.op.site, history.op.op, history.info.output
