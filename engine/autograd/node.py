"""Nodes of the autograd graph: what PyTorch shows as `grad_fn`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ..context import grad_mode
from ..errors import AutogradError, InplaceError

if TYPE_CHECKING:
    from ..tensor import Tensor

Edge = tuple["Node | None", int]
"""Where a gradient goes: a node, and which of its outputs it is the gradient of."""

FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward."
)


class Handle:
    """What registering a hook returns; `remove()` takes the hook away again, as does leaving a `with` block."""

    __slots__ = ("_places", "id")
    _next: ClassVar[int] = 0
    any: ClassVar[bool] = False
    """Whether a hook was ever registered in this process; while none was, passes need not look for them."""

    def __init__(self, hooks: dict[int, Any], hook: Any, *marks: dict[int, bool], prepend: bool = False) -> None:
        self.id = Handle._next
        Handle._next += 1
        type(self).any = True
        self._places = (hooks, *marks)
        hooks[self.id] = hook
        for mark in marks:
            mark[self.id] = True
        if prepend:
            # Only where PyTorch lets a hook be put first, and there it keeps an ordered dict.
            hooks.move_to_end(self.id, last=False)  # type: ignore[attr-defined]

    def remove(self) -> None:
        """Take the hook away."""
        for place in self._places:
            place.pop(self.id, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


Handle.__name__ = Handle.__qualname__ = "RemovableHandle"
Handle.__module__ = "torch.utils.hooks"


class Extra:
    """What few nodes have: hooks, tensors whose gradient is kept, and the user's metadata."""

    __slots__ = ("hooked", "metadata", "post", "pre", "retained", "tensor")

    def __init__(self) -> None:
        self.hooked = False
        """Whether a tensor hook was ever registered."""
        self.tensor: dict[int, tuple[int, Callable[[Any], Any]]] = {}
        """Tensor hooks: id -> (output number, hook)."""
        self.pre: dict[int, Callable[[tuple[Any, ...]], Any]] = {}
        self.post: dict[int, Callable[[tuple[Any, ...], tuple[Any, ...]], Any]] = {}
        self.retained: dict[int, Any] = {}
        """Output number -> weak reference to the tensor whose gradient is kept."""
        self.metadata: dict[Any, Any] = {}


class Node:
    """A node of the graph. Each operation has its own subclass, named as in PyTorch (`MulBackward0`).

    `saved` holds what the rule needs, in the order of `saved_names`: tensors, arrays, or plain values. It is None once the
    buffers are freed. `versions` are the saved tensors' version counters, None standing for all zero.
    """

    __slots__ = ("__weakref__", "_tape", "dtype", "edges", "extra", "saved", "sequence", "shape", "versions")

    edges: tuple[Edge, ...]
    sequence: int
    saved: tuple[Any, ...] | None
    versions: tuple[int, ...] | None
    shape: Any
    """Shape of the output; for a node of several outputs, a tuple of (shape, dtype)."""
    dtype: Any
    extra: Extra | None
    _tape: int
    """The id a recorder gave the node; unset where nobody records."""

    saved_names: ClassVar[tuple[str, ...]] = ()
    several = False
    """Whether the node has several outputs, so that it receives a list of gradients."""
    keeps = False
    """Whether tensors are among what the node saves, so that it cannot run again once they are freed."""
    materializes: bool | None = None
    """None for a node that need not run where no gradient arrives; a Function runs: on zeros (True) or on None (False)."""

    def apply_arrays(self, grad: Any) -> tuple[Any, ...]:
        """The rule on plain arrays: one gradient per edge, None where none is needed."""
        raise NotImplementedError

    def apply_tensors(self, grad: Any) -> tuple[Any, ...]:
        """The rule on tensors, recorded for higher derivatives."""
        raise NotImplementedError

    def name(self) -> str:
        """The node's name, such as "MulBackward0"."""
        name = type(self).__name__
        return f"torch::autograd::{name}" if name == "CopyBackwards" else name

    def _sequence_nr(self) -> int:
        return self.sequence

    def _set_sequence_nr(self, number: int) -> None:
        self.sequence = number

    def _register_hook_dict(self, owner: Tensor) -> None:
        """Old name of what makes room for a tensor's hooks: nothing happens."""

    @property
    def next_functions(self) -> tuple[Edge, ...]:
        """The edges to the nodes of the inputs: pairs (node or None, output number)."""
        return self.edges

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dictionary for the user's own notes on the node."""
        return self.more().metadata

    def more(self) -> Extra:
        """The node's extra, made on first use."""
        if self.extra is None:
            self.extra = Extra()
        return self.extra

    def register_hook(self, hook: Callable[[Any, Any], Any]) -> Handle:
        """Call `hook(grad_inputs, grad_outputs)` after the rule; it may return other `grad_inputs`."""
        return Handle(self.more().post, hook)

    def register_prehook(self, hook: Callable[[Any], Any]) -> Handle:
        """Call `hook(grad_outputs)` before the rule; it may return other `grad_outputs`."""
        return Handle(self.more().pre, hook)

    @property
    def _input_metadata(self) -> tuple[Metadata, ...]:
        return tuple(Metadata(*meta) for meta in (self.shape if self.several else [(self.shape, self.dtype)]))

    @property
    def requires_grad(self) -> bool:
        """Always True: a node stands for something that requires grad."""
        return True

    def __call__(self, *grads: Any) -> Any:
        """Run the rule on gradients of the outputs; one gradient per input, alone if there is one."""
        from .passes import call_node

        return call_node(self, grads)

    def unpack(self, position: int) -> Any:
        """The saved value as a user sees it: a tensor (of the version it was saved at) or a plain value."""
        from ..tensor import Tensor, constant

        if self.saved is None:
            raise AutogradError(FREED)
        value = self.saved[position]
        if isinstance(value, Packed):
            return value.open(self)
        if isinstance(value, Tensor):
            if value._counter is not None:
                check_version(self, position, value)
            return value
        if isinstance(value, Result):
            check_result(self, value)
            tensor = constant(value.array)
            tensor._counter = value.counter
            if np.issubdtype(value.array.dtype, np.floating):
                tensor._needs, tensor._node, tensor._nr = True, self, value.output
            return tensor
        if isinstance(value, np.ndarray):
            return constant(value)
        return value

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_saved_"):
            from . import attributes

            return attributes.value(self, name[7:])
        if name.startswith("_raw_saved_") and name[11:] in self.saved_names:
            place = self.saved_names.index(name[11:])
            several = self.saved[place] if self.saved is not None else None
            return (SavedTensor(self, place),) * len(several) if isinstance(several, tuple) else SavedTensor(self, place)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __dir__(self) -> list[str]:
        from . import attributes

        known = [n for n in super().__dir__() if n.startswith("__") or n in PUBLIC]
        saved, raw = attributes.names(self), attributes.raw_names(self)
        return [*known, *("_saved_" + n for n in saved), *("_raw_saved_" + n for n in raw)]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {hex(id(self))}>"


