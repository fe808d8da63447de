"""The numerical check of a backward pass, made while the page goes on."""

from __future__ import annotations

import threading
from functools import partial

from components.page import tasks
from components.page.limits import limits_now
from components.page.state import page
from engine.diagnosis import check_numerically
from engine.diagnosis.gradcheck.check_result import Check
from engine.diagnosis.gradcheck.functions import check_functions, keep, passes_of_functions
from engine.recording import Recording


def check(recording: Recording, number: int) -> None:
    """Check a backward pass numerically; the outcome is kept with the recording."""

    def arrived(outcome: Check) -> None:
        recording.checks[number] = outcome

    limits, done = limits_now(), 0.0

    def work(stop: threading.Event) -> Check:
        return check_numerically(recording, number, limits, stop=stop, progress=tell)

    def tell(share: float) -> None:
        nonlocal done
        done = share

    tasks.start("check", lambda: f"Checking, {done:.0%} done", work, arrived, long=True)


def check_by_itself(recording: Recording) -> bool:
    """Check the Functions whose derivative the program writes down, which nobody has asked for, once for each run; what is
    wrong with one is a finding then. Whether it is done already."""
    result = page().result
    if result is None or result.recording is not recording:
        return False  # the program of a recording that was opened runs only when somebody asks
    looked = "checked by itself" in recording.derived
    if looked or not recording.once("checked by itself", lambda: passes_of_functions(recording)):
        return False

    def work(stop: threading.Event) -> dict[int, Check]:
        return check_functions(recording, stop=stop)

    tasks.start("functions", "Checking custom functions", work, partial(keep, recording), long=True, dims=False)
    return "functions" not in page().tasks
