"""Recordings of real runs, each made once."""

from __future__ import annotations

from functools import cache

from components.menus.gallery import examples
from engine.recording import Recording
from engine.sandbox import run


@cache
def recorded(name: str) -> Recording:
    """An example's run."""
    recording = run(examples()[name].text).recording
    assert recording is not None
    return recording


NAMES = tuple(examples())
