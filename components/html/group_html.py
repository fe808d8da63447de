"""A closed group of the graph: what is in it, what its gradients are, and what varies among its parts."""

from __future__ import annotations

from collections import Counter
from os.path import commonprefix

from components.html.markup import chip, more, muted, section, shortened, table, tag, text
from components.html.run_html import over_run_html
from engine.diagnosis.findings import findings_at_hand
from engine.graph.numbers import ArrayTexts
from engine.graph.rolled_graph import RolledGraph
from engine.graph.shown.group_variation import parts, varies
from engine.graph.structure.folding import Folding, shown_member
from engine.graph.unrolled_graph import UnrolledGraph
from engine.recording import Recording, replay
from engine.recording.events import NOTHING
from engine.recording.index import index_of

MAX_ROWS = 40
MAX_NAME = 200
"""Characters of a tensor's name."""
GONE = "The selected group is open now, or the graph is folded in another way. Click a card in the graph to see it here."


def group_html(
    recording: Recording, whole: UnrolledGraph, folding: Folding, id: str, step: int, *, counted: bool = True
) -> str:
    """The group with this id at `step`. Not `counted`, it does not say how much has been made by that step."""
    group = folding.groups.get(id)
    if group is None:
        return tag("div", GONE, cls="gt-empty")
    nodes = [whole.graph.nodes[key] for key in group.members]
    made = f", {sum(a['born'] <= step for a in nodes)} of them made at this step" if counted else ""
    head = tag("div", tag("strong", text(group.title)), " ", chip(group.kind), cls="gt-title")
    facts = muted(f"{len(nodes)} nodes{made}. Double-click the card, or press Enter, to open it.")
    counts = Counter(str(a["op"]) for a in nodes if a["op"])
    ops = table(("operation", "times"), (("", (text(op), text(n))) for op, n in counts.most_common(12)))
    inside = set(group.members)
    told = [f for f in findings_at_hand(recording) if inside & set(f.nodes)]
    return "".join(
        (
            section(head, facts),
            section(*(tag("p", text(f.title)) for f in told[:MAX_ROWS]), more(len(told), MAX_ROWS), label="findings inside")
            if told
            else "",
            _tensors(recording, whole, group.members, step),
            _varying(whole, folding, id),
            section(ops, label="operations") if counts else "",
        )
    )


def rolled_group_html(recording: Recording, view: RolledGraph, id: str, step: int, over_run: str | None = None) -> str:
    """A closed group of a rolled graph: its tensors in the iteration that a step is in, and how it goes over the run, which
    `over_run` stands for where it is given."""
    group = view.folding.groups.get(id)
    if group is None:
        return tag("div", GONE, cls="gt-empty")
    nodes = view.graph.nodes
    count = sum(bool(nodes[key]["op"]) and nodes[key]["kind"] not in ("leaf", "accumulate") for key in group.members)
    head = tag("div", tag("strong", text(group.title)), " ", chip(group.kind), cls="gt-title")
    many = f"{count:,} operation{'s' * (count != 1)} in each iteration"
    facts = muted(f"{many}. Double-click the card, or press Enter, to open it.")
    state, texts = replay(recording, step), ArrayTexts(recording)
    inside = {member for key in group.members for member in nodes[key]["all"]}
    told = [f for f in findings_at_hand(recording) if not inside.isdisjoint(f.nodes)]
    rows = []
    for key in group.members[:MAX_ROWS]:
        tensor = _tensor_of(recording, view.member(key, step))
        if tensor not in state:
            continue
        t, title = state.tensor(tensor), shortened(str(nodes[key]["title"]), MAX_NAME)
        link = tag("button", text(title.removeprefix(f"{group.title}.")), cls="gt-moment", type="button", data_gt_select=key)
        rows.append(("", (link, text(texts(t.value)), text(texts(t.grad) or "–"))))
    return "".join(
        (
            section(head, facts),
            section(*(tag("p", text(f.title)) for f in told[:MAX_ROWS]), more(len(told), MAX_ROWS), label="findings inside")
            if told
            else "",
            section(table(("tensor", "value", "grad"), rows), more(len(group.members), MAX_ROWS), label="tensors inside")
            if rows
            else "",
            over_run_html(recording, view, shown_member(view.graph, group.members), step) if over_run is None else over_run,
        )
    )


def _tensor_of(recording: Recording, node: str) -> int:
    """The tensor of a node of the graph of tensors, or the one that a node of the autograd graph made."""
    if node.startswith("t"):
        return int(node[1:])
    return index_of(recording).owners.get((int(node[1:]), 0), NOTHING) if node.startswith("n") else NOTHING


def _tensors(recording: Recording, whole: UnrolledGraph, members: list[str], step: int) -> str:
    """The named tensors inside, each a link that opens the groups around it."""
    state = replay(recording, step)
    nodes = whole.graph.nodes
    shown = [key for key in members if nodes[key]["shape"] == "card" and nodes[key]["tensor"] in state]
    faces = {key: face for key in shown[:MAX_ROWS] if (face := whole.faces.nodes.at(key, step)) is not None}
    if not faces:
        return ""
    titles = {
        key: shortened(state.tensor(nodes[key]["tensor"]).name or face.title or nodes[key]["title"], MAX_NAME)
        for key, face in faces.items()
    }
    # Parameters of one module: what all their names begin with would leave no room for the rest.
    dotted = [title for title in titles.values() if "." in title]
    common = "".join(commonprefix(dotted).rpartition(".")[:2]) if len(dotted) > 1 else ""  # noqa: RUF071
    rows = []
    for key, face in faces.items():
        short = f"…{titles[key][len(common) :]}" if common and titles[key].startswith(common) else titles[key]
        link = tag("button", text(short), cls="gt-moment", type="button", title=titles[key], data_gt_select=key)
        rows.append(("", (link, text(face.value), text(face.grad or "–"))))
    return section(table(("tensor", "value", "grad"), rows), more(len(shown), MAX_ROWS), label="tensors inside")


def _varying(whole: UnrolledGraph, folding: Folding, id: str) -> str:
    group = folding.groups[id]
    compared = parts(folding, group)
    if len(compared) < 2:
        return ""
    found = varies(whole.graph, folding, group)
    if not found:
        return section(muted(f"All {len(compared)} parts have the same operations, names and shapes."), label="what varies")
    rows = (("", (text(each.what), text(each))) for each in found[:MAX_ROWS])
    return section(
        table(("", "in the parts"), rows), more(len(found), MAX_ROWS), label=f"what varies among {len(compared)} parts"
    )
