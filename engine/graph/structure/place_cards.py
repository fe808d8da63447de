"""What the cards of a rolled graph say: the attributes that `build` gives, of a row of the tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...recording.columns import columns_of
from ...recording.events import NOTHING, FlagSet, TensorInfo
from ...recording.recording import Recording
from ..numbers import ArrayTexts, shape_text
from ..symbols import pill_title
from .build import kind_and_badge
from .card_sizes import card_size, pill_size
from .drawn import owners


class Cards:
    """Attributes of nodes, by the rows of the tensors and autograd nodes that they show."""

    def __init__(self, recording: Recording, texts: ArrayTexts, names: dict[int, str]) -> None:
        self.recording, self.texts, self.names = recording, texts, names
        columns = self.columns = columns_of(recording)
        tensors, writes = columns.tensors, columns.writes
        written = columns.row_of[writes.tensor]
        self.differentiable = tensors.requires_grad == 1
        self.differentiable[written[writes.requires_grad == 1]] = True
        # The last node that a tensor had, and the one that it has in the end.
        self.node_of, self.last_node_of = tensors.node.copy(), tensors.node.copy()
        self.last_node_of[written] = writes.node
        changed = writes.node != NOTHING
        self.node_of[written[changed]] = writes.node[changed]
        self.retained = np.zeros(len(tensors.id), bool)
        for step in np.flatnonzero(columns.events.kind == columns.KIND[FlagSet]).tolist():
            event: Any = recording.events[step]
            row = columns.row_of[event.tensor]
            if event.flag != "requires_grad":
                self.retained[row] = True
            elif event.value:
                self.differentiable[row] = True
        self.roots = frozenset(columns.roots.tensor.tolist())
        self.root_nodes = frozenset(columns.roots.node.tolist())
        self.owner_keys, self.owner_rows, self.width = owners(columns)

    def title(self, row: int) -> str:
        """The title of a tensor's node."""
        event, info = self._made(row)
        name = self.names.get(info.id, "")
        if name:
            return name
        if info.grad_of != NOTHING:
            return f"{self.names.get(info.grad_of) or 'tensor'}.grad"
        return pill_title(event, self.recording.ops) if _takes(event) else str(event.op)

    def tensor(self, row: int) -> dict[str, Any]:
        """Attributes of a tensor's node."""
        event, info = self._made(row)
        line = self.recording.line(event)
        node = int(self.node_of[row])
        inputs = _takes(event)
        differentiable = bool(self.differentiable[row])
        made_by = "" if node == NOTHING else self.columns.node_names[self.columns.nodes.name[self.columns.row_of_node[node]]]
        kind, badge = kind_and_badge(event, info, made_by, inputs, differentiable)
        card = info.id in self.names or kind == "leaf" or info.id in self.roots
        title = self.title(row)
        sub = f"{info.dtype} {shape_text(info.shape)}" + (f" · line {line}" if inputs and line else "")
        value = self.texts(info.array)
        keeps = kind == "leaf" or bool(self.retained[row])
        width, height = card_size(title, badge, sub, value, keeps, differentiable) if card else pill_size(title, value)
        return {
            "kind": kind,
            "shape": "card" if card else "pill",
            "title": title,
            "badge": badge,
            "sub": sub,
            "tensor": info.id,
            "node": int(self.last_node_of[row]),
            "op": event.op,
            "born": int(self.columns.tensors.step[row]),
            "line": line,
            "scope": event.scope,
            "width": width,
            "height": height,
            "cut": event.cut,
            "root": info.id in self.roots,
            "in_backward": event.in_backward,
        }

    def node(self, row: int) -> dict[str, Any]:
        """Attributes of an autograd node's node."""
        columns = self.columns
        event: Any = self.recording.events[int(columns.nodes.step[row])]
        id, name = int(columns.nodes.id[row]), columns.node_names[columns.nodes.name[row]]
        accumulates = columns.nodes.variable[row] != NOTHING
        described, value, title, tensor, line = "", "", "", NOTHING, self.recording.line(event)
        owner = self._owner(id)
        if owner != NOTHING:
            made, info = self._made(owner)
            described, value = f"{info.dtype} {shape_text(info.shape)}", self.texts(info.array)
            tensor, title = info.id, self.names.get(info.id, "")
            line = self.recording.line(made) if accumulates else line
        sub = " · ".join(part for part in (described, f"line {line}" if line else "") if part)
        width, height = card_size(name, title, sub, value, bool(accumulates), True)
        return {
            "kind": "accumulate" if accumulates else "node",
            "shape": "card",
            "title": name,
            "badge": title,
            "sub": sub,
            "tensor": tensor,
            "node": id,
            "op": getattr(event, "op", ""),
            "born": int(columns.nodes.step[row]),
            "line": line,
            "scope": event.scope,
            "width": width,
            "height": height,
            "cut": "",
            "root": id in self.root_nodes,
            "in_backward": getattr(event, "in_backward", 0),
        }

    def _made(self, row: int) -> tuple[Any, TensorInfo]:
        """The operation that made a tensor, and what it says of it."""
        event: Any = self.recording.events[int(self.columns.tensors.step[row])]
        return event, next(info for info in event.outputs if info.id == self.columns.tensors.id[row])

    def _owner(self, node: int) -> int:
        """The row of the tensor whose `grad_fn` a node is, or of the leaf that it fills; NOTHING if there is none."""
        at = int(np.searchsorted(self.owner_keys, node * self.width))
        there = at < len(self.owner_keys) and self.owner_keys[at] == node * self.width
        return int(self.owner_rows[at]) if there else NOTHING


def _takes(event: Any) -> bool:
    return any(argument.tensor != NOTHING for argument in event.inputs)
