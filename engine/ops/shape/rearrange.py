"""Elements in another order or repeated: flips, rolls, turns, tiles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...op.declare import function, op
from ...tensor import Tensor, constant
from .broadcasting import _sum_axes
from .dimensions import sizes, wrap_dim
from .permute import permute, transpose
from .reshaping import _reshape, flip, reshape, view

# --- order -----------------------------------------------------------------------------------------------------------------


@function
def fliplr(input: Tensor) -> Tensor:
    """The columns in reverse order."""
    if input._array.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip(input, (1,))


@function
def flipud(input: Tensor) -> Tensor:
    """The rows in reverse order."""
    if input._array.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return flip(input, (0,))


@op(
    r"\mathrm{{roll}}({self})",
    self=lambda grad, shifts, dims: _roll(grad, tuple([-s for s in shifts]), dims),
    node="RollBackward0",
    name="roll",
)
def _roll(self, shifts, dims):
    """The elements moved along dimensions, those that fall off coming back at the other end."""
    return np.roll(self, shifts, dims if dims else None)


@function(traits="sized")
def roll(input: Tensor, shifts: Any, dims: Any = ()) -> Tensor:
    """The elements moved by `shifts` along `dims`, those that fall off coming back at the other end."""
    by = tuple(shifts) if isinstance(shifts, tuple | list) else (shifts,)
    along = tuple(dims) if isinstance(dims, tuple | list) else (dims,)
    if not by:
        raise RuntimeError("`shifts` required")
    if along and input._array.ndim == 0:
        raise IndexError(f"Dimension specified as {along[0]} but tensor has no dimensions")
    if not along:
        if len(by) != 1:
            raise RuntimeError(f"shifts and dimensions must align. shifts: {len(by)}, dims:0")
        return view(_roll(reshape(input, -1), by, (0,)), input._array.shape)
    if len(by) != len(along):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(by)}, dims:{len(along)}")
    return _roll(input, by, tuple(wrap_dim(d, input._array.ndim) for d in along))


@op(
    r"\mathrm{{rot90}}({self})",
    self=lambda grad, k, dims: _rot90(grad, -k, dims),
    node="Rot90Backward0",
    name="rot90",
)
def _rot90(self, k, dims):
    """Turned by 90 degrees `k` times in the plane of two dimensions."""
    return np.rot90(self, k, dims).copy()


@function
def rot90(input: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
    """Turned by 90 degrees `k` times in the plane of two dimensions, from the first towards the second."""
    n = input._array.ndim
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if n < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {n}")
    if dims[0] == dims[1] or abs(dims[0] - dims[1]) == n:
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}")
    return _rot90(input, k, tuple(dims))


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
    """The last two dimensions swapped (real numbers are their own conjugates)."""
    return transpose(input, -2, -1)


# --- repetition ------------------------------------------------------------------------------------------------------------


@op(
    r"\mathrm{{repeat}}({self})",
    traits="joins",
    self=lambda grad, self_sym_sizes, repeats: repeat_backward(grad, self_sym_sizes, repeats),
    node="RepeatBackward0",
    name="repeat",
)
def _repeat(self, repeats):
    """The whole tensor repeated along each dimension."""
    return np.tile(self, repeats)


def repeat_backward(grad, shape, repeats):
    """The sum of the gradients of all copies."""
    if 0 in repeats:
        return _zeros(grad, tuple(shape))
    full = (1,) * (len(repeats) - len(shape)) + tuple(shape)
    split = [n for r, s in zip(repeats, full, strict=True) for n in (r, s)]
    return _reshape(_sum_axes(_reshape(grad, tuple(split)), tuple(range(0, len(split), 2)), False), tuple(shape))


@op("0", self=lambda grad, self_sym_sizes: _zeros(grad, self_sym_sizes))
def _zeros(self, shape):
    """Zeros of a shape in the dtype of `self`."""
    return np.zeros(shape, self.dtype)


@function(traits="sized")
def repeat(input: Tensor, *repeats: Any) -> Tensor:
    """The whole tensor repeated along each dimension, new ones in front."""
    times = sizes(repeats) if repeats else ()
    if len(times) < input._array.ndim:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    if any(r < 0 for r in times):
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(times)}: {list(times)}")
    return _repeat(input, times)


@function(traits="sized")
def tile(input: Tensor, *dims: Any) -> Tensor:
    """The whole tensor repeated along each dimension, as `numpy.tile`."""
    times = sizes(dims)
    return repeat(input, *((1,) * (input._array.ndim - len(times)) + times))


@function
def repeat_interleave(input: Tensor, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None) -> Tensor:
    """Each element (or slice along `dim`) repeated in place."""
    if repeats is None:
        return constant(np.repeat(np.arange(input._array.size), input._array))
    x, d = (reshape(input, -1), 0) if dim is None else (input, wrap_dim(dim, input._array.ndim))
    counts = repeats._array if isinstance(repeats, Tensor) else np.asarray(repeats)
    if (counts < 0).any():
        raise RuntimeError("repeats can not be negative")
    length = x._array.shape[d] if x._array.ndim else 1
    if counts.ndim == 1 and counts.size not in (1, length):
        raise RuntimeError(
            "repeats must have the same size as input along dim, but got repeats.size(0) = "
            f"{counts.size} and input.size({d}) = {length}"
        )
    where = np.repeat(np.arange(length), counts.reshape(-1) if counts.ndim else counts)
    return x.index_select(d, constant(where))
