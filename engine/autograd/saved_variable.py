"""What nodes save: version counters, their check, results without a cycle, and values behind pack hooks."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..context import grad_mode
from ..errors import AutogradError, InplaceError

if TYPE_CHECKING:
    from ..tensor import Tensor
    from .node import Node

FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward."
)


class SavedTensor:
    """A tensor among what a node saves, as `node._raw_saved_…` gives it: it may have a pair of hooks of its own."""

    __slots__ = ("_node", "_position")

    def __init__(self, node: Node | None = None, position: int = 0) -> None:
        if node is None:
            raise RuntimeError("Trying to create a SavedTensor object from Python is forbidden.")
        self._node = node
        self._position = position

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SavedTensor) and (self._node, self._position) == (other._node, other._position)

    def __hash__(self) -> int:
        return hash((self._node, self._position))

    def __repr__(self) -> str:
        return f"<torch._C._autograd.SavedTensor object at {hex(id(self._node) + self._position)}>"

    def register_hooks(self, *hooks: Any) -> None:
        """Keep what the first hook makes of the tensor instead of the tensor, and turn it back with the second.

        Raises:
            RuntimeError: for a tensor that has hooks already or was freed.
            TypeError: for hooks that cannot be called.
        """
        from .graph import pack

        if len(hooks) != 2 or not all(callable(h) for h in hooks):
            raise TypeError(
                "register_hooks(): incompatible function arguments. The following argument types are supported:\n"
                "    1. (self: torch._C._autograd.SavedTensor, arg0: collections.abc.Callable, arg1: collections.abc.Callable) "
                f"-> None\n\nInvoked with: {', '.join(map(repr, (self, *hooks)))}"
            )
        pack_hook, unpack_hook = hooks
        node, position = self._node, self._position
        if node._saved is None:
            raise AutogradError(
                "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the graph are "
                "freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through "
                "the graph a second time or if you need to access saved variables after calling backward."
            )
        value = node._saved[position]
        if isinstance(value, Packed):
            raise AutogradError(
                "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of hooks is "
                "allowed at a time."
            )
        if value is None:
            raise AutogradError("Calling register_hooks on a saved tensor with value None is forbidden")
        kept = pack(node, value, pack_hook, unpack_hook)
        node._saved = PackedSaved([kept if i == position else v for i, v in enumerate(node._saved)])


class Counter:
    """The version of a piece of memory, shared by all tensors that view it; each in-place write adds one."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value = 0


class Uncounted(Counter):
    """The counter of `.data`: of what is written through it, the tensors that have the same memory are not told.

    Args:
        counter: theirs, or that of another `.data` of them.
    """

    __slots__ = ("memory",)

    def __init__(self, counter: Counter) -> None:
        super().__init__()
        self.memory: Counter = counter.memory if isinstance(counter, Uncounted) else counter


class Inference(Counter):
    """The counter of tensors made in inference mode: there is none to ask for."""

    __slots__ = ()


class Result(Counter):
    """A node's own output among what it saves: the array, not the tensor, so that node and tensor make no cycle.

    It is the output's version counter at the same time; after an in-place operation, whose output had a counter before,
    `shared` is that counter.
    """

    __slots__ = ("array", "output", "shared", "version")

    def __init__(self, array: np.ndarray[Any, Any], output: int) -> None:
        self.value = 0
        self.array = array
        self.output = output
        self.version = 0
        self.shared: Counter | None = None

    @property
    def counter(self) -> Counter:
        """The version counter of the output's memory."""
        return self if self.shared is None else self.shared


def check_version(node: Node, position: int, tensor: Tensor) -> None:
    """Raise InplaceError if `tensor` was written in place after `node` saved it."""
    saved = node.versions[position] if node.versions is not None else 0
    assert tensor._counter is not None
    if tensor._counter.value != saved:
        owner = tensor.grad_fn
        raise changed_in_place(tensor._array, tensor._nr, owner, tensor._counter.value, saved)


