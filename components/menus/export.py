"""The Save menu: the run as a picture, as data, as a program or as a replay, each made when its button is pressed.

A file is made while the page goes on (`components/page/saving.py`). When it is there, the page has a hidden button,
which the browser presses by itself: that fetches the file, and the page keeps nothing of it.
"""

from __future__ import annotations

import re
import secrets
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import streamlit as st

from components.browser.component_loader import inline, sent
from components.html.markup import tag, text
from components.network.file import PYVIS
from components.replay import REPLAY
from engine.export import FORMATS, Format

GROUPS = {
    "picture": "Picture of this step",
    "data": "Data",
    "program": "Program",
    "replay": "To show and to pass on",
}
COLUMNS = 3
WIDTH = 420

KEPT_MB = 128
"""What waits to be fetched, all visitors together; beyond it the oldest goes, but never the newest."""

_lock = threading.Lock()


@dataclass(eq=False)
class File:
    """A file that was made and waits to be fetched, once."""

    data: bytes | None
    name: str
    mime: str
    id: str = field(default_factory=lambda: secrets.token_hex(6))

    def fetched(self) -> bytes:
        """The bytes; from then on they are the browser's."""
        with _lock:
            data, self.data = self.data, None
            if self in _waiting:
                _waiting.remove(self)
        return data or b""


_waiting: deque[File] = deque()


def to_fetch(data: bytes, name: str, mime: str) -> File:
    """A file for the browser to fetch."""
    file = File(data, name, mime)
    with _lock:
        _waiting.append(file)
        while len(_waiting) > 1 and sum(len(waiting.data or b"") for waiting in _waiting) > KEPT_MB << 20:
            _waiting.popleft().data = None
    return file


def save_menu(recorded: bool, on_save: Callable[[Format], None], *, key: str) -> None:
    """Buttons for all formats; without a recording (`recorded`) there is the program alone."""
    with st.container(key=key, border=False, width=WIDTH):
        for group, label in GROUPS.items():
            formats = [format for format in (*FORMATS.values(), PYVIS, REPLAY) if format.group == group]
            if not recorded:
                formats = [format for format in formats if format.name == "py"]
            if not formats:
                continue
            st.html(tag("div", text(label), cls="gt-label"))
            for start in range(0, len(formats), COLUMNS):
                for column, format in zip(st.columns(COLUMNS, gap="small"), formats[start : start + COLUMNS], strict=False):
                    with column:
                        st.button(
                            format.label, key=f"{key}_{format.name}", help=format.about.capitalize(), on_click=on_save,
                            args=(format,), width="stretch",
                        )  # fmt: skip


def hand_over(files: Sequence[File], *, key: str) -> None:
    """Have the browser fetch the files that are there."""
    waiting = [file for file in files if file.data is not None]
    with st.container(key=key):
        for file in waiting:
            st.download_button(file.name, file.fetched, file.name, file.mime, key=f"{key}_{file.id}", on_click="ignore")
        _component()(data=sent({"press": [f"{key}_{file.id}" for file in waiting]}), key=f"{key}_press")


_component = inline("fetch", Path(__file__).parent / "fetch.js")


def file_name(name: str, format: Format) -> str:
    """A title or a file's name in letters, digits and hyphens, with the format's ending."""
    return stem(name) + format.suffix


def stem(name: str) -> str:
    """The same without an ending; "run" where no letter is left."""
    bare = re.sub(r"\.(py|ipynb|gradtape)$", "", name)
    return "-".join(re.findall(r"\w+", bare.lower(), flags=re.ASCII)) or "run"
