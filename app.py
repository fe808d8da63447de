"""Gradtape's page: puts the parts in their places."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from components.builder import builder
from components.editor import Diagnostic, editor, names
from components.editor.completions import completions
from components.html.markup import copy, heading, literal, shortened, tag, text
from components.menus import gallery
from components.menus.export import hand_over, save_menu
from components.menus.help import KEYS, help_panel
from components.menus.share import address_of, share_panel
from components.page import state, theme
from components.page.console import LINES_CELL, MOST_CELL, cell_html, console, whole_output
from components.page.empty_state import empty_html
from components.page.error_boundary import guarded
from components.page.extent import extent
from components.page.limits import limits_menu
from components.page.recording_cache import on_show
from components.page.render_lock import in_turn, turn_for
from components.page.shortcuts import desk
from components.page.state import Page
from components.page.task_progress import again, bar
from components.panels import Beside, panels
from components.player import GraphState, graph_view, in_parts, isolated, knows
from components.player.folds import standing
from components.player.payload import drawing, late_details, packed, payload, picture_name, sketch
from components.player.tape import late_captions
from components.server.uploads import bounded, taken
from components.tour import tour
from engine.diagnosis.contributions import edge_lines
from engine.graph.structure.folding import Mode
from engine.program.share import LinkError
from engine.recording import Recording
from engine.recording.index import index_of
from engine.sandbox.calls import get_ready
from engine.sandbox.runner import HELP, refusal
from engine.sandbox.settings import settings

st.set_page_config(page_title="Gradtape", page_icon=theme.ICON, layout="wide")

VIEWS = {"tensors": "Tensors and ops", "autograd": "Autograd (grad_fn)"}
FOLDS: dict[Mode, str] = {
    "auto": "Fold: auto", "none": "Unfolded", "loop": "By loop", "module": "By module", "function": "By call",
    "line": "By line",
}  # fmt: skip
# Cells of a notebook that are drawn at once.
CELLS = 20
# Pictures of one recording that are kept.
PICTURES = 4
TALL: Literal["stretch"] = "stretch"


@guarded("page", state.run_program)
@in_turn
def main() -> None:
    """Draw the page."""
    theme.apply()
    if why := refusal():
        st.html(
            tag(
                "div",
                tag("h1", "Gradtape", cls="gt-brand"),
                tag("p", text(why)),
                tag("p", text(HELP), cls="gt-muted"),
                cls="gt-refused",
            )
        )
        return
    bounded()
    p = state.page()
    state.settle()
    desk(KEYS, key="desk")
    names(completions(), key="names")
    if st.context.is_embedded:
        embedded(p)
        return
    header(p)
    notices(p)
    tour(state.tour_stops(), key="tour", started=p.tour, places=state.tour_places())
    hand_over(p.files, key="files")
    with st.container(key="body"):
        left, rest = st.columns([27, 73], gap="small")
        with left, st.container(key="program", border=True):
            program(p)
        with rest:
            tape(side_by_side)


def notices(p: Page) -> None:
    """What the page has to say, at a place that is there even when it has nothing to say: parts below must not move."""
    with st.container(key="notices"):
        if p.notice:
            st.error(literal(p.notice), icon=":material/error:")
        if p.unrun is not None:
            with st.container(key="unrun", horizontal=True, vertical_alignment="center"):
                st.warning(
                    "This program came with a link. On this system Gradtape cannot shut programs in completely, so read it "
                    "before you run it.",
                    icon=":material/shield:",
                )
                run_button("Run this program", key="run_unrun")


def run_button(label: str, *, key: str) -> None:
    """Runs what the editors hold."""
    st.button(
        label, key=key, type="primary", icon=":material/play_arrow:", help="Ctrl+Enter in the editor", on_click=state.run_typed
    )


def status(p: Page) -> None:
    """What is under way, else what the last run was."""
    with st.container(key="status", horizontal=True, vertical_alignment="center", width="content"):
        under_way = {purpose: task for purpose, task in p.tasks.items() if purpose != "picture"}  # that one has its own place
        for purpose, task in under_way.items():
            bar(task, key=f"task_{purpose}", on_cancel=partial(state.cancel, purpose))
        if not under_way:
            st.html(tag("div", *summary(p), cls="gt-muted gt-summary"), width="content")


def header(p: Page) -> None:
    """Name, examples, files, what the last run was, and Run."""
    with st.container(key="header", horizontal=True, vertical_alignment="center"):
        st.html('<h1 class="gt-brand"><span aria-hidden="true">◧</span> <span>Gradtape</span></h1>', width="content")
        shown = gallery.examples()
        texts = [e.text for e in shown.values()]
        # What these hold is only drawn when they are open: every element costs every run of the page.
        label = f"Example: {literal(p.name)}" if p.edited[0] in texts else "Examples"
        menu = st.popover(label, key="examples", on_change="rerun")
        if menu.open:
            with menu:
                for name, example in shown.items():
                    if st.button(example.title, key=f"example_{name}", help=example.about, width="stretch", type="tertiary"):
                        state.open_example(name)
                        st.rerun()
        opening = st.popover("Open", icon=":material/folder_open:", key="opening", on_change="rerun")
        if opening.open:
            get_ready()
            with opening:
                st.file_uploader(
                    "A program (.py), a notebook (.ipynb) or a saved recording (.gradtape)",
                    type=["py", "ipynb", "gradtape"],
                    key="upload",
                    on_change=uploaded,
                )
        save = st.popover("Save", icon=":material/download:", key="save", on_change="rerun")
        if save.open:
            get_ready()
            with save:
                save_menu(p.recording is not None, state.save, key="save_menu")
        share = st.popover("Share", icon=":material/link:", key="share", on_change="rerun")
        if share.open:
            with share:
                share_panel(state.link(), p.recording, page=state.address(), key="share_panel")
        helping = st.popover("Help", icon=":material/help:", key="help", on_change="rerun")
        if helping.open:
            with helping:
                help_panel(state.start_tour)
        st.space("stretch")
        status(p)
        bounds = st.popover("Limits", icon=":material/timer:", key="limits", on_change="rerun")
        if bounds.open:
            with bounds:
                limits_menu(
                    state.limits_now(), settings().limits, fixed=settings().hosted, key="limits_menu",
                    on_change=state.choose_limits,
                )  # fmt: skip
        run_button("Run", key="run")


def uploaded() -> None:
    """A file was chosen: open it, and close the menu that would stand before it.

    The browser goes on telling what was chosen when the menu is gone, so a file that has been opened is left alone.
    """
    file = st.session_state["upload"]
    if isinstance(file, UploadedFile) and st.session_state.get("opened_file") != file.file_id:
        st.session_state["opened_file"] = file.file_id
        state.open_file(taken(file), file.name)
        st.session_state["opening"] = False


def summary(p: Page) -> list[str]:
    """One line on the last run, in HTML: what can be missed last, where a narrow page leaves it out."""
    if p.opened is not None:
        return [tag("span", text(f"{p.name} · "), cls="gt-wide"), f"{len(p.opened.events):,} events"]
    if p.result is None:
        return []
    events = len(p.result.recording.events) if p.result.recording is not None else 0
    edited = "edited since · " if p.dirty else ""
    took = f"{edited}ran in {p.result.seconds * 1000:,.0f} ms"
    return [took, tag("span", f" · {events:,} events · engine NumPy", cls="gt-wide")]


def program(p: Page) -> None:
    """The left panel: the code or the builder, and the console."""
    notebook = len(p.edited) > 1
    st.html(heading("Program"))
    if notebook:
        st.html(tag("div", text(f"Notebook · {len(p.edited)} cells"), cls="gt-label"))
        shown = cells_on_show(p)
        with st.container(key="cells", height=TALL, border=False):
            for cell in shown:
                notebook_cell(p, cell)
        return
    with st.container(key="modes", horizontal=True, vertical_alignment="center"):
        mode = st.segmented_control(
            "Mode", ["Code", "Build"], default=state.chosen("mode", p.mode), key="mode", required=True,
            label_visibility="collapsed",
        )  # fmt: skip
        st.space("stretch")
        if button := copy(p.edited[0], "the program"):
            st.html(button, width="content")
    p.mode = mode
    if mode == "Build":
        with st.container(key="builder", border=False):
            tensor = state.translated(p.recording, p.selected, "tensors") if p.recording is not None else None
            error = p.result.error if p.result is not None else None
            builder(
                p.edited[0],
                p.recording,
                int(tensor[1:]) if tensor and tensor.startswith("t") else None,
                p.picked,
                run=p.run_id,
                on_change=state.set_text,
                on_undo=state.undo,
                on_redo=state.redo,
                can_undo=bool(p.undo),
                can_redo=bool(p.redo),
                error=shortened(f"line {error.line}: {error.message}", 1_000) if error is not None else "",
            )
    with st.container(key="code", border=False):
        code(p, 0, 430 if mode == "Code" else 260)
    console(p.result, key="console")


def cells_on_show(p: Page) -> range:
    """The cells that are drawn: of a long notebook one page, since each is an editor and costs every run of the page."""
    count = len(p.edited)
    pages = -(-count // CELLS)
    if pages < 2:
        return range(count)
    error = p.result.error if p.result is not None else None
    place = f"; the error is in cell {error.cell + 1}, on page {error.cell // CELLS + 1}" if error is not None else ""
    page = int(st.number_input(f"Page of {pages}, {CELLS} cells each{place}", 1, pages, 1, 1, key=f"cell_page_{pages}"))
    return range((page - 1) * CELLS, min(page * CELLS, count))


def code(p: Page, cell: int, height: int | str) -> None:
    """One editor."""
    made = editor(
        p.edited[cell],
        key=f"editor_{cell}",
        rev=p.rev,
        ran=p.ran[cell] if cell < len(p.ran) else None,
        diagnostics=diagnostics(p, cell),
        height=height,
        cell=cell,
        label=f"Cell {cell + 1}" if len(p.edited) > 1 else "Program",
        on_run=state.run_typed,
    )
    state.edit(cell, made.text)


def diagnostics(p: Page, cell: int) -> list[Diagnostic]:
    """The error of the last run, if it is in this cell."""
    error = p.result.error if p.result is not None else None
    if error is None or not error.line or error.cell != cell:
        return []
    return [
        Diagnostic(
            error.line,
            error.column or 0,
            error.end_line or error.line,
            error.end_column or 0,
            shortened(f"{error.type}: {error.message}", 1_000),
            "error",
        )
    ]


def notebook_cell(p: Page, cell: int) -> None:
    """A notebook's cell: its text, what it printed, and the value of its last expression."""
    with st.container(key=f"cell_{cell}", border=False):
        code(p, cell, "content")
        shown = cell_html(p.result, cell) if p.result is not None else ""
        if shown:
            st.html(tag("div", shown, cls="gt-console gt-cell"))
        if p.result is not None and cell < len(p.result.cells):
            whole_output(p.result.cells[cell].output, MOST_CELL, LINES_CELL, key=f"cell_{cell}")


