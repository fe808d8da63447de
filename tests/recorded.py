"""Recordings of programs, for tests. In a process a program is run once, whoever looks at what it leaves."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import msgspec

from engine.diagnosis.gradcheck.functions import check_functions, keep
from engine.recording import Recording
from engine.recording.events import Printed
from engine.sandbox import Limits, RunResult, run

PATIENT = Limits(seconds=120)


@cache
def ran(program: str, limits: Limits = PATIENT) -> RunResult:
    """A program's run. It belongs to many tests: who changes something about it runs the program anew."""
    return run(program, limits)


@cache
def checked(program: str, limits: Limits = PATIENT) -> RunResult:
    """A program's run, with the outcomes of the checks of its own functions in the recording."""
    result = ran(program, limits)
    if result.recording is None or not (outcomes := check_functions(result.recording)):
        return result
    recording = replace(result.recording)
    keep(recording, outcomes)
    return msgspec.structs.replace(result, recording=recording)


def recorded(program: str) -> Recording:
    """What a program records that ends as it should, or with an error of its own."""
    result = run(program, PATIENT)
    assert result.status in ("ok", "error"), result.error
    assert result.recording is not None
    return result.recording


def printed(recording: Recording) -> str:
    """What the program has written to its output, without its warnings and errors."""
    return "".join(event.text for event in recording.events if isinstance(event, Printed) and event.stream == "stdout")
