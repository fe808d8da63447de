"""A recording that is still written, followed: what has come since appears, and the moment and the node on show stay."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import streamlit as st

from components.html.markup import tag, text
from components.page import tasks
from components.page.edits import put_text
from components.page.opening import open_file
from components.page.recording_cache import gone
from components.page.state import Page, page
from components.page.task_progress import by_itself
from components.server.render_lock import in_turn
from engine.opening import opened
from engine.program import Program
from engine.recording import Recording
from engine.sandbox.calls import CallError

OFTEN = 2.0
"""Seconds between two looks at the file."""
SHARE = 10
"""How many times as long as reading it takes it is left alone, at least."""


@dataclass
class Following:
    """The file that is followed."""

    path: Path | None = None
    """None when nothing more comes, or something else was put on show."""
    size: int = -1
    """Its bytes when it was read last."""
    shown: Recording | None = None
    due: float = 0.0
    began: float = 0.0
    """When it was read last, by the monotonic clock."""


def follow(path: Path, size: int) -> None:
    """Follow a file of which so many bytes have been read; -1 where nothing could be."""
    following = page().memory(Following)
    following.path, following.size = path, size


def look(p: Page) -> None:
    """Say that a file is followed, and look at it again and again."""
    following = p.memory(Following)
    if following.path is None:
        return

    @st.fragment(run_every=OFTEN)
    @in_turn
    def looking() -> None:
        before = p.opened
        if by_itself():
            tasks.settle()
        _look(p, following)
        if by_itself() and (p.opened is not before or following.path is None or "open" in p.tasks):
            st.rerun()
        name = following.path.name if following.path is not None else ""
        st.html(tag("div", text(f"following {name}"), cls="gt-muted gt-wide", role="status"), width="content")

    looking()


def _look(p: Page, following: Following, now: Callable[[], float] = time.monotonic) -> None:
    """Have the file read if it has grown."""
    if following.path is None or {"follow", "open"} & p.tasks.keys() or now() < following.due:
        return
    if following.shown is None:
        following.shown = p.opened
    elif p.opened is not following.shown:
        following.path = None  # something else is on show
        return
    if following.shown is not None and following.shown.complete:
        following.path = None
        return
    try:
        size = os.stat(following.path).st_size
        if size == following.size:
            return
        data = following.path.read_bytes()
    except OSError:
        return  # it may come yet
    following.size, following.began = size, now()
    if following.shown is None:
        open_file(data, following.path.name)
        return
    work = partial(_read, data, following.path.name)
    tasks.start("follow", "Following", lambda stop: work(), partial(_grown, following), failed=lambda error: None, dims=False)


def _read(data: bytes, name: str) -> Recording:
    content = opened(data, name)
    if not isinstance(content, Recording):
        raise CallError("refused", "it is no recording")
    return content


def _grown(following: Following, recording: Recording) -> None:
    """More of the recording is there: it takes the place of what is on show."""
    p = page()
    before = p.opened
    took = time.monotonic() - following.began
    following.due = time.monotonic() + SHARE * took
    if before is None or before is not following.shown or len(recording.events) < len(before.events):
        return  # something else is on show, or the file was begun anew
    last = p.step is None or p.step >= len(before.events) - 1
    step = len(recording.events) - 1 if last else p.step
    if recording.source != before.source:
        put_text(Program.from_cells(recording.source, story=recording.story), p.name)
    p.opened = following.shown = recording
    p.ran = tuple(recording.source)
    if not p.has_pinned(before):
        gone(before)
    p.step = None
    p.keep = {"run": p.run_id, "step": step, "selected": p.selected, "grown": True}
