"""Elements in another order: flips, rolls, quarter turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...memory_layout import copied, kept
from ...op.declare import function, op
from ...tensor import Tensor
from .dimensions import sizes, wrap_dim


@op(r"\mathrm{{flip}}({self})", self=lambda grad, dims: _flip(grad, dims), node="FlipBackward0", name="flip", layout="first")
def _flip(self, dims):
    """The elements in reverse order along some dimensions, copied."""
    return np.flip(self, dims).copy()


def flip(input, *dims):
    """The elements in reverse order along `dims`, copied."""
    if isinstance(input, np.ndarray):
        return np.flip(input, dims[0])
    n = input._array.ndim
    wrapped = tuple([wrap_dim(d, n) for d in sizes(dims)])
    if len(set(wrapped)) != len(wrapped):
        twice = next(d for d in wrapped if wrapped.count(d) > 1)
        raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
    return _flip(input, wrapped if n else ())


function(flip)


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
    layout="rolled",
)
def _roll(self, shifts, dims):
    """The elements moved along dimensions, those that fall off coming back at the other end."""
    return np.roll(self, shifts, dims if dims else None)


@function(traits="sized")
def roll(input: Tensor, shifts: Any, dims: Any = ()) -> Tensor:
    """The elements moved by `shifts` along `dims`, those that fall off coming back at the other end."""
    by, along = sizes((shifts,)), sizes((dims,))
    if not by:
        raise RuntimeError("`shifts` required")
    if along and input._array.ndim == 0:
        raise IndexError(f"Dimension specified as {along[0]} but tensor has no dimensions")
    if not along:
        if len(by) != 1:
            raise RuntimeError(f"shifts and dimensions must align. shifts: {len(by)}, dims:0")
        return _roll(input, by, ())
    if len(by) != len(along):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(by)}, dims:{len(along)}")
    return _roll(input, by, tuple(wrap_dim(d, input._array.ndim) for d in along))


@op(
    r"\mathrm{{rot90}}({self})",
    self=lambda grad, k, dims: _rot90(grad, -k, dims),
    node="Rot90Backward0",
    name="rot90",
    layout="own",
)
def _rot90(self, k, dims):
    """Turned by 90 degrees `k` times in the plane of two dimensions."""
    turns = k % 4
    if turns == 0 or self.__class__ is not np.ndarray:
        return np.rot90(self, k, dims).copy()
    flipped = copied(np.flip(self, dims if turns == 2 else dims[turns == 1]), kept(self))
    return flipped if turns == 2 else flipped.swapaxes(*dims)


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
