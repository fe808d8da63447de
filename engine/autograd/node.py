"""Nodes of the autograd graph: what PyTorch shows as `grad_fn`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np

from ..dtypes import INEXACT
from ..errors import AutogradError
from . import attributes
from .handle import Handle
from .saved_variable import FREED, Packed, Result, check_result, check_version

if TYPE_CHECKING:
    from ..tensor import Tensor

Edge = tuple["Node | None", int]
"""Where a gradient goes: a node, and which of its outputs it is the gradient of."""


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

    `_saved` holds what the rule needs, in the order of `saved_names`: tensors, arrays, or plain values. It is None once the
    buffers are freed. `versions` are the saved tensors' version counters, None standing for all zero.
    """

    __slots__ = ("__weakref__", "_extra", "_saved", "_tape", "dtype", "edges", "sequence", "shape", "versions")

    edges: tuple[Edge, ...]
    sequence: int
    _saved: tuple[Any, ...] | None
    versions: tuple[int, ...] | None
    shape: Any
    """Shape of the output; for a node of several outputs, a tuple of (shape, dtype)."""
    dtype: Any
    _extra: Extra | None
    _tape: int
    """The id a recorder gave the node; unset where there is no recorder."""

    saved_names: ClassVar[tuple[str, ...]] = ()
    several = False
    """Whether the node has several outputs, so that it receives a list of gradients."""
    keeps = False
    """Whether tensors are among what the node saves, so that it cannot run again once they are freed."""
    materializes: bool | None = None
    """None for a node that need not run where no gradient arrives; a Function runs: on zeros (True) or on None (False)."""

    def __init_subclass__(cls) -> None:
        if "saved_names" in vars(cls):
            for name, attribute in attributes.of_class(cls).items():
                setattr(cls, name, attribute)

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError(f"cannot pickle '{type(self).__name__}' object")

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
        return self._more().metadata

    def _more(self) -> Extra:
        """The node's extra, made on first use."""
        if self._extra is None:
            self._extra = Extra()
        return self._extra

    def register_hook(self, hook: Callable[[Any, Any], Any]) -> Handle:
        """Call `hook(grad_inputs, grad_outputs)` after the rule; it may return other `grad_inputs`."""
        return Handle(self._more().post, hook)

    def register_prehook(self, hook: Callable[[Any], Any]) -> Handle:
        """Call `hook(grad_outputs)` before the rule; it may return other `grad_outputs`."""
        return Handle(self._more().pre, hook)

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

        if self._saved is None:
            raise AutogradError(FREED)
        value = self._saved[position]
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
            if value.array.dtype.kind in INEXACT:
                tensor._needs, tensor._node, tensor._nr = True, self, value.output
            return tensor
        if isinstance(value, np.ndarray):
            return constant(value)
        return value

    def __dir__(self) -> list[str]:
        known = [n for n in super().__dir__() if n.startswith("__") or n in PUBLIC]
        saved, raw = attributes.names(type(self)), attributes.raw_names(self)
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
        from ..tensor_attributes import device

        return device("cpu")


class AccumulateGrad(Node):
    """The end of a path: adds the gradient that arrives to the `.grad` of its leaf."""

    __slots__ = ("post_accumulate", "variable")

    variable: Tensor
    post_accumulate: dict[int, Callable[[Tensor], None]] | None

    def __init__(self, variable: Tensor) -> None:
        self.edges = ()
        self.sequence = 1 << 62
        self._saved = ()
        self.versions = None
        self._extra = None
        self.variable = variable
        self._tape = -1  # so that a recorder can ask for it, which sees most of these once
        self.shape = variable._array.shape
        self.dtype = variable._array.dtype
        self.post_accumulate = None

    def name(self) -> str:
        """The node's name in C++."""
        return "torch::autograd::AccumulateGrad"
