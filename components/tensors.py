"""The table of all tensors: the accessible alternative to the canvas, and a way to select."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from engine.graph.numbers import ArrayTexts
from engine.recording import Recording, replay
from engine.recording.events import NOTHING
from engine.recording.index import index_of


def tensors(recording: Recording, step: int, *, key: str) -> str | None:
    """Show the tensors that exist at `step`; returns the id of the row that was just selected."""
    frame, ids = tensor_frame(recording, step)
    if frame.empty:
        st.html('<div class="gt-empty">No tensor has been made yet at this step.</div>')
        return None
    event = st.dataframe(
        frame,
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key=key,
        height="stretch",
        width="stretch",
    )
    rows = event.selection.rows if event is not None else []
    return ids[rows[0]] if rows and rows[0] < len(ids) else None


def tensor_frame(recording: Recording, step: int) -> tuple[pd.DataFrame, list[str]]:
    """The table and, per row, the id of its node in the graph."""
    state = replay(recording, step)
    texts = ArrayTexts(recording)
    nodes = index_of(recording).nodes
    rows, ids = [], []
    for t in state:
        rows.append(
            {
                "name": t.name or t.op.op,
                "value": texts(t.value),
                "grad": texts(t.grad) if t.grad != NOTHING else "None",
                "shape": str(list(t.info.shape)),
                "dtype": t.info.dtype,
                "requires_grad": t.requires_grad,
                "leaf": t.is_leaf,
                "grad_fn": nodes[t.node].info.name if t.node != NOTHING else "",
                "version": t.version,
                "line": recording.line(t.op) or None,
            }
        )
        ids.append(f"t{t.id}")
    return pd.DataFrame(rows), ids
