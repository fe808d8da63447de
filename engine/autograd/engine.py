"""Carries gradients through the graph, from node to node in PyTorch's order."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush, heapreplace
from operator import attrgetter
from sys import getrefcount
from typing import Any

import numpy as np

from ..context import context, grad_mode
from ..tensor import Tensor, constant
from . import anomaly
from .node import AccumulateGrad, Counter, Edge, Handle, Node
from .primitives import primitives

_sequence = attrgetter("sequence")

Plan = tuple[list[Node], dict[Node, int], set[Node]]
"""Nodes to visit in order; per AccumulateGrad the number of edges that lead to it; the nodes whose rule runs."""


def run(
    starts: Sequence[tuple[Tensor, Edge, Any]],
    keep: bool,
    create_graph: bool,
    wanted: Sequence[Edge] | None,
    inputs: Any,
    accumulate: bool,
) -> dict[Edge, Any]:
    """Carry gradients from `starts` through the graph.

    Nodes are visited by descending sequence number, which is PyTorch's order: a node is made after its inputs, so whoever is
    next in that order has received everything; AccumulateGrad runs at once when the last gradient for it has arrived.

    Returns:
        For each edge in `wanted` the gradient that arrived there.
    """
    above = context.task, context.reached, context.restricted
    context.task = context.passes = context.passes + 1
    if context.observer is None and wanted is None and not create_graph and not Handle.any and context.linked is None:
        before, context.grad = context.grad, False
        try:
            _run_unseen(starts, keep)
        finally:
            context.grad = before
            context.task = above[0]
        if context.callbacks:
            _call_back()
        return {}
    order, waiting, leads = _plan([edge[0] for _, edge, _ in starts], wanted, accumulate)
    observer = context.observer
    if observer is not None:
        observer.backward_began(starts, keep, create_graph, inputs, "backward" if accumulate else "grad")
    context.reached = set(order) | set(waiting) if wanted is None else leads | {node for node, _ in wanted}
    context.restricted = context.restricted or wanted is not None
    task = Pass(keep, create_graph, waiting, leads, wanted, accumulate)
    error: BaseException | None = None
    before_node = context.node
    try:
        if create_graph:
            with grad_mode(True):
                task.carry(starts, order)
        else:
            with grad_mode(False):
                task.carry(starts, order)
    except BaseException as e:
        error = e
        raise
    finally:
        context.task, context.reached, context.restricted = above
        context.node = before_node
        if observer is not None:
            observer.backward_ended(keep, error)
    if context.callbacks:
        _call_back()
    return task.found


def _call_back() -> None:
    """Call what was to be called at the end of the pass."""
    while context.callbacks:
        context.callbacks.pop(0)()


def _run_unseen(starts: Sequence[tuple[Tensor, Edge, Any]], keep: bool) -> None:
    """A pass that nobody watches or has hooked into: the same order, found on the way instead of planned, and the leaves last.

    Half of the time of a pass over small tensors is bookkeeping, so this one does as little as possible.
    """
    buffers: dict[Node, Any] = {}
    totals: dict[AccumulateGrad, Any] = {}
    heap: list[tuple[int, Node]] = []
    for _, (node, number), gradient in starts:
        assert node is not None
        _deliver(buffers, totals, heap, node, number, gradient)
    # The node to run next, if it is known without asking the heap: in a chain, always.
    ahead: Any = None
    ready: Any = None
    raw: Any = None
    while True:
        if ahead is None:
            if not heap:
                break
            node = heappop(heap)[1]
            grad = buffers.pop(node)
        elif heap and -heap[0][0] > ahead.sequence:
            node = heapreplace(heap, (-ahead.sequence, ahead))[1]
            buffers[ahead] = ready
            grad = buffers.pop(node)
            ahead = None
        else:
            node, grad, ahead = ahead, ready, None
        if node.extra is not None:
            _retain(node, grad)
        raw = node.apply_arrays(grad)
        if not keep and node.keeps:
            node.saved = None
        for (target, number), g in zip(node.edges, raw):
            if g is None or target is None:
                if target is not None:
                    for found in materializing(target, number):
                        _deliver(buffers, totals, heap, *found)
                continue
            if target.several:
                _deliver(buffers, totals, heap, target, number, g)
                continue
            if g.shape != target.shape:
                g = reduce_to(g, target.shape)
            if g.dtype is not target.dtype:
                g = g.astype(target.dtype)
            if target is ahead:
                ready = ready + g
            elif target.__class__ is AccumulateGrad:
                have = totals.get(target)
                totals[target] = g if have is None else have + g
            elif buffers and (have := buffers.get(target)) is not None:
                buffers[target] = have + g
            elif ahead is None:
                ahead, ready = target, g
            elif target.sequence > ahead.sequence:
                heappush(heap, (-ahead.sequence, ahead))
                buffers[ahead] = ready
                ahead, ready = target, g
            else:
                heappush(heap, (-target.sequence, target))
                buffers[target] = g
    raw = ready = grad = g = None
    while totals:
        leaf, g = totals.popitem()
        alone = getrefcount(g) == ONLY_ONE
        _add_to_leaf(leaf.variable, g, alone)


def materializing(node: Node, number: int) -> list[tuple[Node, int, Any]]:
    """The Functions that run although no gradient comes from `node`, because they take zeros for it: each with such zeros."""
    found: list[tuple[Node, int, Any]] = []
    seen = {node}
    stack = [(node, number)]
    while stack:
        node, number = stack.pop()
        if node.materializes:
            shape, dtype = _meta(node, number)
            if dtype is not None:
                found.append((node, number, np.zeros(shape, dtype)))
            continue
        for below, k in node.edges:
            if below is not None and below not in seen:
                seen.add(below)
                stack.append((below, k))
    return found


ONLY_ONE = 2
"""What `getrefcount` says of an array that only the one who asks has: the variable and the argument."""


def _deliver(
    buffers: dict[Node, Any],
    totals: dict[AccumulateGrad, Any],
    heap: list[tuple[int, Node]],
    node: Node,
    number: int,
    g: Any,
) -> None:
    """Add a gradient to what has arrived at a node, which may have several outputs."""
    shape, dtype = _meta(node, number)
    g = fit(g, shape, dtype)
    if isinstance(node, AccumulateGrad):
        totals[node] = totals[node] + g if node in totals else g
        return
    if node in buffers:
        if node.several:
            slots = buffers[node]
            slots[number] = g if slots[number] is None else slots[number] + g
        else:
            buffers[node] = buffers[node] + g
        return
    buffers[node] = [g if i == number else None for i in range(len(node.shape))] if node.several else g
    heappush(heap, (-node.sequence, node))


def _retain(node: Node, grad: Any) -> None:
    """Keep the gradients of the node's outputs that asked for it; they add up over passes."""
    assert node.extra is not None
    grads = grad if node.several else (grad,)
    for number, reference in node.extra.retained.items():
        tensor = reference()
        if tensor is not None and grads[number] is not None:
            have = tensor._grad
            tensor._grad = constant(copied(grads[number]) if have is None else have._array + grads[number])


