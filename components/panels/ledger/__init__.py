"""The ledger: the history of each tensor's `.grad`, and the curves of a training run."""

from __future__ import annotations

import streamlit as st

from components.html.ledger_html import ledger_html
from components.html.markup import muted, nothing_yet, tag, text
from components.html.multiples_html import multiples_html
from components.panels import Beside, panel
from components.panels.ledger.charts import curves, ledger_chart
from engine.diagnosis.ledger import ledgers, loss_curve, norm_curves
from engine.graph.rolled_graph import RolledGraph
from engine.recording import Recording
from engine.recording.events import NOTHING

SHOWN = 12
"""Tensors whose ledgers are shown at once."""
CURVES = 3
"""Passes from which on curves say more than tables."""


@panel("Ledger", 30)
def ledger(on: Beside) -> None:
    """What each pass added to a `.grad`."""
    ledger_panel(on.recording, on.step, on.node, on.rolled, key="ledger")


def ledger_panel(recording: Recording, step: int, selected: str | None, rolled: RolledGraph | None = None, *, key: str) -> None:
    """Show the training curves and the ledgers of all tensors that ever get a gradient, the selected one first. Of a rolled run
    every parameter has its own curves."""
    with st.container(key=key, height="stretch", border=False):
        found = ledgers(recording)
        if not found:
            does = "Shows what each backward pass has added to a .grad, and when it was cleared."
            st.html(nothing_yet(does, "No backward pass has filled a .grad in this run."))
            return
        losses, norms = loss_curve(recording), norm_curves(recording)
        small = multiples_html(rolled, step) if rolled is not None else ""
        if small:
            st.html(tag("div", text("each parameter over the iterations"), cls="gt-label") + small)
        if len(losses) >= CURVES:
            st.html(tag("div", text("value of the root at each backward pass"), cls="gt-label"))
            curves(losses, step, "value", key=f"{key}_loss")
        if len(losses) >= CURVES and not small:
            st.html(tag("div", text("norm of .grad after each backward pass"), cls="gt-label"))
            curves(norms, step, "norm", key=f"{key}_norms")
        chosen = int(selected[1:]) if selected and selected.startswith("t") else NOTHING
        order = sorted(found, key=lambda t: (t != chosen, t))
        for position, tensor in enumerate(order[:SHOWN]):
            st.html(ledger_html(recording, step, tensor))
            if position == 0 or tensor == chosen:
                ledger_chart(recording, found[tensor], step, key=f"{key}_chart")
        if len(order) > SHOWN:
            st.html(muted(f"{len(order) - SHOWN} more: select a tensor to see its ledger."))
