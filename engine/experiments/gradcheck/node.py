"""One node of a pass checked by itself: its operation called again with inputs nudged."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...autograd.function import FunctionNode
from ...dtypes import INEXACT
from ...tensor import Tensor, constant
from .differences import differences
from .messages import Slope
from .probe_directions import chosen, directed

Array = np.ndarray[Any, Any]


class NodeCheck:
    """One node: its operation called again with nudged inputs."""

    def __init__(
        self, number: int, node: Any, op: Any, arguments: list[Any], results: list[Array], received: list[Any],
        sent: tuple[Any, ...], elements: int,
    ) -> None:  # fmt: skip
        self.number, self.node, self.op, self.elements = number, node, op, elements
        self.slopes: list[Slope] = []
        self.skipped: list[tuple[int, str]] = []
        self.arguments, self.results, self.received, self.sent = arguments, results, received, sent

    def run(self) -> None:
        """Check all edges."""
        try:
            results = self.call(self.arguments)
        except Exception as error:
            self.skip(f"calling it again fails: {type(error).__name__}")
            return
        # Not bit for bit: another layout in memory gives another order of summation.
        same = len(results) == len(self.results) and all(
            a.shape == b.shape and np.allclose(a, b, 1e-9, 1e-12, equal_nan=True)
            for a, b in zip(results, self.results, strict=False)
        )
        if not same:
            self.skip("it gives other results each time it is called, such as one that draws random numbers")
            return
        self.base = self.weighted(results)
        self.size = sum(float(np.abs(g * y).sum()) for g, y in zip(self.received, results, strict=False) if g is not None)
        if not np.isfinite(self.base):
            self.skip("its result or gradient is not finite")
            return
        for edge, position in self.inputs():
            if edge < len(self.sent) and self.sent[edge] is not None:
                try:
                    self.edge(edge, position)
                except Exception as error:
                    self.skip(f"calling it again fails: {type(error).__name__}")
                    return

    def skip(self, why: str) -> None:
        """Say why the node is not checked."""
        self.skipped.append((self.number, why))

    def inputs(self) -> list[tuple[int, tuple[int, ...]]]:
        """The edges with the arguments they belong to: a position, or two in a list of tensors."""
        if isinstance(self.node, FunctionNode):
            return [(edge, (k,)) for k, edge in enumerate(self.node.argument_edges) if edge is not None]
        found: list[tuple[int, tuple[int, ...]]] = []
        positions = {p.name: k for k, p in enumerate(self.op.parameters)}
        for name in self.op.differentiable:
            k = positions[name]
            if name in self.op.tensor_lists:
                found += [(len(found) + i, (k, i)) for i in range(len(self.arguments[k]))]
            else:
                found.append((len(found), (k,)))
        return found

    def call(self, arguments: list[Any]) -> list[Array]:
        """The operation's results."""
        if isinstance(self.node, FunctionNode):
            result = type(self.node)._forward_cls.apply(*arguments)
        else:
            positional = [a for a, p in zip(arguments, self.op.parameters, strict=True) if p.kind is not p.KEYWORD_ONLY]
            named = {p.name: a for a, p in zip(arguments, self.op.parameters, strict=True) if p.kind is p.KEYWORD_ONLY}
            result = self.op.call(*positional, **named)
        tensors = result if isinstance(result, tuple) else (result,)
        return [t._array for t in tensors if isinstance(t, Tensor)]

    def weighted(self, results: list[Array]) -> float:
        """The results weighted with the gradients that the node received."""
        total = 0.0
        for g, y in zip(self.received, results, strict=False):
            if g is not None and y.dtype.kind in INEXACT:
                total += float((np.asarray(g, np.float64) * y).sum())
        return total

    def edge(self, edge: int, position: tuple[int, ...]) -> None:
        """Check one edge: some elements, or all at once and then some."""
        argument = self.arguments[position[0]]
        tensor = argument[position[1]] if len(position) > 1 else argument
        if not isinstance(tensor, Tensor) or tensor._array.dtype.kind not in INEXACT:
            return
        value = tensor._array
        gradient = np.broadcast_to(np.asarray(self.sent[edge], np.float64), value.shape)
        for element in chosen(value.shape, self.elements, self.number + edge):
            direction = directed(value.shape, element, self.number + edge)
            self.slope(edge, position, value, element, direction, float((gradient * direction).sum()))

    def slope(
        self, edge: int, position: tuple[int, ...], value: Array, element: tuple[int, ...] | None, direction: Array,
        analytic: float,
    ) -> None:  # fmt: skip
        """Check one element of an edge, or a direction."""

        def moved(by: Array) -> float:
            return self.weighted(self.call(self.with_input(position, value + by)))

        found = differences(value, direction, moved, self.base, self.size, analytic)
        self.slopes.append(Slope(self.number, edge, element or (), element is None, analytic, *found))

    def with_input(self, position: tuple[int, ...], value: Array) -> list[Any]:
        """The arguments with one replaced."""
        arguments = list(self.arguments)
        if len(position) > 1:
            inner = list(arguments[position[0]])
            inner[position[1]] = constant(value)
            arguments[position[0]] = inner
        else:
            arguments[position[0]] = constant(value)
        return arguments