@st.fragment
@guarded("tape", state.run_program)
@in_turn
def tape(draw: Callable[[Page, Recording], None]) -> None:
    """What there is of the recording on show, or why there is nothing; reruns by itself."""
    p = state.page()
    recording = p.recording
    with turn_for(extent(recording) if recording is not None else 0):
        if recording is None or not index_of(recording).tensors:
            st.html(empty_html("\n".join(p.edited), p.result, waiting="run" in p.tasks))
        else:
            draw(p, recording)


def side_by_side(p: Page, recording: Recording) -> None:
    """The graph with its timeline, and beside it the panel about the current step."""
    middle, right = st.columns([66, 34], gap="small")
    with middle, st.container(key="graph", border=True):
        st.html(heading("Graph"))
        with st.container(key="views", horizontal=True, vertical_alignment="center"):
            p.view = st.segmented_control(
                "View",
                list(VIEWS),
                format_func=VIEWS.__getitem__,
                default=state.chosen("view", p.view),
                key="view",
                label_visibility="collapsed",
                required=True,
            )
            fold = st.selectbox(
                "Fold", list(FOLDS), format_func=FOLDS.__getitem__, key="fold", label_visibility="collapsed", width=132,
                help="Which nodes are drawn as one; large graphs are folded by themselves",
            )  # fmt: skip
            if fold != p.fold:
                p.fold, p.unfolded = fold, None
            st.space("stretch")
            p.direction = st.segmented_control(
                "Direction", ["LR", "TB"], default=state.chosen("direction", p.direction), key="direction",
                label_visibility="collapsed", required=True,
                format_func={"LR": ":material/arrow_forward:", "TB": ":material/arrow_downward:"}.__getitem__,
                help="Draw the graph from left to right or from top to bottom",
            )  # fmt: skip
        shown = player(p, recording)
    if state.clicked(p.selected) and p.mode == "Build":
        st.rerun()
    with right, st.container(key="panel", border=True):
        overlay = beside(p, recording, shown.step)
    if overlay != p.overlay:
        p.overlay = overlay
        again()


