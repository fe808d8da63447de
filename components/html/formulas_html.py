"""Formulas: what the current backward step sends along each edge, in LaTeX with symbols and with this run's numbers."""

from __future__ import annotations

from collections.abc import Sequence

from components.html.markup import copy, muted, tag, text
from engine.diagnosis.contributions import Contribution, brief, contributions, gradient_total
from engine.graph.numbers import shape_text
from engine.graph.shown.captions import titles
from engine.recording import Recording, replay
from engine.recording.events import NOTHING, NodeRan
from engine.recording.index import index_of

MOST = 6
"""Edges that are written out."""
PassEdge = tuple[int, int, int]
"""A node, the pass in which it ran, and one of its edges, or -1 for all."""


def edges_on_show(recording: Recording, step: int, selected: str | None) -> tuple[str, list[PassEdge]]:
    """Whose gradient is explained ("" for what a node sends), and the edges to write out.

    At a step at which a node runs it is that node. Otherwise it is the selected one: if it is a node or a result, what it sent
    in the last pass up to now; if it is a leaf, what reached it.
    """
    event = recording.events[step] if 0 <= step < len(recording.events) else None
    if isinstance(event, NodeRan) and any(sent is not None for sent in event.sent):
        return "", [(event.node, event.number, -1)]
    if selected is None or not selected[1:].isdigit():
        return "", []
    number = int(selected[1:])
    index = index_of(recording)
    node, leaf = NOTHING, ""
    if selected.startswith("t"):
        state = replay(recording, step)
        if number not in state:
            return "", []
        node = state.tensor(number).node
        if node == NOTHING:
            leaf = titles(recording)(number)
            node = next((id for id, h in index.nodes.items() if h.info.variable == number), NOTHING)
    elif number in index.nodes:
        node = number
        leaf = titles(recording)(index.nodes[node].info.variable) if index.nodes[node].info.variable != NOTHING else ""
    for entry in sorted(index.passes.values(), key=lambda p: -p.began):
        if entry.began > step:
            continue
        if leaf:
            track = entry.arrivals.get(node)
            edges = [(a.source, entry.number, a.edge) for a in (track.until(step) if track else []) if a.source != NOTHING]
            if edges:
                return leaf, edges
        elif entry.ran_at.get(node, step + 1) <= step:
            return "", [(node, entry.number, -1)]
    return "", []


def contributions_at(recording: Recording, edges: Sequence[PassEdge], element: tuple[int, ...] | None) -> list[Contribution]:
    """The contributions at the first few of some edges: a weight of a long loop has thousands, more than are read."""
    return [
        c
        for node, number, edge in edges[:MOST]
        for c in contributions(recording, node, number, element)
        if edge in (-1, c.edge)
    ]  # fmt: skip


def counted(edges: Sequence[PassEdge], contributions: Sequence[Contribution]) -> int:
    """How many contributions there are in all: one for each edge, or those of a node's edges."""
    return max(len(edges), len(contributions))


def heading(recording: Recording, into: str, contributions: Sequence[Contribution], count: int) -> str:
    """What the formulas are about."""
    if into:
        several = "one contribution" if count == 1 else f"{count} contributions, which add up"
        return tag("div", text(f"into {into}.grad: {several}"), cls="gt-label")
    if not contributions:
        return ""
    info = index_of(recording).nodes[int(contributions[0].source[1:])].info
    return tag("div", text(f"{info.name}: upstream gradient × local rule"), cls="gt-label")


def total_html(recording: Recording, into: str, terms: Sequence[Contribution], count: int, number: int) -> str:
    """What the contributions into a leaf add up to."""
    total = gradient_total(recording, int(terms[0].target[1:]), number)
    parts = [brief(recording.array(c.array), recording.arrays[c.array].shape) for c in terms]
    shown = " + ".join(f"({p})" if p.startswith("-") else p for p in parts) if count <= MOST else f"{count} terms"
    result = "" if total is None else f" = {brief(total, total.shape)}"
    return tag("div", text(f"together, added to {into}.grad: {shown}{result}"), cls="gt-note")


def edge_title(recording: Recording, c: Contribution) -> str:
    """Where a contribution goes, and which element is shown."""
    nodes, title = index_of(recording).nodes, titles(recording)
    source = nodes[int(c.source[1:])].info.name
    target = title(int(c.tensors[1][1:])) if c.tensors[1] else nodes[int(c.target[1:])].info.name
    shape = recording.arrays[c.array].shape
    shown = f"element {list(c.element)} of {shape_text(shape)}" if c.chosen else ""
    return tag(
        "div",
        tag("code", text(source)),
        text(" → "),
        tag("code", text(target)),
        tag("span", text(shown), cls="gt-push gt-muted"),
        copy("\n".join(part for part in (c.symbols, c.numbers) if part), "the formula as LaTeX"),
        cls="gt-row",
    )


def steps_html(c: Contribution) -> str:
    """The plain lines; the sum over broadcast axes stands out."""
    lines = [tag("div", text(line), cls="gt-step gt-sum" if line.startswith("summed") else "gt-step") for line in c.steps]
    note = muted("the rule is a function of its own and cannot be written out") if c.call else ""
    return tag("div", *lines, note, cls="gt-steps")
