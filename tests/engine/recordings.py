"""Recordings built by hand: a tape of a few dozen lines that writes the same events as the engine's recorder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Any

import numpy as np

from engine.recording import NOTHING, ArrayStore, OpInfo, Recording
from engine.recording.events import (
    Accumulated,
    AnyEvent,
    Argument,
    BackwardBegan,
    BackwardEnded,
    GradSet,
    Named,
    NodeInfo,
    NodeRan,
    OpRan,
    Printed,
    Sent,
    Site,
    TensorInfo,
    Write,
)

TWO_PASSES = """\
import torch

x1 = torch.tensor([1.], requires_grad=True)
x2 = torch.tensor([2.], requires_grad=True)

for i in range(2):
    y1 = 5 * x1 + 3 * x2
    y2 = 2 * x1 + 1 * x2
    z = y1 * y2
    z.backward()

print(x1.grad, x2.grad)
print(y1.grad)
"""

Rule = Callable[[Any], Sequence[Any]]


@dataclass(eq=False)
class Value:
    """A tensor of the tape."""

    id: int
    array: Any
    node: int = NOTHING
    requires_grad: bool = False
    version: int = 0
    grad: Any = None

    @property
    def is_leaf(self) -> bool:
        return self.node == NOTHING


@dataclass
class Tape:
    """Writes events; a rule turns the upstream gradient into one per differentiable input."""

    source: str = ""
    events: list[AnyEvent] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    store: ArrayStore = field(default_factory=ArrayStore)
    values: list[Value] = field(default_factory=list)
    nodes: list[NodeInfo] = field(default_factory=list)
    rules: dict[int, Rule] = field(default_factory=dict)
    accumulators: dict[int, int] = field(default_factory=dict)
    passes: int = 0

    def recording(self) -> Recording:
        ops = {op: OpInfo(op, symbol) for op, symbol in {"mul": "×", "add": "+", "tanh": "tanh"}.items()}
        return Recording((self.source,), self.events, self.sites, arrays=self.store.arrays, ops=ops)

    def site(self, line: int) -> int:
        if not line:
            return NOTHING
        self.sites.append(Site(0, line, 4, line, 20))
        return len(self.sites) - 1

    def array(self, array: Any) -> int:
        return self.store.add(np.asarray(array, dtype=np.float32))

    def leaf(self, array: Any, line: int = 0, requires_grad: bool = True, name: str = "") -> Value:
        made = self._value(array, requires_grad=requires_grad)
        info = TensorInfo(made.id, "float32", made.array.shape, self.array(array), requires_grad)
        self.events.append(OpRan(op="tensor", outputs=(info,), site=self.site(line)))
        return self.name(name, made, line) if name else made

    def op(
        self,
        op: str,
        inputs: Sequence[Any],
        array: Any,
        rule: Rule | None = None,
        line: int = 0,
        name: str = "",
        cut: str = "",
    ) -> Value:
        """Without a rule the result needs no gradient."""
        accumulators, node = self._node(op, inputs, rule)
        made = self._value(array, node.id if node else NOTHING, node is not None)
        info = TensorInfo(made.id, "float32", made.array.shape, self.array(array), made.requires_grad, made.is_leaf, made.node)
        self.events.append(
            OpRan(
                op=op,
                inputs=_arguments(inputs),
                outputs=(info,),
                node=node,
                accumulators=accumulators,
                cut=cut,
                site=self.site(line),
            )
        )
        return self.name(name, made, line) if name else made

    def write(self, op: str, target: Value, inputs: Sequence[Any], array: Any, rule: Rule | None = None, line: int = 0) -> None:
        """An in-place op: `target` is its first input and gets the new array."""
        accumulators, node = self._node(op, [target, *inputs], rule)
        target.array, target.version = np.asarray(array, dtype=np.float32), target.version + 1
        if node is not None:
            target.node, target.requires_grad = node.id, True
        written = Write(target.id, target.version, self.array(array), target.requires_grad, target.is_leaf, target.node)
        self.events.append(
            OpRan(
                op=op,
                inputs=_arguments([target, *inputs]),
                written=(written,),
                node=node,
                accumulators=accumulators,
                grad_mode=rule is not None,
                site=self.site(line),
            )
        )

    def name(self, name: str, value: Value, line: int = 0, function: str = "") -> Value:
        self.events.append(Named(name=name, tensor=value.id, function=function, site=self.site(line)))
        return value

    def zero_grad(self, value: Value, line: int = 0) -> None:
        value.grad = value.grad * 0
        self.events.append(GradSet(tensor=value.id, array=self.array(value.grad), how="zero_", site=self.site(line)))

    def printed(self, text: str, line: int = 0) -> None:
        self.events.append(Printed(text=text, site=self.site(line)))

    def backward(self, root: Value, line: int = 0) -> None:
        """Runs nodes with the highest sequence number first, AccumulateGrad before all others, as PyTorch does."""
        self.passes += 1
        number, site, start = self.passes, self.site(line), np.ones_like(root.array)
        self.events.append(
            BackwardBegan(
                number=number,
                roots=((root.id, self.array(start)),),
                root_nodes=((self._gradient_node(root), 0),),
                site=site,
            )
        )
        received: dict[int, Any] = {self._gradient_node(root): start}
        ready = [self._rank(self._gradient_node(root))]
        while ready:
            node = self.nodes[-heappop(ready)[1]]
            gradient = received.pop(node.id)
            if node.variable != NOTHING:
                self.events.append(NodeRan(number=number, node=node.id, received=(self.array(gradient),), sent=()))
                self._accumulate(number, node, gradient)
                continue
            gradients = [np.asarray(one, dtype=np.float32) for one in self.rules[node.id](gradient)]
            sent = tuple(
                Sent(target, input, self.array(one)) for (target, input), one in zip(node.edges, gradients, strict=True)
            )
            self.events.append(NodeRan(number=number, node=node.id, received=(self.array(gradient),), sent=sent))
            for (target, _), one in zip(node.edges, gradients, strict=True):
                if target not in received:
                    heappush(ready, self._rank(target))
                received[target] = received.get(target, 0) + one
        self.events.append(BackwardEnded(number=number))

    def _accumulate(self, number: int, node: NodeInfo, gradient: Any) -> None:
        leaf = self.values[node.variable]
        leaf.grad = gradient if leaf.grad is None else leaf.grad + gradient
        self.events.append(
            Accumulated(
                number=number, tensor=leaf.id, increment=self.array(gradient), total=self.array(leaf.grad), node=node.id
            )
        )

    def _rank(self, node: int) -> tuple[int, int]:
        """Accumulators wait for all their gradients here, so that each leaf is filled once per pass."""
        return (1 if self.nodes[node].variable != NOTHING else 0, -node)

    def _value(self, array: Any, node: int = NOTHING, requires_grad: bool = False) -> Value:
        value = Value(len(self.values), np.asarray(array, dtype=np.float32), node, requires_grad)
        self.values.append(value)
        return value

    def _node(self, op: str, inputs: Sequence[Any], rule: Rule | None) -> tuple[tuple[NodeInfo, ...], NodeInfo | None]:
        if rule is None:
            return (), None
        before = len(self.nodes)
        needed = [one for one in inputs if isinstance(one, Value) and one.requires_grad]
        edges = tuple((self._gradient_node(one), 0) for one in needed)
        fresh = tuple(self.nodes[before:])
        title = "".join(part.title() for part in op.strip("_").split("_"))
        node = NodeInfo(len(self.nodes), f"{title}Backward0", edges, len(self.nodes))
        self.nodes.append(node)
        self.rules[node.id] = rule
        return fresh, node

    def _gradient_node(self, value: Value) -> int:
        if value.node != NOTHING:
            return value.node
        if value.id not in self.accumulators:
            node = NodeInfo(len(self.nodes), "AccumulateGrad", variable=value.id)
            self.nodes.append(node)
            self.accumulators[value.id] = node.id
        return self.accumulators[value.id]


def _arguments(inputs: Sequence[Any]) -> tuple[Argument, ...]:
    names = ("self", "other", *(f"argument{n}" for n in range(2, len(inputs))))
    return tuple(
        Argument(name, one.id) if isinstance(one, Value) else Argument(name, text=str(one))
        for name, one in zip(names, inputs, strict=False)
    )


def scaled(tape: Tape, factor: float, value: Value, line: int) -> Value:
    """`factor * value`"""
    return tape.op("mul", [factor, value], factor * value.array, lambda g: [g * factor], line)


def added(tape: Tape, a: Value, b: Value, line: int, name: str = "") -> Value:
    """`a + b`"""
    return tape.op("add", [a, b], a.array + b.array, lambda g: [g, g], line, name)


def product(tape: Tape, a: Value, b: Value, line: int, name: str = "") -> Value:
    """`a * b`"""
    x, y = a.array, b.array
    return tape.op("mul", [a, b], x * y, lambda g: [g * y, g * x], line, name)


def two_passes() -> Tape:
    """`TWO_PASSES`: the same graph built and run backward twice without clearing the gradients."""
    tape = Tape(TWO_PASSES)
    x1 = tape.leaf([1.0], 3, name="x1")
    x2 = tape.leaf([2.0], 4, name="x2")
    for _ in range(2):
        y1 = added(tape, scaled(tape, 5, x1, 7), scaled(tape, 3, x2, 7), 7, "y1")
        y2 = added(tape, scaled(tape, 2, x1, 8), scaled(tape, 1, x2, 8), 8, "y2")
        z = product(tape, y1, y2, 9, "z")
        tape.backward(z, 10)
    tape.printed(f"tensor([{x1.grad[0]:.0f}.]) tensor([{x2.grad[0]:.0f}.])\n", 12)
    tape.printed("None\n", 13)
    return tape


def chain(length: int) -> Recording:
    """`y = y + 1` over and over, then one backward pass: about four events per step, for measuring."""
    tape = Tape()
    y = tape.leaf(1.0, 1, name="y")
    for _ in range(length):
        y = tape.op("add", [y, 1], y.array + 1, lambda g: [g], 2, "y")
    tape.backward(y, 3)
    return tape.recording()
