"""Components with a frontend of our own: bundles in a `build` folder beside their Python, single scripts, and what they get.

Streamlit is loaded when a page is drawn: what is sent to a frontend can be made in processes that have none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec


def packaged(name: str, build: Path) -> Callable[[], Callable[..., Any]]:
    """A function that gives the component `name`, whose bundle is `<name>-<hash>.js` in `build`.

    It is declared once, and only when a script runs: its name must be known to the server by then.
    """

    @cache
    def declared() -> Callable[..., Any]:
        import streamlit as st
        from streamlit.errors import StreamlitAPIException

        try:
            return st.components.v2.component(f"gradtape.{name}", js=f"{name}-*.js")
        except StreamlitAPIException:
            # Not installed as a distribution, so the server does not know the folder: send the same bundle along.
            (bundle,) = build.glob(f"{name}-*.js")
            return st.components.v2.component(f"gradtape_{name}", js=bundle.read_text(encoding="utf-8"))

    return declared


def inline(name: str, script: Path, **options: Any) -> Callable[[], Callable[..., Any]]:
    """A function that gives the component `name`, which is one script, with a style sheet of the same name beside it."""

    @cache
    def declared() -> Callable[..., Any]:
        import streamlit as st

        css = script.with_suffix(".css").read_text(encoding="utf-8")
        return st.components.v2.component(f"gradtape_{name}", js=linked(script), css=css, **options)

    return declared


_IMPORT = re.compile(r"^import \{[^}]*\} from '([^']+)';\n", re.MULTILINE)


def linked(script: Path) -> str:
    """A script with the modules that it imports before it: the browser gets it as one text, which can import nothing."""
    own = script.read_text(encoding="utf-8")
    shared = [(script.parent / path).read_text(encoding="utf-8") for path in _IMPORT.findall(own)]
    return "\n".join([*(re.sub(r"^export ", "", text, flags=re.MULTILINE) for text in shared), _IMPORT.sub("", own)])


def sent(data: Mapping[str, Any]) -> bytes:
    """What a frontend is sent: its JSON as bytes. In a dict Streamlit looks for tables, and loads pandas for it (90 MB)."""
    try:
        return msgspec.json.encode(data)
    except OverflowError:  # an integer of more than 64 bits
        return json.dumps(data).encode()


def ignore() -> None:
    """Streamlit keeps a component's state only if it has a callback; the script reads it from the result instead."""
