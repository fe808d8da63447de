"""The engine: a backward pass carries gradients from node to node, in PyTorch's order.

A pass is a `GraphTask`, and `GraphTask.execute` is the whole sweep. Nodes are visited by descending sequence number: a node is
made after its inputs, so the next node in that order has received everything. AccumulateGrad, the end of a path, runs at once
when the last gradient for it has arrived. The same sweep without observer and hooks is `unwatched.sweep`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..context import context, grad_mode
from ..tensor import Tensor
from . import anomaly
from .gradients import add_to_leaf, copied, copy_of, fit, meta
from .handle import Handle
from .hooks import Hooks
from .node import AccumulateGrad, Edge, Node
from .schedule import schedule
from .unwatched import sweep

Starts = Sequence[tuple[Tensor, Edge, Any]]
"""The roots of a pass, each with its edge and the gradient that it starts from."""


def execute(
    starts: Starts, keep: bool, create_graph: bool, captures: Sequence[Edge] | None, inputs: Any, accumulate: bool
) -> dict[Edge, Any]:
    """One backward pass.

    Args:
        keep: whether nodes keep what they have saved, for another pass.
        create_graph: whether the pass is recorded itself, for higher derivatives.
        captures: edges whose gradients are wanted, so that only what leads there runs; None for all leaves.
        inputs: what the caller gave for them, which the observer is told.
        accumulate: whether gradients are added to the leaves' `.grad`.

    Returns:
        For each edge in `captures` the gradient that arrived there.
    """
    task, grad = context.task, context.grad
    context.task = context.passes = context.passes + 1
    captured: dict[Edge, Any] = {}
    try:
        if context.observer is None and captures is None and not create_graph and not Handle.any and context.linked is None:
            context.grad = False
            sweep(starts, keep)
        else:
            captured = _watched(starts, keep, create_graph, captures, inputs, accumulate)
    finally:
        context.task, context.grad = task, grad
    while context.callbacks:
        context.callbacks.pop(0)()
    return captured


class GraphTask(Hooks):
    """One backward pass under way: the gradients that have arrived so far at nodes not yet run."""

    __slots__ = ("accumulates", "buffers", "captured", "captures", "dependencies", "ends", "keep", "needed", "suspicious")

    def __init__(
        self,
        keep: bool,
        create_graph: bool,
        dependencies: dict[Node, int],
        needed: set[Node],
        captures: Sequence[Edge] | None,
        accumulates: bool,
    ) -> None:
        self.keep, self.create_graph, self.accumulates = keep, bool(create_graph), accumulates
        self.dependencies = dependencies
        """Per AccumulateGrad how many edges that lead to it have brought nothing yet."""
        self.needed = needed
        """The nodes whose rule runs."""
        self.captures = captures
        self.ends = {node for node, _ in captures if node is not None} if captures is not None else set()
        """The nodes where gradients are captured."""
        self.buffers: dict[Node, Any] = {}
        """What has arrived at a node; of one with several outputs, a list."""
        self.captured: dict[Edge, Any] = {}
        self.suspicious = context.linked is not None and anomaly.is_anomaly_enabled()

    def execute(self, starts: Starts, order: list[Node]) -> None:
        """The sweep: in order, each node takes what has arrived, runs its rule, and enqueues what the rule gives."""
        for _, (root, number), gradient in starts:
            assert root is not None
            self.enqueue(root, number, fit(gradient, *meta(root, number)))
        buffers, ends, keep = self.buffers, self.ends, self.keep
        for node in order:
            context.node = node
            grad = buffers.pop(node, None)
            if grad is None or node._extra is not None or node in ends:
                self.evaluate_with_hooks(node, grad)
                continue
            self.evaluate(node, grad)
            if not keep and node.keeps:
                node._saved = None

    def evaluate(self, node: Node, grad: Any) -> None:
        """Run a node's rule, and enqueue what it gives, in the shape and dtype of what it is the gradient of."""
        if self.suspicious:
            raw = self.examined(node, grad)
        else:
            try:
                raw = node.apply_tensors(grad) if self.create_graph else node.apply_arrays(grad)
            except (ValueError, IndexError, RuntimeError) as error:
                from ..stand_ins.meta import passed_on

                raw = passed_on(node, grad, error)
        if node._extra is not None and node._extra.post:
            sent = [None if g is None or n is None else fit(g, *meta(n, k)) for (n, k), g in zip(node.edges, raw, strict=True)]
            self.send(node, grad, raw, self.posthooks(node, tuple(sent), grad))
            return
        # What `send` does, with `enqueue` and `fit` written out for most nodes: the calls would cost a watched pass 10 %.
        buffers = self.buffers
        sent, leaves = [], []
        for (target, number), g in zip(node.edges, raw):
            if target is None:
                g = None
            elif target.__class__ is AccumulateGrad:
                if g is not None:
                    g = fit(g, target.shape, target.dtype)
                leaves.append((target, g))
            elif target.several:
                if g is not None:
                    g = fit(g, *target.shape[number])
                    self.enqueue(target, number, g)
            elif g is not None:
                if g.shape != target.shape or g.dtype is not target.dtype:
                    g = fit(g, target.shape, target.dtype)
                have = buffers.get(target)
                buffers[target] = g if have is None else have + g
            sent.append(g)
        observer = context.observer
        if observer is not None:
            observer.node_ran(node, tuple(grad) if node.several else (grad,), raw, sent)
        for leaf, g in leaves:
            self.enqueue(leaf, 0, g)

    def send(self, node: Node, grad: Any, raw: tuple[Any, ...], sent: tuple[Any, ...]) -> None:
        """Enqueue what a node sends, after the observer has been told."""
        if context.observer is not None:
            context.observer.node_ran(node, tuple(grad) if node.several else (grad,), raw, sent)
        self.pass_on(node, sent)

    def pass_on(self, node: Node, sent: tuple[Any, ...]) -> None:
        """Enqueue what a node sends along its edges."""
        for (target, number), g in zip(node.edges, sent, strict=True):
            if target is not None:
                self.enqueue(target, number, g)

    def examined(self, node: Node, grad: Any) -> tuple[Any, ...]:
        """What a node's rule gives, while anomalies are looked for.

        Raises:
            Exception: what the rule raises, and an error for NaN in what it gives; it is reported where it belongs.
        """
        try:
            raw = node.apply_tensors(grad) if self.create_graph else node.apply_arrays(grad)
            anomaly.check(node, raw)
        except Exception:
            anomaly.report(node)
            raise
        return raw

    def evaluate_with_hooks(self, node: Node, grad: Any) -> None:
        """Run a node that has hooks, or whose gradient is kept, or at which none has arrived (None)."""
        nothing = grad is None
        if nothing and node.several:
            grad = [None] * len(node.shape)
        if node._extra is not None or node in self.ends:
            grad = self.before(node, grad)
            if node not in self.needed:
                return
            if node._extra is not None and node._extra.pre:
                grad = self.prehooks(node, grad)
        if nothing or grad is None:
            self.evaluate_nothing(node, grad)
            return
        self.evaluate(node, grad)
        if not self.keep and node.keeps:
            node._saved = None

    def evaluate_nothing(self, node: Node, grad: Any) -> None:
        """No gradient has arrived at a node: none goes on, unless the node takes zeros for it."""
        if node.materializes is not None:
            if node.materializes and not node.several:
                grad = np.zeros(node.shape, node.dtype)
                grad = self.shown(grad) if self.create_graph else grad
            self.evaluate(node, grad)
            return
        sent: tuple[Any, ...] = (None,) * len(node.edges)
        if node._extra is not None and node._extra.post:
            sent = self.posthooks(node, sent, grad)
        self.pass_on(node, sent)

    def enqueue(self, node: Node, number: int, g: Any) -> None:
        """Add a gradient, or None, to what has arrived at a node; at the end of a path, run it once no more is to come."""
        buffers = self.buffers
        if node.__class__ is AccumulateGrad:
            left = self.dependencies[node] = self.dependencies[node] - 1
            have = buffers.pop(node, None)
            total = g if have is None else have if g is None else have + g
            if left == 0:
                self.accumulate(node, total)
            elif total is not None:
                buffers[node] = total
        elif g is not None:
            have = buffers.get(node)
            if node.several:
                have = buffers[node] = [None] * len(node.shape) if have is None else have
                have[number] = g if have[number] is None else have[number] + g
            else:
                buffers[node] = g if have is None else have + g

    def accumulate(self, node: AccumulateGrad, g: Any) -> None:
        """The end of a path: hooks of the leaf, then its `.grad`."""
        extra = node._extra
        if g is None:
            if extra is not None and self.captures is None:
                self.posthooks(node, (), self.prehooks(node, self.before(node, None)))
            return
        if self.captures is not None and (node, 0) not in self.captures:
            return
        if extra is not None:
            for _, hook in list(extra.tensor.values()):
                g = self.tensor_hook(node, hook, g)
        if self.captures is not None:
            self.captured[(node, 0)] = g
            if not self.accumulates:
                return
        if extra is not None and extra.pre:
            g = self.prehooks(node, g)
            if g is None:
                return
        leaf = node.variable
        if not leaf._needs:
            return
        have = leaf._grad
        if self.create_graph:
            leaf._grad = copy_of(g) if have is None else have + g
        else:
            add_to_leaf(leaf, g)
        if context.observer is not None:
            context.observer.accumulated(leaf, g, node)
        if node.post_accumulate:
            for leaf_hook in list(node.post_accumulate.values()):
                returned = leaf_hook(leaf)
                if returned is not None and returned is not leaf:
                    self.taken(returned)
                    raise RuntimeError("Tensor post accumulate grad hooks should return None.")
        if extra is not None and extra.post:
            # A first gradient is taken over, not copied, so that hooks see what became of it since.
            taken_over = None if have is not None or self.create_graph else leaf._grad
            self.posthooks(node, (), g if taken_over is None else taken_over._array)

    def before(self, node: Node, grad: Any) -> Any:
        """What happens to a gradient that has arrived, before the rule runs: hooks, then keeping it where that was asked."""
        grads = list(grad) if node.several else [grad]
        extra = node._extra
        if self.captures is not None and node in self.needed:
            # What goes on from here is captured as it arrived; what ends here, as hooks left it.
            self.capture(node, grads)
        if extra is not None:
            for number, hook in list(extra.tensor.values()):
                grads[number] = self.tensor_hook(node, hook, grads[number])
            for number, reference in extra.retained.items():
                tensor = reference()
                g = grads[number]
                if tensor is not None and g is not None:
                    have = tensor._grad
                    tensor._grad = self.shown(copied(g)) if have is None else have + self.shown(g)
                    if context.observer is not None:
                        context.observer.accumulated(tensor, g, node)
        if self.captures is not None and node not in self.needed:
            self.capture(node, grads)
        return grads if node.several else grads[0]

    def capture(self, node: Node, grads: Sequence[Any]) -> None:
        """Keep the gradients of a node that are wanted."""
        for edge in self.captures or ():
            if edge[0] is node and grads[edge[1]] is not None:
                self.captured[edge] = grads[edge[1]]


def _watched(
    starts: Starts, keep: bool, create_graph: bool, captures: Sequence[Edge] | None, inputs: Any, accumulate: bool
) -> dict[Edge, Any]:
    order, dependencies, needed = schedule([edge[0] for _, edge, _ in starts], captures, accumulate)
    above = context.reached, context.restricted, context.node
    observer = context.observer
    if observer is not None:
        observer.backward_began(starts, keep, create_graph, inputs, "backward" if accumulate else "grad")
    context.reached = set(order) | set(dependencies) if captures is None else needed | {node for node, _ in captures}
    context.restricted = context.restricted or captures is not None
    task = GraphTask(keep, create_graph, dependencies, needed, captures, accumulate)
    error: BaseException | None = None
    try:
        with grad_mode(bool(create_graph)):
            task.execute(starts, order)
    except BaseException as e:
        error = e
        raise
    finally:
        context.reached, context.restricted, context.node = above
        if observer is not None:
            observer.backward_ended(keep, error)
    return task.captured
