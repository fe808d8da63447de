"""The graph with its timeline, and the controls of how it is drawn."""

from __future__ import annotations

import streamlit as st

from components.html.markup import heading, tag, text
from components.page import controls, pictures, rolling
from components.page.pictures import Late, drawn_apart, drawn_here, rolled_here, rolled_news_for
from components.page.recording_cache import on_show
from components.page.selection import select, translated
from components.page.state import Page
from components.page.status import task_bar
from components.player import GraphState, graph_view, isolated
from components.player.folds import standing
from components.player.payload import picture_name
from engine.graph.rolled_view import rolled_view
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
            p.fold, p.unfolded, p.rolled = fold, None, None
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
    rolling.heed(recording, controls.told("player", "rolled"))
    if (there := translated(recording, p.selected, p.view)) != p.selected:
        select(there)
    pinned = p.pinned if p.both and p.pinned is not recording else None
    run = p.run_id if pinned is None else f"{p.run_id} {id(pinned)}"
    name = picture_name(run, p.view, p.direction, rolling.fold_of(p, recording))
    pictures.unfold(recording, name, controls.told("player", "folds"))
    holds = controls.told("player", "holds")
    late: Late
    under_way = st.container(key="drawing")  # there even when it is empty: the player below must not move
    news = rolled_news_for(p, recording, run, holds)
    if news is not None:
        data, late = news, {}
    elif isolated.wanted(recording):
        with under_way:
            picture = _apart(p, recording, pinned, run)
        if picture is None:
            step = len(recording.events) - 1 if p.step is None else min(p.step, len(recording.events) - 1)
            return GraphState(step, p.selected)
        data, late = picture.data(), picture.late()
    elif p.rolls(recording):
        data, late = rolled_here(p, recording, run), {}
    else:
        data, late = drawn_here(p, recording, pinned, run, holds)
    view = rolling.view_of(p, recording)
    keep = p.keep if p.keep is None or view is None else {**p.keep, "selected": rolling.card(view, p.keep["selected"])}
    shown = graph_view(
        {**data, "cmd": p.command, "keep": keep}, key="player", height="stretch",
        selected=p.selected if view is None else rolling.card(view, p.selected),
        overlay=p.overlay if view is None else rolling.marks(view, p.overlay), holds=holds, late=late,
    )  # fmt: skip
    p.step, p.selected = shown.step, shown.selected
    if view is not None:
        p.selected = rolling.chosen(p, view, shown.selected, shown.step)
    elif pinned is None:
        p.selected = standing(recording, p.view, p.fold, p.unfolded, shown.selected)
    return shown


def wish(p: Page, recording: Recording, run: str) -> isolated.Wish:
    """The picture that another process is to draw."""
    if p.rolls(recording):
        window = rolling.window_of(p, rolled_view(recording, p.view, p.turned), run)
        return isolated.Wish(p.view, p.direction, run, p.fold, p.unfolded, True, p.turned, window, p.name)
    return isolated.Wish(p.view, p.direction, run, p.fold, p.unfolded)


def _apart(p: Page, recording: Recording, pinned: Recording | None, run: str) -> isolated.Picture | None:
    """A picture that another process draws; until it is there the last one of this recording, if there was one."""
    picture, last = drawn_apart(recording, pinned, wish(p, recording, run))
    if picture is None:
        with st.container(horizontal=True, vertical_alignment="center"):
            if "picture" in p.tasks:
                task_bar(p, "picture")
            else:
                st.html(tag("div", text(p.undrawn or "This picture was not drawn."), cls="gt-note"), width="content")
                st.button("Draw it", key="draw_again", on_click=pictures.draw_again)
    return picture or last
