"""What works all over the page: the sheet of keys behind "?", copying with a click, and the short ways for the keyboard."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from components.packaged import sent

HERE = Path(__file__).parent


def desk(keys: Mapping[str, Sequence[tuple[str, str]]], *, key: str) -> None:
    """Set it up; `keys` are the sheet's groups of keys and what they do."""
    _component()(data=sent({"keys": [[title, [list(row) for row in rows]] for title, rows in keys.items()]}), key=key)


@cache
def _component() -> Callable[..., Any]:
    return st.components.v2.component(
        "gradtape_desk",
        js=(HERE / "desk.js").read_text(encoding="utf-8"),
        css=(HERE / "desk.css").read_text(encoding="utf-8"),
    )
