"""The tour: five moments of the default example that show how gradients add up, each with two sentences and its nodes marked.

It plays in the browser alone: a moment is a step and a selection of the player's, as any link of the page has them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from components.packaged import sent
from components.tour.moments import Moment, moments

__all__ = ["Moment", "Place", "moments", "tour"]

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Place:
    """Where somebody who has taken the tour may go on."""

    label: str
    address: str


def tour(stops: Sequence[Moment], *, key: str, started: int, places: Sequence[Place] = ()) -> None:
    """Offer the tour on a first visit, and play it when asked for.

    Args:
        stops: none when the program on show is not the tour's; an open tour closes then.
        started: counts how often it was asked for; a higher number starts it anew.
        places: what to look at afterwards.
    """
    data = {"stops": [asdict(stop) for stop in stops], "started": started, "places": [asdict(place) for place in places]}
    _component()(data=sent(data), key=key)


@cache
def _component() -> Callable[..., Any]:
    return st.components.v2.component(
        "gradtape_tour",
        js=(HERE / "tour.js").read_text(encoding="utf-8"),
        css=(HERE / "tour.css").read_text(encoding="utf-8"),
        isolate_styles=False,
    )
