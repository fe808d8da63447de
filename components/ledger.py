"""The ledger: the history of one tensor's `.grad`."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components.html import muted, section, table, tag, text
from engine.graph.numbers import ArrayTexts
from engine.recording import LedgerRow, Recording, replay
from engine.recording.events import NOTHING


def ledger(recording: Recording, step: int, selected: str | None, *, key: str) -> None:
    """Show the ledgers of all tensors that ever get a gradient, the selected one first."""
    with st.container(key=key, height="stretch", border=False):
        st.html(ledger_html(recording, step, selected))


def ledger_html(recording: Recording, step: int, selected: str | None) -> str:
    """The ledgers as HTML; rows after `step` are pale."""
    state = replay(recording, step)
    final = replay(recording, len(recording.events) - 1)
    chosen = int(selected[1:]) if selected and selected.startswith("t") else NOTHING
    parts = []
    for t in sorted(final.tensors, key=lambda t: (t != chosen, t)):
        rows = final.ledger(t)
        if rows:
            name = (state.tensor(t).name if t in state else "") or final.tensor(t).name or "a tensor"
            parts.append(section(ledger_table(recording, rows, step), label=f"{name}.grad"))
    if not parts:
        return tag("div", text("No backward pass has filled a .grad in this run."), cls="gt-empty")
    return "".join(parts)


def ledger_table(recording: Recording, rows: Sequence[LedgerRow], step: int) -> str:
    """One ledger as a table: what happened, on which line, what it added, and `.grad` after it."""
    texts = ArrayTexts(recording)
    body = []
    for row in rows:
        kind = "gt-now" if row.step == step else "gt-later" if row.step > step else ""
        event = f"backward {row.number}" if row.kind == "backward" else row.kind
        adds = "+" + texts(row.increment) if row.increment != NOTHING else ""
        total = texts(row.total) if row.total != NOTHING else "None"
        body.append((kind, [text(event), text(row.line or ""), tag("span", text(adds), cls="gt-adds"), text(total)]))
    return table(["event", "line", "adds", ".grad"], body) + _cleared(rows)


def _cleared(rows: Sequence[LedgerRow]) -> str:
    passes = sum(row.kind == "backward" for row in rows)
    others = any(row.kind != "backward" for row in rows)
    return muted("never cleared between passes: gradients add up") if passes > 1 and not others else ""
