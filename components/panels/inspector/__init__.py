"""The inspector: everything that is known of the selected tensor, node or group at the current step."""

from __future__ import annotations

import streamlit as st

from components.html.group_html import group_html, rolled_group_html
from components.html.inspector_html import inspector_html
from components.html.run_html import over_run_html
from components.panels import Beside, panel
from components.panels.inspector.formulas import formulas
from components.panels.inspector.question import question
from engine.graph.rolled_graph import RolledGraph
from engine.graph.unrolled_graph import unrolled_graph
from engine.recording import Recording

KEY = "inspector"


@panel("Inspector", 10)
def inspector(on: Beside) -> None:
    """The selected node; one that only the pinned run has is shown as it was at that run's end."""
    p, recording = on.page, on.recording
    view = on.rolled
    question(recording, on.step, key=f"{KEY}_question")
    if p.selected is not None and p.selected.startswith("g:") and view is not None:
        with st.container(key=KEY, height="stretch", border=False):
            st.html(rolled_group_html(recording, view, p.selected[2:], on.step))
    elif p.selected is not None and p.selected.startswith("g:"):
        whole = unrolled_graph(recording, p.view)
        with st.container(key=KEY, height="stretch", border=False):
            st.html(group_html(recording, whole, whole.groups(p.fold), p.selected[2:], on.step))
    elif p.selected is None or not p.selected.startswith("b"):
        _node(recording, on.step, p.selected, view)
    elif p.pinned is not None:
        st.html('<div class="gt-muted">Only in the pinned run, shown at its end.</div>')
        _node(p.pinned, len(p.pinned.events) - 1, p.selected[1:])


def _node(recording: Recording, step: int, selected: str | None, view: RolledGraph | None = None) -> None:
    """A tensor or a node at `step`, how it goes over the run where that is rolled, and the formulas of what it sent."""
    with st.container(key=KEY, height="stretch", border=False):
        key = view.rolled.key_of.get(selected) if view is not None and selected is not None else None
        more = over_run_html(recording, view, key, step) if view is not None and key is not None else ""
        st.html(inspector_html(recording, step, selected, more))
        formulas(recording, step, selected, key=f"{KEY}_formulas")
