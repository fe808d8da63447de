"""The numerical check by itself: for Functions whose derivative the program writes down, which nobody else has checked."""

from __future__ import annotations

import threading

from ...limits import CHECKED_PASSES, CHECKED_SECONDS
from ...recording.recording import Recording
from ...sandbox.transport.messages import Limits
from ..custom_functions import deliberate, functions_of, ran_in
from ..failed_passes import failure
from ..paths import paths_of
from .check import check_numerically
from .check_result import Check


def passes_of_functions(recording: Recording) -> list[int]:
    """The backward passes to check: for every Function of the program's own the first that went through it and came to its end.
    Those that have been checked are left out."""
    paths = paths_of(recording)
    run = paths.run
    wanted = set(functions_of(paths))
    found: list[int] = []
    for entry in run.passes if wanted else ():
        here = {maker.op for _, maker, _ in ran_in(run, entry) if not deliberate(run, maker)} & wanted
        if here and not failure(run, entry):
            wanted -= here
            found.append(entry.number)
    return [number for number in found[: CHECKED_PASSES.value()] if number not in recording.checks]


def check_functions(
    recording: Recording,
    limits: Limits = Limits(seconds=CHECKED_SECONDS.value()),  # noqa: B008  (frozen)
    *,
    stop: threading.Event | None = None,
) -> dict[int, Check]:
    """The outcomes of checking the Functions of a run's program, which runs again for that in the sandbox, by pass.

    Raises:
        Stopped: when `stop` was set meanwhile.
    """
    return {number: check_numerically(recording, number, limits, stop=stop) for number in passes_of_functions(recording)}


def keep(recording: Recording, outcomes: dict[int, Check]) -> None:
    """Keep outcomes with the recording, where the findings look for them."""
    recording.checks.update(outcomes)
    if outcomes:
        recording.derived.pop("findings", None)
