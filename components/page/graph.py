"""The graph with its timeline, and the controls of how it is drawn."""

from __future__ import annotations

import streamlit as st

from components.html.markup import heading, tag, text
from components.menus.export import stem
from components.page import choosing, controls, pictures, rolling
from components.page.recording_cache import on_show
from components.page.selection import carry_over, select, translated
from components.page.space import focus_button
from components.page.state import Page
from components.page.status import task_bar
from components.player import GraphState, feed, isolated, show_player
from components.player.isolated import Picture
from components.player.picture import Wish, view_of
from components.player.protocol import Choices, FoldsWish, Holds, RolledWish, Window, read
from components.server import windows
from engine.diagnosis.contributions import edge_lines
from engine.graph.structure.folding import Mode
from engine.graph.structure.rolled import is_card
from engine.recording import Recording

VIEWS = {"tensors": "Tensors and ops", "autograd": "Autograd (grad_fn)"}
FOLDS: dict[Mode, str] = {
    "auto": "Fold: auto", "none": "Unfolded", "loop": "By loop", "module": "By module", "function": "By call",
    "line": "By line",
}  # fmt: skip
MERGED = "While the graph shows the pinned run too, no card can be hidden or coloured."
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
        focus_button()
    return player(p, recording)


def alone(p: Page, recording: Recording) -> None:
    """The graph with its timeline, by itself."""
    with st.container(key="graph", border=True):
        player(p, recording)


def player(p: Page, recording: Recording) -> GraphState:
    """The graph with its timeline."""
    on_show(recording)
    before = p.rolls(recording)
    rolling.heed(recording, read(controls.told("player", "rolled"), RolledWish))
    if p.rolls(recording) != before:
        carry_over()
    if (there := translated(recording, p.selected, p.view)) != p.selected:
        select(there)
    pinned = p.pinned if p.both and p.pinned is not recording else None
    run = p.run_id if pinned is None else f"{p.run_id} {id(pinned)}"
    if pinned is None:
        seen = view_of(recording, pictures.wish_of(p, recording, run))
        choosing.heed(p, seen, run, read(controls.told("player", "chosen"), Choices))
    pictures.unfold(recording, pictures.wish_of(p, recording, run), read(controls.told("player", "folds"), FoldsWish))
    wish = pictures.wish_of(p, recording, run)
    holds = read(controls.told("player", "holds"), Holds)
    view = view_of(recording, wish)
    rolled = view.rolled
    window = None if rolled is None else rolling.window_of(p, rolled, run)
    under_way = st.container(key="drawing")  # there even when it is empty: the player below must not move
    if isolated.wanted(recording) and not (rolled and feed.has_picture(pictures.drawn_here(p, recording, None, wish), holds)):
        with under_way:
            picture = _apart(p, recording, pinned, wish, window)
        if picture is None:
            step = len(recording.events) - 1 if p.step is None else min(p.step, len(recording.events) - 1)
            return GraphState(step, p.selected)
        parts, address = picture.parts(), None
    else:
        drawn = pictures.drawn_here(p, recording, pinned, wish)
        if rolled is not None and feed.in_parts(recording) and not feed.has_picture(drawn, holds):
            window = rolling.window_on_show(p, rolled, run)
        parts = feed.parts_of(drawn, edge_lines(recording), window)
        address = None if rolled is None else windows.offer(drawn)
    keep = p.keep if p.keep is None or rolled is None else {**p.keep, "selected": rolling.card(rolled, p.keep["selected"])}
    overlay = p.overlay if rolled is None else rolling.marks(rolled, p.overlay)
    fixed = MERGED if pinned is not None else None
    told = feed.message(
        parts, holds, address=address, cmd=p.command, keep=keep, overlay=overlay, fixed=fixed, name=stem(p.name)
    )
    selected = p.selected if rolled is None else rolling.card(rolled, p.selected)
    shown = show_player(told, key="player", height="stretch", selected=selected)
    p.step = shown.step
    if rolled is not None:
        p.selected = rolling.chosen(p, rolled, shown.selected, shown.step)
    elif shown.selected is None or not is_card(shown.selected):  # else the player has the rolled picture still
        p.selected = shown.selected if pinned is not None or shown.selected is None else view.stand(shown.selected)
    return GraphState(shown.step, p.selected, "sketch" in told)


def _apart(p: Page, recording: Recording, pinned: Recording | None, wish: Wish, window: Window | None) -> Picture | None:
    """A picture that another process draws; until it is there the last one of this recording, if there was one."""
    picture, last = pictures.drawn_apart(recording, pinned, wish, window)
    if picture is None:
        with st.container(horizontal=True, vertical_alignment="center"):
            if "picture" in p.tasks:
                task_bar(p, "picture")
            else:
                st.html(tag("div", text(p.undrawn or "This picture was not drawn."), cls="gt-note"), width="content")
                st.button("Draw it", key="draw_again", on_click=pictures.draw_again)
    return picture or last
