"""Runs a copy of a program with the changes that a finding brings, under the limits and with the random numbers of the run."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable

from ...program import Program, ProgramError
from ...recording.events import Site
from ...recording.recording import Recording
from ...sandbox import Control, Limits, RunResult, run
from ..gradcheck.check import program_of
from ..reason import Edit, Finding, Longer
from .judging import CLOSE, LargerLoss, NotBetter, Place, judged, losses
from .lengthening import lengthened
from .offered import Untried, changed_program, keep, of_own_text
from .places import Places

SMALL = 50_000
"""Events up to which a run is small: those of a second or two."""


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
    if not of_own_text(recording, finding):
        return Untried("The changes are in a module, and only the program's own text is mended.")
    before = program_of(recording)
    try:
        program = before.with_cells(changed_program(recording, finding.changes))
    except (ValueError, ProgramError) as error:
        return Untried(f"The changes cannot be made: {error}.")
    if program.cells == before.cells:
        return Untried("The changes leave the program as it is.")

    def ran(what: Program) -> RunResult:
        return run(what, limits, stop=stop, control=control, seed=recording.seed)

    after = ran(program)
    try:
        return Edit(finding.changes, judged(recording, finding, after))
    except LargerLoss as why:
        longer = _longer(recording, finding, why.place, min(limits.seconds / max(after.seconds, 1e-3), 1e6), ran)
        return Untried(str(why)) if longer is None else Edit(finding.changes, judged(recording, finding, after, longer))
    except NotBetter as why:
        return Untried(str(why))


def _longer(
    recording: Recording, finding: Finding, place: Place, room: float, ran: Callable[[Program], RunResult]
) -> Longer | None:
    """The losses of the two programs with a loop that turns more often, where those with the changes are no larger: both may
    have come to the same minimum.

    `room` is how often the run would fit into its limits; how long a small one took says nothing on a machine that is busy.
    """
    places = Places(recording.source, finding.changes)
    known = losses(recording, places).get(place, [])
    line = next((line for line in range(1, place[1] + 1) if places.lines(Site(place[0], line, 0, line, 0))[0] == place[1]), 0)
    more, times = lengthened(recording, line, len(known))
    if not more or (times > room and times * len(recording.events) > SMALL):
        return None
    before, what = program_of(recording), []
    for changes in (more, [*more, *finding.changes]):
        try:
            program = before.with_cells(changed_program(recording, changes))
        except (ValueError, ProgramError):
            return None
        what.append(ran(program))
    old, new = (result.recording for result in what)
    if old is None or new is None or what[1].status != "ok":
        return None
    before_now, after_now = losses(old, places).get(place, []), losses(new).get(place, [])
    steps = min(len(before_now), len(after_now))
    last = max(steps // 4, 1)
    if steps <= len(known):
        return None
    was, now = (sum(values[steps - last : steps]) / last for values in (before_now, after_now))
    good = math.isfinite(now) and (not math.isfinite(was) or now <= was + CLOSE * abs(was))
    return Longer(steps, last, was, now) if good else None
