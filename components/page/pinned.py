"""The runs that later ones are compared with: one of them at a time, the others are kept to be chosen."""

from __future__ import annotations

from components.page.recording_cache import gone
from components.page.state import Page, page
from engine.recording import Recording

MOST = 5
"""Pinned runs."""
EVENTS = 200_000
"""Events of those that are only kept."""


def pin() -> None:
    """Compare later runs with the one on show; what they were compared with until now is kept."""
    p = page()
    _keep(p)
    p.pins = [pair for pair in p.pins if pair[1] is not p.recording]
    p.pinned, p.pinned_name, p.both = p.recording, p.name, True


def choose(recording: Recording) -> None:
    """Compare with another of the pinned runs."""
    p = page()
    name = next((name for name, other in p.pins if other is recording), None)
    if name is not None:
        _keep(p)
        p.pins = [pair for pair in p.pins if pair[1] is not recording]
        p.pinned, p.pinned_name = recording, name


def unpin() -> None:
    """Let go of the run that is compared with; the one that was pinned before takes its place."""
    p = page()
    let_go, p.pinned = p.pinned, None
    if p.pins:
        p.pinned_name, p.pinned = p.pins.pop(0)
    if let_go is not p.recording:
        gone(let_go)


def unpin_all(p: Page) -> None:
    """Another program is on show: there is nothing to compare it with."""
    p.pinned, p.pins = None, []


def show_both(both: bool) -> None:
    """Whether the graph shows the pinned run too."""
    page().both = both


def _keep(p: Page) -> None:
    if p.pinned is None:
        return
    pins = [(p.pinned_name, p.pinned), *p.pins]
    room = EVENTS
    for at, (_, recording) in enumerate(pins):
        room -= len(recording.events)
        if at >= MOST - 1 or room < 0:
            del pins[at:]
            break
    p.pins = pins
