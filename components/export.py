"""The Save menu: the run as a picture, as data, as a program or as a replay, each made when its button is pressed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import streamlit as st

from components.html import tag, text
from components.replay import REPLAY
from engine.export import FORMATS, Format, Options
from engine.export.programs import script
from engine.recording import Recording

GROUPS = {
    "picture": "Picture of this step",
    "data": "Data",
    "program": "Program",
    "replay": "To show and to pass on",
}
COLUMNS = 3
WIDTH = 420


def save_menu(
    recording: Callable[[], Recording | None], source: Sequence[str], look: Callable[[], Options], *, name: str, key: str
) -> None:
    """Buttons for all formats. `recording` and `look` are asked when a button is pressed: by then the player may have moved on.

    `source` is the program as it stands in the editors, which the script is made of; `name` begins the files' names.
    """
    made = recording() is not None
    with st.container(key=key, border=False, width=WIDTH):
        for group, label in GROUPS.items():
            formats = [format for format in (*FORMATS.values(), REPLAY) if format.group == group]
            if not made:
                formats = [format for format in formats if format.name == "py"]
            if not formats:
                continue
            st.html(tag("div", text(label), cls="gt-label"))
            for start in range(0, len(formats), COLUMNS):
                for column, format in zip(st.columns(COLUMNS, gap="small"), formats[start : start + COLUMNS], strict=False):
                    with column:
                        _button(format, recording, source, look, name=name, key=f"{key}_{format.name}")


def _button(
    format: Format,
    recording: Callable[[], Recording | None],
    source: Sequence[str],
    look: Callable[[], Options],
    *,
    name: str,
    key: str,
) -> None:
    def data() -> bytes:
        run = recording()
        if format.name == "py" or run is None:
            return script(source).encode()
        return format.make(run, look())

    st.download_button(
        format.label, data, f"{_file_name(name)}{format.suffix}", format.mime, key=key, help=format.about.capitalize(),
        on_click="ignore", width="stretch",
    )  # fmt: skip


def _file_name(name: str) -> str:
    """A title or a file's name in letters, digits and hyphens."""
    stem = re.sub(r"\.(py|ipynb|gradtape)$", "", name)
    return "-".join(re.findall(r"\w+", stem.lower(), flags=re.ASCII)) or "run"
