"""Tables of vectors looked up by index."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ...context import beyond
from ...dtypes import INEXACT, LEGACY_NAMES, OF_NUMPY
from ...op.declare import function, op
from ...tensor import Tensor, constant
from ..loss.elementwise import not_implemented
from ..pointwise.unary import refused

# --- embedding -------------------------------------------------------------------------------------------------------------


def _gathered_by_row(rows: Any, indices: Any, n: int) -> Any:
    """The rows summed by their index, as `n` rows."""
    out = np.zeros((n, *rows.shape[1:]), rows.dtype)
    if indices.size:
        order = np.argsort(indices, kind="stable")
        ordered = indices[order]
        starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
        out[ordered[starts]] = np.add.reduceat(rows[order], starts, axis=0)
    return out


SHOWN = {
    "weight_sym_sizes": None, "sparse": lambda get: False, "weight_sym_argsize_0": lambda get: get("weight_sym_sizes")[0],
}  # fmt: skip
"""What PyTorch's node shows of an embedding where ours saves another form."""


@op(
    r"{weight}_{{ {indices} }}",
    weight=lambda grad, indices, weight_sym_sizes, padding_idx, scale_grad_by_freq: _embedding_backward(
        grad, indices, weight_sym_sizes[0], padding_idx, scale_grad_by_freq
    ),
    indices=None,
    broadcast=(),
    node="EmbeddingBackward0",
    name="embedding",
    shows=SHOWN,
)
def _embedding(weight, indices, padding_idx, scale_grad_by_freq):
    """The rows of `weight` at the indices."""
    if indices.size and (indices.min() < 0 or indices.max() >= len(weight)):
        raise IndexError("index out of range in self")
    return weight[indices]


@op(
    r"{weight}_{{ {indices} }}",
    weight=lambda grad, indices, weight_sym_sizes, padding_idx, scale_grad_by_freq: _embedding_sparse_backward(
        grad, indices, weight_sym_sizes, padding_idx, scale_grad_by_freq
    ),
    indices=None,
    broadcast=(),
    node="EmbeddingBackward0",
    name="embedding",
    shows=SHOWN | {"sparse": lambda get: True},
)
def _embedding_sparse(weight, indices, padding_idx, scale_grad_by_freq):
    """The rows of `weight` at the indices; their gradient is sparse."""
    return _embedding._op.forward(weight, indices, padding_idx, scale_grad_by_freq)


@op(r"{grad}", grad=None, indices=None, broadcast=(), name="embedding_sparse_backward")
def _embedding_sparse_backward(grad, indices, shape, padding_idx, scale_grad_by_freq):
    """A sparse gradient that has the upstream gradient's rows at their indices, the padding's left out."""
    if scale_grad_by_freq:
        raise RuntimeError("embedding_backward: scale_grad_by_freq not supported with sparse gradients")
    flat = indices.reshape(-1).astype(np.int64)
    return _rows(flat, grad.reshape(flat.size, shape[1]), shape, padding_idx)


def _rows(indices, rows, shape, padding_idx):
    """A sparse matrix of which some rows are there."""
    from ..sparse.coordinates import _kind

    keep = indices != padding_idx
    if not keep.all():
        indices, rows = indices[keep], rows[keep]
    return _kind().sparse(indices[None], rows, shape, len(indices) < 2)


@op(
    r"{grad}",
    grad=lambda grad, indices, padding_idx: _embedding_unpadded(grad, indices, padding_idx),
    indices=None,
    broadcast=(),
    node="EmbeddingDenseBackwardBackward0",
    name="embedding_dense_backward",
)
def _embedding_backward(grad, indices, rows, padding_idx, scale_grad_by_freq):
    """The rows of the gradient summed by index; none for the padding."""
    flat = indices.reshape(-1)
    each = grad.reshape(flat.size, grad.shape[-1] if grad.ndim else 1)
    if padding_idx >= 0:
        keep = flat != padding_idx
        flat, each = flat[keep], each[keep]
    if scale_grad_by_freq and flat.size:
        each = each / np.bincount(flat)[flat][:, None].astype(grad.dtype)
    return _gathered_by_row(each, flat, rows)