def _add_to_leaf(leaf: Tensor, g: Any, owned: bool = False) -> None:
    """Add an array to a leaf's `.grad`: in place, so that whoever holds the gradient sees it grow. An array that nobody else
    has (`owned`) becomes the gradient itself. A leaf that requires grad no more gets nothing."""
    if not leaf._needs:
        return
    have = leaf._grad
    if have is None:
        if not leaf._array.flags.c_contiguous:
            # Where the leaf's elements stand close together in another order, so do the gradient's.
            ordered = laid_out(leaf._array)
            ordered[...] = g
            leaf._grad = constant(ordered)
            return
        own = owned and g.__class__ is np.ndarray and g.base is None and g.flags.c_contiguous
        leaf._grad = constant(g if own else np.array(g, order="C"))
    else:
        np.add(have._array, g, out=have._array)
        if have._counter is None:
            have._counter = Counter()
        have._counter.value += 1


def _plan(roots: list[Node | None], wanted: Sequence[Edge] | None, accumulate: bool) -> Plan:
    """The plan of a pass from `roots`; with `wanted`, of the part that leads there, and that runs there if it accumulates."""
    seen: set[Node] = set()
    waiting: dict[Node, int] = {}
    stack: list[Node] = []
    for root in roots:
        if root.__class__ is AccumulateGrad:
            waiting[root] = waiting.get(root, 0) + 1
        elif root is not None and root not in seen:
            seen.add(root)
            stack.append(root)
    while stack:
        for node, _ in stack.pop().edges:
            if node is None:
                continue
            if node.__class__ is AccumulateGrad:
                waiting[node] = waiting.get(node, 0) + 1
            elif node not in seen:
                seen.add(node)
                stack.append(node)
    order = sorted(seen, key=_sequence, reverse=True)
    if wanted is not None:
        return _restrict(roots, order, {node for node, _ in wanted if node is not None}, accumulate)
    return order, waiting, seen