def player(p: Page, recording: Recording) -> GraphState:
    """The graph with its timeline."""
    on_show(recording)
    if (there := state.translated(recording, p.selected, p.view)) != p.selected:
        state.select(there)
    pinned = p.pinned if p.both and p.pinned is not recording else None
    run = p.run_id if pinned is None else f"{p.run_id} {id(pinned)}"
    state.unfold(recording, picture_name(run, p.view, p.direction, p.fold), state.told("player", "folds"))
    holds = state.told("player", "holds")
    late: Mapping[str, Callable[[], Any]]
    under_way = st.container(key="drawing")  # there even when it is empty: the player below must not move
    if isolated.wanted(recording):
        with under_way:
            picture = _drawn_apart(p, recording, pinned, run)
        if picture is None:
            step = len(recording.events) - 1 if p.step is None else min(p.step, len(recording.events) - 1)
            return GraphState(step, p.selected)
        data, late = picture.data(), picture.late()
    else:
        data, late = _payload(p, recording, pinned, run, holds), _late(p, recording, pinned)
    shown = graph_view(
        {**data, "cmd": p.command, "keep": p.keep}, key="player", height="stretch",
        selected=p.selected, overlay=p.overlay, holds=holds, late=late,
    )  # fmt: skip
    p.step, p.selected = shown.step, shown.selected
    if pinned is None:
        p.selected = standing(recording, p.view, p.fold, p.unfolded, shown.selected)
    return shown


