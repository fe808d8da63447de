"""The graph with its timeline, and the controls of how it is drawn."""

from __future__ import annotations

import streamlit as st

from components.html.markup import heading, tag, text
from components.page import controls, pictures
from components.page.pictures import Late, drawn_apart, drawn_here
from components.page.recording_cache import on_show
from components.page.selection import select, translated
from components.page.state import Page
from components.page.status import task_bar
from components.player import GraphState, graph_view, isolated
from components.player.folds import standing
from components.player.payload import picture_name
from engine.graph.structure.folding import Mode
from engine.recording import Recording

VIEWS = {"tensors": "Tensors and ops", "autograd": "Autograd (grad_fn)"}
FOLDS: dict[Mode, str] = {
    "auto": "Fold: auto", "none": "Unfolded", "loop": "By loop", "module": "By module", "function": "By call",
    "line": "By line",
}  # fmt: skip
DIRECTIONS = {"LR": ":material/arrow_forward:", "TB": ":material/arrow_downward:"}


def graph(p: Page, recording: Recording) -> GraphState:
    """The graph below its controls."""
    st.html(heading("Graph"))
    with st.container(key="views", horizontal=True, vertical_alignment="center"):
        p.view = st.segmented_control(
            "View", list(VIEWS), format_func=VIEWS.__getitem__, default=controls.chosen("view", p.view), key="view",
            label_visibility="collapsed", required=True,
        )  # fmt: skip
        fold = st.selectbox(
            "Fold", list(FOLDS), format_func=FOLDS.__getitem__, key="fold", label_visibility="collapsed", width=132,
            help="Which nodes are drawn as one; large graphs are folded by themselves",
        )  # fmt: skip
        if fold != p.fold:
            p.fold, p.unfolded = fold, None
        st.space("stretch")
        p.direction = st.segmented_control(
            "Direction", list(DIRECTIONS), format_func=DIRECTIONS.__getitem__,
            default=controls.chosen("direction", p.direction), key="direction", label_visibility="collapsed", required=True,
            help="Draw the graph from left to right or from top to bottom",
        )  # fmt: skip
    return player(p, recording)


def player(p: Page, recording: Recording) -> GraphState:
    """The graph with its timeline."""
    on_show(recording)
    if (there := translated(recording, p.selected, p.view)) != p.selected:
        select(there)
    pinned = p.pinned if p.both and p.pinned is not recording else None
    run = p.run_id if pinned is None else f"{p.run_id} {id(pinned)}"
    pictures.unfold(recording, picture_name(run, p.view, p.direction, p.fold), controls.told("player", "folds"))
    holds = controls.told("player", "holds")
    late: Late
    under_way = st.container(key="drawing")  # there even when it is empty: the player below must not move
    if isolated.wanted(recording):
        with under_way:
            picture = _apart(p, recording, pinned, run)
        if picture is None:
            step = len(recording.events) - 1 if p.step is None else min(p.step, len(recording.events) - 1)
            return GraphState(step, p.selected)
        data, late = picture.data(), picture.late()
    else:
        data, late = drawn_here(p, recording, pinned, run, holds)
    shown = graph_view(
        {**data, "cmd": p.command, "keep": p.keep}, key="player", height="stretch",
        selected=p.selected, overlay=p.overlay, holds=holds, late=late,
    )  # fmt: skip
    p.step, p.selected = shown.step, shown.selected
    if pinned is None:
        p.selected = standing(recording, p.view, p.fold, p.unfolded, shown.selected)
    return shown


def _apart(p: Page, recording: Recording, pinned: Recording | None, run: str) -> isolated.Picture | None:
    """A picture that another process draws; until it is there the last one of this recording, if there was one."""
    picture, last = drawn_apart(recording, pinned, isolated.Wish(p.view, p.direction, run, p.fold, p.unfolded))
    if picture is None:
        with st.container(horizontal=True, vertical_alignment="center"):
            if "picture" in p.tasks:
                task_bar(p, "picture")
            else:
                st.html(tag("div", text(p.undrawn or "This picture was not drawn."), cls="gt-note"), width="content")
                st.button("Draw it", key="draw_again", on_click=pictures.draw_again)
    return picture or last
