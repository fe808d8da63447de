"""Everything that is known of one tensor or node at one step."""

from __future__ import annotations

from components.html.arrays import array_copy, array_table
from components.html.diagnosis_html import why_html
from components.html.ledger_html import ledger_table
from components.html.markup import chip, more, muted, section, table, tag, text
from engine.diagnosis import why
from engine.diagnosis.cuts import KINDS
from engine.diagnosis.ledger import ledgers
from engine.graph.numbers import ArrayTexts
from engine.graph.structure.tensor_titles import name_now
from engine.recording import Recording, State, replay
from engine.recording.events import NOTHING, NodeInfo, OpRan
from engine.recording.index import index_of

ROWS = 40
"""Edges, and values that a node remembers: `torch.stack` may have thousands."""
ARRIVALS = 6
"""Gradients on their way that are written out."""


def inspector_html(recording: Recording, step: int, selected: str | None, over_run: str = "") -> str:
    """What is known of `selected` ("t<tensor id>", "n<node id>" or None) at `step`, formulas aside; `over_run` is the part
    about all iterations, where there is one."""
    state = replay(recording, step)
    if selected is None:
        return _nothing("Click a card in the graph, or a row under Tensors, to see its values here.")
    number = int(selected[1:])
    if selected.startswith("t"):
        if number not in state:
            return _nothing("This tensor has not been made yet at this step.")
        return _tensor(recording, state, number, over_run)
    return _node(recording, state, number, over_run)


def _nothing(message: str) -> str:
    return tag("div", text(message), cls="gt-empty")


def _tensor(recording: Recording, state: State, number: int, over_run: str) -> str:
    t = state.tensor(number)
    info = t.info
    name = name_now(recording, number, t.name) or _unnamed(recording, t.op)
    chips = [chip("leaf", "leaf") if t.is_leaf else chip("result")]
    if info.is_parameter:
        chips.append(chip("parameter", "leaf"))
    if t.requires_grad:
        chips.append(chip("requires_grad"))
    if t.retains_grad:
        chips.append(chip("retains_grad", "grad"))
    if t.op.cut:
        kind = KINDS.get(t.op.cut)
        chips.append(chip(t.op.cut if kind is None else kind.label, "bad"))
    facts = f"{info.dtype} · shape {list(info.shape)} · version {t.version}" + (
        f" · view of {state.tensor(info.view_of).name or 'a tensor'}" if info.view_of in state else ""
    )
    head = tag(
        "div",
        tag("h3", text(name)),
        *chips,
        tag("span", text(recording.line_text(t.op)), cls="gt-push gt-muted"),
        cls="gt-row",
    )
    parts = [section(head, muted(facts)), why_html(recording, why(recording, number, state.step)), over_run]
    if t.value != NOTHING:  # a recording from elsewhere may lack it
        value = recording.arrays[t.value]
        parts.append(section(array_table(value, "value"), label="value", aside=array_copy(value, f"the value of {name}")))
    parts.append(_gradient(recording, state, number))
    entries = ledgers(recording).get(number)
    if entries:
        parts.append(section(ledger_table(recording, entries, state.step), label=f"ledger of {name}.grad"))
    if t.node != NOTHING:
        parts.append(_grad_fn(recording, state, t.node))
    return "".join(parts)


def _unnamed(recording: Recording, op: OpRan) -> str:
    return f"result of {op.op}" if op.inputs else op.op


def _gradient(recording: Recording, state: State, number: int) -> str:
    t = state.tensor(number)
    parts = []
    running = state.backward
    if running is not None and t.node != NOTHING:
        arrivals = running.received(t.node)
        for arrival in arrivals[:ARRIVALS]:
            parts.append(muted(f"arriving in backward pass {running.number}"))
            parts.append(array_table(recording.arrays[arrival.array], "grad"))
        parts.append(more(len(arrivals), ARRIVALS))
    if t.grad != NOTHING:
        label = "grad now" + (f" (backward pass {running.number} is on its way)" if running is not None else "")
        grad = recording.arrays[t.grad]
        return section(array_table(grad, "grad"), *parts, label=label, aside=array_copy(grad, "the gradient"))
    return section(tag("div", text("None"), cls="gt-muted"), *parts, label="grad")


def _grad_fn(recording: Recording, state: State, node: int) -> str:
    info = index_of(recording).nodes[node].info
    return section(
        tag("div", tag("code", text(info.name)), cls="gt-row"), _edges(recording, info), _saved(recording, state, info),
        label="grad_fn",
    )  # fmt: skip


def _node(recording: Recording, state: State, number: int, over_run: str) -> str:
    history = index_of(recording).nodes.get(number)
    if history is None:
        return _nothing("There is no such node in this recording.")
    info = history.info
    head = tag("div", tag("h3", text(info.name)), chip("node"), cls="gt-row")
    parts = [section(head, muted(f"sequence number {info.sequence}" if info.variable == NOTHING else "the end of a path"))]
    running = state.backward
    if running is not None:
        arrivals = running.received(number)
        for arrival in arrivals[:ARRIVALS]:
            parts.append(
                section(
                    array_table(recording.arrays[arrival.array], "grad"),
                    label=f"received in backward pass {running.number}",
                )
            )
        parts.append(more(len(arrivals), ARRIVALS))
    if info.edges or info.saved:
        parts.append(section(_edges(recording, info), _saved(recording, state, info), label="edges and saved values"))
    tensor = info.variable if info.variable != NOTHING else index_of(recording).owners.get((number, 0), NOTHING)
    if tensor in state:
        parts.append(_tensor(recording, state, tensor, over_run))
    return "".join(parts)


def _edges(recording: Recording, info: NodeInfo) -> str:
    if not info.edges:
        return ""
    nodes = index_of(recording).nodes
    rows = [
        ("", [text(slot), tag("code", text(nodes[target].info.name if target != NOTHING else "None")), text(number)])
        for slot, (target, number) in enumerate(info.edges[:ROWS])
    ]
    return table(["input", "next function", "output_nr"], rows) + more(len(info.edges), ROWS)


def _saved(recording: Recording, state: State, info: NodeInfo) -> str:
    if not info.saved:
        return ""
    texts = ArrayTexts(recording)
    rows = []
    for saved in info.saved[:ROWS]:
        if saved.tensor in state:
            t = state.tensor(saved.tensor)
            stale = t.version != saved.version
            shown = text(f"{t.name or 'tensor'} at version {saved.version}") + (chip("changed since", "bad") if stale else "")
        elif saved.array != NOTHING:
            shown = text(texts(saved.array))
        else:
            shown = text(saved.text)
        rows.append(("", [tag("code", text(f"_saved_{saved.name}")), shown]))
    return table(["saved for backward", "value"], rows) + more(len(info.saved), ROWS)
