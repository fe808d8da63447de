"""Gradtape's page: puts the parts in their places."""

from __future__ import annotations

from typing import Any, Literal

import streamlit as st

from components import gallery, state, theme
from components.builder import builder
from components.check import check_panel
from components.compare import compare_panel
from components.completions import completions
from components.console import console, output_html
from components.editor import Diagnostic, editor
from components.findings import badge, findings_panel
from components.formulas import edge_lines
from components.graph_view import graph_view
from components.graph_view.payload import payload
from components.help import help_panel
from components.html import tag, text
from components.inspector import inspector
from components.ledger import ledger
from components.state import Page
from components.tensors import tensors
from components.whatif import whatif
from engine.recording import Recording

st.set_page_config(page_title="Gradtape", page_icon=theme.ICON, layout="wide")

PANELS = ["Inspector", "Findings", "Ledger", "Tensors", "What if", "Check", "Compare"]
VIEWS = {"tensors": "Tensors and ops", "autograd": "Autograd (grad_fn)"}
TALL: Literal["stretch"] = "stretch"


def main() -> None:
    """Draw the page."""
    theme.apply()
    p = state.page()
    header(p)
    notices = st.container(key="notices")
    if p.notice:
        notices.error(p.notice, icon=":material/error:")
    with st.container(key="body"):
        left, rest = st.columns([27, 73], gap="small")
        with left, st.container(key="program", border=True):
            program(p)
        with rest:
            tape()


def header(p: Page) -> None:
    """Name, examples, files, what the last run was, and Run."""
    with st.container(key="header", horizontal=True, vertical_alignment="center"):
        st.html('<div class="gt-brand"><span aria-hidden="true">◧</span> Gradtape</div>', width="content")
        shown = gallery.examples()
        texts = [e.text for e in shown.values()]
        with st.popover(f"Example: {p.name}" if p.edited[0] in texts else "Examples"):
            for name, example in shown.items():
                if st.button(example.title, key=f"example_{name}", help=example.about, width="stretch", type="tertiary"):
                    state.open_example(name)
                    st.rerun()
        with st.popover("Open", icon=":material/folder_open:"):
            file = st.file_uploader(
                "A program (.py), a notebook (.ipynb) or a saved recording (.gradtape)",
                type=["py", "ipynb", "gradtape"],
                key="upload",
            )
            if file is not None and st.session_state.get("opened_file") != file.file_id:
                st.session_state["opened_file"] = file.file_id
                state.open_file(file.getvalue(), file.name)
                st.rerun()
        with st.popover("Save", icon=":material/download:"):
            st.download_button("Program (.py)", "\n\n".join(p.edited), "program.py", "text/x-python", width="stretch")
            if p.recording is not None:
                st.download_button(
                    "Recording (.gradtape)",
                    p.recording.to_bytes,
                    "run.gradtape",
                    "application/octet-stream",
                    width="stretch",
                )
        with st.popover("Help", icon=":material/help:"):
            help_panel()
        st.space("stretch")
        st.html(tag("div", text(summary(p)), cls="gt-muted gt-summary"), width="content")
        if st.button("Run", type="primary", icon=":material/play_arrow:", help="Ctrl+Enter in the editor"):
            state.run_program()
            st.rerun()


def summary(p: Page) -> str:
    """One line on the last run."""
    if p.opened is not None:
        return f"{p.name} · {len(p.opened.events)} events"
    if p.result is None:
        return ""
    events = len(p.result.recording.events) if p.result.recording is not None else 0
    edited = "edited since · " if p.dirty else ""
    return f"{edited}ran in {p.result.seconds * 1000:.0f} ms · {events} events · engine NumPy"


def program(p: Page) -> None:
    """The left panel: the code or the builder, and the console."""
    notebook = len(p.edited) > 1
    if notebook:
        st.html(tag("div", text(f"Notebook · {len(p.edited)} cells"), cls="gt-label"))
        with st.container(key="cells", height=TALL, border=False):
            for cell in range(len(p.edited)):
                notebook_cell(p, cell)
        return
    mode = st.segmented_control(
        "Mode", ["Code", "Build"], default=p.mode, key="mode", label_visibility="collapsed", required=True
    )
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
                error=f"line {error.line}: {error.message}" if error is not None else "",
            )
    with st.container(key="code", border=False):
        code(p, 0, 430 if mode == "Code" else 260)
    console(p.result, key="console")


def code(p: Page, cell: int, height: int | str) -> None:
    """One editor."""
    made = editor(
        p.edited[cell],
        key=f"editor_{cell}",
        rev=p.rev,
        ran=p.ran[cell] if cell < len(p.ran) else None,
        diagnostics=diagnostics(p, cell),
        completions=completions(),
        height=height,
        cell=cell,
        label=f"Cell {cell + 1}" if len(p.edited) > 1 else "Program",
    )
    if made.run is not None:
        state.edit(cell, made.run)
        state.run_program()
        st.rerun()
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
            f"{error.type}: {error.message}",
            "error",
        )
    ]


