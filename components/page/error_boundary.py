"""When the page itself fails, or takes too long: a notice that says so and offers a way on, instead of a half-drawn page."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import streamlit as st

from components.server.render_lock import Overdrawn

P = ParamSpec("P")
R = TypeVar("R")

NOTICE = "This part of the page could not be drawn: a mistake of Gradtape's, not of your program's. The program is kept."
TOO_LONG = (
    "This part of the page took longer than a page may take here and was stopped, so that nobody else waits for it. "
    "The program is kept: make it smaller, for example with fewer iterations, or run Gradtape on your own machine."
)


def guarded(
    part: str, on_afresh: Callable[[], None], *, whole: bool = True
) -> Callable[[Callable[P, R]], Callable[P, R | None]]:
    """Have a function that draws `part` of the page show a notice when it fails, and return None; the log gets the traceback.

    Args:
        whole: the turn at drawing is over with it. A smaller part leaves it to the whole to say that it took too long.
    """

    def guard(draw: Callable[P, R]) -> Callable[P, R | None]:
        @wraps(draw)
        def safe(*args: P.args, **kwargs: P.kwargs) -> R | None:
            try:
                return draw(*args, **kwargs)
            except Overdrawn:
                if not whole:
                    raise
                logging.getLogger(__name__).warning("the page's %s took longer than a turn lasts", part)
                notice(TOO_LONG)
            except Exception:
                logging.getLogger(__name__).exception("the page's %s failed", part)
                notice(NOTICE)
            return None

        def notice(words: str) -> None:
            with st.container(key=f"trouble_{part}"):
                st.error(words, icon=":material/build:")
                st.button("Run the program again", key=f"trouble_{part}_run", icon=":material/refresh:", on_click=on_afresh)

        return safe

    return guard
