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
    if p.recording is not None:
        _keep(p, p.recording)
        compare_with(p.recording, p.name)
        p.both = True


def compare_with(recording: Recording, name: str) -> None:
    """Compare with this run instead of the one of before."""
    p = page()
    p.pinned, p.pinned_name = recording, name


def choose(number: int, instead_of: int) -> None:
    """Compare with another of the pinned runs, counted from 0, which is the one that is compared with now.

    Args:
        instead_of: the `id()` of the run that was compared with when this was chosen: a choice that is told late, or again,
            counts another list, and is none.
    """
    p = page()
    if id(p.pinned) == instead_of and 0 < number <= len(p.pins):
        name, recording = p.pins[number - 1]
        _keep(p, recording)
        compare_with(recording, name)


def unpin() -> None:
    """Let go of the run that is compared with; the one that was pinned before takes its place."""
    p = page()
    let_go, p.pinned = p.pinned, None
    if p.pins:
        p.pinned_name, p.pinned = p.pins.pop(0)
    if let_go is not p.recording and not p.has_pinned(let_go):
        gone(let_go)


def unpin_all(p: Page) -> None:
    """Another program is on show: there is nothing to compare it with."""
    p.pinned, p.pins = None, []


def show_both(both: bool) -> None:
    """Whether the graph shows the pinned run too."""
    page().both = both


def _keep(p: Page, other: Recording) -> None:
    """Keep what is compared with until now, as far as there is room; `other` takes its place."""
    now = [] if p.pinned is None else [(p.pinned_name, p.pinned)]
    kept: list[tuple[str, Recording]] = []
    room = EVENTS
    for name, recording in [*now, *p.pins]:
        if recording is other:
            continue
        room -= len(recording.events)
        if len(kept) == MOST - 1 or room < 0:
            break
        kept.append((name, recording))
    p.pins = kept
