"""The timeline under the picture: its segments, and for every step its line in the text, its caption and its focus."""

from __future__ import annotations

import msgspec
import numpy as np

from ...recording.columns import Columns, Ints, columns_of
from ...recording.events import (
    NOTHING,
    Accumulated,
    AnyEvent,
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
from ...recording.index import index_of
from ...recording.recording import Recording
from ..structure.build import Graph
from .captions import Caption, caption_at, captions


class Segment(msgspec.Struct, frozen=True, rename={"first": "from", "last": "to"}):
    """A run of steps, both ends included; `kind` is "forward", "backward" or "other"."""

    label: str
    kind: str
    first: int
    last: int


class Step(msgspec.Struct, frozen=True):
    """One step: its segment, where it is in the text, what happened, and the nodes it is about."""

    phase: int
    cell: int
    span: tuple[int, int, int, int] | None
    caption: Caption
    focus: tuple[str, ...]


def segments(recording: Recording) -> list[Segment]:
    """The recording cut into forward runs, backward passes and what is neither (optimizer steps, output)."""
    kinds, tape = _kinds(recording), columns_of(recording).tape
    if not len(kinds):
        return []
    cuts = np.flatnonzero(np.append(True, kinds[1:] != kinds[:-1]))
    ends = np.append(cuts[1:], len(kinds))
    ran, between = (
        np.add.reduceat(np.isin(tape.kind, [Columns.KIND[one] for one in alike]), cuts) > 0
        for alike in ((OpRan, Named), (GradSet, FlagSet))
    )
    passes = columns_of(recording).passes
    via = dict(zip(passes.number.tolist(), passes.via.tolist(), strict=True))
    found = []
    for at, (first, end, number) in enumerate(zip(cuts.tolist(), ends.tolist(), kinds[cuts].tolist(), strict=True)):
        if number > 0:
            name, kind = f"{'grad' if via[number] else 'backward'} {number}", "backward"
        elif number == _STEPPING:
            name, kind = "step", "other"
        elif first == 0 or ran[at]:
            name, kind = "forward", "forward"
        else:
            name, kind = "between" if between[at] else "output", "other"
        found.append(Segment(name, kind, first, end - 1))
    return found


def steps(recording: Recording, graph: Graph, *, captioned: bool = True) -> list[Step]:
    """Every step, with the focus in the nodes of this graph; without `captioned`, captions are left out but for the last."""
    told = captions(recording) if captioned else _last_alone(recording)
    phases = [phase for phase, part in enumerate(segments(recording)) for _ in range(part.first, part.last + 1)]
    running = index_of(recording).running
    focus = _Focus(recording, graph)
    found = []
    cell = 0
    for step, (event, caption) in enumerate(zip(recording.events, told, strict=True)):
        site = recording.site(event)
        entry = running.at(step, None)
        if site is None and entry is not None:
            # While a pass runs, the program stands at the call that started it.
            site = recording.site(entry.event)
        if site is not None:
            cell = site.cell
        elif isinstance(event, CellBegan):
            cell = event.cell
        span = (site.line, site.column, site.end_line, site.end_column) if site is not None and site.line else None
        found.append(Step(phases[step], cell, span, caption, focus.of(event)))
    return found


def _last_alone(recording: Recording) -> list[Caption]:
    last = len(recording.events) - 1
    return [*([] for _ in range(last)), caption_at(recording, last)] if last >= 0 else []


def focus_at(recording: Recording, graph: Graph, step: int) -> tuple[str, ...]:
    """The nodes of a graph that one step is about."""
    return _Focus(recording, graph).of(recording.events[step])


def line_ends(recording: Recording) -> list[int]:
    """The last step of every visit to a source line, for stepping line by line.

    A loop that comes back to a line visits it anew, and a backward pass belongs to the line that started it.
    """
    running = index_of(recording).running
    ends: list[int] = []
    last: tuple[int, int, int] | None = None
    for step, event in enumerate(recording.events):
        entry = running.at(step, None)
        site = recording.site(event)
        if (site is None or not site.line) and entry is not None:
            event, site = entry.event, recording.site(entry.event)
        if site is None or not site.line:
            continue
        here = (site.cell, site.line, event.scope)
        if last is not None and here != last:
            ends.append(step - 1)
        last = here
    if recording.events:
        ends.append(len(recording.events) - 1)
    return ends


_FORWARD, _STEPPING = 0, -1


def _kinds(recording: Recording) -> Ints:
    """For each event the number of the backward pass that runs, `_STEPPING` in an optimizer's step, else `_FORWARD`; a pass
    inside another belongs to the outer one."""
    passes, total = columns_of(recording).passes, len(recording.events)
    kinds = np.full(total, _FORWARD)
    outer_end = -1
    for number, began, ended in zip(passes.number.tolist(), passes.began.tolist(), passes.ended.tolist(), strict=True):
        if began > outer_end:
            outer_end = min(ended, total - 1)
            kinds[began : outer_end + 1] = number
    kinds[index_of(recording).stepping & (kinds == _FORWARD)] = _STEPPING
    return kinds


class _Focus:
    """Which nodes of a graph an event is about."""

    def __init__(self, recording: Recording, graph: Graph) -> None:
        self.index = index_of(recording)
        self.graph = graph
        self.autograd = graph.graph["view"] == "autograd"
        self.accumulators = {
            history.info.variable: id for id, history in self.index.nodes.items() if history.info.variable != NOTHING
        }

    def of(self, event: AnyEvent) -> tuple[str, ...]:
        found: list[str] = []
        match event:
            case OpRan():
                found += [self.tensor(info.id) for info in event.outputs]
                found += [self.tensor(write.tensor) for write in event.written]
            case Named() | FlagSet() | GradSet() | Accumulated() | Read():
                found.append(self.tensor(event.tensor))
            case HookRan():
                found.append(self.tensor(event.tensor) if event.tensor != NOTHING else self.node(event.node, 0))
            case BackwardBegan():
                found += [self.tensor(tensor) for tensor, _ in event.roots]
            case BackwardEnded():
                found += [self.tensor(tensor) for tensor in self.index.passes[event.number].fills]
            case NodeRan():
                found.append(self.node(event.node, 0))
                found += [self.node(sent.node, sent.input) for sent in event.sent if sent is not None]
            case Stepped():
                found += [self.tensor(parameter) for parameter in event.parameters]
            case Printed() | Drew() | Warned() | Raised() | CellBegan() | CellEnded() | Thinned():
                pass  # about no node
        return tuple(dict.fromkeys(key for key in found if key in self.graph))

    def tensor(self, id: int) -> str:
        if not self.autograd or id == NOTHING:
            return f"t{id}"
        node = self.index.tensors[id].birth.node
        return f"n{node if node != NOTHING else self.accumulators.get(id, NOTHING)}"

    def node(self, id: int, input: int) -> str:
        return f"n{id}" if self.autograd else f"t{self.index.owners.get((id, input), NOTHING)}"
