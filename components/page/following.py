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
from components.page.opening import open_file, show_recording
from components.page.recording_cache import gone
from components.page.state import Page, page
from components.page.task_progress import by_itself
from components.server.render_lock import in_turn
from engine import limits
from engine.opening import sentence as not_opened
from engine.program import Program
from engine.recording import Recording, RecordingError
from engine.recording.recording import Growth
from engine.sandbox.calls import CallError
from engine.sandbox.settings import settings

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
    growth: Growth | None = None
    """What has been read of it, once it has grown."""
    failed: int = 0
    """How often in a row it could not be read."""


def follow(path: Path, size: int) -> None:
    """Follow a file of which so many bytes have been read; -1 where nothing could be."""
    following = page().memory(Following)
    following.path, following.size, following.growth, following.failed = path, size, None, 0


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
        small = size <= limits.UPLOAD.value(settings().hosted)
        data = following.path.read_bytes() if following.shown is None and small else b""
    except OSError:
        return  # it may come yet
    following.size, following.began = size, now()
    if following.shown is None and small:
        open_file(data, following.path.name)
        return
    # What somebody else's file has is opened in a process of its own; this one the page was started with, and of what comes
    # to it only that is read.
    growth = following.growth = following.growth or Growth(following.path, settings().hosted)
    work, failed = partial(_read, growth), partial(_failed, following)
    tasks.start("follow", "Following", lambda stop: work(), partial(_grown, following), failed=failed, dims=False)


def _read(growth: Growth) -> Recording | None:
    try:
        return growth.read()
    except (OSError, RecordingError) as error:
        raise CallError("refused", str(error)) from None


def _failed(following: Following, error: CallError) -> None:
    """It could not be read: what is being written may be whole at the next look, else nobody looks any more."""
    following.growth = None
    following.failed += 1
    if following.failed > 1 and following.path is not None:
        page().notice = not_opened(error, following.path.name)
        following.path = None


def _grown(following: Following, recording: Recording | None) -> None:
    """More of the recording is there: it takes the place of what is on show."""
    following.failed = 0
    if recording is None:
        return
    p = page()
    before = p.opened
    if before is None and following.shown is None and following.path is not None:
        show_recording(recording, following.path.name, b"", "")
        following.shown = recording
        return
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
