"""Tensors cut into pieces and pieces put back: splits, stacks, and copies of views."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ...compat.signatures import invalid_combination
from ...op.declare import FUNCTIONS, function, op
from ...tensor import Tensor
from ...tensor_attributes import contiguous_format
from ..creation.copies import clone, detach
from ..indexing.slicing import _slice, select, unbind
from ..memory.strides import as_strided, method_unfold
from .broadcasting import expand
from .diagonals import diagonal
from .dimensions import wrap_dim
from .joining import _cat, cat
from .permute import permute, t, transpose
from .reshaping import alias, reshape, squeeze, unsqueeze, view

# --- cutting ---------------------------------------------------------------------------------------------------------------


def _between(array, dim, start, end):
    return array[(slice(None),) * dim + (slice(start, end),)]


def whole(shapes, dim):
    """The shape of what was split along `dim`."""
    first = shapes[0]
    return (*first[:dim], sum(s[dim] for s in shapes), *first[dim + 1 :])


@op(
    r"\mathrm{{split}}({self})",
    view=True,
    self=lambda grads, dim: joined(grads, dim),
    outputs=("*",),
    node="SplitBackward0",
    name="split",
    shows={
        "self_sym_sizes": lambda get: whole(get("shapes"), get("dim")),
        "split_size": lambda get: get("shapes")[0][get("dim")],
    },
)
def _split(self, split_size, dim):
    """Pieces of one length along `dim`, the last perhaps shorter."""
    n = self.shape[dim]
    starts = range(0, max(n, 1), split_size) if split_size else (0,)
    return [_between(self, dim, s, min(s + split_size, n)) for s in starts]


@op(
    r"\mathrm{{split}}({self})",
    view=True,
    self=lambda grads, dim: joined(grads, dim),
    outputs=("*",),
    node="SplitWithSizesBackward0",
    name="split_with_sizes",
    shows={
        "self_sym_sizes": lambda get: whole(get("shapes"), get("dim")),
        "split_sizes": lambda get: tuple(s[get("dim")] for s in get("shapes")),
    },
)
def _split_sizes(self, split_sizes, dim):
    """Pieces of given lengths along `dim`."""
    ends = np.cumsum(split_sizes).tolist()
    return [_between(self, dim, e - n, e) for n, e in zip(split_sizes, ends, strict=True)]


def joined(grads, dim):
    """The pieces one after another."""
    return _cat(list(grads), dim)


@function(traits="sized")
def split(tensor: Tensor, split_size_or_sections: Any = None, dim: int = 0, **named: Any) -> tuple[Tensor, ...]:
    """Views of pieces along `dim`: of one length (the last perhaps shorter), or of the given lengths."""
    size = split_size_or_sections if split_size_or_sections is not None else named["split_size"]
    if isinstance(size, tuple | list):
        return split_with_sizes(tensor, size, dim)
    if tensor._array.ndim == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    if size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={size}")
    d = wrap_dim(dim, tensor._array.ndim)
    n = tensor._array.shape[d]
    if size == 0 and n:
        raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {n}")
    pieces: tuple[Tensor, ...] = _split(tensor, int(size), d)
    return pieces


@function
def split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """Views of pieces of the given lengths along `dim`."""
    if input._array.ndim == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    d = wrap_dim(dim, input._array.ndim)
    n = input._array.shape[d]
    if sum(split_sizes) != n or any(s < 0 for s in split_sizes):
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {n} (input tensor's size at dimension {dim}), but got "
            f"split_sizes={list(split_sizes)}"
        )
    pieces: tuple[Tensor, ...] = _split_sizes(input, tuple(int(s) for s in split_sizes), d)
    return pieces


@function(traits="sized")
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` views of equal pieces along `dim`, the last perhaps shorter."""
    if input._array.ndim == 0:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    d = wrap_dim(dim, input._array.ndim)
    n = input._array.shape[d]
    size = -(-n // chunks)
    if size == 0:
        return split_with_sizes(input, [0] * chunks, d)
    return split(input, size, d)


unsafe_chunk, unsafe_split, unsafe_split_with_sizes = chunk, split, split_with_sizes


@function
def tensor_split(input: Tensor, indices_or_sections: Any = None, dim: int = 0, **named: Any) -> tuple[Tensor, ...]:
    """Views of pieces along `dim`: so many nearly equal ones, or cut at the given indices."""
    where = next(iter(named.values())) if indices_or_sections is None else indices_or_sections
    if input._array.ndim == 0:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    d = wrap_dim(dim, input._array.ndim)
    n = input._array.shape[d]
    if isinstance(where, Tensor):
        where = where.tolist()
    if isinstance(where, int):
        if where <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {where}")
        size, more = divmod(n, where)
        lengths = [size + 1] * more + [size] * (where - more)
        cuts = np.cumsum([0, *lengths]).tolist()
    else:
        cuts = [0, *[slice(None, i).indices(n)[1] for i in where], n]
    return tuple(_slice(input, d, a, max(a, b), 1) for a, b in pairwise(cuts))


def _along(name: str, least: int, dim: int) -> Callable[..., Any]:
    def cut(input: Tensor, indices_or_sections: Any = None, **named: Any) -> tuple[Tensor, ...]:
        where = next(iter(named.values())) if indices_or_sections is None else indices_or_sections
        if not isinstance(where, int | tuple | list):
            raise invalid_combination(name, input, where)
        n = input._array.ndim
        if n < least:
            raise RuntimeError(
                f"torch.{name} requires a tensor with at least {least} dimension, but got a tensor with {n} dimensions!"
            )
        d = 0 if name == "hsplit" and n == 1 else dim
        if isinstance(where, int) and (where <= 0 or input._array.shape[d] % where):
            raise RuntimeError(
                f"torch.{name} attempted to split along dimension {d}, but the size of the dimension {input._array.shape[d]} "
                f"is not divisible by the split_size {where}!"
            )
        return tensor_split(input, where, d)

    cut.__name__, cut.__doc__ = name, f"Views of pieces along dimension {dim}."
    return function(cut)


hsplit, vsplit, dsplit = _along("hsplit", 1, 1), _along("vsplit", 2, 0), _along("dsplit", 3, 2)

# --- putting together ------------------------------------------------------------------------------------------------------


def _at_least(n: int, one: Callable[[Tensor], Tensor]) -> Callable[..., Any]:
    def raised(*tensors: Any) -> Any:
        items = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], tuple | list) else tensors
        results = tuple(x if x._array.ndim >= n else one(x) for x in items)
        return results[0] if len(tensors) == 1 and isinstance(tensors[0], Tensor) else results

    raised.__name__, raised.__doc__ = f"atleast_{n}d", f"The tensors with at least {n} dimension{'s' * (n > 1)}."
    return function(raised)


