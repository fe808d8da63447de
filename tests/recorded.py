"""Recordings of programs, for tests."""

from __future__ import annotations

from engine.recording import Recording
from engine.sandbox import Limits, run


def recorded(program: str) -> Recording:
    """What a program records that ends as it should, or with an error of its own."""
    result = run(program, Limits(seconds=120))
    assert result.status in ("ok", "error"), result.error
    assert result.recording is not None
    return result.recording
