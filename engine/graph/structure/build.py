"""A whole recording as a networkx graph: of its tensors, or of its autograd nodes.

Every node and edge says what it stands for in ids, so that faces, layout and inspector need no second look at the log.
Node keys are "t<tensor id>" and "n<node id>"; an edge's key is its number, and parallel edges (`x * x`) are kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from typing import Any, Literal, TypeAlias

import networkx as nx
from networkx.classes.reportviews import OutMultiEdgeView

from ...recording.events import NOTHING, OpRan
from ...recording.index import Index, NodeHistory, Status, TensorHistory, index_of
from ...recording.log import Rows
from ...recording.recording import Recording
from ..numbers import ArrayTexts, shape_text
from ..symbols import pill_title
from .card_sizes import GradTexts, card_size, pill_size

WholeView: TypeAlias = Literal["tensors", "autograd"]


class Graph(nx.MultiDiGraph):  # type: ignore[misc]  # networkx has no types
    """What is drawn: keys of nodes, and between them edges by number."""

    @property
    def edges(self) -> OutMultiEdgeView[str]:
        """networkx keeps it, and the two hold each other: only the garbage collector would free a picture then."""
        return OutMultiEdgeView(self)


VIEWS: tuple[WholeView, ...] = ("tensors", "autograd")
"""The views, each with a node for everything."""

_THROUGH = 8
"""How many nodes that no tensor owns (casts) are looked through to find whose gradient an edge carries."""


def build(recording: Recording, view: WholeView = "tensors") -> Graph:
    """The recording's graph with all its steps at once; `born` says from which step on a node or edge exists."""
    graph = unmeasured(recording, view)
    measure(recording, graph, graph)
    return graph


def unmeasured(recording: Recording, view: WholeView = "tensors") -> Graph:
    """The same without the sizes of nodes, which take half of the time and which only what is on show needs."""
    if isinstance(recording.events, Rows):
        recording.events.ahead()
    if view == "tensors":
        return _TensorGraph(recording).build()
    return _autograd_graph(recording)


def measure(recording: Recording, graph: Graph, keys: Iterable[str]) -> None:
    """Give nodes of an unmeasured graph their `width` and `height`, where they have none."""
    waiting = [a for a in map(graph.nodes.__getitem__, keys) if "width" not in a]
    if not waiting:
        return
    index, texts = index_of(recording), recording.once("texts of arrays", lambda: ArrayTexts(recording))
    grads = recording.once("texts of gradients", lambda: GradTexts(recording))
    for a in waiting:
        history = index.tensors.get(a["tensor"])
        value = texts.on_card(history.info.array) if history is not None else ""
        if a["shape"] == "pill":
            a["width"], a["height"] = pill_size(a["title"], value)
            continue
        keeps, differentiable = a["kind"] == "accumulate", True
        if graph.graph["view"] == "tensors":
            assert history is not None
            keeps = a["kind"] == "leaf" or history.retained >= 0
            differentiable = _ever_requires_grad(history)
        said = grads.lengths(a["tensor"]) if keeps else ()
        a["width"], a["height"] = card_size(a["title"], a["badge"], a["sub"], value, keeps, differentiable, said)


def _ever(history: TensorHistory) -> list[Status]:
    """What a tensor was, from its birth on."""
    return [history.birth, *(history.changes.values if history.changes else [])]


def _ever_requires_grad(history: TensorHistory) -> bool:
    return any(status.requires_grad for status in _ever(history))


def visible(recording: Recording) -> set[int]:
    """The tensors that have a node: all but those inside optimizers' steps, and `.grad`s that feed nothing."""
    index = index_of(recording)
    return index.tensors.keys() - _inner(index) - _hidden_grads(index, recording)


def _inner(index: Index) -> set[int]:
    """Nameless tensors inside an optimizer's step."""
    return {id for id, history in index.tensors.items() if index.stepping[history.born] and not history.first_name}


def _hidden_grads(index: Index, recording: Recording) -> set[int]:
    """`.grad` tensors that neither have a name nor feed a computation: only their owner's card shows them."""
    tensors = index.tensors
    grads = {id for id, history in tensors.items() if history.info.grad_of != NOTHING and not history.first_name}
    # Newest first, so that a gradient of a gradient is kept if what it feeds is kept.
    for event in reversed(recording.events):
        if not grads:
            break
        if isinstance(event, OpRan):
            targets = {info.id for info in event.outputs} | {write.tensor for write in event.written}
            for argument in event.inputs:
                if argument.tensor in grads:
                    owner = tensors[argument.tensor].info.grad_of
                    if targets - grads - {owner}:
                        grads.discard(argument.tensor)
    return grads


