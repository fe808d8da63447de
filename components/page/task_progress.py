"""Work under way: the page goes on answering while a program runs, and a bar shows the time or the place in the queue, and
Cancel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.runtime import exists, get_instance
from streamlit.runtime.scriptrunner import get_script_run_ctx

from components.html.markup import tag, text
from components.server.render_lock import in_turn, turn_given_away
from engine.sandbox import Control, Limits
from engine.sandbox.calls import CallError
from engine.serving.pool import Ticket

SOON, OFTEN, SELDOM = 0.1, 0.5, 2.0
"""Seconds between two looks at what has just begun, at what runs or is next, and at what waits further back."""
LINGER, FRESH = 0.4, 3.0
"""Seconds that a look waits for the result, so that the page need not wait for the next look, and how long it is worth that:
the looks follow one another as closely meanwhile, for what ends between two of them is seen by the next."""
NEAR = 2
"""Positions in the queue that count as next."""


def events(count: int) -> str:
    """So many events, in words."""
    return f"{count:,} event{'s' * (count != 1)}"


def _left_alone(result: Any) -> None:
    """What takes the result of what nobody waits for any more."""


@dataclass
class Task:
    """Something that the page waits for."""

    what: str | Callable[[], str]
    """What is being done, as the bar says it: "Running"."""
    ticket: Ticket[Any]
    arrived: Callable[[Any], None]
    """Takes the result."""
    limits: Limits | None = None
    """What it may use at most."""
    control: Control | None = None
    """How far it is, and what lets it be ended so that it keeps what it has."""
    failed: Callable[[CallError], None] | None = None
    """Takes why a call ended without a result."""
    dims: bool = True
    """Whether what is on show is about to be replaced."""

    def release(self) -> None:
        """Let go of what was worked on: the bar that showed it stays with Streamlit for a while."""
        self.arrived, self.failed = _left_alone, None
        self.ticket.release()

    @property
    def words(self) -> str:
        """How far it is."""
        position = self.ticket.position
        what = self.what if isinstance(self.what, str) else self.what()
        if position:
            return f"Waiting · place {position}"
        if self.limits is None or self.control is None:
            return f"{what} · {self.ticket.seconds:.1f} s"
        return f"{what} · {self.ticket.seconds:.1f} of {self.limits.seconds:g} s · {events(self.control.events)}"

    @property
    def share(self) -> float | None:
        """How much of its limits it has used, from 0 to 1; None if that is not known."""
        if self.limits is None or self.control is None or self.ticket.position:
            return None
        return min(max(self.ticket.seconds / self.limits.seconds, self.control.events / self.limits.events), 1.0)

    @property
    def can_stop(self) -> bool:
        """Whether there is something that it could keep."""
        return self.control is not None and not self.control.halt.is_set() and not self.ticket.position


def present() -> Callable[[], bool]:
    """A function that tells whether this visitor's page is still open."""
    context = get_script_run_ctx()
    if context is None or not exists():
        return lambda: True
    runtime, session = get_instance(), context.session_id
    return lambda: runtime.is_active_session(session)


def by_itself() -> bool:
    """Whether a fragment is being drawn alone, not with the whole page."""
    context = get_script_run_ctx()
    return context is not None and bool(context.fragment_ids_this_run)


def again() -> None:
    """Draw a fragment anew: by itself, or with the page when it is being drawn with the page, which Streamlit wants told
    apart."""
    st.rerun(scope="fragment" if by_itself() else "app")


def bar(task: Task, *, key: str, on_cancel: Callable[[], None]) -> None:
    """Show how far a task is, until it has finished; then the page is drawn anew. What is shown of the last run is dimmed."""

    often = _between_looks(task)

    @st.fragment(run_every=often)
    @in_turn
    def look() -> None:
        if by_itself() and task.ticket.seconds < FRESH:
            with turn_given_away():
                task.ticket.done.wait(LINGER)
        if task.ticket.finished or (by_itself() and often == SOON and _between_looks(task) != SOON):
            st.rerun()
        with st.container(key=key, horizontal=True, vertical_alignment="center", width="content"):
            dimmed = f"<style>{DIMMED}</style>" if task.dims else ""
            st.html(f"{dimmed}{_how_far(task)}", width="content")
            if task.can_stop and task.control is not None:
                st.button(
                    "Stop", key=f"{key}_stop", on_click=task.control.halt.set, help="Stop, and show what was recorded until now"
                )
            st.button("Cancel", key=f"{key}_cancel", on_click=on_cancel, help="Stop, and go on with what is shown")

    look()


def _between_looks(task: Task) -> float:
    """Seconds from one look at a task to the next: a fragment keeps those that it was drawn with."""
    if task.ticket.position > NEAR:
        return SELDOM
    return SOON if not task.ticket.position and task.ticket.seconds < FRESH else OFTEN


def _how_far(task: Task) -> str:
    share = task.share
    words = tag("div", text(task.words), cls="gt-running", role="status")
    if share is None:
        return words
    return tag("div", words, tag("progress", value=f"{share:.3f}", max=1, aria_label="used of its limits"), cls="gt-far")


DIMMED = (
    ".stApp :is(.st-key-graph, .st-key-panel, .st-key-console, .st-key-headline button) "
    "{ opacity: 0.55; transition: opacity 0.2s 0.15s; }"
)
