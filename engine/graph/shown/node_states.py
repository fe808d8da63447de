"""What every node and edge of a graph shows at every step: one sweep over the log, noting only what changes.

A node's face is the last entry of its history with a step at or before the current one; so is an edge's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec
import numpy as np

from ...recording.columns import Flags, Ints, columns_of
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
    NodeInfo,
    NodeRan,
    OpRan,
    Printed,
    Raised,
    Read,
    Stepped,
    Thinned,
    Warned,
)
from ...recording.index import Index, index_of
from ...recording.recording import Recording
from ..numbers import ArrayTexts
from ..structure.build import Graph
from ..symbols import TITLE, clip
from .carriers import Carriers
from .state_history import (
    EARLIER,
    KEPT,
    PASSED,
    PENDING,
    STATE,
    TO_COME,
    EdgeFace,
    EdgeHistories,
    EdgeKey,
    Face,
    NodeHistories,
    Noted,
    state_of,
)

_MAX_TERMS = 3
PASSED_LABEL = "passed"
"""What a card calls a gradient that came and was not kept."""


class Faces(msgspec.Struct, frozen=True):
    """Histories by node key and by edge (from, to, key): pairs (step, face) in order of step."""

    nodes: Mapping[str, list[tuple[int, Face]]]
    edges: Mapping[EdgeKey, list[tuple[int, EdgeFace]]]


class WholeFaces(Faces, frozen=True):
    """The histories of a graph that is not folded."""

    nodes: NodeHistories
    edges: EdgeHistories


@dataclass(frozen=True, slots=True)
class Cast:
    """The cards of which faces are wanted: nodes with tensor and title, edges with the autograd edges that they carry."""

    autograd: bool
    nodes: Mapping[str, tuple[int, str]]
    """Key, "t<tensor>" or "n<node>" → tensor and title."""
    carriers: Mapping[tuple[int, int], Sequence[EdgeKey]]
    """(node, its edge) → the edges that show what goes there."""
    edges: Iterable[EdgeKey]
    """All edges."""
    renamed: bool = True
    """Whether a card says so when its tensor goes by another name than the title."""
    passed: bool = False
    """Whether a card that keeps no gradient goes on showing the one that has come to it, when the pass is over."""


def faces(recording: Recording, graph: Graph) -> WholeFaces:
    """The histories of all nodes and edges of a graph made by `build` from the same recording."""
    carriers: dict[tuple[int, int], list[EdgeKey]] = {}
    for source, target, key, attributes in graph.edges(keys=True, data=True):
        for edge in attributes["carries"]:
            carriers.setdefault(edge, []).append((source, target, key))
    nodes = {key: (attributes["tensor"], attributes["title"]) for key, attributes in graph.nodes(data=True)}
    cast = Cast(graph.graph["view"] == "autograd", nodes, carriers, graph.edges(keys=True))
    return _Sweep(recording, cast).run(0, len(recording.events) - 1)


def faces_between(recording: Recording, cast: Cast, first: int, last: int) -> WholeFaces:
    """The histories from step `first` to `last`, both included, of the cards and edges alone that are asked for; it costs what
    these have gone through, whatever else happens.

    A node that was there before begins, just before `first`, with what it shows there.
    """
    return _Sweep(recording, cast).run(max(0, first), min(last, len(recording.events) - 1))


def beginning(index: Index, first: int) -> int:
    """Where one has to begin to know what is shown at a step: there, or with the outermost pass that is under way then."""
    entry = index.running.at(first - 1, None) if first else None
    return first if entry is None else min(p.began for p in index.passes.values() if p.ended >= entry.began >= p.began)


class _Card:
    """The face in the making of one node."""

    __slots__ = (
        "arrived",
        "arrived_at",
        "expected",
        "filled",
        "grad",
        "kept",
        "key",
        "leaf",
        "passed",
        "pending",
        "ran",
        "received",
        "state",
        "title",
        "value",
    )

    def __init__(self, key: str, value: int) -> None:
        self.key = key
        self.value = value
        self.grad = NOTHING
        self.leaf = False
        self.kept = False
        self.pending = 0
        self.arrived: list[int] = []
        self.arrived_at = NOTHING
        self.expected = 0
        """How many gradients the pass will send here in all."""
        self.received = NOTHING
        self.passed = NOTHING
        """The gradient that came in the last pass that is over."""
        self.ran = False
        self.filled = False
        """Whether the pass has added to `.grad`, so that nothing is on its way any more."""
        self.state = ""
        self.title: str | None = None

    def settle(self) -> None:
        """The state a step after something happened: only an unfinished pass leaves a trace."""
        self.state = "done" if self.ran else "waiting" if self.arrived else ""

    def leave_pass(self) -> None:
        """Forget the pass that ended, but for what it has brought."""
        self.passed = self.received if self.received != NOTHING else self.passed
        self.arrived, self.arrived_at, self.received = [], NOTHING, NOTHING
        self.pending, self.ran, self.filled, self.state = 0, False, False, ""


class _Sweep:
    def __init__(self, recording: Recording, cast: Cast) -> None:
        self.recording = recording
        self.index = index_of(recording)
        self.texts = ArrayTexts(recording)
        self.autograd = cast.autograd
        self.nodes = cast.nodes
        self.carriers = cast.carriers
        self.cards: dict[str, _Card] = {}
        self.histories = NodeHistories(iter(cast.nodes), partial(face_of, self.texts))
        self.edges = EdgeHistories(iter(cast.edges), self.texts, len(recording.events))
        self.passed = cast.passed
        self.renamed: dict[int, list[int]] = {}
        self.renames = cast.renamed and not self.autograd
        if self.renames:
            for id, _ in cast.nodes.values():
                names = self.index.tensors[id].names
                for step in names.steps if names else ():
                    self.renamed.setdefault(step, []).append(id)
        self.holders = self._holders()
        self.in_pass: dict[int, set[str]] = {}
        self.expected: dict[tuple[int, int], Counter[int]] = {}
        self.unsettled: set[str] = set()
        self.touched: set[str] = set()

    def run(self, first: int, last: int) -> WholeFaces:
        start = self._before(first)
        for key in self.touched:
            self.histories.note(key, start - 1, self._noted(self.cards[key]))
        events, before = self.recording.events, start
        for step in self._steps(start, last):
            if step > before + 1:
                self._settle(before + 1)
            self._settle(step, events[step])
            before = step
        if before < last:
            self._settle(before + 1)
        if start:
            self.histories.clip(first)
            self.edges.clip(first)
        return WholeFaces(self.histories, self.edges)

    def _settle(self, step: int, event: AnyEvent | None = None) -> None:
        """What a step brings, which is nothing but the end of what the one before brought where no event is given."""
        for key in self.unsettled:
            self.cards[key].settle()
        self.touched, self.unsettled = self.unsettled, set()
        if event is not None:
            self._event(step, event)
            for tensor in self.renamed.get(step, ()):
                self._renamed(step, tensor)
        for key in self.touched:
            self.histories.note(key, step, self._noted(self.cards[key]))

    def _steps(self, first: int, last: int) -> list[int]:
        """The steps, from one to another, at which something happens to the cards and edges that are asked for."""
        log, owners = self.index.columns, self.index.owners
        cards, tensors = _Chosen(int(key[1:]) for key in self.nodes), _Chosen(self.holders)
        found = [np.fromiter(self.renamed, np.int64)]

        def look(steps: Ints, happens: Callable[[slice], Flags]) -> None:
            span = slice(int(np.searchsorted(steps, first)), int(np.searchsorted(steps, last, "right")))
            found.append(steps[span][happens(span)])

        def at(nodes: Ints, outputs: Ints) -> Flags:
            return cards.among(nodes if self.autograd else owners.many(nodes, outputs))

        def leaves(span: slice) -> Flags:
            return at(log.sent.target[span], log.sent.input[span]) | self._carried(log.sent.node[span], log.sent.slot[span])

        made = log.nodes if self.autograd else log.tensors
        look(made.step, lambda span: cards.among(made.id[span]))
        look(log.writes.step, lambda span: tensors.among(log.writes.tensor[span]))
        look(log.grads.step, lambda span: tensors.among(log.grads.tensor[span]))
        look(log.ran.step, lambda span: at(log.ran.node[span], np.zeros(len(log.ran.node[span]), np.int64)))
        look(log.received.step, lambda span: at(log.received.node[span], log.received.output[span]))
        look(log.sent.step, leaves)
        found += [log.passes.began, log.passes.ended, np.flatnonzero(log.events.kind == log.KIND[Raised])]
        steps = np.unique(np.concatenate(found))
        return steps[(steps >= first) & (steps <= last)].tolist()  # type: ignore[no-any-return]

    def _carried(self, nodes: Ints, slots: Ints) -> Flags:
        """Whether what goes along edges of nodes is shown by one that is asked for."""
        if isinstance(self.carriers, Carriers):
            return self.carriers.carry(nodes, slots)
        pairs = zip(nodes.tolist(), slots.tolist(), strict=True)
        return np.fromiter((pair in self.carriers for pair in pairs), np.bool_, len(nodes))

    def _before(self, first: int) -> int:
        """Put the cards in place that were there before a step, as they were ahead of the pass that is under way there, if any;
        the step to go on from."""
        if not first:
            return 0
        start = beginning(self.index, first)
        for key, (tensor, _) in self.nodes.items():
            if not self.autograd:
                history = self.index.tensors[tensor]
                if history.born < start:
                    card = self._born(key, history.status(start - 1).array)
                    assert card is not None
                    card.grad = history.grad(start - 1)
                    if self.passed:
                        card.passed = passed_before(self.recording, history.info.node, history.info.output, start)
                    if self.renames and history.names and history.names.steps[0] < start:
                        self._renamed(start - 1, tensor)
                continue
            node = self.index.nodes[int(key[1:])]
            if node.born < start:
                made, values = node.event, {}
                if isinstance(made, OpRan):
                    values = {info.node: info.array for info in made.outputs}
                    values |= {write.node: write.array for write in made.written}
                self._nodes_born(start - 1, (node.info,), values)
                if self.passed and key in self.cards:
                    self.cards[key].passed = passed_before(self.recording, node.info.id, 0, start)
        return start

    def _holders(self) -> dict[int, list[str]]:
        """Tensor → the nodes that show its current value and `.grad`."""
        if not self.autograd:
            return {tensor: [key] for key, (tensor, _) in self.nodes.items()}
        holders: dict[int, list[str]] = {}
        for key in self.nodes:
            variable = self.index.nodes[int(key[1:])].info.variable
            if variable != NOTHING:
                holders.setdefault(variable, []).append(key)
        return holders

    def _event(self, step: int, event: AnyEvent) -> None:
        match event:
            case OpRan():
                self._op(step, event)
            case BackwardBegan():
                self._began(step, event)
            case NodeRan():
                self._node_ran(step, event)
            case Accumulated():
                self._accumulated(event)
            case GradSet():
                for card in self._shown(event.tensor):
                    card.grad = event.array
            case BackwardEnded():
                self._ended(event.number)
            case Raised():
                for number in list(self.in_pass):
                    self._ended(number)
            case (
                Named() | FlagSet() | HookRan() | Stepped() | Read() | Printed() | Drew() | Warned() | CellBegan() |
                CellEnded() | Thinned()
            ):  # fmt: skip
                pass  # nothing that a card shows

    def _op(self, step: int, event: OpRan) -> None:
        for info in event.outputs:
            self._born(f"t{info.id}", info.array)
        if self.autograd:
            values = {info.node: info.array for info in event.outputs}
            values |= {write.node: write.array for write in event.written}
            self._nodes_born(step, event.accumulators, values)
            if event.node is not None:
                self._nodes_born(step, (event.node,), values)
        for write in event.written:
            for card in self._shown(write.tensor):
                card.value = write.array
                self._mark(card, "written")

    def _nodes_born(self, step: int, nodes: tuple[NodeInfo, ...], values: dict[int, int]) -> None:
        """A node shows what it made; an AccumulateGrad shows its leaf."""
        for node in nodes:
            card = self._born(f"n{node.id}", values.get(node.id, NOTHING))
            if card is not None and node.variable != NOTHING:
                history = self.index.tensors[node.variable]
                card.value, card.grad = history.status(step).array, history.grad(step)

    def _born(self, key: str, value: int) -> _Card | None:
        if key not in self.histories:
            return None
        card = self.cards[key] = _Card(key, value)
        self.touched.add(key)
        return card

    def _began(self, step: int, event: BackwardBegan) -> None:
        self.in_pass[event.number] = set()
        if self.autograd:
            self._nodes_born(step, event.nodes, {})
        for tensor, steps in self.index.passes[event.number].fills.items():
            for card in self._shown(tensor):
                card.pending += len(steps)
                card.leaf = self.index.tensors[tensor].status(step).is_leaf
                self.in_pass[event.number].add(card.key)
        for (_, array), (node, input) in zip(event.roots, event.root_nodes, strict=False):
            self._arrive(step, event.number, node, input, array)

    def _arrive(self, step: int, number: int, node: int, input: int, array: int) -> None:
        card = self._at(node, input)
        if card is None:
            return
        if card.arrived_at != node or card.ran:
            card.arrived, card.arrived_at, card.received, card.ran, card.filled = [], node, NOTHING, False, False
            card.expected = self._expected(number, node, input)
        card.arrived.append(array)
        self._in_pass(step, number, card, "receiving")

    def _expected(self, number: int, node: int, input: int) -> int:
        counts = self.expected.get((number, node))
        if counts is None:
            arrivals = self.index.passes[number].arrivals[node].values
            counts = self.expected[number, node] = Counter(0 if self.autograd else arrival.input for arrival in arrivals)
        return counts[0 if self.autograd else input]

    def _node_ran(self, step: int, event: NodeRan) -> None:
        for output, array in enumerate(event.received or (NOTHING,)):
            card = self._at(event.node, output)
            if card is not None and (array != NOTHING or output == 0):
                card.received, card.ran = array, True
                self._in_pass(step, event.number, card, "running")
        for number, sent in enumerate(event.sent):
            if sent is None:
                continue
            self._arrive(step, event.number, sent.node, sent.input, sent.array)
            for key in self.carriers.get((event.node, number), ()):
                self.edges.note(key, step, sent.array)

    def _accumulated(self, event: Accumulated) -> None:
        for card in self._shown(event.tensor):
            card.grad = event.total
            card.pending = max(card.pending - 1, 0)
            if card.leaf:
                card.ran = card.filled = True
                self._mark(card, "running")

    def _ended(self, number: int) -> None:
        for key in self.in_pass.pop(number, ()):
            self.cards[key].leave_pass()
            self.touched.add(key)

    def _in_pass(self, step: int, number: int, card: _Card, state: str) -> None:
        if number in self.in_pass:
            self.in_pass[number].add(card.key)
        tensor, _ = self.nodes[card.key]
        if tensor != NOTHING:
            history = self.index.tensors[tensor]
            card.leaf = history.status(step).is_leaf
            card.kept = 0 <= history.retained <= step
        self._mark(card, state)

    def _mark(self, card: _Card, state: str) -> None:
        card.state = state
        self.unsettled.add(card.key)
        self.touched.add(card.key)

    def _at(self, node: int, input: int) -> _Card | None:
        """The card at which a gradient for this input of a node arrives."""
        if self.autograd:
            return self.cards.get(f"n{node}")
        return self.cards.get(f"t{self.index.owners.get((node, input), NOTHING)}")

    def _shown(self, tensor: int) -> list[_Card]:
        cards = [self.cards[key] for key in self.holders.get(tensor, ()) if key in self.cards]
        self.touched.update(card.key for card in cards)
        return cards

    def _renamed(self, step: int, tensor: int) -> None:
        for card in self._shown(tensor):
            name = clip(self.index.tensors[tensor].name(step), TITLE)
            card.title = name if name != self.nodes[card.key][1] else None

    def _noted(self, card: _Card) -> list[Any]:
        ran = card.received != NOTHING
        flows = not card.filled and (ran or bool(card.arrived))
        flags = STATE[card.state]
        if card.pending > 0:
            flags += PENDING
        if len(card.arrived) > _MAX_TERMS:
            flags += EARLIER
        if len(card.arrived) < card.expected:
            flags += TO_COME
        if card.leaf or card.kept:
            flags += KEPT
        received = card.received if flows else NOTHING
        if self.passed and not flows and card.grad == NOTHING and not flags & PENDING and card.passed != NOTHING:
            received, flags = card.passed, flags + PASSED
        arrived = tuple(card.arrived[-_MAX_TERMS:]) if flows and not ran else ()
        return [card.value, card.grad, received, arrived, flags, card.title]


class _Chosen:
    """Some ids, to be asked of many at once."""

    def __init__(self, ids: Iterable[int]) -> None:
        some = np.array(sorted(ids), np.int64)
        self._is = np.zeros(int(some.max(initial=-1)) + 2, np.bool_)
        self._is[some] = True

    def among(self, ids: Ints) -> Flags:
        """Which of these are."""
        found: Flags = self._is[np.where((ids >= 0) & (ids < len(self._is)), ids, -1)]
        return found


def passed_before(recording: Recording, node: int, output: int, step: int) -> int:
    """The array of the last gradient that an autograd node received for an output before a step, or NOTHING."""
    keys, steps, arrays, width = recording.once("received by node", lambda: _received(recording))
    if node == NOTHING or output >= width:
        return NOTHING
    low, high = np.searchsorted(keys, node * width + output, "left"), np.searchsorted(keys, node * width + output, "right")
    at = low + int(np.searchsorted(steps[low:high], step))
    return int(arrays[at - 1]) if at > low else NOTHING


def _received(recording: Recording) -> tuple[Ints, Ints, Ints, int]:
    """Which gradients nodes received, in the order of nodes, outputs and steps: node × width + output, step and array; and the
    width."""
    r = columns_of(recording).received
    width = int(r.output.max(initial=0)) + 1
    keys = r.node * width + r.output
    order = np.argsort(keys, kind="stable")
    return keys[order], r.step[order], r.array[order], width


def face_of(texts: ArrayTexts, noted: Noted) -> Face:
    """What a card shows, from what was noted of it."""
    if noted.flags & PASSED:
        came = texts.on_card(noted.received)
        return Face(texts.on_card(noted.value), came, PASSED_LABEL, state=state_of(noted.flags), title=noted.title)
    flow = _flow(texts, noted)
    grad = texts.gradient(noted.grad) if noted.grad != NOTHING else None
    if noted.flags & PENDING:
        grad = "…" if grad is None else f"{grad} + …"
    not_kept = flow is not None and not noted.flags & KEPT and noted.grad == NOTHING
    return Face(
        value=texts.on_card(noted.value),
        grad=grad,
        flow=flow,
        flow_note="grad not kept" if not_kept else "",
        state=state_of(noted.flags),
        title=noted.title,
    )


def _flow(texts: ArrayTexts, noted: Noted) -> str | None:
    if noted.received != NOTHING:
        return texts.on_card(noted.received)
    if not noted.arrived:
        return None
    terms = [texts.on_card(array) for array in noted.arrived]
    if noted.flags & EARLIER:
        terms.insert(0, "…")
    if noted.flags & TO_COME:
        terms.append("…")
    return " + ".join(terms)
