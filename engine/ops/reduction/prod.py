"""Products of the elements over all or one dimension."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...context import context
from ...dtypes import INEXACT
from ...op.declare import function, op
from ...op.slow_path import autocast
from ...tensor import Tensor
from ..shape.dimensions import wrap_dim
from ..shape.reshaping import _reshape
from .sums import kept, restored


def products_of_others(self, dim):
    """Along `dim`, the product of all elements but each one, without dividing, so that zeros do no harm."""
    before = self * 0 + 1
    after = before
    for shift in range(1, self.shape[dim]):
        before = before * _shifted(self, dim, shift)
        after = after * _shifted(self, dim, -shift)
    return before * after


@op(r"{self}", self=lambda grad, dim, by: _shifted_zeros(grad, dim, -by))
def _shifted(self, dim, by):
    """Moved by `by` along `dim`, ones moving in."""
    return _moved(self, dim, by, 1)


@op(r"{self}", self=lambda grad, dim, by: _shifted_zeros(grad, dim, -by))
def _shifted_zeros(self, dim, by):
    """Moved by `by` along `dim`, zeros moving in."""
    return _moved(self, dim, by, 0)


def _moved(array, dim, by, fill):
    out = np.full_like(array, fill)
    source, target = (slice(None, -by), slice(by, None)) if by > 0 else (slice(-by, None), slice(None, by))
    lead = (slice(None),) * dim
    out[(*lead, target)] = array[(*lead, source)]
    return out


def prod_backward(grad, self, result, dim):
    """The derivative of a product along one dimension."""
    if has_zeros(self):
        return grad * products_of_others(self, dim)
    return grad * result / self


def has_zeros(self):
    """Whether any element is zero."""
    array = self if isinstance(self, np.ndarray) else self._array
    return bool((array == 0).any())


@op(
    r"\prod {self}",
    traits="product",
    self=lambda grad, self, result: _reshape(prod_backward(grad, _reshape(self, (-1,)), result, 0), tuple(self.shape)),
    node="ProdBackward0",
    name="prod",
)
def _prod(self):
    """Product of all elements."""
    return np.multiply.reduce(self, axis=None, dtype=np.int64 if self.dtype.kind not in INEXACT else None)


@op(
    r"\prod_{{ {dim} }} {self}",
    self=lambda grad, self, result, dim, keepdim: prod_backward(
        restored(grad, self.shape, dim, keepdim), self, restored(result, self.shape, dim, keepdim), dim
    ),
    node="ProdBackward1",
    name="prod",
)
def _prod_dim(self, dim, keepdim):
    """Product along one dimension."""
    return np.multiply.reduce(self, axis=dim, keepdims=keepdim, dtype=np.int64 if self.dtype.kind not in INEXACT else None)


@function(traits="sized")
def prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Product of all elements, or along `dim`."""
    if context.fast is not None:
        (input,) = autocast(input, raised=True)
    if dtype is not None:
        input = input.to(dtype)
    if dim is None or input._array.ndim == 0:
        return kept(_prod(input), dtype)
    return kept(_prod_dim(input, wrap_dim(dim, input._array.ndim), keepdim), dtype)