class _TensorGraph:
    """One node per tensor, the op that made it merged into it."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.index: Index = index_of(recording)
        self.graph = Graph(view="tensors")
        self.roots = {tensor for entry in self.index.passes.values() for tensor, _ in entry.event.roots}
        self.visible = visible(recording)
        self.written: dict[tuple[str, str], int] = {}
        self.keys = count()

    def build(self) -> Graph:
        for id, history in self.index.tensors.items():
            if id in self.visible:
                self.graph.add_node(f"t{id}", **self._node(id, history))
        for step, event in enumerate(self.recording.events):
            if isinstance(event, OpRan):
                self._connect(step, event)
        _after_roots(self.graph, self.index)
        return self.graph

    def _node(self, id: int, history: TensorHistory) -> dict[str, Any]:
        info, event = history.info, history.op
        last = history.changes.values[-1] if history.changes else history.birth
        ever = _ever(history)
        line = self.recording.line(event)
        differentiable = any(status.requires_grad for status in ever)
        nodes = [status.node for status in ever if status.node != NOTHING]
        inputs = any(argument.tensor != NOTHING for argument in event.inputs)
        made_by = self.index.nodes[nodes[-1]].info.name if nodes else ""
        leaf, of_grad = info.is_leaf, info.grad_of != NOTHING
        kind, badge = kind_and_badge(event.cut, leaf, info.is_parameter, of_grad, made_by, inputs, differentiable)
        named = bool(history.first_name)
        card = named or kind == "leaf" or id in self.roots
        title = history.first_name or self._title(history, inputs)
        sub = f"{info.dtype} {shape_text(info.shape)}" + (
            f" · {self.recording.line_text(event)}" if line and (inputs or self.recording.is_notebook) else ""
        )
        return {
            "kind": kind,
            "shape": "card" if card else "pill",
            "title": title,
            "badge": badge,
            "sub": sub,
            "tensor": id,
            "node": last.node,
            "op": event.op,
            "born": history.born,
            "line": line,
            "scope": event.scope,
            "cut": event.cut,
            "root": id in self.roots,
            "in_backward": event.in_backward,
        }

    def _title(self, history: TensorHistory, inputs: bool) -> str:
        owner = history.info.grad_of
        if owner != NOTHING:
            return f"{self.index.tensors[owner].first_name or 'tensor'}.grad"
        return pill_title(history.op, self.recording.ops) if inputs else history.op.op

    def _connect(self, step: int, event: OpRan) -> None:
        sources = [(slot, argument.tensor) for slot, argument in enumerate(event.inputs) if argument.tensor in self.visible]
        if not sources:
            return
        needs = {tensor: self.index.tensors[tensor].status(step - 1).requires_grad for _, tensor in sources}
        for info in event.outputs:
            if info.id not in self.visible:
                continue
            edges = self._autograd_edges(info.node)
            for slot, tensor in sources:
                cut = needs[tensor] and (bool(event.cut) or not info.requires_grad)
                self._edge(step, f"t{tensor}", f"t{info.id}", slot, "cut" if cut else "data", _taken(edges, tensor))
        for write in event.written:
            if write.tensor not in self.visible:
                continue
            # Under no_grad the tensor keeps the node it had, whose edges have nothing to do with what is written.
            old = self.index.tensors[write.tensor].status(step - 1).node
            edges = self._autograd_edges(write.node if write.node != old else NOTHING)
            for slot, tensor in sources:
                edge = _taken(edges, tensor)
                if tensor != write.tensor and not self._own_grad(tensor, write.tensor):
                    cut = not event.grad_mode or (needs[tensor] and (bool(event.cut) or not write.requires_grad))
                    self._written(step, f"t{tensor}", f"t{write.tensor}", slot, "cut" if cut else "data", edge)

    def _own_grad(self, tensor: int, of: int) -> bool:
        return self.index.tensors[tensor].info.grad_of == of

    def _edge(self, step: int, source: str, target: str, slot: int, kind: str, edge: tuple[int, int]) -> int:
        key = next(self.keys)
        self.graph.add_edge(
            source,
            target,
            key,
            kind=kind,
            node=edge[0],
            input=edge[1],
            carries=[edge] if edge[1] >= 0 else [],
            slot=slot,
            born=step,
            write=False,
        )
        return key

    def _written(self, step: int, source: str, target: str, slot: int, kind: str, edge: tuple[int, int]) -> None:
        """An in-place write adds an edge; further writes with the same tensor travel along it too."""
        known = self.written.get((source, target))
        if known is None:
            known = self.written[source, target] = self._edge(step, source, target, slot, kind, edge)
            self.graph.edges[source, target, known]["write"] = True
            return
        attributes = self.graph.edges[source, target, known]
        if edge[1] >= 0:
            attributes["carries"].append(edge)
        if kind == "data":
            attributes["kind"] = kind

    def _autograd_edges(self, node: int) -> dict[int, list[tuple[int, int]]]:
        """A node's edges (node, next_functions index) by the tensor whose gradient they carry, the first edge last."""
        found: dict[int, list[tuple[int, int]]] = {}
        if node != NOTHING:
            for number, edge in reversed(list(enumerate(self.index.nodes[node].info.edges))):
                found.setdefault(self.index.owners.get(self._owned(edge), NOTHING), []).append((node, number))
        return found

    def _owned(self, edge: tuple[int, int]) -> tuple[int, int]:
        """The edge's target, or behind nodes no tensor owns, the first one that a tensor does own."""
        for _ in range(_THROUGH):
            if edge[0] == NOTHING or edge in self.index.owners:
                break
            following = [next for next in self.index.nodes[edge[0]].info.edges if next[0] != NOTHING]
            if len(following) != 1:
                break
            edge = following[0]
        return edge


