"""The answer to why a `.grad` is what it is where the recording does not say."""

from __future__ import annotations

from ...recording.events import NOTHING
from ...recording.index import LedgerRow
from ...recording.levels import iterations_of
from ..reason import Reason
from .grad_query import Question


def not_recorded(q: Question) -> Reason | None:
    """That it is not known, for a `.grad` that came about where the recording had grown thinner; None where it is known."""
    run, recording, rows = q.run, q.run.recording, q.rows
    if _is_known(q):
        return None
    iteration = iterations_of(recording).at(q.step)
    here = f"iteration {iteration:,}" if iteration >= 0 else "what happened there"
    value = "is None" if not rows or rows[-1].total == NOTHING else f"is {run.texts.describe(rows[-1].total)}"
    return Reason(
        tensor=q.tensor,
        step=q.step,
        code="not_recorded",
        title=f"{q.name}.grad {value}; why is not in the recording.",
        explanation=f"There was no room for all of the run, so of {here} it holds no operations, and not all that led there.",
        fix=f"Record {here} whole." if iteration >= 0 else "Raise the limit of events, or shorten the program.",
        moment=rows[-1].step if rows else NOTHING,
        evidence=(("recorded there", recording.level(q.step)),),
    )


def _is_known(q: Question) -> bool:
    """Whether the recording holds all that made a `.grad` what it is."""
    run, rows = q.run, q.rows
    if not rows:
        # A flag says enough.
        return not q.status.requires_grad or run.knows("operations", q.history.born, q.step)
    if rows[-1].kind == "unseen":
        return False
    if rows[-1].total == NOTHING:
        return run.knows("gradients", rows[-1].step, q.step)
    cleared = next((k for k in range(len(rows) - 1, -1, -1) if _clears(q, rows[k])), -1)
    first = rows[min(cleared + 1, len(rows) - 1)]
    if cleared >= 0 and rows[cleared].total != NOTHING and not run.knows("gradients", rows[cleared].step, first.step):
        return False  # it may have been filled and cleared unseen; one that was None and still is would show
    began = run.index.passes[first.number].began if first.number else first.step
    return run.knows("operations", began, q.step)


def _clears(q: Question, row: LedgerRow) -> bool:
    return row.kind != "backward" and (row.total == NOTHING or q.run.zero(row.total))