def check_result(node: Node, result: Result) -> None:
    """Raise InplaceError if the node's own output was written in place after it was saved."""
    if result.counter.value != result.version:
        raise changed_in_place(result.array, result.output, node, result.counter.value, result.version)


def forward_name(node: Node) -> str:
    """The name of the operation that made a node, as error messages give it: "Mul", "Sum1"."""
    found = re.fullmatch(r"(.*)Backward(\d*)", node.name())
    return node.name() if found is None else found[1] + found[2].removesuffix("0")


def changed_in_place(array: Any, output: int, owner: Node | None, now: int, saved: int) -> InplaceError:
    """PyTorch's error for a saved tensor that is no longer what it was."""
    from ..dtypes import LEGACY_NAMES, OF_NUMPY

    what = f"[torch.{LEGACY_NAMES[OF_NUMPY[array.dtype]]} {list(array.shape)}]"
    whose = f", which is output {output} of {forward_name(owner)}," if owner is not None else ""
    from .anomaly import is_anomaly_enabled

    hint = "enable anomaly detection to find the operation that failed to compute its gradient, with "
    hint += "torch.autograd.set_detect_anomaly(True, check_nan=False)."
    if is_anomaly_enabled():
        hint = "the backtrace further above shows the operation that failed to compute its gradient. The variable in question "
        hint += "was changed in there or anywhere later. Good luck!"
    return InplaceError(
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"{what}{whose} is at version {now}; expected version {saved} instead. Hint: {hint}"
    )


class Packed:
    """A saved value that went through a pack hook: what the hook gave, and the hook that turns it back."""

    __slots__ = ("kept", "output", "source", "unpack", "version")

    def __init__(self, kept: Any, unpack: Callable[[Any], Any], output: int | None, source: Tensor | None) -> None:
        self.kept = kept
        self.unpack = unpack
        self.output = output
        """Which output of the node the value is, None for an input."""
        self.source = None if source is None else graph_position(source)

    def opened(self, node: Node) -> Any:
        """The value in the form in which a node saves it."""
        value = self.open(node)
        return value if self.output is None else Result(value._array, self.output)

    def open(self, node: Node | None) -> Tensor:
        """The value as a tensor that stands in the graph where the saved one stood."""
        from ..tensor import Tensor, constant

        with grad_mode(False):
            value = self.unpack(self.kept)
        if not isinstance(value, Tensor):
            raise TypeError(
                f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type(value).__name__}"
            )
        out = constant(value._array)
        if self.output is not None:
            out._needs, out._node, out._nr = True, node, self.output
        elif self.source is not None:
            leaf, out._node, out._nr, out._needs = self.source
            if leaf is not None:
                return leaf if leaf._array is value._array else _stand_in(leaf, value)
        return out


def graph_position(tensor: Tensor) -> tuple[Tensor | None, Node | None, int, bool]:
    """Where a tensor stands in the graph: itself if it is a leaf that requires grad, else its node."""
    return (tensor if tensor._needs and tensor.grad_fn is None else None, tensor.grad_fn, tensor._nr, tensor._needs)


def _stand_in(leaf: Tensor, value: Tensor) -> Tensor:
    """A tensor with other elements whose gradient goes to `leaf`."""
    from ..tensor import accumulator, constant

    accumulator(leaf)
    out = constant(value._array)
    out._needs, out._meta = True, leaf._meta
    return out


def opened(node: Node) -> tuple[Any, ...]:
    """What a node saved, with pack hooks undone.

    Raises:
        AutogradError: if it was freed.
    """
    if node._saved is None:
        raise AutogradError(FREED)
    return tuple([v.opened(node) if isinstance(v, Packed) else v for v in node._saved])


class PackedSaved(tuple[Any, ...]):
    """What a node saved, some of it behind pack hooks."""

    __slots__ = ()
