"""The run that later ones are compared with."""

from __future__ import annotations

from components.page.state import page


def pin() -> None:
    """Compare later runs with the one on show."""
    p = page()
    p.pinned, p.pinned_name, p.both = p.recording, p.name, True


def unpin() -> None:
    """Compare no more."""
    page().pinned = None


def show_both(both: bool) -> None:
    """Whether the graph shows the pinned run too."""
    page().both = both
