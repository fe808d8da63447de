"""The numerical check of a backward pass, made while the page goes on."""

from __future__ import annotations

import threading

from components.page import tasks
from components.page.limits import limits_now
from engine.diagnosis import check_numerically
from engine.diagnosis.gradcheck.check_result import Check
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
