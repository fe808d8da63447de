"""What the cards of a rolled graph say: the attributes that `build` gives, of rows of the tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...recording.columns import Ints, columns_of
from ...recording.events import NOTHING, FlagSet, OpRan
from ...recording.recording import Recording
from ..numbers import ArrayTexts, shape_text
from ..symbols import pill_title
from .build import kind_and_badge
from .card_sizes import card_size, pill_size
from .drawn import owners


class Cards:
    """Attributes of nodes, by the rows of the tensors and autograd nodes that they show; all but the sizes, which only what is
    on show needs."""

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
        inputs = columns.tape.tables[OpRan].children["inputs"]
        steps = np.repeat(columns.operations.step, columns.tape.tables[OpRan].columns["inputs"])
        total = len(columns.events.kind)
        self.takes = np.bincount(steps[inputs["tensor"] != NOTHING], minlength=total)
        """Per event how many tensors the operation takes,"""
        self.options = np.bincount(steps[inputs["tensor"] == NOTHING], minlength=total)
        """and how many other arguments."""
        self._signs: dict[str, str] = {}

    def title(self, row: int) -> str:
        """The title of a tensor's node."""
        tensors, step = self.columns.tensors, int(self.columns.tensors.step[row])
        name = self.names.get(int(tensors.id[row]), "")
        if name:
            return name
        owner = int(tensors.grad_of[row])
        if owner != NOTHING:
            return f"{self.names.get(owner) or 'tensor'}.grad"
        operations = self.columns.operations
        op = self.columns.op_names[int(operations.op[np.searchsorted(operations.step, step)])]
        return self._pill(op, step) if self.takes[step] else op

    def _pill(self, op: str, step: int) -> str:
        event: Any
        if self.options[step]:
            event = self.recording.events[step]
            return pill_title(event, self.recording.ops)
        sign = self._signs.get(op)  # the same for all that take nothing but tensors
        if sign is None:
            event = self.recording.events[step]
            sign = self._signs[op] = pill_title(event, self.recording.ops)
        return sign

    def tensors(self, rows: Ints) -> list[dict[str, Any]]:
        """Attributes of tensors' nodes."""
        columns, tensors, operations = self.columns, self.columns.tensors, self.columns.operations
        steps = tensors.step[rows]
        of = np.searchsorted(operations.step, steps)
        nodes = self.node_of[rows]
        made_by = (
            np.where(nodes == NOTHING, NOTHING, columns.nodes.name[columns.row_of_node[nodes]])
            if len(columns.nodes.id)
            else nodes
        )
        found = []
        where, told = self.recording.card_line, self.recording.is_notebook
        for (
            row, id, step, cell, line, scope, name, op, cut, in_backward, takes, leaf, parameter, grad_of, needs, last, about,
        ) in zip(
            rows.tolist(), tensors.id[rows].tolist(), steps.tolist(), columns.tape.cells(steps).tolist(),
            columns.tape.lines(steps).tolist(),
            columns.events.scope[steps].tolist(), made_by.tolist(), operations.op[of].tolist(), operations.cut[of].tolist(),
            operations.in_backward[of].tolist(), self.takes[steps].tolist(), tensors.is_leaf[rows].tolist(),
            tensors.is_parameter[rows].tolist(), tensors.grad_of[rows].tolist(), self.differentiable[rows].tolist(),
            self.last_node_of[rows].tolist(), self._described(rows), strict=True,
        ):  # fmt: skip
            cut_by, made = columns.cut_names[cut], columns.node_names[name] if name != NOTHING else ""
            kind, badge = kind_and_badge(cut_by, leaf == 1, parameter == 1, grad_of != NOTHING, made, takes > 0, needs)
            card = id in self.names or kind == "leaf" or id in self.roots
            found.append(
                {
                    "kind": kind,
                    "shape": "card" if card else "pill",
                    "title": self.title(row),
                    "badge": badge,
                    "sub": f"{about} · {where(cell, line)}" if line and (takes or told) else about,
                    "tensor": id,
                    "node": last,
                    "op": columns.op_names[op],
                    "born": step,
                    "line": line,
                    "scope": scope,
                    "cut": cut_by,
                    "root": id in self.roots,
                    "in_backward": in_backward,
                }
            )
        return found

    def nodes(self, rows: Ints) -> list[dict[str, Any]]:
        """Attributes of autograd nodes' nodes."""
        columns, tensors, operations = self.columns, self.columns.tensors, self.columns.operations
        ids, steps = columns.nodes.id[rows], columns.nodes.step[rows]
        owner = self._owners(ids)
        owned = np.maximum(owner, 0)
        accumulates = columns.nodes.variable[rows] != NOTHING
        born = tensors.step[owned] if len(tensors.id) else steps
        made_at = np.where(accumulates & (owner != NOTHING), born, steps)
        line, cell = columns.tape.lines(made_at), columns.tape.cells(made_at)
        of = np.minimum(np.searchsorted(operations.step, steps), max(len(operations.step) - 1, 0))
        made = columns.events.kind[steps] == columns.KIND[OpRan]
        op, in_backward = (
            np.where(made, column[of], NOTHING) if len(column) else np.full(len(rows), NOTHING)
            for column in (operations.op, operations.in_backward)
        )
        tensor = np.where(owner == NOTHING, NOTHING, tensors.id[owned] if len(tensors.id) else NOTHING)
        found = []
        for id, step, name, at, tells, at_cell, at_line, op_of, inside, scope, about in zip(
            ids.tolist(), steps.tolist(), columns.nodes.name[rows].tolist(), tensor.tolist(), accumulates.tolist(),
            cell.tolist(), line.tolist(), op.tolist(), in_backward.tolist(), columns.events.scope[steps].tolist(),
            self._described(owner),
        ):  # fmt: skip
            found.append(
                {
                    "kind": "accumulate" if tells else "node",
                    "shape": "card",
                    "title": columns.node_names[name],
                    "badge": self.names.get(at, "") if at != NOTHING else "",
                    "sub": " · ".join(part for part in (about, self.recording.card_line(at_cell, at_line)) if part),
                    "tensor": at,
                    "node": id,
                    "op": columns.op_names[op_of] if op_of != NOTHING else "",
                    "born": step,
                    "line": at_line,
                    "scope": scope,
                    "cut": "",
                    "root": id in self.root_nodes,
                    "in_backward": max(inside, 0),
                }
            )
        return found

    def measure(self, a: dict[str, Any], title: str) -> None:
        """Give a node its `width` and `height`; `title` is that of the tensor or node that it shows, whatever it shares with
        those of other iterations."""
        row = int(self.columns.row_of[a["tensor"]]) if a["tensor"] != NOTHING else NOTHING
        value = self.texts.on_card(int(self.columns.tensors.array[row])) if row != NOTHING else ""
        if a["shape"] == "pill":
            a["width"], a["height"] = pill_size(title, value)
            if a["times"] > 1:
                a["width"] = min(a["width"] + 34, 220)
            return
        keeps, differentiable = a["kind"] == "accumulate", True
        if a["kind"] not in ("accumulate", "node"):
            keeps, differentiable = a["kind"] == "leaf" or bool(self.retained[row]), bool(self.differentiable[row])
        a["width"], a["height"] = card_size(title, a["badge"], a["sub"], value, keeps, differentiable)

    def _described(self, rows: Ints) -> Sequence[str]:
        """Type and shape of tensors; "" for NOTHING."""
        made, texts = self.columns.tape.tables[OpRan].children["outputs"], self.columns.tape.texts
        starts, sizes = made.starts("shape"), made.children["shape"].columns[""]
        there = np.maximum(rows, 0)
        known: dict[tuple[int, bytes], str] = {}
        found = []
        low, high = starts[there].tolist() if made.size else [], starts[there + 1].tolist() if made.size else []
        types = made["dtype"][there].tolist() if made.size else []
        if not made.size:
            return [""] * len(rows)
        for row, first, last, dtype in zip(rows.tolist(), low, high, types, strict=True):
            if row == NOTHING:
                found.append("")
                continue
            key = dtype, sizes[first:last].tobytes()
            text = known.get(key)
            if text is None:
                text = known[key] = f"{texts[dtype]} {shape_text(tuple(sizes[first:last].tolist()))}"
            found.append(text)
        return found

    def _owners(self, nodes: Ints) -> Ints:
        """The rows of the tensors whose `grad_fn` nodes are, or of the leaves that they fill; NOTHING where there is none."""
        wanted = nodes * self.width
        if not len(self.owner_keys):
            return np.full(len(nodes), NOTHING, np.int64)
        at = np.minimum(np.searchsorted(self.owner_keys, wanted), len(self.owner_keys) - 1)
        return np.where(self.owner_keys[at] == wanted, self.owner_rows[at], NOTHING)
