"""Likeness and distance of vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...errors import sizes_mismatch
from ...op.declare import function, op
from ...op.slow_path import real
from ...tensor import Tensor
from ..loss.elementwise import add_number, clamp_min_number
from ..reduction.norms import _vector_norm, norm_backward
from ..shape.dimensions import wrap_dim


@op(
    r"\lVert {self} \rVert_{{ {p} }}",
    self=lambda grad, self, result, p, dim, keepdim: norm_backward(grad, self, result, p, dim, keepdim),
    node="NormBackward1",
    name="norm",
)
def _norm(self, p, dim, keepdim):
    """The p-norm along one dimension."""
    return _vector_norm._op.forward(self, p, dim, keepdim)


@function
def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """The p-norm of the rows of `x1 - x2 + eps`."""
    dim = max(x1._array.ndim, x2._array.ndim) - 1
    return _norm(add_number(x1 - x2, eps), real(p), (dim,), keepdim)


@function
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along `dim`."""
    from ...autograd import no_grad

    a, b = x1._array, x2._array
    try:
        shape = np.broadcast_shapes(a.shape, b.shape)
    except ValueError:
        raise sizes_mismatch(a.shape, b.shape) from None
    common = dtypes.OF_NUMPY[dtypes.result_dtype((a, b))]
    if not common.is_floating_point:
        raise RuntimeError(f"expected common dtype to be floating point, yet common dtype is {dtypes.SCALAR_NAMES[common]}")
    dim = wrap_dim(dim, len(shape))

    def unit(x: Tensor) -> Tensor:
        if x.dtype is not common:
            x = x.to(common)
        if x._array.shape != shape:
            x = x.expand(shape)
        length: Any = _vector_norm(x, 2, (dim,) if shape else (), True).clone()
        with no_grad():
            length.clamp_min_(eps)
        return x / length

    return (unit(x1) * unit(x2)).sum(dim)


@function
def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None) -> Tensor:
    """Vectors along `dim` divided by their p-norm."""
    length = clamp_min_number(input.norm(p, dim, keepdim=True), eps).expand_as(input)
    return input / length if out is None else out.copy_(input / length)
