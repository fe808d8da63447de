"""The formulas of a backward step, set with symbols and with this run's numbers."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components.html.formulas_html import (
    MOST,
    PassEdge,
    contributions_at,
    counted,
    edge_title,
    edges_on_show,
    heading,
    steps_html,
    total_html,
)
from components.html.markup import muted
from engine.recording import Recording

LONGEST = 4_000
"""Characters of LaTeX that are set."""
SMALL = r"\small "
"""The panel is narrow."""


def formulas(recording: Recording, step: int, selected: str | None, *, key: str) -> None:
    """Show the formulas of the backward step at `step`, or of the selected node's or leaf's last one up to it."""
    into, edges = edges_on_show(recording, step, selected)
    if not edges:
        return
    with st.container(key=key, border=False):
        element = _picker(recording, edges, key)
        shown = contributions_at(recording, edges, element)
        count = counted(edges, shown)
        st.html(heading(recording, into, shown, count))
        for k, c in enumerate(shown[:MOST]):
            with st.container(key=f"{key}_{k}", border=False, gap=None):
                st.html(edge_title(recording, c))
                for latex in filter(None, (c.symbols, c.numbers)):
                    if len(latex) > LONGEST:
                        st.html(muted(f"A formula of {len(latex):,} characters is too long to be set."))
                    else:
                        st.latex(SMALL + latex, width="stretch")
                st.html(steps_html(c))
        if count > MOST:
            st.html(muted(f"and {count - MOST} more"))
        if into and count > 1:
            st.html(total_html(recording, into, shown, count, edges[0][1]))


def _picker(recording: Recording, edges: Sequence[PassEdge], key: str) -> tuple[int, ...] | None:
    """Which element to show where there are too many; None where there is nothing to choose."""
    large = [c for c in contributions_at(recording, edges, None) if c.chosen]
    if not large:
        return None
    shape = recording.arrays[large[0].array].shape
    chosen: list[int] = []
    name = f"{key}_{'_'.join(str(n) for n in edges[0])}_{'x'.join(map(str, shape))}"
    with st.container(horizontal=True, key=f"{key}_element"):
        for axis, size in enumerate(shape):
            chosen.append(
                int(
                    st.number_input(
                        f"Element, axis {axis}", 0, size - 1, large[0].element[axis], 1, key=f"{name}_{axis}", width=110
                    )
                )
            )
    return tuple(chosen)
