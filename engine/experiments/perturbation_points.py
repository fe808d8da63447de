"""When a tensor has to be changed so that a backward pass sees the change: after its last write, before the graph uses it."""

from __future__ import annotations

from ..recording.events import NOTHING
from ..recording.index import Index, Pass
from .rerun import Call


class Targets:
    """The calls of a recorded run, seen from one of its backward passes."""

    def __init__(self, calls: list[Call], index: Index, entry: Pass) -> None:
        self.calls, self.index, self.entry = calls, index, entry
        self.passed = set(entry.ran.values)
        """The nodes that the pass ran."""
        self.call_of = {call.node: at for at, call in enumerate(calls) if call.node >= 0}
        """Node → the call that made it."""
        self.born = {t: (at, k) for at, call in enumerate(calls) if not call.in_place for k, t in enumerate(call.results)}
        """Tensor → the call that made it, and which of the call's results it is."""

    def event(self, tensor: int) -> int:
        """Which of the recording's operations made a tensor."""
        return self.calls[self.born[tensor][0]].event

    def reached(self, tensor: int) -> bool:
        """Whether the tensor's gradient arrives at a node of the pass."""
        return self.gradient_edge(tensor)[0] != NOTHING

    def after(self, tensor: int) -> int:
        """The call after which the tensor is to be changed: the last one before the pass's graph begins to use it."""
        born, edge = self.born[tensor][0], self.gradient_edge(tensor)
        used = [self.call_of[n] for n in self.passed if n in self.call_of and edge in self.index.nodes[n].info.edges]
        return max(min(used, default=born + 1) - 1, born)

    def gradient_edge(self, tensor: int) -> tuple[int, int]:
        """The node and input where the gradient of a tensor arrives in the pass."""
        status = self.index.tensors[tensor].status(self.entry.began)
        if status.node != NOTHING:
            return status.node, status.output
        found = [id for id, h in self.index.nodes.items() if h.info.variable == tensor]
        return (found[-1], 0) if found else (NOTHING, 0)
