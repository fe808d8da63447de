"""Several tensors brought together: grids, common shapes, block diagonals, combinations."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...context import beyond
from ...op.declare import function
from ...tensor import Tensor, constant
from .broadcasting import expand
from .joining import cat, stack
from .reshaping import reshape, view


@function
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Vectors spread over a grid: one tensor each, all of the grid's shape."""
    items = list(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], tuple | list) else list(tensors)
    if indexing is None:
        import warnings

        warnings.warn(
            "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument. (Triggered internally "
            "at /pytorch/aten/src/ATen/native/TensorShape.cpp:4381.)",
            UserWarning,
            stacklevel=beyond(2),
        )
        indexing = "ij"
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    swap = indexing == "xy" and len(items) >= 2
    if swap:
        items[:2] = [items[1], items[0]]
    shape = tuple(t._array.size for t in items)
    grids = [expand(view(t, tuple(-1 if i == k else 1 for i in range(len(items)))), shape) for k, t in enumerate(items)]
    if swap:
        grids[:2] = [grids[1], grids[0]]
    return tuple(grids)


@function
def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """The tensors expanded to one shape; those that have it stay what they are."""
    items = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], tuple | list) else tensors
    shape = broadcast_shapes(*[t._array.shape for t in items])
    return tuple(t if t._array.shape == shape else expand(t, shape) for t in items)


@function
def broadcast_shapes(*shapes: Any) -> Any:
    """The shape that shapes broadcast to."""
    from ...tensor_attributes import Size

    try:
        return Size(np.broadcast_shapes(*shapes))
    except ValueError:
        raise RuntimeError("Shape mismatch: objects cannot be broadcast to a single shape") from None


@function
def block_diag(*tensors: Tensor) -> Tensor:
    """Matrices along the diagonal of one, zeros elsewhere."""
    rows = [reshape(t, (1, -1)) if t._array.ndim < 2 else t for t in tensors]
    for i, t in enumerate(rows):
        if t._array.ndim > 2:
            raise RuntimeError(
                f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {i} has {t._array.ndim} dimensions"
            )
    total = sum(t._array.shape[1] for t in rows)
    pieces, start = [], 0
    for t in rows:
        n, m = t._array.shape
        left, right = (constant(np.zeros((n, w), t._array.dtype)) for w in (start, total - start - m))
        pieces.append(cat([left, t, right], 1))
        start += m
    return cat(pieces, 0)


@function
def cartesian_prod(*tensors: Tensor) -> Tensor:
    """All combinations of elements of vectors, (n, vectors)."""
    if len(tensors) == 1:
        return tensors[0]
    return stack([reshape(g, -1) for g in meshgrid(*tensors, indexing="ij")], 1)


@function
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All combinations of `r` elements of a vector, (n, r)."""
    import itertools

    if input._array.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input._array.shape)}")
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = list(choose(range(input._array.size), r))
    if r == 0:
        return input.new_zeros(0)
    index = constant(np.array(rows, np.int64).reshape(len(rows), r))
    return reshape(input.index_select(0, reshape(index, -1)), (len(rows), r))