def notebook_cell(p: Page, cell: int) -> None:
    """A notebook's cell: its text, what it printed, and the value of its last expression."""
    with st.container(key=f"cell_{cell}", border=False):
        code(p, cell, "content")
        if p.result is None or cell >= len(p.result.cells):
            return
        done = p.result.cells[cell]
        shown = output_html(done.output) if done.output else ""
        if done.result is not None:
            shown += tag("pre", tag("span", text(f"Out[{cell + 1}]: "), cls="gt-out"), text(done.result))
        if p.result.error is not None and p.result.error.cell == cell:
            from components.console import error_html

            shown += error_html(p.result)
        if shown:
            st.html(tag("div", shown, cls="gt-console gt-cell"))


@st.fragment
def tape() -> None:
    """The graph with its timeline, and beside it the panel about the current step; reruns by itself."""
    p = state.page()
    recording = p.recording
    if recording is None or not recording.events:
        st.html('<div class="gt-empty gt-panel">Nothing was recorded: the program made no tensor.</div>')
        return
    middle, right = st.columns([66, 34], gap="small")
    with middle, st.container(key="graph", border=True):
        with st.container(key="views", horizontal=True, vertical_alignment="center"):
            p.view = st.segmented_control(
                "View",
                list(VIEWS),
                format_func=VIEWS.__getitem__,
                default=p.view,
                key="view",
                label_visibility="collapsed",
                required=True,
            )
            st.space("stretch")
            p.direction = st.segmented_control(
                "Direction", ["LR", "TB"], default=p.direction, key="direction", label_visibility="collapsed", required=True,
                format_func={"LR": ":material/arrow_forward:", "TB": ":material/arrow_downward:"}.__getitem__,
                help="Draw the graph from left to right or from top to bottom",
            )  # fmt: skip
        if (there := state.translated(recording, p.selected, p.view)) != p.selected:
            state.select(there)
        pinned = p.pinned if p.both and p.pinned is not recording else None
        data = _payload(recording, p.view, p.direction, p.run_id, pinned)
        shown = graph_view(
            {**data, "cmd": p.command, "keep": p.keep}, key="player", height="stretch", selected=p.selected, overlay=p.overlay
        )
    p.step, p.selected = shown.step, shown.selected
    if state.clicked(p.selected) and p.mode == "Build":
        st.rerun()
    with right, st.container(key="panel", border=True):
        overlay = beside(p, recording, shown.step)
    if overlay != p.overlay:
        p.overlay = overlay
        st.rerun(scope="fragment")


def beside(p: Page, recording: Recording, step: int) -> dict[str, Any] | None:
    """The panel beside the graph; returns the marks that it wants over the graph."""
    panel = st.segmented_control(
        "Panel", PANELS, default=p.panel, key="panel_tab", label_visibility="collapsed", required=True,
        format_func=lambda name: badge(recording) if name == "Findings" else name,
    )  # fmt: skip
    p.panel = panel
    if panel == "Inspector":
        inspected(p, recording, step)
    elif panel == "Findings":
        findings_panel(recording, key="findings")
    elif panel == "Check":
        return check_panel(recording, key="check")
    elif panel == "Ledger":
        ledger(recording, step, p.selected, key="ledger")
    elif panel == "What if":
        error = p.result.error if p.result is not None else None
        note = f"line {error.line}: {error.type}: {error.message}" if error is not None else ""
        if whatif(p.edited, key="whatif", memory=p.whatif, on_change=state.vary, note=note):
            st.rerun()
    elif panel == "Compare":
        follow(
            p,
            compare_panel(
                p.pinned, recording, key="compare", name=p.pinned_name, both=p.both, on_pin=state.pin,
                on_unpin=state.unpin, on_both=state.show_both,
            ),
        )  # fmt: skip
    else:
        follow(p, tensors(recording, step, key="tensor_table"))
    return None


def follow(p: Page, chosen: str | None) -> None:
    """Select the node of the row that was just chosen; a row stays chosen in its table while other nodes are clicked."""
    if chosen == p.chosen:
        return
    p.chosen = chosen
    if chosen is not None and chosen != p.selected:
        state.select(chosen)
        st.rerun(scope="fragment")


def inspected(p: Page, recording: Recording, step: int) -> None:
    """The inspector, which shows a node that only the pinned run has as it was at that run's end."""
    if p.selected is None or not p.selected.startswith("b"):
        inspector(recording, step, p.selected, key="inspector")
    elif p.pinned is not None:
        st.html('<div class="gt-muted">Only in the pinned run, shown at its end.</div>')
        inspector(p.pinned, len(p.pinned.events) - 1, p.selected[1:], key="inspector")


def _payload(recording: Recording, view: str, direction: str, run: str, pinned: Recording | None) -> dict[str, object]:
    """The player's data, kept for the recording on show."""
    kept = st.session_state.setdefault("payloads", {})
    key = (run if pinned is None else f"{run} {id(pinned)}", view, direction)
    if key not in kept:
        if any(other[0].split()[0] != run for other in kept):
            kept.clear()
        kept[key] = payload(recording, view, direction, key[0], pinned, edge_lines(recording))
    found: dict[str, object] = kept[key]
    return found


main()
