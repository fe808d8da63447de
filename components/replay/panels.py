"""What stands beside the graph in a replay, made beforehand: the inspector's contents wherever they change, and the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from components.html.diagnosis_html import both_views, findings_html
from components.html.group_html import group_html
from components.html.inspector_html import inspector_html
from components.html.ledger_html import ledger_html
from components.replay.formulas import formula_html
from components.replay.pictures import FOLD
from components.replay.texts import Texts, history
from engine.diagnosis import findings
from engine.diagnosis.ledger import ledgers
from engine.figures import title_of_text
from engine.graph import View, build, changes
from engine.graph.structure.build import Graph
from engine.graph.unrolled_graph import unrolled_graph
from engine.progress import Tell, told, untold
from engine.recording import Recording
from engine.recording.events import (
    NOTHING,
    Accumulated,
    BackwardBegan,
    BackwardEnded,
    CellBegan,
    CellEnded,
    Drew,
    FlagSet,
    GradSet,
    HookRan,
    Named,
    NodeRan,
    OpRan,
    Printed,
    Raised,
    Read,
    Stepped,
    Thinned,
    Warned,
)
from engine.recording.index import index_of

MAX_MOMENTS = 6_000
"""Contents of the inspector that are made in all; where there are more, every node keeps its first and its last ones, the
last one at least."""
MAX_FORMULAS = 1_500
"""Steps whose formulas are written out."""
MAX_LEDGERS = 500
"""Tensors whose ledgers are written out."""


def panels(recording: Recording, views: Sequence[View], tell: Tell = untold) -> dict[str, Any]:
    """Everything beside the graph in these views, of which there are none where the run is shown rolled alone.

    `inspector` has for each node pairs (step, row in `texts`); the last one at or before a step holds.
    """
    texts = Texts()
    graphs = [build(recording, view) for view in views]
    moments = {key: steps for graph in graphs for key, steps in _moments(recording, graph).items()}
    each = max(1, MAX_MOMENTS // max(len(moments), 1))
    last = len(recording.events) - 1
    changing = told(list(moments.items()), tell)
    return {
        "inspector": {
            key: history((step, texts.row_of(inspector_html(recording, step, key))) for step in _some(steps, each))
            for key, steps in changing
        },
        "groups": {view: _groups(recording, view, texts) for view in views},
        "formulas": dict(_formulas(recording, texts)) if views else {},
        "ledgers": {f"t{tensor}": texts.row_of(ledger_html(recording, last, tensor)) for tensor in _with_ledger(recording)},
        "findings": texts.row_of(findings_html(recording, findings(recording))),
        "found": sum(f.grave for f in findings(recording)),
        "output": list(_output(recording)),
        "twins": {key: twin for key in moments for twin in both_views(recording, key)[1:]},
        "texts": texts.texts,
    }


def _with_ledger(recording: Recording) -> list[int]:
    """The tensors whose ledgers are written out: where there are many, those that most is said of."""
    found = ledgers(recording)
    return sorted(sorted(found, key=lambda tensor: -len(found[tensor]))[:MAX_LEDGERS])


def _moments(recording: Recording, graph: Graph) -> dict[str, list[int]]:
    """Node → the steps at which what the inspector says of it may change."""
    index = index_of(recording)
    found = {key: set(steps) for key, steps in changes(recording, graph).items()}
    bounds = {step for entry in index.passes.values() for step in (entry.began, min(entry.ended, len(recording.events) - 1))}
    for key, steps in found.items():
        attributes = graph.nodes[key]
        nodes = {attributes["node"], int(key[1:]) if key.startswith("n") else NOTHING} - {NOTHING}
        for entry in index.passes.values():
            for node in nodes:
                track = entry.arrivals.get(node)
                steps.update(track.steps if track is not None else ())
        for node in nodes & index.nodes.keys():
            # A saved tensor that is written in place is marked as changed.
            for saved in index.nodes[node].info.saved:
                history = index.tensors.get(saved.tensor)
                steps.update(history.changes.steps if history is not None and history.changes else ())
        steps.update(bounds)
    return {key: sorted(step for step in steps if step >= graph.nodes[key]["born"]) for key, steps in found.items()}


def _groups(recording: Recording, view: View, texts: Texts) -> dict[str, list[tuple[int, int]]]:
    """Node of a closed group → what the inspector says of it from when it begins, when it is whole, and after each pass."""
    everything = unrolled_graph(recording, view)
    groups = everything.groups(FOLD)
    ends = sorted({min(entry.ended, len(recording.events) - 1) for entry in index_of(recording).passes.values()})
    made = {}
    each = max(1, MAX_MOMENTS // max(len(groups.groups), 1))
    for id, group in groups.groups.items():
        born = [everything.graph.nodes[key]["born"] for key in group.members]
        steps = [min(born), *_some(sorted({max(born), *(end for end in ends if end > min(born))}), each)]
        made[f"g:{id}"] = [
            (step, texts.row_of(group_html(recording, everything, groups, id, step, counted=False))) for step in steps
        ]
    return made


def _some(steps: list[int], most: int) -> list[int]:
    """At most so many steps, the last among them."""
    return steps if len(steps) <= most else [*steps[: most // 2], *steps[len(steps) - (most - most // 2) :]]


def _formulas(recording: Recording, texts: Texts) -> Iterator[tuple[int, int]]:
    """Steps at which a node runs, with what it sends written out."""
    running = [step for step, event in enumerate(recording.events) if isinstance(event, NodeRan) and any(event.sent)]
    for step in running[:MAX_FORMULAS]:
        if html := formula_html(recording, step):
            yield step, texts.row_of(html)


def _output(recording: Recording) -> Iterator[tuple[int, str, str]]:
    """What is shown under the source from which step on: (step, kind, text)."""
    for step, event in enumerate(recording.events):
        match event:
            case Printed():
                yield step, "error" if event.stream == "stderr" else "text", event.text
            case Drew():
                yield step, "text", f"[{title_of_text(event.figure)}]\n"
            case CellEnded() if event.result is not None:
                yield step, "value", event.result + "\n"
            case Raised():
                yield step, "error", f"{event.type}: {event.message}\n"
            case (
                OpRan() | Named() | FlagSet() | BackwardBegan() | NodeRan() | Accumulated() | BackwardEnded() |
                GradSet() | HookRan() | Stepped() | Read() | Warned() | CellBegan() | CellEnded() |
                Thinned()
            ):  # fmt: skip
                pass  # nothing that stands under the source
