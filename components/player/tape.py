"""What the player is told of a run, whatever of its graph is on show: steps, timeline, queues, and what is not on show."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import numpy as np

from components.player.protocol import Column, Index, Moments, Queue, Run, Segments, Steps, Window
from engine.graph import line_ends, queues, segments, steps
from engine.graph.graph_view import GraphView, groups_around
from engine.graph.shown.captions import captions, captions_between
from engine.graph.shown.run_index import ends_of_lines, sites_of_steps
from engine.recording import Recording
from engine.recording.index import index_of


def run(view: GraphView, *, captioned: bool) -> Run:
    """What is known of the whole run; names are those of nodes and cards of the whole structure. Of a rolled run it is columns,
    so that it is small and quickly made for any number of events. Not `captioned`, steps have no captions but for the last.
    """
    recording, passes = view.recording, len(index_of(view.recording).passes)
    if view.rolled is not None:
        return Run(_columns(recording), _segments(recording), column(ends_of_lines(recording)), passes, _index(view))
    told = Run(
        steps(recording, view.structure.graph, captioned=captioned), segments(recording), line_ends(recording), passes,
        queues=_queues(view),
    )  # fmt: skip
    if view.groups.groups:
        told.index = _index(view)
    return told


def moments(view: GraphView, window: Window) -> Moments:
    """What happens in a window of a rolled run; of one that is not rolled, all captions."""
    rolled, recording = view.rolled, view.recording
    if rolled is None:
        return Moments(captions(recording))
    first, last = window
    about = [rolled.about(step) for step in range(first, last + 1)]
    return Moments(captions_between(recording, first, last), first, about, _queues(view, window))


def _columns(recording: Recording) -> Steps:
    table = [(s.cell, (s.line, s.column, s.end_line, s.end_column) if s.line else None) for s in recording.sites]
    return Steps(len(recording.events), column(sites_of_steps(recording)), table)


def _segments(recording: Recording) -> Segments:
    parts = segments(recording)
    names = {name: number for number, name in enumerate(dict.fromkeys((part.label, part.kind) for part in parts))}
    return Segments(
        column(np.array([part.first for part in parts], np.int64)),
        column(np.array([names[part.label, part.kind] for part in parts], np.int64)),
        list(names),
    )


def column(numbers: np.ndarray[Any, np.dtype[np.int64]]) -> Column:
    """Whole numbers as `frontend/src/steps.js` reads them: of two bytes where that is enough, else of four."""
    wide = 4 if np.abs(numbers).max(initial=0) >= 1 << 15 else 2
    return Column(wide, b64encode(numbers.astype(f"<i{wide}").tobytes()).decode())


def _queues(view: GraphView, within: Window | None = None) -> list[Queue]:
    """The passes, or those that run in a window, each with its nodes in the order in which they ran."""
    index, card_of = index_of(view.recording), view.structure.card_of_node
    return [
        Queue(
            queue.number,
            queue.began,
            queue.ended,
            [
                (
                    card_of(visit.node),
                    index.nodes[visit.node].info.name,
                    visit.ready,
                    visit.began,
                    visit.ran,
                    list(visit.arrivals),
                )
                for visit in queue.visits
            ],
        )
        for queue in queues(view.recording, within)
    ]


def _index(view: GraphView) -> Index:
    groups, troubles = view.groups, view.structure.troubles
    ordered = sorted(groups.groups.values(), key=lambda g: len(groups_around(groups, g.id)))
    number = {g.id: k for k, g in enumerate(ordered)}
    rows = []
    for key, a in view.structure.graph.nodes(data=True):
        path = groups.enclosing.get(key)
        innermost = number[path[-1]] if path else -1
        rows.append((key, innermost, a["title"], a["badge"], a["sub"], a["op"], troubles.get(key, -1)))
    return Index([(g.id, g.title, number.get(g.parent, -1)) for g in ordered], rows)