def _restrict(roots: list[Node | None], order: list[Node], targets: set[Node], accumulate: bool) -> Plan:
    """The part of a plan that leads to `targets`."""
    leads: set[Node] = set()
    waiting: dict[Node, int] = {}
    for root in roots:
        if root.__class__ is AccumulateGrad:
            waiting[root] = waiting.get(root, 0) + 1
    for node in reversed(order):
        if (accumulate and node in targets) or any(n in targets or n in leads for n, _ in node.edges):
            leads.add(node)
    for node in leads:
        for n, _ in node.edges:
            if n.__class__ is AccumulateGrad:
                waiting[n] = waiting.get(n, 0) + 1
    return [node for node in order if node in leads or node in targets], waiting, leads


class Pass:
    """One backward pass under way: the gradients that have arrived so far at nodes not yet run."""

    __slots__ = ("accumulate", "buffers", "create_graph", "found", "keep", "leads", "targets", "waiting", "wanted")

    def __init__(
        self,
        keep: bool,
        create_graph: bool,
        waiting: dict[Node, int],
        leads: set[Node],
        wanted: Sequence[Edge] | None,
        accumulate: bool,
    ) -> None:
        self.keep = keep
        self.create_graph = create_graph
        self.waiting = waiting
        self.leads = leads
        self.buffers: dict[Node, Any] = {}
        self.wanted = wanted
        self.targets = {n for n, _ in wanted if n is not None} if wanted is not None else set()
        self.accumulate = accumulate
        self.found: dict[Edge, Any] = {}

    def carry(self, starts: Sequence[tuple[Tensor, Edge, Any]], order: list[Node]) -> None:
        """Run the pass."""
        for _, edge, gradient in starts:
            self.send(edge, gradient)
        buffers = self.buffers
        keep, targets = self.keep, self.targets
        step = self.step_tensors if self.create_graph else self.step_arrays
        if context.linked is not None and anomaly.is_anomaly_enabled():
            step = self.step_suspiciously
        for node in order:
            grad = buffers.pop(node, None)
            context.node = node
            if grad is None:
                self.nothing(node)
                continue
            if node.extra is not None or (targets and node in targets):
                grad = self.before(node, grad)
                if node in self.targets and node not in self.leads:
                    continue
                if node.extra is not None and node.extra.pre:
                    grad = self.received(node, grad)
                    if grad is None:
                        self.unfed(node, grad)
                        continue
            step(node, grad)
            if not keep and node.keeps:
                node.saved = None

    def nothing(self, node: Node) -> None:
        """No gradient arrived at a node: hooks see None, and so does what is below, unless the node takes zeros for it."""
        grad: Any = [None] * len(node.shape) if node.several else None
        if node.extra is not None:
            grad = self.before(node, grad)
            if node not in self.targets or node in self.leads:
                grad = self.received(node, grad)
        if node not in self.targets or node in self.leads:
            self.unfed(node, grad)

    def unfed(self, node: Node, grad: Any) -> None:
        """Run a node on no gradient."""
        if node.materializes is not None:
            if node.materializes and not node.several:
                grad = np.zeros(node.shape, node.dtype)
                grad = self.shown(grad) if self.create_graph else grad
            (self.step_tensors if self.create_graph else self.step_arrays)(node, grad)
            return
        sent: tuple[Any, ...] = (None,) * len(node.edges)
        if node.extra is not None and node.extra.post:
            sent = self.after(node, sent, grad)
        for edge, g in zip(node.edges, sent, strict=True):
            if edge[0] is not None:
                self.send(edge, g)

    # --- one node --------------------------------------------------------------------------------------------------------

    def step_arrays(self, node: Node, grad: Any) -> None:
        """Run one node's rule on arrays and send on what it gives."""
        raw = node.apply_arrays(grad)
        if node.extra is not None and node.extra.post:
            self.slowly(node, grad, raw)
            return
        buffers = self.buffers
        sent: list[Any] = []
        leaves: list[tuple[AccumulateGrad, Any]] = []
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
                    self.send((target, number), g)
            elif g is not None:
                if g.shape != target.shape:
                    g = reduce_to(g, target.shape)
                if g.dtype is not target.dtype:
                    g = g.astype(target.dtype)
                have = buffers.get(target)
                buffers[target] = g if have is None else have + g
            sent.append(g)
        observer = context.observer
        if observer is not None:
            observer.node_ran(node, tuple(grad) if node.several else (grad,), raw, sent)
        for leaf, g in leaves:
            self.reach(leaf, g)

    def step_suspiciously(self, node: Node, grad: Any) -> None:
        """Run one node's rule, report where it belongs if it fails, and refuse NaN in what it gives."""
        try:
            raw = node.apply_tensors(grad) if self.create_graph else node.apply_arrays(grad)
            anomaly.check(node, raw)
        except Exception:
            anomaly.report(node)
            raise
        self.slowly(node, grad, raw)

    def step_tensors(self, node: Node, grad: Any) -> None:
        """Run one node's rule on recorded tensors."""
        self.slowly(node, grad, node.apply_tensors(grad))

    def slowly(self, node: Node, grad: Any, raw: tuple[Any, ...]) -> None:
        """Send on gradients while somebody watches, has hooked in, or higher derivatives are wanted."""
        sent = tuple(
            None if g is None or target is None else fit(g, *_meta(target, number))
            for (target, number), g in zip(node.edges, raw, strict=True)
        )
        if node.extra is not None and node.extra.post:
            sent = self.after(node, sent, grad)
        if context.observer is not None:
            received = tuple(grad) if node.several else (grad,)
            context.observer.node_ran(node, received, raw, sent)
        for edge, g in zip(node.edges, sent, strict=True):
            if edge[0] is not None:
                self.send(edge, g)

    def send(self, edge: Edge, g: Any) -> None:
        """Add a gradient to what has arrived at a node; run the node if it is an AccumulateGrad that waits for no more."""
        node, number = edge
        assert node is not None
        if isinstance(node, AccumulateGrad):
            self.reach(node, None if g is None else fit(g, node.shape, node.dtype))
            return
        if g is None:
            return
        shape, dtype = _meta(node, number)
        g = fit(g, shape, dtype)
        if node.several:
            slots = self.buffers.setdefault(node, [None] * len(node.shape))
            slots[number] = g if slots[number] is None else slots[number] + g
        else:
            have = self.buffers.get(node)
            self.buffers[node] = g if have is None else have + g

    def reach(self, node: AccumulateGrad, g: Any) -> None:
        """A gradient, or None, reaches the end of a path; the node runs once no more is to come."""
        if g is not None:
            have = self.buffers.get(node)
            self.buffers[node] = g if have is None else have + g
        left = self.waiting[node] = self.waiting[node] - 1
        if left == 0:
            total = self.buffers.pop(node, None)
            if total is not None:
                self.arrive(node, total)
            elif node.extra is not None and self.wanted is None:
                self.after(node, (), self.received(node, self.before(node, None)))

    # --- hooks, retained gradients, wanted edges --------------------------------------------------------------------------

    def before(self, node: Node, grad: Any) -> Any:
        """What happens to a gradient that has arrived, before the rule runs: hooks, then keeping it where that was asked."""
        grads = list(grad) if node.several else [grad]
        extra = node.extra
        if self.wanted is not None and node in self.leads:
            # What goes on from here is found as it arrived; what ends here, as hooks left it.
            self.find(node, grads)
        if extra is not None:
            for number, hook in list(extra.tensor.values()):
                grads[number] = self.hooked(node, hook, grads[number])
            for number, reference in extra.retained.items():
                tensor = reference()
                g = grads[number]
                if tensor is not None and g is not None:
                    have = tensor._grad
                    tensor._grad = self.shown(copied(g)) if have is None else have + self.shown(g)
                    if context.observer is not None:
                        context.observer.accumulated(tensor, g, node)
        if self.wanted is not None and node not in self.leads:
            self.find(node, grads)
        return grads if node.several else grads[0]

    def find(self, node: Node, grads: Sequence[Any]) -> None:
        """Keep the gradients of a node that are wanted."""
        for edge in self.wanted or ():
            if edge[0] is node and grads[edge[1]] is not None:
                self.found[edge] = grads[edge[1]]

    def received(self, node: Node, grad: Any) -> Any:
        """What a node's prehooks make of the gradients it received."""
        assert node.extra is not None
        grads = tuple(grad) if node.several else (grad,)
        for hook in list(node.extra.pre.values()):
            grads = self.replaced(hook, grads, hook(tuple([None if g is None else self.shown(g) for g in grads])))
        return list(grads) if node.several else grads[0]

    def hooked(self, node: Node, hook: Any, grad: Any) -> Any:
        """The gradient after a tensor's hook saw it."""
        changed = hook(None if grad is None else self.shown(grad))
        if changed is None:
            return grad
        taken = self.taken(changed, grad, hook)
        if context.observer is not None:
            context.observer.hook_ran(node, grad, taken)
        return taken

    def after(self, node: Node, sent: tuple[Any, ...], grad: Any) -> tuple[Any, ...]:
        """What a node's hooks make of the gradients it is about to send."""
        assert node.extra is not None
        received = tuple(None if g is None else self.shown(g) for g in (grad if node.several else [grad]))
        for hook in list(node.extra.post.values()):
            sent = self.replaced(hook, sent, hook(tuple([None if g is None else self.shown(g) for g in sent]), received))
        return sent

    def replaced(self, hook: Any, before: tuple[Any, ...], returned: Any) -> tuple[Any, ...]:
        """The gradients after a node's hook, which may have returned others.

        Raises:
            TypeError: for what is no tuple of tensors.
            RuntimeError: for gradients that do not fit those they replace.
        """
        if returned is None:
            return before
        if not isinstance(returned, tuple):
            raise TypeError(f"expected tuple, but hook returned '{type(returned).__name__}'")
        if len(returned) != len(before):
            raise RuntimeError(
                f"hook '{_called(hook)}' has returned an incorrect number of values (got {len(returned)}, but expected "
                f"{len(before)})"
            )
        return tuple([None if g is None else self.taken(g, old, hook) for g, old in zip(returned, before, strict=True)])

    def arrive(self, node: AccumulateGrad, g: Any) -> None:
        """The end of the path: hooks of the leaf, then its `.grad`."""
        extra = node.extra
        if self.wanted is not None and (node, 0) not in self.wanted:
            return
        if extra is not None:
            for _, hook in list(extra.tensor.values()):
                g = self.hooked(node, hook, g)
        if self.wanted is not None:
            self.found[(node, 0)] = g
            if not self.accumulate:
                return
        if extra is not None and extra.pre:
            g = self.received(node, g)
            if g is None:
                return
        leaf = node.variable
        if not leaf._needs:
            return
        have = leaf._grad
        if self.create_graph:
            leaf._grad = _copy_of(g) if have is None else have + g
        else:
            _add_to_leaf(leaf, g)
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
            self.after(node, (), leaf._grad._array if have is None and leaf._grad is not None and not self.create_graph else g)

    def shown(self, g: Any) -> Tensor:
        """A gradient as hooks see it: a tensor."""
        return g if isinstance(g, Tensor) else constant(g)

    def taken(self, value: Any, before: Any = None, hook: Any = None) -> Any:
        """A gradient that a hook returned, in this pass's form.

        Raises:
            TypeError: if it is no tensor.
            RuntimeError: if it does not fit the gradient that it replaces.
        """
        if not isinstance(value, Tensor):
            raise TypeError(f"expected Variable, but hook returned '{type(value).__name__}'")
        if hook is not None:
            if before is None:
                raise RuntimeError("can't replace a None gradient with a non-None value")
            old = self.shown(before)
            if old._array.dtype is not value._array.dtype:
                raise RuntimeError(
                    f"hook '{_called(hook)}' has changed the type of value (was {old.type()} got {value.type()})"
                )
            if old._array.shape != value._array.shape:
                raise RuntimeError(f"hook '{_called(hook)}' has changed the size of value")
        return value if self.create_graph else value._array


