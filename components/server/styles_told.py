"""The page's style sheet is known to be styles without a search through all of it.

Streamlit goes through every text of HTML with two patterns, to see whether it is styles alone. Of the page's style sheet, which
comes first in every run, that takes as long as drawing a panel.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from streamlit.elements import html

from components.server.around import put_around

NAME = "_html_only_style_tags"
"""What tells there whether a text is styles alone: `(text)`."""
BEGIN, END = "<style>", "</style>"


def know_a_style_sheet() -> None:
    """Have one be told from other texts at once; without effect on a Streamlit that asks otherwise."""
    put_around(html, NAME, quickly)


def quickly(look: Callable[[str], bool]) -> Callable[[str], bool]:
    """The same function, which does not search what is one style sheet from its beginning to its end."""

    @wraps(look)
    def only_styles(content: str) -> bool:
        sheet = content.startswith(BEGIN) and content.find(END) == len(content) - len(END)
        return sheet or look(content)

    return only_styles
