"""The graph as a table: every node that exists at the step, for the keyboard and for readers of the screen."""

from __future__ import annotations

import streamlit as st

from components.html.markup import chip, moment, muted, nothing_yet, shortened, tag, text
from components.page import controls
from components.page.state import page
from components.panels import Beside, panel
from engine.graph.numbers import ArrayTexts
from engine.graph.watch import LONGEST, MOST, suggestions, watched
from engine.recording import Recording, replay
from engine.recording.events import NOTHING, OpRan
from engine.recording.index import index_of
from engine.recording.replay import TensorState

ROWS = 100
"""Rows of one page of the table."""
INPUTS = 8
"""Inputs of one operation that are named."""
MAX_NAME = 80
"""Characters of a name in the table."""
HEAD = ("name", "value", "grad", "shape", "made by", "inputs", "grad_fn", "line")


@panel("Tensors", 40)
def tensors(on: Beside) -> None:
    """What is watched, and the tensors that exist at the step on show."""
    watch(on)
    tensors_panel(on.recording, on.step, on.node, on.page.view, key="tensor_table")


def watch(on: Beside) -> None:
    """Expressions that the visitor has chosen, with their values at the step."""
    p = on.page
    with st.container(key="watch"):
        # Only what is watched is offered: of several that begin alike, Streamlit takes two with one Enter.
        st.multiselect(
            "Watch", p.watched, p.watched, key=f"watch_{p.shown}", max_selections=MOST, accept_new_options=True,
            placeholder="Watch: " + " · ".join(suggestions(on.recording)), label_visibility="collapsed",
            on_change=_chosen, args=(f"watch_{p.shown}",),
        )  # fmt: skip
        if p.watched:
            st.html(watch_html(on.recording, on.step, on.node, p.watched))


def _chosen(key: str) -> None:
    page().watched = [text.strip()[:LONGEST] for text in controls.value(key, []) if text.strip()][:MOST]


def watch_html(recording: Recording, step: int, selected: str | None, expressions: list[str]) -> str:
    """Expressions as a table, each with its value at the step and since when it has it."""
    rows = []
    for expression in expressions:
        found = watched(recording, step, expression)
        node = None if found.tensor == NOTHING else f"t{found.tensor}"
        name = text(shortened(expression, MAX_NAME))
        if node is not None:
            current = "true" if node == selected else None
            name = tag("button", name, cls="gt-moment", type="button", data_gt_select=node, aria_current=current)
        value = tag("span", text(found.text), title=found.about or None) if found.known else muted(found.text)
        since = found.since if found.known else NOTHING
        when = "now" if since == step else moment(since, f"step {since + 1}") if since != NOTHING else ""
        cells = (
            tag("th", name, scope="row"),
            tag("td", value),
            tag("td", when, cls="gt-muted", title="when it changed last"),
        )
        rows.append(tag("tr", *cells, cls="gt-now" if since == step else ""))
    caption = tag("caption", text(f"What is watched, at step {step + 1}"), cls="gt-unseen")
    return tag("table", caption, tag("tbody", *rows), cls="gt-table gt-watch")


def tensors_panel(recording: Recording, step: int, selected: str | None, view: str = "tensors", *, key: str) -> None:
    """Show the tensors that exist at `step`; a click on a name selects its node in the graph's `view`."""
    tensors = replay(recording, step).tensors
    with st.container(key=key, height="stretch", border=False):
        if not tensors:
            does = "Lists all tensors that there are at the step on show, with their values and gradients."
            st.html(nothing_yet(does, "No tensor has been made yet at this step."))
            return
        pages = -(-len(tensors) // ROWS)
        page = 1
        if pages > 1:
            page = int(st.number_input(f"Page of {pages}", 1, pages, _page(tensors, selected), 1, key=f"{key}_page", width=130))
        st.html(tensors_html(recording, step, selected, view, tensors[(page - 1) * ROWS : page * ROWS]))
        if pages > 1:
            st.html(muted(f"{len(tensors)} tensors, {ROWS} to a page"))


def _page(tensors: tuple[int, ...], selected: str | None) -> int:
    """The page that the selected tensor is on."""
    number = int(selected[1:]) if selected and selected[0] == "t" else NOTHING
    return tensors.index(number) // ROWS + 1 if number in tensors else 1


def tensors_html(recording: Recording, step: int, selected: str | None, view: str, ids: tuple[int, ...]) -> str:
    """These tensors as a table, one row each."""
    state = replay(recording, step)
    texts = ArrayTexts(recording)
    keys = node_keys(recording, view)
    top = tag("tr", *(tag("th", text(name), scope="col") for name in HEAD))
    rows = []
    for id in ids:
        t = state.tensor(id)
        chosen = keys.get(id) == selected and selected is not None
        cells = [
            tag("th", _name(t, keys.get(id), chosen), scope="row"),
            *(
                tag("td", cell)
                for cell in (
                    text(texts(t.value)),
                    text(texts(t.grad) if t.grad != NOTHING else "None"),
                    tag("span", text(list(t.info.shape)), title=t.info.dtype),
                    text(t.op.op),
                    text(_inputs(recording, step, t.op)),
                    text(grad_fn(recording, t)),
                    text(recording.column_line(t.op)),
                )
            ),
        ]
        rows.append(tag("tr", *cells, cls="gt-now" if chosen else ""))
    caption = tag("caption", text(f"Tensors at step {step + 1} of {len(recording.events)}"), cls="gt-unseen")
    table = tag("table", caption, tag("thead", top), tag("tbody", *rows), cls="gt-table gt-nodes")
    return tag("div", table, cls="gt-scroll", tabindex="0", role="region", aria_label="The graph as a table")


def _name(t: TensorState, key: str | None, chosen: bool) -> str:
    # A path goes on below behind one of its dots, where there is no room for it.
    name = ".<wbr>".join(map(text, shortened(t.name or t.op.op, MAX_NAME).split(".")))
    if key is None:
        shown = name
    else:
        current = "true" if chosen else None
        shown = tag("button", name, cls="gt-moment", type="button", data_gt_select=key, aria_current=current)
    return shown + (" " + chip("leaf", "leaf") if t.is_leaf and t.requires_grad else "")


def _inputs(recording: Recording, step: int, op: OpRan) -> str:
    """The tensors that went into an operation, by their names at the step."""
    tensors = index_of(recording).tensors
    known = [tensors[a.tensor] for a in op.inputs if a.tensor in tensors]
    named = [shortened(history.name(step) or history.op.op, MAX_NAME) for history in known[:INPUTS]]
    return ", ".join(named) + (f" and {len(known) - INPUTS:,} more" if len(known) > INPUTS else "")


def grad_fn(recording: Recording, t: TensorState) -> str:
    """The name of a tensor's `grad_fn`, "" for None."""
    nodes = index_of(recording).nodes
    return nodes[t.node].info.name if t.node in nodes else ""


def node_keys(recording: Recording, view: str) -> dict[int, str]:
    """For each tensor the node that stands for it in a view: itself, or its grad_fn or AccumulateGrad."""
    index = index_of(recording)
    if view != "autograd":
        return {id: f"t{id}" for id in index.tensors}
    return {tensor: f"n{node}" for (node, _), tensor in index.owners.items()}