PUBLIC = frozenset((
    "_input_metadata", "_register_hook_dict", "_sequence_nr", "_set_sequence_nr", "metadata", "name", "next_functions",
    "register_hook", "register_prehook", "requires_grad", "variable",
))  # fmt: skip
"""What a node has in PyTorch; the rest of it is the engine's."""


class Metadata:
    """Shape and dtype of an output of a node, which are those of the gradient that it takes."""

    __slots__ = ("dtype", "shape")

    is_nested_tensor = is_cpp_nested_tensor = False

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        from ..dtypes import OF_NUMPY

        self.shape = list(shape)
        self.dtype = None if dtype is None else OF_NUMPY[dtype]

    @property
    def device(self) -> Any:
        """The CPU."""
        from ..tensor import device

        return device("cpu")


class SavedTensor:
    """A tensor among what a node saves, as `node._raw_saved_…` gives it: a place for a pair of hooks of its own."""

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
        if node.saved is None:
            raise AutogradError(
                "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the graph are "
                "freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through "
                "the graph a second time or if you need to access saved variables after calling backward."
            )
        value = node.saved[position]
        if isinstance(value, Packed):
            raise AutogradError(
                "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of hooks is "
                "allowed at a time."
            )
        if value is None:
            raise AutogradError("Calling register_hooks on a saved tensor with value None is forbidden")
        kept = pack(node, value, pack_hook, unpack_hook)
        node.saved = PackedSaved([kept if i == position else v for i, v in enumerate(node.saved)])


class Counter:
    """The version of a piece of memory, shared by all tensors that view it; each in-place write adds one."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value = 0


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
        self.source = None if source is None else gradient_place(source)

    def opened(self, node: Node) -> Any:
        """The value in the form in which a node saves it."""
        value = self.open(node)
        return value if self.output is None else Result(value._array, self.output)

    def open(self, node: Node | None) -> Tensor:
        """The value as a tensor in its place in the graph."""
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


def gradient_place(tensor: Tensor) -> tuple[Tensor | None, Node | None, int, bool]:
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
    if node.saved is None:
        raise AutogradError(FREED)
    return tuple([v.opened(node) if isinstance(v, Packed) else v for v in node.saved])


class PackedSaved(tuple[Any, ...]):
    """What a node saved, some of it behind pack hooks."""

    __slots__ = ()


class AccumulateGrad(Node):
    """The end of a path: adds the gradient that arrives to the `.grad` of its leaf."""

    __slots__ = ("post_accumulate", "variable")

    variable: Tensor
    post_accumulate: dict[int, Callable[[Tensor], None]] | None

    def __init__(self, variable: Tensor) -> None:
        self.edges = ()
        self.sequence = 1 << 62
        self.saved = ()
        self.versions = None
        self.extra = None
        self.variable = variable
        self.shape = variable._array.shape
        self.dtype = variable._array.dtype
        self.post_accumulate = None

    def name(self) -> str:
        """The node's name in C++."""
        return "torch::autograd::AccumulateGrad"
