"""`torch.autograd.graph`: nodes and edges, hooks on what nodes save, hooks on several gradients at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..context import context, grad_mode
from ..safe_attributes import meant_for
from ..tensor import Tensor, constant, gradient_edge
from .handle import Handle
from .node import Edge, Node
from .saved_variable import Counter, Packed, PackedSaved, Result

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",  # noqa: F822  (it is imported when it is asked for)
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
    "set_warn_on_accumulate_grad_stream_mismatch",
]


def set_warn_on_accumulate_grad_stream_mismatch(enabled: bool) -> None:
    """Nothing happens: there are no streams here."""


def __getattr__(name: str) -> Any:
    if name == "allow_mutation_on_saved_tensors":
        from .mutation import allow_mutation_on_saved_tensors

        return allow_mutation_on_saved_tensors
    raise AttributeError(f"module 'torch.autograd.graph' has no attribute '{name}'")


class GradientEdge(NamedTuple):
    """An edge of the graph, along which a gradient arrives."""

    node: Node
    output_nr: int
    ownership_token: Any = None


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """Where the gradient of a tensor arrives.

    Raises:
        RuntimeError: for a tensor that does not require grad.
    """
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    node, number = gradient_edge(tensor)
    assert node is not None
    return GradientEdge(node, number)


def edge_of(where: Any) -> Edge:
    """The edge of a tensor or a GradientEdge.

    Raises:
        TypeError: for a GradientEdge that was made of anything but a node: a pass hands arrays to nodes.
    """
    return (meant_for(where.node, Node), where.output_nr) if isinstance(where, GradientEdge) else gradient_edge(where)


def increment_version(tensor: Tensor | Sequence[Tensor]) -> None:
    """Count a write to tensors that happened outside of what is tracked."""
    for t in [tensor] if isinstance(tensor, Tensor) else tensor:
        if t._counter is None:
            t._counter = Counter()
        t._counter.value += 1


# --- hooks on what nodes save ----------------------------------------------------------------------------------------------

_stack: list[tuple[Callable[[Tensor], Any], Callable[[Any], Tensor]]] = []
_disabled: list[str] = []


class saved_tensors_hooks:  # noqa: N801
    """Within the block, what nodes save goes through `pack_hook`, and through `unpack_hook` when it is needed again."""

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None:
        self.hooks = pack_hook, unpack_hook

    def __enter__(self) -> None:
        if not all(callable(hook) for hook in self.hooks):
            raise TypeError(
                "_push_saved_tensors_default_hooks(): incompatible function arguments. The following argument types are "
                "supported:\n    1. (arg0: collections.abc.Callable, arg1: collections.abc.Callable) -> None\n\nInvoked with: "
                + ", ".join(map(repr, self.hooks))
            )
        if _disabled:
            raise RuntimeError(_disabled[-1])
        _stack.append(self.hooks)
        _watch()

    def __exit__(self, *_: object) -> None:
        _stack.pop()
        _watch()


class save_on_cpu(saved_tensors_hooks):  # noqa: N801
    """Within the block, nodes save copies (PyTorch: on the CPU, where tensors are here anyway)."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(lambda t: t.detach().clone(), lambda t: t)


class disable_saved_tensors_hooks:  # noqa: N801
    """Within the block, using `saved_tensors_hooks` is an error with the given message."""

    def __init__(self, error_message: str) -> None:
        self.message = error_message

    def __enter__(self) -> None:
        if _stack:
            raise RuntimeError(self.message)
        _disabled.append(self.message)

    def __exit__(self, *_: object) -> None:
        _disabled.pop()


def _watch() -> None:
    """Be told of new nodes while there are hooks, or the forward stack is wanted for anomalies."""
    from . import anomaly

    context.linked = _made if _stack or anomaly.is_anomaly_enabled() else None


def _made(node: Node) -> None:
    """A node was made."""
    from . import anomaly

    if anomaly.is_anomaly_enabled():
        anomaly.remember(node)
    if _stack and node._saved:
        # A 0-d array is a number that stood beside a tensor: hooks do not see those.
        seen = [isinstance(v, Tensor | Result) or getattr(v, "ndim", 0) > 0 for v in node._saved]
        node._saved = PackedSaved([pack(node, v, *_stack[-1]) if s else v for v, s in zip(node._saved, seen, strict=True)])


def pack(node: Node | None, value: Any, hook: Callable[[Tensor], Any], unpack: Callable[[Any], Tensor]) -> Packed:
    """A saved value after a pack hook saw it."""
    shown = value if isinstance(value, Tensor) else constant(value.array if isinstance(value, Result) else value)
    if isinstance(value, Result):
        shown._node, shown._nr, shown._needs = node, value.output, True
    before = shown._version
    saved, _stack[:] = list(_stack), []
    try:
        with grad_mode(False):
            kept = hook(shown)
    finally:
        _stack[:] = saved
    if shown._version != before:
        raise RuntimeError(
            "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be "
            "modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if you need to "
            "perform in-place operations on the input to a pack hook."
        )
    output = value.output if isinstance(value, Result) else None
    return Packed(kept, unpack, output, value if isinstance(value, Tensor) else None)


def packed(tensor: Tensor) -> Tensor | Packed:
    """The tensor as a node would save it: behind the hooks there are."""
    return pack(None, tensor, *_stack[-1]) if _stack else tensor


# --- hooks on several gradients --------------------------------------------------------------------------------------------


class _Several:
    """Handles of hooks that belong together."""

    def __init__(self, handles: Sequence[Handle]) -> None:
        self.handles = tuple(handles)

    def remove(self) -> None:
        """Take the hooks away."""
        for h in self.handles:
            h.remove()

    def __enter__(self) -> _Several:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def register_multi_grad_hook(tensors: Sequence[Tensor], fn: Callable[..., None], *, mode: str = "all") -> _Several:
    """Call `fn` once per backward pass: with all the tensors' gradients when the last has arrived ("all"), or with the first
    that arrives ("any").

    Raises:
        ValueError: for another mode.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    items = list(tensors)
    if mode == "all" and not all(t.requires_grad for t in items):
        raise AssertionError("Expected gradient function to be set")
    if mode == "any":
        done: set[int] = set()

        def first(grad: Tensor) -> None:
            if context.task not in done:
                done.clear()
                done.add(context.task)
                fn(grad)

        return _Several([t.register_hook(first) for t in items if t.requires_grad])
    arrived: dict[int, dict[int, Tensor]] = {}

    def collect(k: int, grad: Tensor) -> None:
        found = arrived.setdefault(context.task, {})
        found[k] = grad
        if len(found) == _expected(items):
            del arrived[context.task]
            fn([found.get(i) for i in range(len(items))])

    def hook(k: int) -> Callable[[Tensor], None]:
        return lambda grad: collect(k, grad)

    return _Several([t.register_hook(hook(k)) for k, t in enumerate(items)])


def _expected(tensors: list[Tensor]) -> int:
    """How many of the tensors the pass under way reaches."""
    reached = context.reached
    if reached is None:
        return len(tensors)
    return sum(1 for t in tensors if gradient_edge(t)[0] in reached)
