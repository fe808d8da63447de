"""Which findings of a recording have a fix that has been tried, and which are still to be tried; kept with the recording."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from ...program.changes import TextChange, changed
from ...recording.recording import Recording
from ..findings import findings
from ..reason import Edit, Finding


class Untried(msgspec.Struct, frozen=True):
    """Why a finding's changes are not offered as a fix."""

    why: str


def keep(recording: Recording, finding: Finding, outcome: Edit | Untried) -> None:
    """Note what came of trying a finding's changes."""
    _outcomes(recording)[_named(finding)] = outcome


def outcome_of(recording: Recording, finding: Finding) -> Edit | Untried | None:
    """What came of trying a finding's changes, None where nobody has."""
    return _outcomes(recording).get(_named(finding))


def offered(recording: Recording) -> list[Finding]:
    """The findings of a recording, those with a fix that is proven with their `edit`."""
    return [
        msgspec.structs.replace(finding, edit=outcome)
        if isinstance(outcome := outcome_of(recording, finding), Edit)
        else finding
        for finding in findings(recording)
    ]


def not_offered(recording: Recording, finding: Finding) -> str:
    """Why a change that has been tried is no fix, "" where none has been tried, or it is one."""
    outcome = outcome_of(recording, finding)
    return outcome.why if isinstance(outcome, Untried) else ""


def to_try(recording: Recording, among: Iterable[Finding] | None = None) -> list[Finding]:
    """The findings whose changes nobody has tried yet, in their order; none of a run that cannot be run again here."""
    if not can_run_again(recording):
        return []
    found = findings(recording) if among is None else among
    return [f for f in found if f.changes and of_own_text(recording, f) and outcome_of(recording, f) is None]


def of_own_text(recording: Recording, finding: Finding) -> bool:
    """Whether all that a finding changes is the program's own text: a module beside it may be another program's, too."""
    return {change.cell for change in finding.changes}.issubset(recording.own)


def changed_program(recording: Recording, changes: Sequence[TextChange]) -> tuple[str, ...]:
    """The program's own texts with changes made, which are told by all texts of the recording.

    Raises:
        ValueError: for a span outside its text, or two that overlap.
    """
    cells = changed(recording.source, changes)
    return tuple(cells[k] for k in recording.own)


def count_tried(recording: Recording) -> int:
    """For how many findings changes have been tried."""
    return len(_outcomes(recording))


def can_run_again(recording: Recording) -> bool:
    """Whether a recording's program runs here as it ran: on this engine, and its whole text is there."""
    return recording.engine == "numpy" and any(cell.strip() for cell in recording.source)


def _outcomes(recording: Recording) -> dict[Finding, Edit | Untried]:
    return recording.once("fixes", dict[Finding, Edit | Untried])


def _named(finding: Finding) -> Finding:
    return finding if finding.edit is None else msgspec.structs.replace(finding, edit=None)
