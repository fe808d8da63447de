"""What PyTorch's own code calls under names of its own, a few of which stand in `torch`: `torch._chunk_cat`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..op.declare import op
from ..tensor import Tensor, constant
from .convolution.padding import constant_pad_nd
from .indexing.getitem import _index, _index_put
from .indexing.masking import masked_fill
from .nn.native_norms import native_batch_norm
from .nn.softmax import softmax, softmax_backward_data
from .pointwise.comparison import where
from .shape.dimensions import wrap_dim
from .shape.joining import cat
from .shape.reshaping import reshape

MISSING = -np.inf


def _softmax_backward_data(grad_output: Tensor, output: Tensor, dim: int, input_dtype: Any) -> Tensor:
    """The derivative of softmax, from its result."""
    made: Tensor = softmax_backward_data(grad_output, output, wrap_dim(dim, output._array.ndim))
    return made.to(input_dtype)


def _safe_softmax(self: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """Softmax, with zeros where everything along `dim` is minus infinity."""
    self = self if dtype is None else self.to(dtype)
    nothing = (self == MISSING).all(dim, keepdim=True)
    made: Tensor = where(nothing, 0.0, softmax(self, dim))
    return made


@op(
    r"{scale} \, {mask} \, {grad_output}",
    grad_output=lambda grad, mask, scale: native_dropout_backward(grad, mask, scale),
    mask=None,
    broadcast=(),
)
def native_dropout_backward(grad_output, mask, scale):
    """The derivative of dropout: what was kept, scaled."""
    return grad_output * (mask.astype(grad_output.dtype) * grad_output.dtype.type(scale))


def _indices(x: Tensor, mask: Tensor, indices: Any, least: int) -> tuple[Any, ...]:
    for index in indices:
        if index is not None and index.dtype.name not in ("int64", "int32"):
            raise IndexError("tensors used as indices must be long or int tensors")
    if mask.dtype.name != "bool":
        raise IndexError("tensors used as masks must be bool tensors")
    sizes = x._array.shape
    return tuple(slice(None) if index is None else np.clip(index._array, least * n, n - 1) for index, n in zip(indices, sizes))


def _unsafe_masked_index(self: Tensor, mask: Tensor, indices: Any, fill: Any) -> Tensor:
    """The elements at the indices, brought into range, and a number where the mask does not hold."""
    found = _indices(self, mask, indices, 0)
    if not self._array.size:
        return self.new_full(np.broadcast_shapes(*(i.shape for i in found if isinstance(i, np.ndarray))), fill)
    return masked_fill(_index(self, found), ~mask, fill)


def _unsafe_masked_index_put_accumulate(self: Tensor, mask: Tensor, indices: Any, values: Tensor) -> Tensor:
    """`values`, where the mask holds, added at the indices, brought into range."""
    if not self._array.size:
        return self.clone()
    made: Tensor = _index_put(self, _indices(self, mask, indices, -1), masked_fill(values, ~mask, 0), True)
    return made


def _chunk_cat(tensors: Any, dim: int, num_chunks: int, *, out: Any = None) -> Tensor:
    """Each tensor padded with zeros to `num_chunks` pieces along `dim`, and their pieces side by side, one row each."""
    if num_chunks < 1:
        raise RuntimeError("_chunk_cat expects positive num_chunks")
    if not tensors:
        raise RuntimeError("_chunk_cat expects a non-empty input tensor list")
    first = tensors[0]._array
    for t in tensors:
        if not t._array.size:
            raise RuntimeError("_chunk_cat expects non-empty tensor")
        if t._array.dtype != first.dtype:
            raise RuntimeError("_chunk_cat expects all input tensors with the same dtype")
    if len({t._array.ndim for t in tensors}) == 1:
        dim = wrap_dim(dim, first.ndim)
    elif dim < 0:
        raise RuntimeError("_chunk_cat expects non-negative dim when input tensors have different ndims")
    elif any(dim >= t._array.ndim for t in tensors):
        raise RuntimeError("_chunk_cat expects dim < ndim for all input tensors")
    if any(t._array.shape[:dim] != first.shape[:dim] for t in tensors):
        raise RuntimeError("_chunk_cat expects same sizes of 0,...,dim-1 dimensions for all tensors")
    pieces = []
    for t in tensors:
        shape = t._array.shape
        padded = constant_pad_nd(t, [0] * 2 * (len(shape) - dim - 1) + [0, -shape[dim] % num_chunks], 0)
        pieces.append(reshape(padded, (*shape[:dim], num_chunks, -1)))
    joined: Tensor = cat(pieces, dim + 1)
    return joined if out is None else out.resize_(joined.shape).copy_(joined)


def _native_batch_norm_legit(input: Tensor, weight: Any, bias: Any, *rest: Any) -> tuple[Tensor, ...]:
    """`batch_norm` with or without running statistics, the means, and the inverse standard deviations."""
    running = rest[:2] if len(rest) == 5 else (None, None)
    return native_batch_norm(input, weight, bias, *running, *rest[-3:])


def _batch_norm_with_update(
    input: Tensor, weight: Any, bias: Any, running_mean: Tensor, running_var: Tensor, momentum: float, eps: float
) -> tuple[Tensor, ...]:
    """`batch_norm` in training, the means, the inverse standard deviations, and what only other kernels need."""
    made = native_batch_norm(input, weight, bias, running_mean, running_var, True, momentum, eps)
    return (*made, constant(np.zeros(0, np.uint8)))


PRIVATE = {f.__name__: f for f in (
    _softmax_backward_data, _safe_softmax, _unsafe_masked_index, _unsafe_masked_index_put_accumulate, _chunk_cat,
    _native_batch_norm_legit, _batch_norm_with_update,
)}  # fmt: skip
"""What stands in `torch` under names that begin with an underscore."""
