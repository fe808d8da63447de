"""In-place variants (`add_`), derived from the operations; writing through views."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import dtypes
from ...autograd.saved_variable import Counter, Inference, Result
from ...autograd.views import check_writable, rebase
from ...compat.names import SURFACE
from ...context import context, observed
from ...memory_layout import run_through, strides_of
from ...op.declare import FUNCTIONS, TABLE, Op, function, op, overload, traits_of
from ...op.slow_path import NUMBERS32
from ...tensor import Tensor, constant, counter_of, gradient_edge
from ..creation.generator import source
from ..creation.random import DRAWN
from ..indexing.getitem import _index_put
from ..linalg import matmul  # noqa: F401  (their operations get in-place variants here)
from ..nn import activation  # noqa: F401  (their operations get in-place variants here)
from ..pointwise.unary import zeros_like_grad
from ..reduction.sums import _sum
from .inplace_views import INFERENCE_WRITTEN, turned_by, turning
from .overlap import check_alone, check_inputs, put, repeats, shares, summed


@op(
    r"{value}",
    traits="fills given overlapping reads_first",
    self=lambda grad: zeros_like_grad(grad),
    node="FillBackward0",
    name="fill",
)
def _fill_number(self, value):
    """Every element set to a number."""
    return np.full_like(self, dtypes.held_in(value, self.dtype))


@op(
    r"{value}",
    self=lambda grad: zeros_like_grad(grad),
    value=lambda grad: _sum(grad),
    broadcast=(),
    node="FillBackward1",
    name="fill",
)
def _fill_tensor(self, value):
    """Every element set to a 0-d tensor's."""
    if value.ndim:
        raise RuntimeError(f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions.")
    return np.full_like(self, value)


_fill_number_written = overload(_fill_number, "_fill_number_written", "FillBackward2")
_fill_tensor_written = overload(_fill_tensor, "_fill_tensor_written", "FillBackward3")


@function
def fill(input: Tensor, value: Any) -> Tensor:
    """Every element set to a number or a 0-d tensor's element."""
    return _fill_tensor(input, value) if isinstance(value, Tensor) else _fill_number(input, value)


@op(r"0", traits="fills overlapping", self=lambda grad: zeros_like_grad(grad))
def zero(self):
    """Every element set to zero."""
    return np.zeros_like(self)


@op(
    r"{src}",
    traits="joins given reads_first",
    self=lambda grad: zeros_like_grad(grad),
    src=lambda grad: grad,
    broadcast=(),
    node="CopyBackwards",
    name="copy",
)
def _copy(self, src):
    """The elements of `src`, broadcast, in the dtype of `self`."""
    out = np.empty_like(self)
    try:
        np.copyto(out, src, casting="unsafe")
    except ValueError:
        from ...errors import sizes_mismatch

        extra = src.ndim - self.ndim
        if extra > 0:
            raise RuntimeError(
                f"output with shape {list(self.shape)} doesn't match the broadcast shape {list(src.shape)}"
            ) from None
        raise sizes_mismatch(self.shape, src.shape) from None
    return out


def store(self: Tensor, result: Tensor, declared: Op) -> None:
    """Write `result` into `self`'s memory, count the version, and let `self` become the output of the result's node."""
    source, target = result._array, self._array
    if source.dtype is not target.dtype and not dtypes.can_cast(result.dtype, self.dtype):
        names = dtypes.SCALAR_NAMES
        raise RuntimeError(f"result type {names[result.dtype]} can't be cast to the desired output type {names[self.dtype]}")
    if source.shape != target.shape:
        raise RuntimeError(f"output with shape {list(target.shape)} doesn't match the broadcast shape {list(source.shape)}")
    counter = self._counter
    put(target, source, declared)
    if counter.__class__ is Inference and not context.inference:
        raise RuntimeError(INFERENCE_WRITTEN)
    if counter is None:
        counter = self._counter = Counter()
    counter.value += 1
    node = result._node
    if node is not None:
        for kept in node._saved or ():
            if isinstance(kept, Result):
                kept.array, kept.shared, kept.version = target, counter, counter.value
        rebase(self, node, result._nr)
    if self._view is not None and node is None and self._node is None and not self._view.base.requires_grad:
        self._view.version = counter.value


def stand_in(self: Tensor, declared: Op, tracked: bool) -> Tensor:
    """`self` as it is before the write, for the operation to read; its own copy if the operation's node saves it."""
    saves = tracked and "self" in declared.saved_names
    old = constant(self._array.copy() if saves else self._array)
    old._node, old._nr = gradient_edge(self) if tracked and self.requires_grad else (None, 0)
    old._needs = old._node is not None
    return old


def forward_ad() -> Any:
    """Where tangents are kept; loaded by who makes one."""
    from ...autograd import forward_ad

    return forward_ad


def carried(self: Tensor, old: Tensor) -> None:
    """The tensor as it is before the write carries the same tangent."""
    tangent = forward_ad().tangent_of(self)
    if tangent is not None:
        forward_ad().give(old, tangent)


def written(ufunc: Any, self: Tensor, other: Any) -> bool:
    """Write `ufunc(self, other)` into `self` without observer, if nothing is tracked and the dtypes agree; else do nothing."""
    if context.special or self._view is not None or (context.grad and (self._needs or getattr(other, "_needs", False))):
        return False
    target = self._array
    value = other._array if isinstance(other, Tensor) else NUMBERS32.get(other) if isinstance(other, float | int) else None
    if (
        value is None
        or value.dtype is not target.dtype
        or target.dtype.kind not in dtypes.INEXACT
        or self._counter.__class__ is Inference
    ):
        return False
    if (value.base is not None or target.base is not None) and shares(target, value):
        return False
    try:
        ufunc(target, value, target)
    except ValueError:
        return False
    counter_of(self).value += 1
    return True


def inplace(declared: Op, call: Callable[..., Any] | None = None) -> Callable[..., Tensor]:
    """The in-place variant of an operation, or of a function made of one."""
    compute = call or declared.call

    quick = declared.ufunc

    def write(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        if quick is not None and not kwargs and len(args) == 1 and written(quick, self, args[0]):
            return self
        observer = context.observer
        tracked = context.grad and (
            self.requires_grad or any(isinstance(a, Tensor) and a.requires_grad for a in (*args, *kwargs.values()))
        )
        if tracked:
            check_writable(self)
        if context.writing is not None:
            context.writing(self)
        check_inputs(self, declared.traits, args)
        if kwargs:
            check_inputs(self, declared.traits, kwargs.values())
        with observed(None):
            old = stand_in(self, declared, tracked)
            if context.dual is not None:
                carried(self, old)
            result = compute(old, *args, **kwargs)
            store(self, result, declared)
            if context.dual is not None:
                forward_ad().written(self, result)
        if observer is not None:
            observer.wrote(declared, (self, *args, *kwargs.values()), self, result._node)
        return self

    write.__name__ = f"{declared.name}_"
    write.__doc__ = f"In-place version of `{declared.name}`."
    write._op = declared  # type: ignore[attr-defined]
    return write


INPLACE: dict[str, Callable[..., Tensor]] = {}
"""In-place methods by name."""


def derive(functions: dict[str, Callable[..., Any]]) -> None:
    """Make the in-place variants PyTorch has of the declared functions, where they are not declared themselves (`detach_`)."""
    made: dict[int, Callable[..., Tensor]] = {}
    for method in sorted(SURFACE["torch.Tensor"]):
        plain = method.removesuffix("_")
        f = functions.get(f"method_{plain}", functions.get(plain))
        if not method.endswith("_") or method in INPLACE or method in FUNCTIONS or f is None:
            continue
        if turned_by(f):
            INPLACE[method] = turning(method, f)
            continue
        if id(f) not in made:
            made[id(f)] = _variant(f)
            made[id(f)].__name__ = f"{f.__name__}_"
            made[id(f)]._of = f  # type: ignore[attr-defined]
        INPLACE[method] = made[id(f)]


def _variant(f: Callable[..., Any]) -> Callable[..., Tensor]:
    if hasattr(f, "_op"):
        return inplace(f._op)
    name = f.__name__
    if hasattr(f, "_inplace"):
        return inplace(f._inplace, f)
    # A function made of several operations: whether one of them saves `self` is not known here, so it gets a copy.
    return inplace(Op(name, rf"\mathrm{{{{{name}}}}}({{self}})", f, {}, name, saved_names=("self",), traits=traits_of(name)), f)


_fill_number_ = inplace(TABLE["_fill_number_written"])
_fill_tensor_ = inplace(TABLE["_fill_tensor_written"])
_copy_ = inplace(TABLE["_copy"])


def _put_at(self: Tensor, indices: Any, values: Tensor, accumulate: bool) -> Tensor:
    result = _index_put(self, tuple(indices), values, accumulate)
    if accumulate and repeats(self._array):
        result._array = summed(self._array, result._array)
    return result


_index_put_ = inplace(TABLE["_index_put"], _put_at)


def index_put_(self: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """Put (or add) `values` at the index tensors."""
    chosen = [i for i in indices if isinstance(i, Tensor)]
    by_mask = len(chosen) == 1 and chosen[0]._array.dtype.kind == "b" and values._array.size == 1 and not accumulate
    if not by_mask:
        check_inputs(self, {"apart"}, (*chosen, values))
    return _index_put_(self, indices, values, accumulate)


def fill_(self: Tensor, value: Any) -> Tensor:
    """Set every element to a number or a 0-d tensor's element."""
    if not isinstance(value, Tensor):
        return _fill_number_(self, value)
    if not value._array.ndim:
        check_alone(self)  # it is copied, element by element
    return _fill_tensor_(self, value)


def copy_(self: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    """Copy the elements of `src`, broadcast and converted."""
    if isinstance(src, Tensor) and src.is_meta and not self.is_meta:
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")
    if isinstance(src, Tensor) and src._array.shape == self._array.shape:
        check_inputs(self, set(), (src,))
    return _copy_(self, src if isinstance(src, Tensor) else constant(np.asarray(src)))


def _drawn(name: str, what: str, draw: Callable[..., Any]) -> Callable[..., Tensor]:
    declared = Op(name.removesuffix("_"), rf"\mathrm{{{name.removesuffix('_')}}}", draw, {}, name)

    def write(self: Tensor, *args: Any, generator: Any = None, **kwargs: Any) -> Tensor:
        if self.is_meta:
            counter_of(self).value += 1
            return self
        with observed(None):
            values = np.asarray(draw(source(generator), self._array, *args, **kwargs))
            _copy_(self, constant(values if values.ndim < 2 else run_through(values, strides_of(self._array))))
        if context.observer is not None:
            context.observer.wrote(declared, (self,), self, self._node)
        return self

    write.__name__, write.__doc__ = name, f"Fill with {what}."
    return write


INPLACE |= {f.__name__: f for f in (fill_, copy_, index_put_)}
INPLACE |= {name: _drawn(name, what, draw) for name, (what, draw) in DRAWN.items()}
