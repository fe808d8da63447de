"""When the page itself fails: a notice that says so and offers a way on, instead of a half-drawn page."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import streamlit as st

P = ParamSpec("P")

NOTICE = "This part of the page could not be drawn: a mistake of Gradtape's, not of your program's. The program is kept."


def guarded(part: str, on_afresh: Callable[[], None]) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Have a function that draws `part` of the page show a notice when it fails; the log gets the traceback."""

    def guard(draw: Callable[P, None]) -> Callable[P, None]:
        @wraps(draw)
        def safe(*args: P.args, **kwargs: P.kwargs) -> None:
            try:
                draw(*args, **kwargs)
            except Exception:
                logging.getLogger(__name__).exception("the page's %s failed", part)
                with st.container(key=f"trouble_{part}"):
                    st.error(NOTICE, icon=":material/build:")
                    st.button("Run the program again", key=f"trouble_{part}_run", icon=":material/refresh:", on_click=on_afresh)

        return safe

    return guard
