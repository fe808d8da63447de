"""The ledger: the history of a tensor's `.grad`, and the curves of a training run."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components.html.markup import moment, muted, section, table, tag, text
from components.panels.ledger.charts import curves, ledger_chart
from engine.diagnosis.ledger import Entry, ledgers, loss_curve, norm_curves
from engine.graph.shown.numbers import ArrayTexts
from engine.recording import Recording, replay
from engine.recording.events import NOTHING

SHOWN = 12
"""Tensors whose ledgers are shown at once."""
ROWS = 60
"""Rows of one ledger: the ones around the current step."""
CURVES = 3
"""Passes from which on curves say more than tables."""


def ledger(recording: Recording, step: int, selected: str | None, *, key: str) -> None:
    """Show the training curves and the ledgers of all tensors that ever get a gradient, the selected one first."""
    with st.container(key=key, height="stretch", border=False):
        found = ledgers(recording)
        if not found:
            st.html(tag("div", text("No backward pass has filled a .grad in this run."), cls="gt-empty"))
            return
        losses, norms = loss_curve(recording), norm_curves(recording)
        if len(losses) >= CURVES:
            st.html(tag("div", text("value of the root at each backward pass"), cls="gt-label"))
            curves(losses, step, "value", key=f"{key}_loss")
            st.html(tag("div", text("norm of .grad after each backward pass"), cls="gt-label"))
            curves(norms, step, "norm", key=f"{key}_norms")
        chosen = int(selected[1:]) if selected and selected.startswith("t") else NOTHING
        order = sorted(found, key=lambda t: (t != chosen, t))
        for place, tensor in enumerate(order[:SHOWN]):
            st.html(ledger_html(recording, step, tensor))
            if place == 0 or tensor == chosen:
                ledger_chart(recording, found[tensor], step, key=f"{key}_chart")
        if len(order) > SHOWN:
            st.html(muted(f"{len(order) - SHOWN} more: select a tensor to see its ledger."))


def ledger_html(recording: Recording, step: int, tensor: int) -> str:
    """One tensor's ledger under its name."""
    return section(ledger_table(recording, ledgers(recording)[tensor], step), label=f"{_name(recording, tensor, step)}.grad")


def _name(recording: Recording, tensor: int, step: int) -> str:
    now, final = replay(recording, step), replay(recording, len(recording.events) - 1)
    return (now.tensor(tensor).name if tensor in now else "") or final.tensor(tensor).name or "a tensor"


def ledger_table(recording: Recording, entries: Sequence[Entry], step: int) -> str:
    """One ledger as a table: what happened, on which line, what it added, and `.grad` after it. Rows after `step` are pale;
    a click on a row's first cell goes to its moment."""
    texts = ArrayTexts(recording)

    def shown_as(array: int) -> str:
        """The elements of a small array, the norm of a larger one."""
        whole = texts(array)
        length = texts.norm(array)
        return f"‖{length:.4g}‖" if whole.startswith("mean") and length is not None else whole

    shown, left_out = _around(entries, step)
    body = []
    for entry in shown:
        kind = "gt-now" if entry.step == step else "gt-later" if entry.step > step else ""
        adds = "+" + shown_as(entry.increment) if entry.increment != NOTHING else ""
        total = shown_as(entry.total) if entry.total != NOTHING else "None"
        body.append(
            (
                kind,
                [moment(entry.step, entry.label), text(entry.line or ""), tag("span", text(adds), cls="gt-adds"), text(total)],
            )
        )
    note = muted(f"{left_out} rows more") if left_out else ""
    if any("‖" in cell for _, cells in body for cell in cells):
        note += muted("‖ ‖ is the Euclidean norm of a larger array")
    return table(["event", "line", "adds", ".grad"], body) + note + _accumulated(entries)


def _around(entries: Sequence[Entry], step: int) -> tuple[Sequence[Entry], int]:
    """At most ROWS entries, with those around the step among them, and how many were left out."""
    if len(entries) <= ROWS:
        return entries, 0
    now = sum(e.step <= step for e in entries)
    first = min(max(now - ROWS // 2, 0), len(entries) - ROWS)
    return entries[first : first + ROWS], len(entries) - ROWS


def _accumulated(entries: Sequence[Entry]) -> str:
    """A note under a ledger whose passes add up."""
    passes = sum(e.kind == "backward" for e in entries)
    cleared = any(e.kind in ("cleared", "assigned") for e in entries)
    return muted("never cleared between passes: gradients add up") if passes > 1 and not cleared else ""