def _to_three(x: Tensor) -> Tensor:
    n = x._array.ndim
    return reshape(x, (1, 1, 1)) if n == 0 else unsqueeze(unsqueeze(x, 0), -1) if n == 1 else unsqueeze(x, -1)


atleast_1d = _at_least(1, lambda x: reshape(x, 1))
atleast_2d = _at_least(2, lambda x: reshape(x, (1, 1)) if x._array.ndim == 0 else unsqueeze(x, 0))
atleast_3d = _at_least(3, _to_three)


def _some(name: str, tensors: Sequence[Tensor]) -> None:
    if not len(tensors):
        raise RuntimeError(f"{name} expects a non-empty TensorList")


@function(traits="joins")
def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """The tensors side by side: along the second dimension (vectors along the first)."""
    _some("hstack", tensors)
    items = list(atleast_1d(tuple(tensors)))
    return cat(items, 0 if items[0]._array.ndim == 1 else 1)


@function(traits="joins")
def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """The tensors on top of each other, vectors as rows."""
    _some("vstack", tensors)
    return cat(list(atleast_2d(tuple(tensors))), 0)


@function(traits="joins")
def dstack(tensors: Sequence[Tensor]) -> Tensor:
    """The tensors behind each other, along the third dimension."""
    _some("dstack", tensors)
    return cat(list(atleast_3d(tuple(tensors))), 2)


@function(traits="joins")
def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """The tensors side by side, vectors as columns."""
    return hstack([reshape(x, (-1, 1)) if x._array.ndim <= 1 else x for x in tensors])


row_stack = vstack

# --- copies of views, and views written into copies -------------------------------------------------------------------------


def _copies() -> None:
    views = (
        alias, as_strided, detach, diagonal, expand, permute, select, squeeze, t, transpose, method_unfold, unsqueeze, view,
        FUNCTIONS["narrow"], FUNCTIONS["slice"], unbind, split, split_with_sizes,
    )  # fmt: skip
    for f in views:
        name = f.__name__.removeprefix("method_")

        def copied(*args: Any, f: Any = f, **kwargs: Any) -> Any:
            out = f(*args, **kwargs)
            copies = [clone(o, memory_format=contiguous_format) for o in (out if isinstance(out, tuple) else (out,))]
            return tuple(copies) if isinstance(out, tuple) else copies[0]

        copied.__name__, copied.__doc__ = f"{name}_copy", f"`{name}`, copied."
        globals()[copied.__name__] = function(copied)


_copies()


def _in_part(input: Tensor, src: Tensor, view: Any, *where: Any) -> Tensor:
    """A copy with `src` in the part that a view of it is."""
    out = clone(input)
    part = view(out, *where)
    if part._array.shape != src._array.shape:
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self. src size = {list(src._array.shape)}, slice size = "
            f"{list(part._array.shape)}"
        )
    part.copy_(src)
    return out


@function
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """A copy with `src` in the part that `select` gives."""
    return _in_part(input, src, select, dim, index)


@function
def slice_scatter(
    input: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    """A copy with `src` in the part that `slice` gives."""
    return _in_part(input, src, FUNCTIONS["slice"], dim, start, end, step)


@function
def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A copy with `src` in the part that `diagonal` gives."""
    return _in_part(input, src, diagonal, offset, dim1, dim2)
