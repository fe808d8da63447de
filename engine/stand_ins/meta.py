"""Tensors on the meta device: shapes and dtypes, and nothing in them, so that models of any size can be looked at.

What NumPy's functions of elements and of matrices would give is told from the shapes alone; of other functions it is found
by computing with zeros, or with the identity.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ..dtypes import INEXACT
from . import StandIn, standing, tensors_in

NO_DATA = "Cannot copy out of meta tensor; no data!"
DEPENDS = (
    "The register_meta function for torch.nonzero() raises unimplemented by default, as a correct data-independent "
    "implementation does not exist. This implementation returns a fake value, assuming all elements of the tensor are "
    "non-zero. To enable this registration, please set 'torch.fx.experimental._config.meta_nonzero_assume_all_nonzero' to True."
)
MOST = 2**24
"""Elements of the zeros that are computed with, at most."""


class NoDataError(NotImplementedError, ValueError):
    """A formula copies values that there are none of; see `of_zeros`."""


NoDataError.__name__ = NoDataError.__qualname__ = "NotImplementedError"


class Meta(StandIn):
    """An array on the meta device."""

    kind = "Meta"

    def item(self, *place: Any) -> Any:
        """Refused: there is no element."""
        raise RuntimeError("Tensor.item() cannot be called on meta tensors")

    def tolist(self) -> Any:
        """Refused: there are no elements."""
        raise NotImplementedError(NO_DATA)

    def __bool__(self) -> bool:
        # What operations look for in values before they compute is never there.
        return False

    def steps(self) -> tuple[int, ...]:
        """Those of a contiguous tensor."""
        return tuple(prod(self.shape[d + 1 :]) for d in range(self.ndim))

    def copy(self, order: Any = "C") -> Any:
        """Another one alike."""
        return standing(Meta, self.shape, self.dtype)

    def astype(self, dtype: Any, *_: Any, **__: Any) -> Any:
        """One of another dtype."""
        return standing(Meta, self.shape, dtype)

    def fill(self, value: Any) -> None:
        """Nothing is there to be filled."""

    def sort(self, *_: Any, **__: Any) -> None:
        """Nothing is there to be sorted."""

    def __getitem__(self, index: Any) -> Any:
        for each in index if isinstance(index, tuple) else (index,):
            if isinstance(each, np.ndarray) and each.dtype == bool and isinstance(each, Meta):
                raise NotImplementedError(DEPENDS)
        found = super().__getitem__(index)
        return standing(Meta, found.shape, found.dtype)

    def __setitem__(self, index: Any, value: Any) -> None:
        pass

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **named: Any) -> Any:
        if method == "at":
            return None
        small = [np.ones((1,) * a.ndim, a.dtype) if isinstance(a, np.ndarray) else a for a in inputs]
        if method == "__call__":
            like = ufunc(*small, **{k: v for k, v in named.items() if k == "dtype"})
            shape = _product(*inputs) if ufunc.signature else np.broadcast_shapes(*map(_shape, inputs))
        elif method == "reduce":
            like = ufunc.reduce(small[0], **named)
            axis = named.get("axis", inputs[1] if len(inputs) > 1 else 0)
            shape = _reduced(inputs[0].shape, axis, named.get("keepdims", False))
        elif method == "accumulate":
            like, shape = small[0], inputs[0].shape
        elif method == "outer":
            like, shape = ufunc(*[np.ones((), s.dtype) for s in small]), inputs[0].shape + inputs[1].shape
        else:
            like = small[0]
            lengths = list(inputs[0].shape)
            lengths[named.get("axis", 0)] = len(inputs[1])
            shape = tuple(lengths)
        if out is not None:
            return out[0] if len(out) == 1 else out
        several = like if isinstance(like, tuple) else (like,)
        made = tuple(standing(Meta, shape, x.dtype) for x in several)
        return made if isinstance(like, tuple) else made[0]

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func is np.copyto:
            if not isinstance(args[0], Meta):
                raise NoDataError(NO_DATA)
            return None
        if func is np.dot and args[0].ndim == args[1].ndim == 2:
            return np.matmul(*args)
        if func in (np.may_share_memory, np.shares_memory):
            return True
        if func in (np.nonzero, np.flatnonzero, np.argwhere, np.count_nonzero, np.unique):
            raise NotImplementedError(DEPENDS)
        if func in (np.zeros_like, np.ones_like, np.empty_like, np.full_like):
            shape = kwargs.get("shape")
            return standing(Meta, self.shape if shape is None else shape, kwargs.get("dtype") or self.dtype)
        if func is np.where and len(args) == 3:
            like = func(*[np.ones((1,) * np.ndim(a), a.dtype) if isinstance(a, np.ndarray) else a for a in args])
            return standing(Meta, np.broadcast_shapes(*map(_shape, args)), like.dtype)
        if func in VIEWS:
            return _without(func(*_seen(args), **kwargs))
        if func is np.concatenate and all(isinstance(a, np.ndarray) for a in args[0]):
            axis = args[1] if len(args) > 1 else kwargs.get("axis", 0)
            shape = list(args[0][0].shape)
            shape[axis] = sum(a.shape[axis] for a in args[0])
            return standing(Meta, shape, np.result_type(*[a.dtype for a in args[0]]))
        plain = _zeros(args)
        return _without(func(*plain, **{name: _zeros(value) for name, value in kwargs.items()}))


VIEWS = frozenset((
    np.shape, np.ndim, np.size, np.broadcast_to, np.broadcast_arrays, np.expand_dims, np.squeeze, np.moveaxis, np.swapaxes,
    np.transpose, np.reshape, np.result_type, np.flip, np.ravel, np.atleast_1d, np.atleast_2d, np.atleast_3d,
))  # fmt: skip
"""Functions that need no elements."""


def _shape(value: Any) -> tuple[int, ...]:
    return value.shape if isinstance(value, np.ndarray | np.generic) else ()


def _seen(value: Any) -> Any:
    """The same with what stands on the meta device as arrays of one element, repeated."""
    if isinstance(value, Meta):
        return value.view(np.ndarray)
    return type(value)([_seen(v) for v in value]) if value.__class__ in (list, tuple) else value


def _zeros(value: Any) -> Any:
    """The same with zeros for what stands on the meta device."""
    if isinstance(value, Meta):
        if prod(value.shape) > MOST:
            raise NotImplementedError(f"tensors on the meta device with more than {MOST:,} elements are not supported here")
        made = np.zeros(value.shape, value.dtype)
        if value.ndim > 1 and value.shape[-1] == value.shape[-2] and value.dtype.kind in INEXACT:
            made[...] = np.eye(value.shape[-1])  # which has an inverse
        return made
    return type(value)([_zeros(v) for v in value]) if value.__class__ in (list, tuple) else value


def of_zeros(op: Any, inputs: tuple[Any, ...]) -> Any:
    """What an operation's formula makes of zeros, without the numbers."""
    named = {p.name: value for p, value in zip(op.parameters, inputs, strict=True) if p.kind is p.KEYWORD_ONLY}
    others = [value for p, value in zip(op.parameters, inputs, strict=True) if p.kind is not p.KEYWORD_ONLY]
    return _without(op.forward(*_zeros(others), **{name: _zeros(value) for name, value in named.items()}))