def embedded(p: Page) -> None:
    """The compact page inside another one: source, graph and timeline."""
    with st.container(key="embedded"):
        left, right = st.columns([36, 64], gap="small")
        with left, st.container(key="source", border=True):
            with st.container(key="source_bar", horizontal=True, vertical_alignment="center"):
                run_button("Run", key="run")
                for purpose, task in p.tasks.items():
                    if purpose == "picture":
                        continue
                    bar(task, key=f"task_{purpose}", on_cancel=partial(state.cancel, purpose))
                st.space("stretch")
                link = tag("a", "Open in Gradtape", href=_whole(), target="_blank", rel="noopener", cls="gt-open")
                st.html(link, width="content")
            notices(p)
            for cell in cells_on_show(p):
                code(p, cell, "content")
        with right:
            tape(alone)


def _whole() -> str:
    """The address of the whole page with what is on show here."""
    try:
        return address_of(state.link(), state.address())
    except LinkError:
        return state.address()


def alone(p: Page, recording: Recording) -> None:
    """The graph with its timeline, by itself."""
    with st.container(key="graph", border=True):
        player(p, recording)


def beside(p: Page, recording: Recording, step: int) -> dict[str, Any] | None:
    """The panel beside the graph; returns the marks that it wants over the graph."""
    st.html(heading("Panel"))
    # Streamlit keeps what a control was made with for the whole visit: no function here may hold a recording.
    offered = panels()
    p.panel = st.segmented_control(
        "Panel", list(offered), default=state.chosen("panel_tab", p.panel), key="panel_tab", label_visibility="collapsed",
        required=True, format_func={name: each.title(recording) for name, each in offered.items()}.__getitem__,
    )  # fmt: skip
    return offered[p.panel].draw(Beside(recording, step, p))


def _payload(p: Page, recording: Recording, pinned: Recording | None, run: str, holds: Any) -> dict[str, Any]:
    """The player's data, kept for the recording on show; of a large one that it knows nothing of, a sketch to begin with."""
    kept = st.session_state.setdefault("payloads", {})
    key = (run, p.view, p.direction, p.fold, p.unfolded)
    if key not in kept:
        large = in_parts(recording)
        before, drawn = st.session_state.pop("sketched", (None, None))
        if before != key:
            drawn = drawing(recording, p.view, p.direction, run, pinned, p.fold, p.unfolded)
        if large and pinned is None and not knows(holds, drawn.rev, drawn.tape):
            st.session_state["sketched"] = key, drawn
            return packed(sketch(drawn))
        if len(kept) >= PICTURES or any(other[0].split()[0] != p.run_id for other in kept):
            kept.clear()
        kept[key] = packed(payload(drawn, edge_lines(recording), complete=not large))
    found: dict[str, Any] = kept[key]
    return found


def _late(p: Page, recording: Recording, pinned: Recording | None) -> dict[str, Callable[[], Any]]:
    """What the player is sent of a large recording when it has the picture."""
    fold: Mode = "none" if pinned else p.fold
    return {
        "captions": partial(late_captions, recording),
        "details": partial(late_details, recording, p.view, fold, p.unfolded, edge_lines(recording)),
    }


def _drawn_apart(p: Page, recording: Recording, pinned: Recording | None, run: str) -> isolated.Picture | None:
    """A picture that another process draws; until it is there the last one of this recording, if there was one."""
    picture, last = state.drawn_apart(recording, pinned, isolated.Wish(p.view, p.direction, run, p.fold, p.unfolded))
    if picture is None:
        with st.container(horizontal=True, vertical_alignment="center"):
            if "picture" in p.tasks:
                bar(p.tasks["picture"], key="task_picture", on_cancel=partial(state.cancel, "picture"))
            else:
                st.html(tag("div", text(p.undrawn or "This picture was not drawn."), cls="gt-note"), width="content")
                st.button("Draw it", key="draw_again", on_click=state.draw_again)
    return picture or last


main()
