"""Files of what is on show, made while the page goes on and handed to the browser when they are done."""

from __future__ import annotations

import threading
from typing import Any

import streamlit as st

from components.menus.export import file_name, to_fetch
from components.page import tasks
from components.page.state import Page, page
from components.replay.making import MADE_HERE, REPLAYED
from engine.export import Format, Options
from engine.export.isolated import FILE, make_file, sentence
from engine.sandbox.calls import CallError


def save(format: Format) -> None:
    """Make a file of what is on show, and hand it to the browser when it is done."""
    p = page()
    recording = p.recording if format.name != "py" else None
    source, options = tuple(p.edited), on_show(p, st.context.theme.type == "dark")
    name = file_name(p.name, format)
    by = REPLAYED if format.name in MADE_HERE else FILE
    label, done = f"{format.label} file" if format.group != "replay" else format.label.lower(), 0.0
    if recording is None and format.name != "py":
        return
    p.notice = ""

    def work(stop: threading.Event) -> bytes:
        return make_file(format.name, recording, options, source, by=by, stop=stop, tell=tell)

    def tell(share: float) -> None:
        nonlocal done
        done = share

    def arrived(data: bytes) -> None:
        p.files = [*(file for file in p.files if file.data is not None), to_fetch(data, name, format.mime)]

    def failed(error: CallError) -> None:
        p.notice = sentence(error, label, by)

    tasks.start(
        f"save {format.name}",
        lambda: f"Making the {label} · {done:.0%}",
        work,
        arrived,
        failed=failed,
        dims=False,
    )


def on_show(p: Page, dark: bool) -> Options:
    """What the player shows now, for a picture of it."""
    view: Any = p.view
    direction: Any = p.direction
    recording = p.recording
    step = p.step if recording is not None and p.step is not None and p.step < len(recording.events) else None
    rolled = recording is not None and p.rolls(recording)
    opened = p.unfolded if rolled else None
    return Options(
        view, direction, step, "dark" if dark else "light", p.name, True, rolled, p.turned if rolled else (), opened,
        p.chosen,
    )  # fmt: skip