def reduce_to(grad: Any, shape: tuple[int, ...]) -> Any:
    """Undo broadcasting: sum an array over the axes along which `shape` was repeated."""
    if grad.__class__ is np.ndarray and grad.shape[1:] == shape:
        return np.add.reduce(grad, 0)
    grad = np.asarray(grad)
    extra = grad.ndim - len(shape)
    if extra < 0:
        return np.broadcast_to(grad, shape)
    if extra:
        grad = np.add.reduce(grad, axis=tuple(range(extra)))
    axes = tuple(i for i, n in enumerate(shape) if n == 1 and grad.shape[i] != 1)
    return np.add.reduce(grad, axis=axes, keepdims=True) if axes else grad


def _meta(node: Node, number: int) -> tuple[Any, Any]:
    return node.shape[number] if node.several else (node.shape, node.dtype)


def fit(g: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """The gradient in the shape and dtype of what it is the gradient of: summed over axes that were broadcast."""
    if g.__class__ is np.ndarray or isinstance(g, np.generic):
        if g.shape != shape:
            g = reduce_to(np.asarray(g), shape)
        return g if g.dtype is dtype else g.astype(dtype)
    if tuple(g._array.shape) != shape:
        g = g.sum_to_size(*shape)
    return g if g._array.dtype is dtype else g.to(_dtype(dtype))


def _called(hook: Any) -> str:
    return getattr(hook, "__name__", "<unknown>")


def _copy_of(g: Any) -> Any:
    """A copy of a recorded gradient, to become a leaf's: it may be part of somebody else's graph."""
    return primitives.copy_(primitives.empty_like(g), g) if g.requires_grad else g


def _dtype(d: Any) -> Any:
    from ..dtypes import OF_NUMPY

    return OF_NUMPY[d]


def laid_out(array: Any) -> Any:
    """A new array whose strides are the given array's if its elements stand close together, else in row-major order."""
    order = sorted(range(array.ndim), key=lambda k: (array.strides[k], array.shape[k]))
    step = array.itemsize
    for k in order:
        if array.shape[k] != 1 and array.strides[k] != step:
            return np.empty(array.shape, array.dtype)
        step *= array.shape[k]
    return np.empty_like(array, order="K")


def copied(g: Any) -> Any:
    """An array of its own: gradients on their way may share memory with saved tensors or with each other."""
    return np.array(g) if g.__class__ is np.ndarray or isinstance(g, np.generic) else g
