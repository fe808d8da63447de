"""The room on the screen is the visitor's: how wide program and panel are, which of them are closed, the graph alone, the size
of the text, light or dark. The browser does all of it by itself and remembers it; Python only says where its controls stand.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from components.browser.component_loader import inline, sent


def space() -> None:
    """Have what the browser remembers hold from the page's beginning."""
    _component()(data=sent({"kind": "page"}), key="space")


def splitter(part: Literal["program", "panel"]) -> None:
    """What stands between the graph and a part beside it: drawn or moved with arrows it makes that part wider or narrower. Put
    it at the end of the column left of it."""
    _component()(data=sent({"kind": "splitter", "part": part}), key=f"splitter_{part}")


def focus_button() -> None:
    """A button that leaves the graph alone on the page, and brings the rest back."""
    _component()(data=sent({"kind": "focus"}), key="space_focus")


def display_settings() -> None:
    """Everything about it in one place."""
    _component()(data=sent({"kind": "display"}), key="space_display")


_component = inline("space", Path(__file__).parent / "space.js")
