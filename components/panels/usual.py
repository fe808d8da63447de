"""The panels that came first: each gives a part of the page what it takes of the recording and of the visitor's page."""

from __future__ import annotations

from typing import Any

import streamlit as st

from components.html.group_html import group_panel
from components.html.inspector_html import inspector
from components.html.markup import shortened
from components.page import state
from components.page.task_progress import again
from components.panels import Beside, panel
from components.panels.check import check_panel
from components.panels.compare import compare_panel
from components.panels.findings import badge, findings_panel
from components.panels.ledger import ledger
from components.panels.sweep import sweep_panel
from components.panels.tensors import tensors
from components.panels.whatif import whatif
from components.player.folds import folding
from engine.graph.graph_view import whole


@panel("Inspector", 10)
def inspected(on: Beside) -> None:
    """The inspector, which shows a node that only the pinned run has as it was at that run's end."""
    p, recording = on.page, on.recording
    if p.selected is not None and p.selected.startswith("g:"):
        groups = folding(recording, p.view, p.fold)
        group_panel(recording, whole(recording, p.view), groups, p.selected[2:], on.step, key="inspector")
    elif p.selected is None or not p.selected.startswith("b"):
        inspector(recording, on.step, p.selected, key="inspector")
    elif p.pinned is not None:
        st.html('<div class="gt-muted">Only in the pinned run, shown at its end.</div>')
        inspector(p.pinned, len(p.pinned.events) - 1, p.selected[1:], key="inspector")


@panel("Findings", 20, label=badge)
def found(on: Beside) -> None:
    """What is wrong or odd about the run."""
    findings_panel(on.recording, key="findings")


@panel("Ledger", 30)
def added_up(on: Beside) -> None:
    """What each pass added to a `.grad`."""
    ledger(on.recording, on.step, on.node, key="ledger")


@panel("Tensors", 40)
def listed(on: Beside) -> None:
    """The graph as a table."""
    tensors(on.recording, on.step, on.node, on.page.view, key="tensor_table")


@panel("What if", 50)
def varied(on: Beside) -> None:
    """The program's numbers as knobs."""
    p = on.page
    error = p.result.error if p.result is not None else None
    note = shortened(f"line {error.line}: {error.type}: {error.message}", 1_000) if error is not None else ""
    if whatif(p.edited, key="whatif", memory=p.whatif, on_change=state.vary, note=note):
        st.rerun()


@panel("Sweep", 60)
def swept(on: Beside) -> None:
    """The loss over a grid."""
    p = on.page
    sweep_panel(on.recording, key="sweep", memory=p.sweep, session=p.session, on_change=state.vary)


@panel("Check", 70)
def checked(on: Beside) -> dict[str, Any] | None:
    """Gradients against finite differences."""
    recording = on.recording
    under_way = "check" in on.page.tasks
    return check_panel(recording, key="check", under_way=under_way, on_check=lambda n: state.check(recording, n))


@panel("Compare", 80)
def compared(on: Beside) -> None:
    """The run beside the pinned one; the node of a row that was just chosen is selected.

    A row stays chosen in its table while other nodes are clicked.
    """
    p, memory = on.page, on.memory("Compare")
    chosen = compare_panel(
        p.pinned, on.recording, key="compare", name=p.pinned_name, both=p.both, on_pin=state.pin,
        on_unpin=state.unpin, on_both=state.show_both,
    )  # fmt: skip
    if chosen == memory.get("row"):
        return
    memory["row"] = chosen
    if chosen is not None and chosen != p.selected:
        state.select(chosen)
        again()
