"""The visual builder: builds a computation with mouse or keyboard, as lines of readable PyTorch in the program's text.

The text is the only truth: every button makes a new text, and what can be chosen comes from the run of the old one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from components.builder.change import change_panel
from components.builder.gradient import gradient_panel
from components.builder.leaf import leaf_panel
from components.builder.operation import operation_panel
from components.builder.picked import Picked
from components.builder.work import Change, Work, explain, note
from engine.program.edits import RefusedError
from engine.program.edits.operands import Operand, operands
from engine.program.edits.parsed import Parsed
from engine.recording import Recording

__all__ = ["Picked", "builder"]

PANELS = {"Leaf": leaf_panel, "Operation": operation_panel, "Gradient": gradient_panel, "Change": change_panel}
MOST = 6
"""Operands of one operation."""


def builder(
    text: str,
    recording: Recording | None,
    selected: int | None,
    picked: Picked,
    *,
    run: str,
    on_change: Change,
    on_undo: Callable[[], None],
    on_redo: Callable[[], None],
    can_undo: bool,
    can_redo: bool,
    error: str = "",
) -> None:
    """Offer what can be built onto the program `text`.

    Args:
        selected: the tensor that is selected in the graph, proposed to go on with.
        picked: what the builder remembers between runs of the script.
        run: names the run that `recording` is of.
        on_change: gets the new text, and the names to go on with.
        error: what stopped the last run, if anything did.
    """
    _history(on_change, on_undo, on_redo, can_undo, can_redo)
    try:
        Parsed(text)
    except RefusedError as refused:
        explain(str(refused))
        return
    if error:
        explain(f"The program stops there, and lines below are not reached: {error}")
    found = operands(recording, text)
    if picked.run != run:
        proposal = next((each.id for each in found if each.id == selected), found[0].id if found else None)
        picked.propose(run, [] if proposal is None else [proposal])
    kind = st.segmented_control(
        "Build", list(PANELS), default="Leaf", key="build_kind", label_visibility="collapsed", required=True
    )
    chosen = _chosen(found, picked) if kind == "Operation" else [each for id in picked.ids for each in found if each.id == id]
    if kind == "Operation" and not found:
        note("Add a leaf first.")
        return
    PANELS[kind](Work(text, recording, found, chosen, picked.rev, on_change))


def _history(
    on_change: Change, on_undo: Callable[[], None], on_redo: Callable[[], None], can_undo: bool, can_redo: bool
) -> None:
    with st.container(horizontal=True, key="build_history"):
        if st.button("Undo", key="build_undo", disabled=not can_undo, icon=":material/undo:", help="Take back the last change"):
            on_undo()
            st.rerun()
        if st.button("Redo", key="build_redo", disabled=not can_redo, icon=":material/redo:", help="Make it again"):
            on_redo()
            st.rerun()
        if st.button(
            "New", key="build_new", icon=":material/note_add:", help="Start with an empty program; Undo brings this one back"
        ):
            on_change("import torch\n", [])
            st.rerun()


def _chosen(operands: Sequence[Operand], picked: Picked) -> list[Operand]:
    """The operands: clicked in the graph, or from a list."""
    by_id = {each.id: each for each in operands}
    ids = st.multiselect(
        "Tensors (click them in the graph)", list(by_id), [id for id in picked.ids if id in by_id], max_selections=MOST,
        key=f"build_operands_{picked.rev}", format_func=lambda tensor: by_id[tensor].label,
    )  # fmt: skip
    if ids != picked.ids:
        picked.ids = list(ids)
    return [by_id[id] for id in ids]
