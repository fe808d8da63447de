"""The tour: five moments of the default example that show how gradients add up, each with two sentences and its nodes marked.

It plays in the browser alone: a moment is a step and a selection of the player's, as any link of the page has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from components.browser.component_loader import inline, sent
from components.tour.moments import Moment, moments

__all__ = ["Destination", "Moment", "moments", "tour"]


@dataclass(frozen=True, slots=True)
class Destination:
    """A link offered at the end of the tour: its label, and the address (a query) it leads to."""

    label: str
    address: str


def tour(stops: Sequence[Moment], *, key: str, started: int, destinations: Sequence[Destination] = ()) -> None:
    """Offer the tour on a first visit, and play it when asked for.

    Args:
        stops: none when the program on show is not the tour's; an open tour closes then.
        started: counts how often it was asked for; a higher number starts it anew.
        destinations: what to look at afterwards.
    """
    data = {"stops": [asdict(stop) for stop in stops], "started": started, "destinations": [asdict(to) for to in destinations]}
    _component()(data=sent(data), key=key)


_component = inline("tour", Path(__file__).parent / "tour.js", isolate_styles=False)
