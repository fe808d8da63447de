"""Runs a copy of a program with the changes that a finding brings, under the limits and with the random numbers of the run."""

from __future__ import annotations

import threading

from ...program import Program, ProgramError
from ...program.changes import changed
from ...recording.recording import Recording
from ...sandbox import Control, Limits, run
from ..gradcheck.check import program_of
from ..reason import Edit, Finding
from .judging import NotBetter, judged
from .offered import Untried, keep


def tried(
    recording: Recording,
    finding: Finding,
    limits: Limits = Limits(),  # noqa: B008  (frozen)
    *,
    stop: threading.Event | None = None,
    control: Control | None = None,
) -> Edit | Untried:
    """Try the changes of a finding on a copy of its program. What comes of it is kept with the recording: a fix that is proven
    is the finding's `edit` from then on.

    Args:
        limits: those that the recording was made with.

    Raises:
        Stopped: when `stop` was set meanwhile.
    """
    outcome = _tried(recording, finding, limits, stop, control)
    keep(recording, finding, outcome)
    return outcome


def _tried(
    recording: Recording, finding: Finding, limits: Limits, stop: threading.Event | None, control: Control | None
) -> Edit | Untried:
    before = program_of(recording)
    try:
        program = Program(changed(before.cells, finding.changes), before.name, before.notebook)
    except (ValueError, ProgramError) as error:
        return Untried(f"The changes cannot be made: {error}.")
    if program.cells == before.cells:
        return Untried("The changes leave the program as it is.")
    after = run(program, limits, stop=stop, control=control, seed=recording.seed)
    try:
        return Edit(finding.changes, judged(recording, finding, after))
    except NotBetter as why:
        return Untried(str(why))
