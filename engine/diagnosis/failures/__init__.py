"""The errors of programs, each with what it means and what to do.

A failure travels as its text: in the run's error, in the event with which a recording ends, at the end of a pass that broke
off. What explains one (`why`, the findings, the console, the command line) looks it up here, so a saved recording is
explained as well as a run of a moment ago, and the sandbox need not know what its programs' errors mean. Plain data: nothing
else is imported.
"""

from __future__ import annotations

from .failure import Case, Failure, looked_at
from .gradients import GRADIENTS
from .programs import PROGRAMS
from .shapes import SHAPES
from .values import VALUES
from .warnings import WARNINGS

__all__ = [
    "BY_CODE", "FAILURES", "WARNINGS", "Case", "Failure", "code_of", "code_of_warning", "failure_of", "help_with", "looked_at",
]  # fmt: skip

FAILURES = GRADIENTS + SHAPES + VALUES + PROGRAMS
BY_CODE = {failure.code: failure for failure in FAILURES}


def failure_of(message: str, type: str = "") -> Failure | None:
    """The failure that an exception tells of, None for any other error."""
    return next((failure for failure in FAILURES if failure.tells(message, type)), None)


def code_of(message: str, type: str = "") -> str:
    """Its code, "" for any other error."""
    found = failure_of(message, type)
    return found.code if found is not None else ""


def code_of_warning(message: str, category: str) -> str:
    """The code of what a warning tells of, "" for any other one."""
    return next((failure.code for failure in WARNINGS if failure.tells(message, category)), "")


def help_with(message: str, type: str = "") -> str:
    """What to do about an error, "" where nothing is known."""
    found = failure_of(message, type)
    return found.remedy() if found is not None else ""
