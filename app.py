"""Gradtape's page: what is drawn, in order."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from streamlit.starlette import App

from components.editor import names
from components.editor.completions import completions
from components.html.markup import tag
from components.menus.export import hand_over
from components.menus.help import KEYS
from components.page import header_menus as menus
from components.page import tasks, theme
from components.page.address import whole_page
from components.page.beside import find, panel, without_graph
from components.page.code import code
from components.page.empty_state import empty_html
from components.page.error_boundary import guarded
from components.page.figures import draw_figures
from components.page.following import look
from components.page.graph import alone, graph
from components.page.guided_tour import guided_tour
from components.page.headline import headline, outdated
from components.page.keeping import keep, keep_moment
from components.page.notebook import cells_on_show
from components.page.notices import notices, refused, run_button
from components.page.presenting import presentation
from components.page.program import program
from components.page.runs import run_program
from components.page.selection import clicked
from components.page.shortcuts import shortcuts
from components.page.space import space, splitter
from components.page.state import Page, page
from components.page.status import bars, status
from components.page.task_progress import again
from components.page.thinned import thinned
from components.page.titles import title
from components.page.visit import visitors_page
from components.player.isolated import extent
from components.server.render_lock import in_turn, turn_for
from components.server.uploads import bounded
from engine.recording import Recording
from engine.recording.index import index_of
from engine.sandbox.runner import refusal


@guarded("page", run_program)
@in_turn
def main() -> None:
    """Draw the page."""
    st.set_page_config(page_title="Gradtape", page_icon=theme.ICON, layout="wide")
    theme.apply()
    if why := refusal():
        refused(why)
        return
    bounded()
    p = visitors_page()
    tasks.settle()
    draw_figures(p)
    shortcuts(KEYS, key="shortcuts")
    names(completions(), key="names")
    if st.context.is_embedded:
        embedded(p)
        return
    space()
    header(p)
    notices(p)
    guided_tour()
    headline(p)
    hand_over(p.files, key="files")
    if p.presenting and p.is_notebook:
        presentation(p, tape)
        return
    with st.container(key="body"):
        left, rest = st.columns([27, 73], gap="small")
        with left, st.container(key="program", border=True):
            program(p)
        with left:
            splitter("program")
        with rest:
            tape(side_by_side)


def header(p: Page) -> None:
    """Title, examples, files, what the last run was, and Run."""
    with st.container(key="header", horizontal=True, vertical_alignment="center"):
        menus.brand()
        title(p)
        menus.examples_menu()
        menus.works_menu()
        menus.open_menu()
        menus.files_menu(p)
        menus.links_menu(p)
        menus.display_menu()
        menus.help_menu()
        keep(p)
        st.space("stretch")
        look(p)
        status(p)
        menus.bounds_menu()
        run_button("Run", key="run")


@st.fragment
@guarded("tape", run_program)
@in_turn
def tape(draw: Callable[[Page, Recording], None]) -> None:
    """What there is of the recording on show, or why there is nothing; reruns by itself."""
    p = page()
    recording = p.recording
    with turn_for(extent(recording) if recording is not None else 0):
        if recording is None or not index_of(recording).tensors:
            waiting = bool(p.awaited) or not p.tasks.keys().isdisjoint(("open", "run"))
            st.html(empty_html("\n".join(p.edited), p.result, waiting=waiting))
            if recording is not None and not waiting:
                without_graph(p, recording)
        else:
            draw(p, recording)
        if not st.context.is_embedded:
            keep_moment(p)


def side_by_side(p: Page, recording: Recording) -> None:
    """The graph with its timeline, and beside it the panel about the current step."""
    middle, right = st.columns([66, 34], gap="small")
    with middle, st.container(key="graph", border=True):
        shown = graph(p, recording)
        thinned(p, recording, shown.step)
    with middle:
        splitter("panel")
    if clicked(p.selected) and p.mode == "Build":
        st.rerun()
    with right, st.container(key="panel", border=True):
        overlay = panel(p, recording, shown.step)
    if overlay != p.overlay:
        p.overlay = overlay
        again()
    if not shown.more:  # what cards show is waited for, what is found is not
        find(recording)
        if outdated(p):
            st.rerun()


def embedded(p: Page) -> None:
    """The compact page inside another one: source, graph and timeline; of a notebook with notes its pages."""
    if p.program.story:
        p.presenting = True
        notices(p)
        presentation(p, tape, whole=False)
        return
    with st.container(key="embedded"):
        left, right = st.columns([36, 64], gap="small")
        with left, st.container(key="source", border=True):
            with st.container(key="source_bar", horizontal=True, vertical_alignment="center"):
                run_button("Run", key="run")
                bars(p)
                st.space("stretch")
                link = tag("a", "Open in Gradtape", href=whole_page(), target="_blank", rel="noopener", cls="gt-open")
                st.html(link, width="content")
            notices(p)
            for cell in cells_on_show(p):
                code(p, cell, "content")
        with right:
            tape(alone)


def __getattr__(name: str) -> App:
    """`app`: what `streamlit run` finds in this file and serves, the page with our server around it."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from components.server.serving import MIDDLEWARE, ROUTES, life

    app = App(__file__, routes=ROUTES, middleware=MIDDLEWARE, lifespan=life)
    return app


if __name__ == "__main__":  # for a visitor
    main()
