"""The panel beside the graph, and the tabs to choose it by."""

from __future__ import annotations

from typing import Any

import streamlit as st

from components.html.markup import heading, tag
from components.page import controls
from components.page.checking import check_by_itself
from components.page.error_boundary import guarded
from components.page.runs import run_program
from components.page.state import Page
from components.page.task_progress import again
from components.panels import TRY, Beside, of_findings, panels
from engine.diagnosis import findings
from engine.diagnosis.findings import LONG, known_findings
from engine.recording import Recording


def panel(p: Page, recording: Recording, step: int) -> dict[str, Any] | None:
    """The panel that was chosen; returns the marks that it wants over the graph."""
    st.html(heading("Panel"))
    # Streamlit keeps what a control was made with for the whole visit: no function here may hold a recording.
    offered = {name: each for name, each in panels().items() if each.when(recording)}
    st.html(_rows([each.order < TRY for each in offered.values()]))
    told = _told_panel(p)
    if told in offered:
        controls.put("panel_tab", told)
    chosen = controls.chosen("panel_tab", p.panel)
    first = chosen if chosen in offered else next(iter(offered))
    shown = st.segmented_control(
        "Panel", list(offered), default=None if told in offered else first, key="panel_tab", required=True,
        label_visibility="collapsed", format_func={name: each.title(recording) for name, each in offered.items()}.__getitem__,
    )  # fmt: skip
    p.panel = shown or first
    at = step if offered[p.panel].timed else None
    # The player's `times.js` says when it is behind.
    st.html(tag("span", cls="gt-unseen", data_gt_told=p.run_id, data_gt_at=at))
    return guarded("panel", run_program, whole=False)(offered[p.panel].draw)(Beside(recording, step, p))


def without_graph(p: Page, recording: Recording) -> None:
    """What was found in a run that has made no tensor, where its graph would stand, with the fixes of it."""
    if not findings(recording):
        return
    with st.container(key="found", border=False):
        finding = panels()[of_findings()]
        guarded("panel", run_program, whole=False)(finding.draw)(Beside(recording, max(len(recording.events) - 1, 0), p))


def _rows(looks: list[bool]) -> str:
    """How many tabs stand under Look, the first ones, and how many at most in a row: the style sheet does the rest."""
    first, across = sum(looks), max(sum(looks), len(looks) - sum(looks))
    tabs = ".st-key-panel_tab [role=radiogroup]"
    return f"<style>{tabs} {{ --gt-tabs: {across}; }} {tabs} > button:nth-of-type(n + {first + 1}) {{ order: 3; }}</style>"


def _told_panel(p: Page) -> str:
    """The panel to change to, until the browser's tabs say so, too: the player may ask for a run of the page before they do,
    which comes with the tab of before. Another one is the visitor's choice, and goes before."""
    now = controls.value("panel_tab")
    if p.next_panel and p.left_panel is None:
        p.left_panel = now or p.panel
    if p.next_panel == now or (now is not None and now != p.left_panel):
        p.next_panel = ""
    if not p.next_panel:
        p.left_panel = None
    return p.next_panel


def find(recording: Recording) -> None:
    """Look for what is wrong with a run when everything is drawn, and have the page drawn anew, which tells of it. Of a very
    long run only who opens that panel waits for it. Functions of the program's own are checked then, too."""
    if len(recording.events) > LONG:
        return
    if known_findings(recording) is None:
        findings(recording)
        st.rerun()
    if check_by_itself(recording):
        again()