def _after_roots(graph: Graph, index: Index) -> None:
    """Note for the layout that what a pass records of itself (`create_graph`) comes after the pass's roots."""
    autograd = graph.graph["view"] == "autograd"
    graph.graph["after"] = after = []
    for key, attributes in graph.nodes(data=True):
        entry = index.passes.get(attributes["in_backward"])
        if entry is None:
            continue
        event = entry.event
        roots = [f"n{node}" for node, _ in event.root_nodes] if autograd else [f"t{tensor}" for tensor, _ in event.roots]
        after += [(root, key) for root in roots if root in graph and graph.nodes[root]["born"] < attributes["born"]]


def kind_and_badge(
    cut_by: str, is_leaf: bool, is_parameter: bool, is_grad: bool, made_by: str, inputs: bool, differentiable: bool
) -> tuple[str, str]:
    """What a tensor is, and what stands beside its title.

    Args:
        cut_by: what cut the operation that made it off from its inputs, "" for nothing.
        is_grad: whether it is the `.grad` of another.
        made_by: the name of its node, "" for none.
        inputs: whether the operation takes tensors.
        differentiable: whether it ever needed a gradient.
    """
    if made_by:
        return "result", made_by
    if not is_leaf:  # a result of what the recording is too thin to hold
        return "result", "thinly recorded"
    cut = bool(cut_by) and inputs
    if differentiable and not cut:
        return "leaf", "parameter" if is_parameter else "leaf"
    badge = cut_by or ("grad" if is_grad else "no grad" if inputs else "constant")
    return "result" if cut else "constant", badge


def _taken(edges: dict[int, list[tuple[int, int]]], tensor: int) -> tuple[int, int]:
    """The next of a tensor's edges, so that `x * x` gets both of its own, or (NOTHING, -1)."""
    own = edges.get(tensor)
    return own.pop() if own else (NOTHING, -1)


def _autograd_graph(recording: Recording) -> Graph:
    """The `grad_fn` nodes, with edges exactly as `next_functions` has them."""
    index = index_of(recording)
    graph = Graph(view="autograd")
    roots = {node for entry in index.passes.values() for node, _ in entry.event.root_nodes}
    for id, history in index.nodes.items():
        graph.add_node(f"n{id}", **_autograd_node(recording, index, history), root=id in roots)
    keys = count()
    for id, history in index.nodes.items():
        for slot, (target, input) in enumerate(history.info.edges):
            if target != NOTHING:
                graph.add_edge(
                    f"n{id}",
                    f"n{target}",
                    next(keys),
                    kind="grad_fn",
                    node=id,
                    input=slot,
                    carries=[(id, slot)],
                    slot=slot,
                    target_input=input,
                    born=history.born,
                    write=False,
                )
    _after_roots(graph, index)
    return graph


def _autograd_node(recording: Recording, index: Index, history: NodeHistory) -> dict[str, Any]:
    info, event = history.info, history.event
    tensor = index.owners.get((info.id, 0), NOTHING)
    owner = index.tensors.get(tensor)
    name = owner.first_name if owner else ""
    accumulates = info.variable != NOTHING
    line = recording.line(owner.op if accumulates and owner else event)
    described = f"{owner.info.dtype} {shape_text(owner.info.shape)}" if owner else ""
    sub = " · ".join(part for part in (described, recording.line_text(owner.op if accumulates and owner else event)) if part)
    return {
        "kind": "accumulate" if accumulates else "node",
        "shape": "card",
        "title": info.name,
        "badge": name,
        "sub": sub,
        "tensor": tensor,
        "node": info.id,
        "op": event.op if isinstance(event, OpRan) else "",
        "born": history.born,
        "line": line,
        "scope": event.scope,
        "cut": "",
        "in_backward": event.in_backward if isinstance(event, OpRan) else 0,
    }
