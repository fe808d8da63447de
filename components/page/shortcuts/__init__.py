"""What works all over the page: the sheet of keys behind "?", copying with a click, and the short ways for the keyboard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from components.browser.component_loader import inline, sent


def shortcuts(keys: Mapping[str, Sequence[tuple[str, str]]], *, key: str) -> None:
    """Set it up; `keys` are the sheet's groups of keys and what they do."""
    _component()(data=sent({"keys": [[title, [list(row) for row in rows]] for title, rows in keys.items()]}), key=key)


_component = inline("shortcuts", Path(__file__).parent / "shortcuts.js")
