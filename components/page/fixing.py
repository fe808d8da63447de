"""Fixes that are tried for the findings on show: by themselves where programs are the visitor's own, on demand where they are
strangers'."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from components.html.diagnosis_html import FINDINGS
from components.page import tasks
from components.page.limits import limits_now
from components.page.state import page
from engine.diagnosis import Finding, findings
from engine.diagnosis.fixes import to_try, tried
from engine.diagnosis.fixes.offered import count_tried
from engine.limits import FIXES
from engine.recording import Recording
from engine.sandbox.settings import settings

PURPOSE = "fix"


def left(recording: Recording) -> int:
    """How many fixes may still be tried for the findings of a run."""
    return max(FIXES.value(settings().hosted) - count_tried(recording), 0)


def by_itself(recording: Recording) -> bool:
    """Whether fixes of a run are tried without being asked for: it is one of the visitor's own, on a machine of one's own."""
    return page().opened is None and not settings().hosted


def can_be_tried(recording: Recording, finding: Finding) -> bool:
    """Whether a finding brings changes that may be tried now."""
    return bool(to_try(recording, [finding])) and left(recording) > 0


def untried(recording: Recording) -> list[Finding]:
    """The findings on show whose changes are tried without being asked for."""
    return to_try(recording, findings(recording)[:FINDINGS])[: left(recording)]


def try_fixes(recording: Recording, among: Sequence[Finding], patience: float | None = None) -> None:
    """Try the changes that findings bring; what is proven is kept with the recording. The page waits so many seconds for it."""
    wanted = to_try(recording, among)[: left(recording)]
    if not wanted or PURPOSE in page().tasks:
        return
    limits, done = limits_now(), 0

    def work(stop: threading.Event) -> None:
        nonlocal done
        for finding in wanted:
            tried(recording, finding, limits, stop=stop)
            done += 1

    def told() -> str:
        return f"Trying what mends it, {done + 1} of {len(wanted)}" if len(wanted) > 1 else "Trying what mends it"

    tasks.start(PURPOSE, told, work, lambda _: None, long=True, dims=False, patience=patience)