@op(
    r"{weight}_{{ {indices} }}",
    weight=lambda grad, indices, weight_sym_sizes, padding_idx: _embedding_backward(
        grad, indices, weight_sym_sizes[0], padding_idx, False
    ),
    indices=None,
    broadcast=(),
    node="EmbeddingBackward0",
    name="embedding",
    shows=SHOWN,
)
def _embedding_unpadded(weight, indices, padding_idx):
    """The rows at the indices; zeros for the padding."""
    rows = weight[indices]
    if padding_idx >= 0:
        rows[indices == padding_idx] = 0
    return rows


def _check_indices(name: str, indices: Tensor) -> None:
    if indices._array.dtype.name not in ("int64", "int32"):
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            f"torch.{LEGACY_NAMES[indices.dtype]} instead (while checking arguments for {name})"
        )


def _renormalise(weight: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> None:
    """Shorten, in place, the rows in use that are longer than `max_norm`."""
    a = weight._array
    for index in np.unique(indices._array):
        if not -len(a) <= index < len(a):
            raise IndexError(f"select(): index {index} out of range for tensor of size {list(a.shape)} at dimension 0")
    used = np.unique(indices._array)
    lengths = np.linalg.norm(a[used], norm_type, axis=1)
    long = lengths > max_norm
    if long.any():
        from ...autograd import no_grad

        short = a.copy()
        short[used[long]] *= (max_norm / (lengths[long] + 1e-7))[:, None].astype(a.dtype)
        with no_grad():
            weight.detach().copy_(constant(short))


@function
def embedding_renorm_(input: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> Tensor:
    """The rows of `input` at the indices shortened to `max_norm` where they are longer, in place."""
    _renormalise(input, indices, max_norm, norm_type)
    return input


@function
def torch_embedding(
    weight: Tensor, indices: Tensor, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Tensor:
    """The rows of `weight` at the indices; the row `padding_idx` gets no gradient."""
    if weight._array.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    _check_indices("embedding", indices)
    if sparse:
        return _embedding_sparse(weight, indices, padding_idx, scale_grad_by_freq)
    return _embedding(weight, indices, padding_idx, scale_grad_by_freq)


@function
def functional_embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of `weight` at the indices `input`; the row `padding_idx` gets no gradient, long rows are shortened first."""
    if padding_idx is None:
        padding_idx = -1
    else:
        rows = weight._array.shape[0]
        if not -rows <= padding_idx < rows and padding_idx != 0:
            raise AssertionError("Padding_idx must be within num_embeddings")
        padding_idx += rows if padding_idx < 0 else 0
    if max_norm is not None:
        _renormalise(weight, input, max_norm, norm_type)
    return torch_embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)


@function(traits="sized")
def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Zeros with a one at each index, along a new last dimension."""
    a = tensor._array
    if a.dtype.name != "int64":
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if not a.size:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return constant(np.zeros((*a.shape, num_classes), np.int64))
    if a.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = int(a.max()) + 1
    elif a.max() >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return constant((a[..., None] == np.arange(num_classes)).astype(np.int64))


# --- bags ------------------------------------------------------------------------------------------------------------------


def _bags(indices: Any, offsets: Any, padding_idx: int) -> tuple[Any, Any, Any]:
    """Which indices count, the bag of each that does, and how many each bag has."""
    count = len(offsets)
    lengths = np.diff(np.append(offsets, len(indices)))
    bag = np.repeat(np.arange(count), lengths)
    keep = np.flatnonzero(indices != padding_idx)
    return keep, bag[keep], np.bincount(bag[keep], minlength=count)


def _largest(weight: Any, indices: Any, offsets: Any, padding_idx: int) -> Any:
    """For each bag and column the row that holds the largest number; -1 in an empty bag."""
    keep, _, sizes = _bags(indices, offsets, padding_idx)
    chosen = np.full((len(offsets), weight.shape[1]), -1)
    rows = indices[keep]
    start = 0
    for b, size in enumerate(sizes):
        if size:
            members = rows[start : start + size]
            chosen[b] = members[np.argmax(weight[members], axis=0)]
        start += size
    return chosen


def _handed_to_rows(grad, indices, offsets, mode, per_sample_weights, padding_idx):
    """The rows in the bags, and for each the share of its bag's gradient."""
    keep, bag, sizes = _bags(indices, offsets, padding_idx)
    rows = grad[bag]
    if mode == "mean":
        rows = rows / sizes[bag][:, None].astype(grad.dtype)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights[keep][:, None]
    return indices[keep], rows


@op(
    r"\mathrm{{bag}}({weight}_{{ {indices} }})",
    weight=lambda grad, weight, indices, offsets, mode, per_sample_weights, padding_idx, scale_grad_by_freq: _bag_backward(
        grad, weight, indices, offsets, mode, per_sample_weights, padding_idx, scale_grad_by_freq
    ),
    per_sample_weights=lambda grad, weight, indices, offsets, padding_idx: _bag_weights_backward(
        grad, weight, indices, offsets, padding_idx
    ),
    indices=None,
    offsets=None,
    broadcast=(),
    node="EmbeddingBagBackward0",
    name="embedding_bag",
)
def _embedding_bag(weight, indices, offsets, scale_grad_by_freq, mode, per_sample_weights, padding_idx):
    """Sums, means or largest elements of the rows in each bag."""
    if mode == "max":
        chosen = _largest(weight, indices, offsets, padding_idx)
        return np.where(chosen < 0, weight.dtype.type(0), np.take_along_axis(weight, np.maximum(chosen, 0), 0))
    keep, bag, sizes = _bags(indices, offsets, padding_idx)
    rows = weight[indices[keep]]
    if per_sample_weights is not None:
        rows = rows * per_sample_weights[keep][:, None]
    out = _gathered_by_row(rows, bag, len(offsets))
    return out / np.maximum(sizes, 1)[:, None].astype(weight.dtype) if mode == "mean" else out


@op(
    r"{grad}",
    grad=lambda grad: refused("_embedding_bag_backward"),
    weight=None,
    indices=None,
    offsets=None,
    per_sample_weights=lambda grad: refused("_embedding_bag_backward"),
    broadcast=(),
    node="EmbeddingBagBackwardBackward0",
    name="embedding_bag_backward",
)
def _bag_backward(grad, weight, indices, offsets, mode, per_sample_weights, padding_idx, scale_grad_by_freq):
    """The gradient of each bag handed to the rows in it."""
    if mode == "max":
        chosen = _largest(weight, indices, offsets, padding_idx)
        out = np.zeros_like(weight)
        bags, columns = np.nonzero(chosen >= 0)
        np.add.at(out, (chosen[bags, columns], columns), grad[bags, columns])
        return out
    used, rows = _handed_to_rows(grad, indices, offsets, mode, per_sample_weights, padding_idx)
    if scale_grad_by_freq and used.size:
        rows = rows / np.bincount(indices)[used][:, None].astype(grad.dtype)
    return _gathered_by_row(rows, used, len(weight))


@op(
    r"\mathrm{{bag}}({weight}_{{ {indices} }})",
    weight=lambda grad, weight_sym_sizes, indices, offsets, mode, per_sample_weights, padding_idx: _bag_sparse_backward(
        grad, indices, weight_sym_sizes, offsets, mode, per_sample_weights, padding_idx
    ),
    per_sample_weights=lambda grad, weight, indices, offsets, padding_idx: _bag_weights_backward(
        grad, weight, indices, offsets, padding_idx
    ),
    indices=None,
    offsets=None,
    broadcast=(),
    node="EmbeddingBagBackward0",
    name="embedding_bag",
)
def _embedding_bag_sparse(weight, indices, offsets, scale_grad_by_freq, mode, per_sample_weights, padding_idx):
    """Sums or means of the rows in each bag; the rows' gradient is sparse."""
    return _embedding_bag._op.forward(weight, indices, offsets, scale_grad_by_freq, mode, per_sample_weights, padding_idx)


@op(
    r"{grad}",
    grad=None,
    indices=None,
    offsets=None,
    per_sample_weights=None,
    broadcast=(),
    name="embedding_bag_sparse_backward",
)
def _bag_sparse_backward(grad, indices, shape, offsets, mode, per_sample_weights, padding_idx):
    """The gradient of each bag handed to the rows in it, those alone."""
    used, rows = _handed_to_rows(grad, indices, offsets, mode, per_sample_weights, padding_idx)
    return _rows(used.astype(np.int64), rows, shape, padding_idx)


@op(
    r"{grad} \cdot {weight}_{{ {indices} }}",
    grad=lambda grad: not_implemented("_embedding_bag_per_sample_weights_backward"),
    weight=lambda grad: not_implemented("_embedding_bag_per_sample_weights_backward"),
    indices=None,
    offsets=None,
    broadcast=(),
    name="embedding_bag_per_sample_weights_backward",
)
def _bag_weights_backward(grad, weight, indices, offsets, padding_idx):
    """The derivative in each index's weight: its row times the bag's gradient."""
    keep, bag, _ = _bags(indices, offsets, padding_idx)
    out = np.zeros(len(indices), grad.dtype)
    out[keep] = np.add.reduce(grad[bag] * weight[indices[keep]], axis=1)
    return out


@function
def functional_embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Sums, means or largest elements of the rows of `weight` in each bag of indices."""
    if weight._array.dtype.name == "int64" and input._array.dtype.kind in INEXACT:
        warnings.warn(
            "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is "
            "deprecated, and should now be `embedding_bag(input, weight, ...)`.",
            stacklevel=beyond(2),
        )
        weight, input = input, weight
    if per_sample_weights is not None and input.shape != per_sample_weights.shape:
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, then it must have the same "
            f"shape as the input ({input.shape})"
        )
    if weight._array.ndim != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight._array.ndim}")
    a = input._array
    if a.ndim == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length sequences. "
                f"However, found offsets of type {type(offsets)}"
            )
        offsets = constant(np.arange(0, a.size, a.shape[1], dtype=a.dtype) if a.dtype.kind == "i" else np.arange(len(a)))
        include_last_offset = False
        input = input.reshape(-1)
        per_sample_weights = None if per_sample_weights is None else per_sample_weights.reshape(-1)
    elif a.ndim == 1:
        if offsets is None:
            raise ValueError("offsets has to be a 1D Tensor but got None")
        if offsets._array.ndim != 1:
            raise ValueError("offsets has to be a 1D Tensor")
    else:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {a.ndim}")
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise ValueError("max mode does not support sparse weights")
    if max_norm is not None:
        _renormalise(weight, input, max_norm, norm_type)
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got "
            f"mode='{mode}'). Please open a feature request on GitHub."
        )
    assert offsets is not None
    _check_indices("embedding_bag", input)
    padding_idx = _check_bags(input._array, weight._array, offsets._array, padding_idx)
    if include_last_offset:
        offsets = constant(offsets._array[:-1])
    bag = _embedding_bag_sparse if sparse else _embedding_bag
    return bag(weight, input, offsets, scale_grad_by_freq, mode, per_sample_weights, padding_idx)


@function
def torch_embedding_bag(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int = -1,
) -> tuple[Tensor, ...]:
    """`embedding_bag` of mode 0 (sum), 1 (mean) or 2 (max), and of each index the bag, the bags' sizes, and where the largest
    elements stood."""
    out = functional_embedding_bag(
        indices,
        weight,
        offsets,
        scale_grad_by_freq=scale_grad_by_freq,
        mode=("sum", "mean", "max")[mode],
        sparse=sparse,
        per_sample_weights=per_sample_weights,
        include_last_offset=include_last_offset,
        padding_idx=None if padding_idx < 0 else padding_idx,
    )
    starts = offsets._array[:-1] if include_last_offset else offsets._array
    ends = np.append(starts[1:], indices._array.size)
    bag = np.repeat(np.arange(len(starts)), ends - starts)
    kept = indices._array != padding_idx if padding_idx >= 0 else np.ones(indices._array.size, bool)
    size = np.bincount(bag[kept], minlength=len(starts))
    return out, constant(bag), constant(size), constant(size.copy())


def _check_bags(indices: Any, weight: Any, offsets: Any, padding_idx: int | None) -> int:
    if offsets.size and offsets[0] != 0:
        raise RuntimeError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, got "
            f"{offsets[0]}\n[ torch.{LEGACY_NAMES[OF_NUMPY[indices.dtype]]}{{}} ]"
        )
    if offsets.size and offsets[-1] > indices.size:
        raise RuntimeError(
            f"offsets[-1] can not be greater than input's length {indices.size} but got offsets[-1] of {offsets[-1]}"
        )
    rows = len(weight)
    for position in np.flatnonzero((indices < 0) | (indices >= rows))[:1]:
        raise RuntimeError(
            f"Index {position} of input takes value {indices[position]} which is not in the valid range [0, {rows})"
        )
    if padding_idx is None:
        return -1
    if not -rows <= padding_idx < rows:
        raise RuntimeError("padding_idx must be within the number of embeddings")
    return padding_idx + rows if padding_idx < 0 else padding_idx