def passed_on(node: Any, grad: Any, error: Exception) -> tuple[Any, ...]:
    """The gradients that a node sends on where its rule looks for values: of each it is known what it is the gradient of.

    Raises:
        Exception: the rule's, unless the gradient, or what is saved, lies on the meta device.
    """
    known = [*(grad if isinstance(grad, list) else [grad]), *[getattr(v, "_array", v) for v in node._saved or ()]]
    if not any(isinstance(a, Meta) for a in known):
        raise error
    kinds = [None if target is None else (target.shape, target.dtype) for target, _ in node.edges]
    several = [None if kind is None or kind[1] is not None else kind[0][number] for kind, (_, number) in zip(kinds, node.edges)]
    return tuple(None if kind is None else standing(Meta, *(one or kind)) for kind, one in zip(kinds, several))


def _without(value: Any) -> Any:
    """The same without its numbers."""
    if isinstance(value, np.ndarray | np.generic):
        return standing(Meta, value.shape, value.dtype)
    return type(value)([_without(v) for v in value]) if value.__class__ in (list, tuple) else value


def _reduced(shape: tuple[int, ...], axis: Any, keepdims: bool) -> tuple[int, ...]:
    axes = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    gone = {a % len(shape) for a in axes} if shape else set()
    return tuple([1 if i in gone else n for i, n in enumerate(shape) if keepdims or i not in gone])


def _product(a: Any, b: Any) -> tuple[int, ...]:
    """The shape of a product of matrices.

    Raises:
        ValueError: if they do not fit.
    """
    left, right = a.shape if a.ndim > 1 else (1, *a.shape), b.shape if b.ndim > 1 else (*b.shape, 1)
    if left[-1] != right[-2]:
        raise ValueError("matmul: the matrices do not fit")
    batch = np.broadcast_shapes(left[:-2], right[:-2])
    return (*batch, *([left[-2]] if a.ndim > 1 else []), *([right[-1]] if b.ndim > 1 else []))


def one_device(op: Any, values: tuple[Any, ...]) -> None:
    """Refuse operands of two devices, in PyTorch's words; numbers, and what only says where to look, may be anywhere.

    Raises:
        RuntimeError: if there are some.
    """
    if not (op.broadcast or op.tensor_lists or "addmm" in op.name):
        return
    found = [t for t in tensors_in(values) if t._array.ndim]
    if "addmm" in op.name:
        found = found[1:] + found[:1]
    for t in found[1:]:
        if isinstance(t._array, Meta) is not isinstance(found[0]._array, Meta):
            here, first = [("meta" if isinstance(x._array, Meta) else "cpu") for x in (t, found[0])]
            raise RuntimeError(f"Tensor on device {here} is not on the expected device {first}!")
