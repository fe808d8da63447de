"""Lengths of the rows of a weight, and a weight from its lengths and directions: weight normalisation.

Salimans & Kingma (2016), Weight normalization.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...op.declare import function, op
from ...tensor import Tensor
from ..reduction.norms import _vector_norm, norm_backward
from ..reduction.sums import _sum_dim
from ..shape.dimensions import wrap_dim
from .similarity import _norm


def others(ndim, dim):
    """All dimensions but `dim`."""
    return tuple([d for d in range(ndim) if d != dim])


def along(grad, v, norms, dim):
    """The part of the upstream gradient along the directions: the derivative in the lengths."""
    return _sum_dim(grad * v, others(v.ndim, dim), True) / norms


def across(grad, v, g, norms, dim):
    """The derivative in the directions: what of the upstream gradient is not along them, as long as the weight."""
    return g * ((grad - v * (along(grad, v, norms, dim) / norms)) / norms)


@op(
    r"{g} \, {v} / \lVert {v} \rVert",
    v=lambda grads, v, g, result1, dim: across(grads[0], v, g, result1, dim),
    g=lambda grads, v, result1, dim: along(grads[0], v, result1, dim),
    broadcast=(),
    outputs=("result0", "result1"),
    node="WeightNormInterfaceBackward0",
    name="_weight_norm",
)
def _weight_norm_interface(v, g, dim):
    """A weight of direction `v` and lengths `g` along the first or last dimension, and the lengths of `v`."""
    norms = np.sqrt(np.add.reduce(v * v, axis=others(v.ndim, dim), keepdims=True))
    return v * (g / norms), norms


@op(
    r"\lVert {self} \rVert_{{ {p} }}",
    self=lambda grad, self, result, p: norm_backward(grad, self, result, p, others(self.ndim, self.ndim), False),
    node="NormBackward0",
    name="norm",
)
def _norm_of_all(self, p):
    """The p-norm of all elements."""
    return _vector_norm._op.forward(self, p, others(self.ndim, self.ndim), False)


@function
def norm_except_dim(v: Tensor, pow: int = 2, dim: int = 0) -> Tensor:
    """The norms over all dimensions but `dim`, which stays, the others with size 1; of all elements for -1."""
    if dim == -1:
        return _norm_of_all(v, float(pow))
    a = v._array
    dim = wrap_dim(dim, a.ndim)
    last = a.ndim - 1
    if dim not in (0, last):
        return norm_except_dim(v.transpose(0, dim), pow, 0).transpose(0, dim)
    flat: Any = v.contiguous()
    if dim == 0:
        size = (a.shape[0],) + (1,) * last
        return _norm(flat.view(a.shape[0], -1), float(pow), (1,), False).view(size)
    size = (1,) * last + (a.shape[last],)
    return _norm(flat.view(-1, a.shape[last]), float(pow), (0,), False).view(size)


def weighted(v: Tensor, g: Tensor, dim: int) -> Tensor:
    """The weight of directions `v` and lengths `g`, by the operations that PyTorch makes it of."""
    if dim in (0, v._array.ndim - 1):
        weight: Tensor = _weight_norm_interface(v.contiguous(), g.contiguous(), dim)[0]
        return weight
    return v * (g / norm_except_dim(v, 2, dim))
