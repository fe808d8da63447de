"""What was found about the very thing that somebody asks about, and says more of its cause than the answer: it leads."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import msgspec

from ..recording.events import NOTHING
from ..recording.index import index_of
from ..recording.recording import Recording
from .answers.codes import NEUTRAL
from .findings.catalogue import every_kind
from .findings.refusals import PROGRAM_ERROR
from .paths import paths_of
from .reason import Finding, Reason

_ABOVE = 60
"""Results between a loss and what is found on the way to it."""
_BEHIND = 2_000
"""Tensors behind a loss among which the leaves are that learn by it."""
_UNTRACKED = ("cut_no_grad", "cut_inference")
"""Answers about what is only measured: what was found at the lines that it was computed at says more of its value."""
_NOT_DOWN = ("loss_wanders", "loss_constant")
"""Answers that a loss does not go down, which what is wrong with what learns explains."""


def concerning(recording: Recording, reason: Reason, found: Iterable[Finding]) -> Finding | None:
    """The first finding that explains what was asked, an error or a warning, or a hint at the line that was asked about; None
    before the moment at which it shows.

    An answer that is but a fact is explained by what was found about its tensor, or about what its line made in another
    iteration, one about a result also by what was found at the line that made it, one about a gradient that is in order by
    what was found on the way that it came; one about a line by what was found there, or by what names the line as well, if
    that ended the program or the line recorded nothing; one about what is only measured, or about a loss, also by what was
    found on the way to it; one about a loss that does not go down by what was found about what learns. That a tensor has no
    graph because the program took it out of one is such a fact, too: it may be meant, and a finding about it says more. An
    answer that says itself that something is wrong stands by itself, unless the finding's kind says that it `answers` such,
    and is about the same tensor or line; of a line that failed, what explains the exception leads.

    Args:
        found: the findings about the run that are known, in their order.
    """
    shown = [finding for finding in found if finding.step <= reason.step]
    grave = [finding for finding in shown if finding.grave]
    ended = next((each for each in grave if each.ends and each.rule != PROGRAM_ERROR.id), None)
    if reason.code == "line_failed":
        return ended
    if reason.code in ("line_ran", "line_not_run"):
        at_line = next((each for each in (*grave, *shown) if _same_line(each, reason)), None)
        # A line that recorded nothing is known only by what names it.
        naming = [*([ended] if ended is not None else []), *(grave if reason.moment == NOTHING else ())]
        return next((each for each in naming if _beside(each, reason)), None) if at_line is None else at_line
    if reason.tensor == NOTHING:
        return None
    cut = reason.code.startswith("cut_")
    asked = {_place(recording, each) for each in (reason.tensor, paths_of(recording).run.beneath_views(reason.tensor))}
    measured = _lines_behind(recording, reason.tensor) if reason.code in _UNTRACKED and not reason.wrong else set()
    of_loss = reason.code.startswith("loss_")
    if of_loss:
        asked |= _on_the_way(recording, reason.tensor)
    if reason.code in NEUTRAL and not reason.wrong:
        asked |= {_place(recording, int(key[1:])) for key in reason.nodes if key.startswith("t") and _is_result(recording, key)}
    if reason.code in _NOT_DOWN:
        asked |= _learning(recording, reason.tensor)
    for finding in grave:
        tensors = [int(key[1:]) for key in finding.nodes if key.startswith("t")]
        if reason.wrong and not cut:
            if _answers(finding, reason) and (reason.tensor in tensors or _same_line(finding, reason)):
                return finding
        elif (
            reason.tensor in tensors
            or (not reason.wrong and _is_about(recording, tensors, asked))
            or ((of_loss or reason.code == "not_retained") and not reason.wrong and _same_line(finding, reason))
            or _line(finding) in measured
        ):
            return finding
    return None


def beneath(reason: Reason, leading: Finding | None) -> Reason:
    """What is left to say of an answer above which a finding stands: one that something is wrong is explained and mended by
    that; where a gradient is cut off is said all the same."""
    if leading is None or not reason.wrong:
        return reason
    said = reason.code.startswith("cut_") and reason.explanation not in leading.explanation
    return msgspec.structs.replace(reason, explanation=reason.explanation if said else "", fix="")


def _answers(finding: Finding, reason: Reason) -> bool:
    kind = every_kind().get(finding.rule)
    return kind is not None and reason.code in kind.answers


def _same_line(finding: Finding, reason: Reason) -> bool:
    """Whether both name one line as the cause."""
    a, b = finding.site, reason.site
    return a is not None and b is not None and (a.cell, a.line) == (b.cell, b.line)


def _beside(finding: Finding, reason: Reason) -> bool:
    """Whether a finding names the line of an answer beside its own."""
    site = reason.site
    return site is not None and any((each.cell, each.line) == (site.cell, site.line) for each in finding.related)


def _is_about(recording: Recording, tensors: Iterable[int], asked: Collection[object]) -> bool:
    return any(_place(recording, each) in asked or _born(recording, each) in asked for each in tensors)


def _is_result(recording: Recording, key: str) -> bool:
    return index_of(recording).tensors[int(key[1:])].info.node != NOTHING


def _born(recording: Recording, tensor: int) -> object:
    """The line that made a tensor, which another iteration's leaf has in common with it."""
    return "born", index_of(recording).tensors[tensor].op.site


def _place(recording: Recording, tensor: int) -> object:
    """The line and operation that made a result, which another iteration's has in common with it; a leaf is itself alone."""
    history = index_of(recording).tensors[tensor]
    if history.info.node == NOTHING or history.op.site < 0:
        return tensor
    return history.op.site, history.op.op, history.info.output


def _lines_behind(recording: Recording, tensor: int) -> set[tuple[int, int]]:
    """The lines that made what a tensor was computed from."""
    run = paths_of(recording).run
    sites = (run.site(run.tensors[each].born) for each in run.behind(tensor, most=_ABOVE))
    return {(site.cell, site.line) for site in sites if site is not None}


def _line(finding: Finding) -> tuple[int, int] | None:
    return (finding.site.cell, finding.site.line) if finding.site is not None else None


def _learning(recording: Recording, tensor: int) -> set[object]:
    """The leaves that require grad and a loss was computed from, by where they were made."""
    run = paths_of(recording).run
    leaves = (each for each in run.behind(tensor, most=_BEHIND, learned=True) if run.tensors[each].info.is_leaf)
    return {place for each in leaves for place in (each, _born(recording, each))}


def _on_the_way(recording: Recording, tensor: int) -> set[object]:
    """The places of the nearest results that a loss was computed from; of leaves and data none."""
    run = paths_of(recording).run
    queue, seen = [tensor], {tensor}
    for each in queue:
        for source in run.inputs(run.tensors[each].op):
            if source not in seen and len(seen) <= _ABOVE and run.tensors[source].info.node != NOTHING:
                seen.add(source)
                queue.append(source)
    return {_place(recording, each) for each in seen}
