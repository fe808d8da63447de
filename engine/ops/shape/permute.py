"""Dimensions in another order: transposes and permutations, views all of them."""

from __future__ import annotations

from typing import Any

from ...autograd.primitives import primitives
from ...context import warn_once
from ...op.declare import function, op
from ...tensor import Tensor
from .dimensions import sizes, wrap_dim
from .reshaping import alias


@op(
    r"{self}^T",
    traits="same_values transposes",
    view=True,
    self=lambda grad, dim0, dim1: _transpose(grad, dim0, dim1),
    node="TransposeBackward0",
    name="transpose",
)
def _transpose(self, dim0, dim1):
    """Two dimensions swapped."""
    return self.swapaxes(dim0, dim1)


@op(
    r"{self}^T",
    traits="same_values transposes",
    view=True,
    self=lambda grad, dim0, dim1: _transpose(grad, dim0, dim1),
    node="TransposeBackward1",
    name="transpose",
)
def _turned(self, dim0, dim1):
    """Two dimensions swapped, of what a recurrent layer gives."""
    return self.swapaxes(dim0, dim1)


@function(traits="sized", turned=1)
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """A view with two dimensions swapped."""
    n = input._array.ndim
    d0, d1 = wrap_dim(dim0, n), wrap_dim(dim1, n)
    return _transpose(input, d0, d1) if n else alias(input)


@op(r"{self}^T", traits="same_values transposes", turned=1, view=True, self=lambda grad: t(grad), node="TBackward0")
def t(self):
    """The transpose of a matrix (a vector or number stays as it is), a view."""
    if self.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
    return self.T


@op(
    r"{self}_{{ {dims} }}",
    traits="same_values transposes",
    view=True,
    self=lambda grad, dims: _permute(grad, inverse_permutation(dims)),
    node="PermuteBackward0",
    name="permute",
)
def _permute(self, dims):
    """The dimensions in another order."""
    return self.transpose(dims)


def inverse_permutation(dims):
    """The permutation that undoes `dims`."""
    inverse = [0] * len(dims)
    for i, d in enumerate(dims):
        inverse[d] = i
    return tuple(inverse)


@function(traits="sized")
def permute(input: Tensor, *dims: Any) -> Tensor:
    """A view with the dimensions in the order `dims`."""
    n = input._array.ndim
    order = sizes(dims)
    if len(order) != n:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {n} is not equal to len(dims) = {len(order)}"
        )
    wrapped = tuple(wrap_dim(d, n) for d in order)
    if len(set(wrapped)) != len(wrapped):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return _permute(input, wrapped)


NOT_A_MATRIX = (
    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an error "
    "in a future release. Consider `x.mT` to transpose batches of matrices or "
    "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor."
)


def transposed(input: Tensor) -> Tensor:
    """`x.T`: the dimensions reversed."""
    if input._array.ndim != 2:
        warn_once(NOT_A_MATRIX, 2)
    return _permute(input, tuple(reversed(range(input._array.ndim))))


def matrix_transposed(input: Tensor) -> Tensor:
    """`x.mT`: the last two dimensions swapped."""
    if input._array.ndim < 2:
        raise RuntimeError(f"tensor.mT is only supported on matrices or batches of matrices. Got {input._array.ndim}-D tensor.")
    return _transpose(input, input._array.ndim - 2, input._array.ndim - 1)


def adjoint_of(input: Tensor) -> Tensor:
    """`x.mH`: the last two dimensions swapped, of complex numbers with each conjugated."""
    if input._array.ndim < 2:
        raise RuntimeError(f"tensor.mH is only supported on matrices or batches of matrices. Got {input._array.ndim}-D tensor.")
    return primitives.conj(_transpose(input, input._array.ndim - 2, input._array.ndim - 1))


def matrix_of(name: str) -> Any:
    """`x.H`: the transpose of a matrix, of complex numbers with each conjugated."""

    def turned(input: Tensor) -> Tensor:
        if input._array.ndim not in (0, 2):
            raise RuntimeError(f"tensor.{name} is only supported on matrices (2-D tensors). Got {input._array.ndim}-D tensor.")
        return primitives.conj(_transpose(input, 0, 1) if input._array.ndim else input)

    return turned


def movedim_last(input: Tensor, rows: int, columns: int) -> Tensor:
    """Two dimensions moved behind the others, in this order."""
    return permute(input, *[d for d in range(input._array.ndim) if d not in (rows, columns)], rows, columns)


@function(traits="same_values sized")
def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """A view with dimensions moved to other positions, the rest staying in order."""
    n = input._array.ndim
    sources = tuple(source) if isinstance(source, tuple | list) else (source,)
    targets = tuple(destination) if isinstance(destination, tuple | list) else (destination,)
    src, dst = tuple(wrap_dim(d, n) for d in sources), tuple(wrap_dim(d, n) for d in targets)
    if len(src) != len(dst):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({list(sources)} dims) should contain the same number of "
            f"dims as destination ({list(targets)} dims)"
        )
    if len(set(src)) != len(src):
        raise RuntimeError(f"movedim: repeated dim in `source` ({list(sources)})")
    if len(set(dst)) != len(dst):
        raise RuntimeError(f"movedim: repeated dim in `destination` ({list(targets)})")
    rest = iter(i for i in range(n) if i not in src)
    order = [src[dst.index(i)] if i in dst else next(rest) for i in range(n)]
    return permute(input, *order) if n else input


moveaxis = movedim


swapaxes = swapdims = transpose


@function
def adjoint(input: Tensor) -> Tensor:
    """The last two dimensions swapped, of complex numbers with each conjugated."""
    return primitives.conj(transpose(input, -2, -1))
