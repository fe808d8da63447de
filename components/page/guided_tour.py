"""The tour in the page: on which program it is played, and where it leads."""

from __future__ import annotations

from components.menus.gallery import DEFAULT, examples
from components.page import controls
from components.page.opening import open_example
from components.page.state import Page, page
from components.tour import Destination, Moment, moments, tour

NEXT = ("zeroing_the_gradient", "cutting_the_graph")
"""Examples that go on where the tour ends."""


def guided_tour() -> None:
    """Offer the tour on a first visit, and play it when it was asked for."""
    destinations = [Destination(examples()[name].title, f"?example={name}") for name in NEXT]
    tour(_stops(), key="tour", started=page().tour, destinations=destinations)


def start_tour() -> None:
    """Play the tour, on the example that it belongs to."""
    p = page()
    p.tour += 1
    p.view, p.panel = "tensors", "Inspector"
    for control, value in (("view", p.view), ("panel_tab", p.panel)):
        controls.put(control, value)
    if not _on_tour(p):
        open_example(DEFAULT)


def _stops() -> list[Moment]:
    """The tour's stops in the run on show; none if that is of another program than the tour's."""
    p = page()
    if not _on_tour(p) or p.recording is None:
        return []
    return moments(p.recording)


def _on_tour(p: Page) -> bool:
    return p.ran == (examples()[DEFAULT].text,) and not p.dirty and p.opened is None
