"""Shapes: views that share memory, and the sums that undo broadcasting."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ...autograd.attributes import Given
from ...bounded_strides import strided
from ...errors import too_many_dims
from ...op.declare import function, op
from ...tensor import Tensor
from ..creation.copies import clone


def wrap_dim(dim: int, ndim: int) -> int:
    """A dimension counted from the end as one counted from the start.

    Raises:
        IndexError: if there is no such dimension.
    """
    if isinstance(dim, Tensor):
        dim = int(dim.item())
    n = max(ndim, 1)
    if not -n <= dim < n:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")
    return dim if dim >= 0 else from_end(dim, n)


def from_end(k: int, n: int) -> int:
    """`k`, counted from the end of `n`, as counted from the start; nodes show it as it was given."""
    found = Given(k + n)
    found.raw = k
    return found


def sizes(args: tuple[Any, ...]) -> tuple[int, ...]:
    """A shape given as `f(2, 3)`, `f((2, 3))` or `f(torch.Size([2, 3]))`."""
    if len(args) == 1 and isinstance(args[0], tuple | list):
        args = tuple(args[0])
    return tuple(int(n) for n in args)


def infer(shape: Sequence[int], numel: int) -> tuple[int, ...]:
    """A shape with its one -1 worked out.

    Raises:
        RuntimeError: if the shape does not hold `numel` elements.
    """
    known = prod(n for n in shape if n != -1)
    if list(shape).count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    if -1 in shape:
        if known == 0 and numel == 0:
            raise RuntimeError(
                f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified dimension size -1 "
                "can be any value and is ambiguous"
            )
        if known == 0 or numel % known:
            raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
        return tuple(numel // known if n == -1 else n for n in shape)
    for n in shape:
        if n < 0:
            raise RuntimeError(f"invalid shape dimension {n}")
    if known != numel:
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
    return tuple(shape)


# --- reductions that undo broadcasting -------------------------------------------------------------------------------------


@op(r"\sum {self}", self=lambda grad, self_sym_sizes: spread(grad, self_sym_sizes), node="SumBackward1", name="sum")
def _sum_axes(self, axes, keepdim):
    """Sum over `axes`."""
    return np.add.reduce(self, axis=axes, keepdims=keepdim)


@op(r"\mathrm{{expand}}({self})", self=lambda grad, self_sym_sizes: sum_to(grad, self_sym_sizes), node="ExpandBackward0")
def spread(self, shape):
    """`self`, whose missing dimensions are in front, repeated to `shape`; not a view."""
    out = np.empty(shape, self.dtype)
    out[...] = self
    return out


def sum_to(grad, shape):
    """Sum `grad` over the dimensions along which `shape` was expanded."""
    if tuple(grad.shape) == tuple(shape):
        return grad
    extra = grad.ndim - len(shape)
    axes = tuple(i for i in range(grad.ndim) if i < extra or (shape[i - extra] == 1 and grad.shape[i] != 1))
    return _reshape(_sum_axes(grad, axes, True), tuple(shape))


@function
def sum_to_size(input: Tensor, *size: Any) -> Tensor:
    """Sum the tensor to `size`, undoing a broadcast."""
    target, shape = sizes(size), input._array.shape
    tail = shape[len(shape) - len(target) :] if len(target) <= len(shape) else ()
    if len(tail) != len(target) or any([t not in (1, n) for t, n in zip(target, tail)]):
        raise RuntimeError(f"size {{{list(target)}}} is not expandable to size {{{list(shape)}}}.")
    return sum_to(input, target)


# --- views -----------------------------------------------------------------------------------------------------------------


@op(
    r"{self}",
    traits="same_values shapes",
    self=lambda grad, self_sym_sizes: _reshape(grad, self_sym_sizes),
    node="UnsafeViewBackward0",
    name="reshape",
)
def _reshape(self, shape):
    """The elements in another shape; bookkeeping of views left aside."""
    return self.reshape(shape)


@op(
    r"\mathrm{{view}}({self}, {shape})",
    traits="same_values shapes",
    view=True,
    self=lambda grad, self_sym_sizes: _reshape(grad, self_sym_sizes),
    node="ViewBackward0",
    name="view",
)
def _view(self, shape):
    """The same elements in another shape, without copying."""
    out = self.reshape(shape)
    if out.size and not np.may_share_memory(out, self):
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous subspaces). Use .reshape(...) instead."
        )
    return out


@function(traits="sized")
def view(input: Tensor, *shape: Any) -> Tensor:
    """The same elements in another shape, sharing memory.

    Raises:
        RuntimeError: if the shape does not fit, or only a copy could have it.
    """
    if len(shape) == 1 and not isinstance(shape[0], int | tuple | list):
        raise RuntimeError("view(dtype) is not supported by Gradtape; use .to(dtype)")
    return _view(input, infer(sizes(shape), input._array.size))


@function
def view_as(input: Tensor, other: Tensor) -> Tensor:
    """`input.view(other.size())`."""
    return _view(input, infer(other._array.shape, input._array.size))


@function(traits="sized")
def reshape(input: Tensor, *shape: Any) -> Tensor:
    """The same elements in another shape; a view where that is possible, else a copy."""
    target = infer(sizes(shape), input._array.size)
    try:
        there = input._array.reshape(target)
    except ValueError as error:
        raise too_many_dims(error) or error from None
    if np.may_share_memory(there, input._array) or not input._array.size:
        return _view(input, target)
    return _reshape(clone(input), target)


@function
def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """`input.reshape(other.size())`."""
    return reshape(input, other.shape)


@function(traits="same_values sized")
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """The dimensions from `start_dim` to `end_dim` made one."""
    a = input._array
    start, end = wrap_dim(start_dim, a.ndim), wrap_dim(end_dim, a.ndim)
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if a.ndim == 0:
        return reshape(input, 1)
    if start == end:
        return input
    return reshape(input, (*a.shape[:start], prod(a.shape[start : end + 1]), *a.shape[end + 1 :]))


@function
def ravel(input: Tensor) -> Tensor:
    """All elements in one dimension."""
    return reshape(input, -1)


@function(traits="same_values sized")
def unflatten(input: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """One dimension made several."""
    d = wrap_dim(dim, input._array.ndim)
    shape = input._array.shape
    return view(input, (*shape[:d], *infer(sizes, shape[d]), *shape[d + 1 :]))


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


def transposed(input: Tensor) -> Tensor:
    """`x.T`: the dimensions reversed."""
    return _permute(input, tuple(reversed(range(input._array.ndim))))


def matrix_transposed(input: Tensor) -> Tensor:
    """`x.mT`: the last two dimensions swapped."""
    if input._array.ndim < 2:
        raise RuntimeError(f"tensor.mT is only supported on matrices or batches of matrices. Got {input._array.ndim}-D tensor.")
    return _transpose(input, input._array.ndim - 2, input._array.ndim - 1)


def matrix_of(name: str) -> Any:
    """`x.H`: the transpose of a matrix."""

    def turned(input: Tensor) -> Tensor:
        if input._array.ndim not in (0, 2):
            raise RuntimeError(f"tensor.{name} is only supported on matrices (2-D tensors). Got {input._array.ndim}-D tensor.")
        return _transpose(input, 0, 1) if input._array.ndim else input

    return turned


@op(r"{self}", traits="same_values alias", view=True, self=lambda grad: grad)
def alias(self):
    """A view of everything."""
    return self.view()


@op(r"{self}", traits="same_values shapes", view=True, self=lambda grad, dim: _squeeze_dim(grad, dim))
def _unsqueeze(self, dim):
    """A dimension of length one put in at `dim`."""
    return self.reshape((*self.shape[:dim], 1, *self.shape[dim:]))


@function(traits="sized", turned=1)
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """A view with a dimension of length one at `dim`."""
    n = input._array.ndim + 1
    if not -n <= dim < n:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")
    return _unsqueeze(input, dim if dim >= 0 else from_end(dim, n))


@op(
    r"{self}",
    traits="same_values",
    view=True,
    self=lambda grad, self_sym_sizes: _reshape(grad, self_sym_sizes),
    node="SqueezeBackward0",
    name="squeeze",
)
def _squeeze_all(self):
    """Without the dimensions of length one."""
    return self.reshape(tuple([n for n in self.shape if n != 1]))


@op(
    r"{self}",
    view=True,
    self=lambda grad, self_sym_sizes, dim: _reshape(grad, self_sym_sizes),
    node="SqueezeBackward1",
    name="squeeze",
)
def _squeeze_dim(self, dim):
    """Without dimension `dim` if its length is one."""
    if self.ndim == 0 or self.shape[dim] != 1:
        return self.view()
    return self.reshape(self.shape[:dim] + self.shape[dim + 1 :])


@op(
    r"{self}",
    self=lambda grad, self_sym_sizes, dim: _reshape(grad, self_sym_sizes),
    node="SqueezeBackward4",
    name="squeeze",
)
def _squeeze_product(self, dim):
    """The dimension that a vector was given for a matrix product taken away again."""
    return self.reshape(self.shape[:dim] + self.shape[dim + 1 :])


@op(
    r"{self}",
    view=True,
    self=lambda grad, self_sym_sizes, dim: _reshape(grad, self_sym_sizes),
    node="SqueezeBackward2",
    name="squeeze",
)
def _squeeze_dims(self, dim):
    """Without those of the dimensions `dim` whose length is one."""
    return self.reshape(tuple([n for i, n in enumerate(self.shape) if n != 1 or i not in dim]))


@function(traits="sized", turned=3)
def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    """A view without dimensions of length one: all of them, or only `dim`."""
    n = input._array.ndim
    if dim is None:
        return _squeeze_all(input)
    if isinstance(dim, tuple | list):
        return _squeeze_dims(input, tuple(wrap_dim(d, n) for d in dim))
    return _squeeze_dim(input, wrap_dim(dim, n))


@op(
    r"\mathrm{{expand}}({self})",
    traits="same_values",
    view=True,
    self=lambda grad, self_sym_sizes: sum_to(grad, self_sym_sizes),
    node="ExpandBackward0",
    name="expand",
)
def _expand(self, shape):
    """Repeated to `shape` without copying."""
    view = np.broadcast_to(self, shape)
    # NumPy marks broadcast views read-only; PyTorch lets them be written through.
    return strided(self, view.shape, view.strides)


@function(traits="sized")
def expand(input: Tensor, *size: Any) -> Tensor:
    """A view repeated along dimensions of length one; -1 keeps a length.

    Raises:
        RuntimeError: if a length other than one would have to change.
    """
    target = sizes(size)
    shape = input._array.shape
    extra = len(target) - len(shape)
    if extra < 0:
        raise RuntimeError(
            f"expand({_type_name(input)}{{{list(shape)}}}, size={list(target)}): the number of sizes provided "
            f"({len(target)}) must be greater or equal to the number of dimensions in the tensor ({len(shape)})"
        )
    result = []
    for i, n in reversed(list(enumerate(target))):
        have = shape[i - extra] if i >= extra else 1
        if n == -1:
            if i < extra:
                raise RuntimeError(
                    f"The expanded size of the tensor ({n}) isn't allowed in a leading, non-existing dimension {i}"
                )
            n = have
        if have not in (1, n):
            raise RuntimeError(
                f"The expanded size of the tensor ({n}) must match the existing size ({have}) at non-singleton dimension {i}."
                f"  Target sizes: {list(target)}.  Tensor sizes: {list(shape)}"
            )
        result.append(n)
    return _expand(input, tuple(reversed(result)))


@function
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """`input.expand(other.size())`."""
    return expand(input, other.shape)


@function
def broadcast_to(input: Tensor, size: Any) -> Tensor:
    """`input.expand(size)`."""
    return expand(input, size)


def _type_name(tensor: Tensor) -> str:
    return f"torch.{tensor.type().split('.')[-1]}"


@op(r"\mathrm{{flip}}({self})", self=lambda grad, dims: _flip(grad, dims), node="FlipBackward0", name="flip")
def _flip(self, dims):
    """The elements in reverse order along some dimensions, copied."""
    return np.flip(self, dims).copy()


def flip(input, *along, dims=None):
    """The elements in reverse order along `dims`, copied."""
    along = along if dims is None else (dims,)
    if input.__class__ is np.ndarray:
        return np.flip(input, along[0])
    n = input._array.ndim
    wrapped = tuple([wrap_dim(d, n) for d in sizes(along)])
    if len(set(wrapped)) != len(wrapped):
        twice = next(d for d in wrapped if wrapped.count(d) > 1)
        raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
    return _flip(input, wrapped if n else ())


function(flip)


def movedim_last(input: Tensor, rows: int, columns: int) -> Tensor:
    """Two dimensions moved behind the others, in this order."""
    return permute(input, *[d for d in range(input._array.ndim) if d not in (rows, columns)], rows, columns)
