"""What Streamlit tells the browser of the theme with every run, worked out once.

Each run of the page, and of a part of it, begins with a message that holds the theme. Streamlit goes through all its settings
six times for it, which takes 5 ms, as long as drawing a panel. Settings do not change while a page is served.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Any

from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session

from components.server.around import put_around

NAME = "_populate_theme_msg"
"""What fills in a section of the theme there: `(message, section)`."""


def remember_theme() -> None:
    """Have each section of the theme worked out once for all runs; without effect on a Streamlit that does it otherwise."""
    put_around(app_session, NAME, remembered)


def remembered(work_out: Callable[..., None]) -> Callable[..., None]:
    """The same function, which asks for each section once."""

    @cache
    def told(section: str) -> CustomThemeConfig:
        message = CustomThemeConfig()
        work_out(message, section)
        return message

    @wraps(work_out)
    def fill_in(message: Any, section: str = "theme") -> None:
        if (known := told(section)).ByteSize():
            message.MergeFrom(known)

    return fill_in
