"""Sparse tensors in coordinate format: made, taken apart, and made dense again.

The array of such a tensor is a stand-in (`engine.stand_ins.sparse`), which sums and products of arrays compute with, so that
most operations need not know of it. Here is what is there for sparse tensors only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compat.signatures import invalid_combination
from ...context import context
from ...dtypes import get_default_dtype
from ...op.declare import function, op
from ...stand_ins import settled
from ...tensor import Tensor, constant
from ..creation.factories import as_array, creation, on_cpu
from ..shape.dimensions import sizes


def _kind() -> Any:
    """What sparse arrays are; loaded by who makes the first one."""
    from ...stand_ins import sparse

    context.absent = settled
    return sparse


# --- made ------------------------------------------------------------------------------------------------------------------


@op(
    r"\mathrm{{sparse}}({indices}, {values})",
    traits="same_values",
    values=lambda grad, indices: _values_at(grad, indices),
    indices=None,
    broadcast=(),
    node="SparseCooTensorWithDimsAndTensorsBackward0",
    name="sparse_coo_tensor",
)
def _sparse_of(indices, values, size, coalesced):
    """The tensor of a size that has these values at these indices."""
    return _kind().sparse(indices.astype(np.int64, copy=False), values, size, coalesced)


@op(r"{self}", self=None, indices=None, broadcast=(), name="sparse_values_at")
def _values_at(self, indices):
    """The elements of a dense or sparse array at indices."""
    known = _kind()
    found = known.dense(self) if isinstance(self, known.Sparse) else self
    return found[tuple(indices)]


@function
def sparse_coo_tensor(
    indices: Any = None,
    values: Any = None,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
    is_coalesced: bool | None = None,
) -> Tensor:
    """A sparse tensor of `size` with `values`, (nnz, …), at `indices`, (dimensions, nnz); an index given twice means the sum.

    Args:
        size: as small as the indices allow, if left out.
        is_coalesced: promise that the indices are in order and none stands there twice.
    """
    on_cpu(device)
    if values is None and indices is not None and size is None:
        indices, size = None, indices
    if indices is None:
        if size is None:
            raise invalid_combination("sparse_coo_tensor")
        return _empty_sparse(sizes((size,)), dtype=dtype, requires_grad=requires_grad)
    at = indices if isinstance(indices, Tensor) else _indices_of(indices)
    given = values if isinstance(values, Tensor) else _values_of(values, dtype=dtype)
    if dtype is not None:
        given = given.to(dtype)
    i, v = at._array, given._array
    if i.ndim != 2:
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {_list(i.shape)}")
    if i.dtype.kind not in "iu":
        raise RuntimeError(f"indices must be an int64 tensor, but got {at.dtype.name}")
    if v.ndim == 0 or i.shape[1] != len(v):
        count = v.shape[0] if v.ndim else 1
        raise RuntimeError(
            f"indices and values must have same nnz, but got nnz from indices: {i.shape[1]}, nnz from values: {count}"
        )
    if size is None:
        if i.size and i.min() < 0:
            raise RuntimeError(f"found negative index {i.min()} for dim {int(np.argmin(i.min(1)))}")
        shape = tuple(int(n) for n in (i.max(1) + 1 if i.shape[1] else np.zeros(len(i)))) + v.shape[1:]
    else:
        shape = tuple(sizes((size,)))
    if len(shape) != len(i) + v.ndim - 1:
        raise RuntimeError(
            f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(shape)}, sparse_dim = {len(i)}, "
            f"dense_dim = {v.ndim - 1}"
        )
    if check_invariants and i.size:
        _check(i, shape)
    made: Tensor = _sparse_of(at, given, shape, bool(is_coalesced) or i.shape[1] < 2)
    if requires_grad:
        made = made.detach() if made.requires_grad else made
        made.requires_grad_()
    return made


def _check(indices: Any, shape: tuple[int, ...]) -> None:
    for d, index in enumerate(indices):
        if index.min() < 0:
            raise RuntimeError(f"found negative index {index.min()} for dim {d}")
        if index.max() >= shape[d]:
            raise RuntimeError(
                f"size is inconsistent with indices: for dim {d}, size is {shape[d]} but found index {index.max()}"
            )


def _list(shape: Any) -> str:
    return f"[{', '.join(map(str, shape))}]"


@creation(traits="leaf", follows=False)
def _indices_of(data: Any) -> Tensor:
    """The indices of a sparse tensor, given as lists."""
    return constant(np.array(as_array(data)).astype(np.int64))


@creation(traits="leaf", follows=False)
def _values_of(data: Any, dtype: Any = None) -> Tensor:
    """The values of a sparse tensor, given as lists."""
    return constant(np.array(as_array(data, dtype)))


@creation(traits="sized", follows=False)
def _empty_sparse(size: Any, dtype: Any = None) -> Tensor:
    """A sparse tensor in which nothing is."""
    target = dtype or get_default_dtype()
    return constant(_kind().sparse(np.zeros((len(size), 0), np.int64), np.zeros(0, target._numpy), size, True))


# --- taken apart -----------------------------------------------------------------------------------------------------------


def _needs_sparse(name: str, input: Tensor, what: str = "coordinate tensor") -> None:
    if not input.is_sparse:
        raise RuntimeError(f"{name} expected sparse {what} layout but got Strided")


def _needs_coalesced(name: str, input: Tensor) -> None:
    if not input._array.parts.coalesced:  # type: ignore[attr-defined]
        raise RuntimeError(f"Cannot get {name} on an uncoalesced tensor, please call .coalesce() first")


@function
def method_indices(input: Tensor) -> Tensor:
    """The indices of a coalesced sparse tensor, (sparse dimensions, nnz)."""
    _needs_sparse("indices", input)
    _needs_coalesced("indices", input)
    return _part_of(input, 0)


@function
def method_values(input: Tensor) -> Tensor:
    """The values of a coalesced sparse tensor, (nnz, …)."""
    _needs_sparse("values", input, "tensor")
    _needs_coalesced("values", input)
    made: Tensor = _sparse_values(input)
    return made


@op(
    r"{self}",
    traits="same_values",
    self=lambda grad, self: _like_values(grad, self),
    node="ValuesBackward0",
    name="sparse_values",
)
def _sparse_values(self):
    """The values of a sparse array."""
    return self.parts.values


@op(r"{self}", self=None, like=None, broadcast=(), name="values_backward")
def _like_values(self, like):
    """A sparse array with other values."""
    i, _, coalesced = like.parts
    return _kind().sparse(i, self, like.shape, coalesced)


def _part_of(input: Tensor, number: int) -> Tensor:
    made = constant(input._array.parts[number])  # type: ignore[attr-defined]
    if context.observer is not None:
        from ...op.declare import CREATED

        context.observer.op(CREATED["data"], (input,), made, None)
    return made


def _raw(number: int, name: str) -> Any:
    def part(self: Tensor) -> Tensor:
        if not self.is_sparse:
            raise _dense_refused(name)
        return _part_of(self, number)

    part.__name__, part.__doc__ = name, "What a sparse tensor consists of, whether it is coalesced or not."
    return part


def _dense_refused(name: str) -> NotImplementedError:
    return NotImplementedError(
        f"Could not run 'aten::{name}' with arguments from the 'CPU' backend. This could be because the operator doesn't exist "
        "for this backend, or was omitted during the selective/custom build process (if using custom build)."
    )


def _nnz(self: Tensor) -> int:
    """How many values there are."""
    if not self.is_sparse:
        raise _dense_refused("_nnz")
    count: int = self._array.parts.indices.shape[1]  # type: ignore[attr-defined]
    return count


PARTS = {f.__name__: f for f in (_raw(0, "_indices"), _raw(1, "_values"), _nnz)}
"""Methods of tensors whose names begin with an underscore."""


@function
def is_coalesced(input: Tensor) -> bool:
    """Whether each index stands there once, in order."""
    _needs_sparse("is_coalesced", input)
    return bool(input._array.parts.coalesced)  # type: ignore[attr-defined]


@function
def sparse_dim(input: Tensor) -> int:
    """How many dimensions have indices."""
    return len(input._array.parts.indices) if input.is_sparse else 0  # type: ignore[attr-defined]


@function
def dense_dim(input: Tensor) -> int:
    """How many dimensions the values have, the first one aside."""
    return input._array.ndim - sparse_dim(input)


@function
def coalesce(input: Tensor) -> Tensor:
    """The same tensor with each index once, in order, and the values of those that stand there several times added up."""
    _needs_sparse("coalesce", input)
    return input if is_coalesced(input) else _coalesced(input)


@op(r"{self}", traits="same_values", self=lambda grad: grad, node="CoalesceBackward0", name="coalesce")
def _coalesced(self):
    """Each index once, in order."""
    return _kind().coalesced(self)


# --- from dense ones, and back ---------------------------------------------------------------------------------------------


@op(
    r"{self}",
    traits="same_values",
    self=lambda grad, self: _masked(grad, self),
    node="ToDenseBackward0",
    name="to_dense",
)
def _to_dense(self):
    """All elements."""
    return _kind().dense(self)


@op(r"{self}", self=None, pattern=None, broadcast=(), name="sparse_mask")
def _masked(self, pattern):
    """The elements where a sparse array has some."""
    return _kind().masked(self, pattern)


@function
def to_dense(input: Tensor, dtype: Any = None, *, masked_grad: bool | None = None) -> Tensor:
    """The tensor with all of its elements."""
    dense = _to_dense(input) if input.is_sparse else input
    return dense if dtype is None else dense.to(dtype)


@op(r"{self}", traits="same_values", self=lambda grad: _whole(grad), node="ToSparseBackward1", name="to_sparse")
def _to_sparse(self, sparse_dim):
    """The elements that are not zero; those of whole parts where one of them is not."""
    inner = tuple(range(sparse_dim, self.ndim))
    at = np.stack(np.nonzero((self != 0).any(inner) if inner else self)) if sparse_dim else np.zeros((0, 1), np.int64)
    return _kind().sparse(at.astype(np.int64), self[tuple(at)], self.shape, True)


@op(r"{self}", traits="same_values", self=lambda grad: _whole(grad), node="ToSparseBackward0", name="to_sparse")
def _to_sparse_dims(self, sparse_dim):
    """The same, of as many dimensions as are given."""
    return _to_sparse._op.forward(self, sparse_dim)


@op(r"{self}", self=None, name="to_dense")
def _whole(self):
    """All elements of a sparse array."""
    known = _kind()
    return known.dense(self) if isinstance(self, known.Sparse) else self


@function
def to_sparse(input: Tensor, sparse_dim: int | None = None, *, layout: Any = None) -> Tensor:
    """The tensor with its elements that are not zero, in coordinate format."""
    if input.is_sparse:
        return input
    if layout is not None and str(layout) != "torch.sparse_coo":
        raise RuntimeError(f"to_sparse: conversion to {layout} is not supported by Gradtape")
    n = input._array.ndim
    if input.is_complex() and input.requires_grad and context.grad:
        raise RuntimeError("_to_sparse does not support automatic differentiation for outputs with complex dtype.")
    if sparse_dim is not None:
        if not 0 < sparse_dim <= n and n:
            raise RuntimeError(f"sparse_dim must be in the range (0, {n}], but got {sparse_dim}")
        return _to_sparse_dims(input, sparse_dim)
    return _to_sparse(input, n)


@function
def to_sparse_coo(input: Tensor) -> Tensor:
    """The tensor with its elements that are not zero, in coordinate format."""
    return to_sparse(input)


@function
def sparse_mask(input: Tensor, mask: Tensor) -> Tensor:
    """The elements where a sparse tensor has some."""
    made: Tensor = _sparse_mask(input, mask)
    return made


@op(
    r"{self}",
    traits="leaves_out",
    self=lambda grad: _whole(grad),
    mask=None,
    broadcast=(),
    node="SparseMaskBackward0",
    name="sparse_mask",
)
def _sparse_mask(self, mask):
    """The elements where a sparse array has some."""
    return _kind().masked(self, mask)
