"""What is under way, else what the last run was."""

from __future__ import annotations

from functools import partial

import streamlit as st

from components.html.markup import tag, text
from components.page import tasks
from components.page.following import Following
from components.page.state import Page
from components.page.task_progress import bar, events
from components.page.thinned import counted

ENDED = {"ok": "ran in", "error": "failed after"}
"""How a run of a status ended, before its time; others were stopped."""


def status(p: Page) -> None:
    """Bars of what is under way, or a line on the last run."""
    with st.container(key="status", horizontal=True, vertical_alignment="center", width="content"):
        if not bars(p):
            st.html(tag("div", *_summary(p), cls="gt-muted gt-summary"), width="content")


def bars(p: Page) -> bool:
    """How far each task is; whether there is any."""
    under_way = [purpose for purpose in p.tasks if purpose not in ("picture", "fix", "follow")]  # those have their own places
    for purpose in under_way:
        task_bar(p, purpose)
    return bool(under_way)


def task_bar(p: Page, purpose: str) -> None:
    """How far a task is, and Cancel."""
    bar(p.tasks[purpose], key=f"task_{purpose}", on_cancel=partial(tasks.cancel, purpose))


def _summary(p: Page) -> list[str]:
    """One line on the last run, in HTML: what can be missed last, where a narrow page leaves it out."""
    if p.opened is not None:
        elsewhere = p.opened.engine if p.opened.engine != "numpy" else ""
        return [
            f"{events(len(p.opened.events))}{counted(p.opened)}",
            text(f" · recorded on {elsewhere[:60]}") if elsewhere else "",
            "" if p.opened.complete or p.memory(Following).path is not None else " · cut",
        ]
    if p.result is None:
        return []
    recording = p.result.recording
    held = f"{events(len(recording.events))}{counted(recording)}" if recording is not None else events(0)
    edited = "edited since · " if p.dirty else ""
    took = f"{edited}{ENDED.get(p.result.status, 'stopped after')} {p.result.seconds * 1000:,.0f} ms"
    return [took, tag("span", f" · {held} · engine NumPy", cls="gt-wide")]
