"""Reductions of consecutive stretches of a tensor, each of a length of its own."""

from __future__ import annotations

import numpy as np

from ...dtypes import FLOATING, SCALAR_NAMES
from ...op.declare import function, op
from ...tensor import Tensor, constant
from ..shape.dimensions import wrap_dim


def _of_nothing(reduce):
    """What a stretch without elements gives, by the reduction; None for what is none."""
    match reduce:
        case "max":
            return -np.inf
        case "min":
            return np.inf
        case "mean":
            return np.nan
        case "prod":
            return 1.0
        case "sum":
            return 0.0
    return None


KINDS = {"amax": "max", "amin": "min"}


def _stretches(data, lengths, offsets, axis):
    """The stretches: where each stands in the result, and which elements of `data` it has."""
    if offsets is None:
        ends = np.cumsum(lengths, axis)
        starts = ends - lengths
    else:
        ends = np.take(offsets, range(1, offsets.shape[axis]), axis)
        starts = np.take(offsets, range(offsets.shape[axis] - 1), axis)
    for place in np.ndindex(ends.shape):
        yield place, (*place[:axis], slice(int(starts[place]), int(ends[place])))


@op(
    r"\mathrm{{segment\_reduce}}({data})",
    data=lambda grad, result, data, reduce, lengths, offsets, axis, initial: _spread(
        grad, result, data, reduce, lengths, offsets, axis, initial
    ),
    lengths=None,
    offsets=None,
    broadcast=(),
    node="SegmentReduceBackward0",
    name="segment_reduce",
)
def _segment_reduce(data, reduce, lengths=None, offsets=None, axis=0, initial=None):
    """Each stretch reduced."""
    table = lengths if offsets is None else offsets
    shape = list(table.shape[: axis + 1]) + list(data.shape[axis + 1 :])
    shape[axis] -= offsets is not None
    out = np.empty(shape, data.dtype)
    for place, part in _stretches(data, lengths, offsets, axis):
        out[place] = _reduced(data[part], reduce, initial)
    return out


def _reduced(stretch, reduce, initial):
    """One stretch, reduced along its first dimension together with the initial value."""
    if not len(stretch):
        return _of_nothing(reduce) if initial is None else initial
    start = _of_nothing("sum" if reduce == "mean" else reduce) if initial is None else initial
    if reduce == "max":
        return np.maximum(stretch.max(0), start)
    if reduce == "min":
        return np.minimum(stretch.min(0), start)
    if reduce == "prod":
        return stretch.prod(0) * start
    total = stretch.sum(0) + start
    return total / len(stretch) if reduce == "mean" else total


@op(r"{self}", self=None, result=None, data=None, lengths=None, offsets=None, broadcast=(), name="_segment_reduce_backward")
def _spread(self, result, data, reduce, lengths, offsets, axis, initial):
    """Each gradient on its way to the elements of its stretch; the greatest ones share theirs."""
    out = np.zeros_like(data)
    arrays = [a._array if isinstance(a, Tensor) else a for a in (lengths, offsets)]
    for place, part in _stretches(data, arrays[0], arrays[1], axis):
        stretch, grad = data[part], self[place]
        if not len(stretch):
            continue
        if reduce in ("max", "min"):
            chosen = (stretch == result[place]) | np.isnan(stretch)
            out[part] = chosen * (grad / np.maximum(chosen.sum(0), 1))
        elif reduce == "mean":
            out[part] = grad / len(stretch)
        elif reduce == "sum":
            out[part] = grad
        else:
            start = 1.0 if initial is None else initial
            for k in range(len(stretch)):
                out[(*place[:axis], part[-1].start + k)] = grad * start * np.delete(stretch, k, 0).prod(0)
    return out


@function
def segment_reduce(
    data: Tensor,
    reduce: str,
    *,
    lengths: Tensor | None = None,
    indices: Tensor | None = None,
    offsets: Tensor | None = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: float | None = None,
) -> Tensor:
    """Consecutive stretches along `axis`, of the given lengths or between the given offsets, each reduced to one.

    Args:
        reduce: "sum", "mean", "max", "min" or "prod".
        unsafe: leave out the check that the lengths are not negative and cover the axis.
        initial: what each reduction begins with.
    """
    kind = KINDS.get(reduce, reduce)
    if _of_nothing(kind) is None:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    axis = wrap_dim(axis, data._array.ndim)
    if indices is not None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.")
    if data._array.dtype.kind not in FLOATING:
        raise NotImplementedError(f"\"_segment_reduce_cpu\" not implemented for '{SCALAR_NAMES[data.dtype]}'")
    table = lengths if offsets is None else offsets
    if table is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    if axis != table._array.ndim - 1:
        raise RuntimeError(f"segment_reduce(): Expected axis to be the last dimension of lengths but got {axis}.")
    if table._array.dtype.kind not in "iu" or table._array.dtype.itemsize < 4:
        name = "_segment_reduce_lengths_cpu_kernel1" if offsets is None else "_segment_reduce_offsets_cpu_kernel1"
        raise NotImplementedError(f"\"{name}\" not implemented for '{SCALAR_NAMES[table.dtype]}'")
    counts = table._array if offsets is None else np.diff(table._array, axis=axis)
    if offsets is None and not unsafe:
        if (counts < 0).any():
            raise RuntimeError("lengths contains negative value!")
        if (counts.sum(axis) != data._array.shape[axis]).any():
            raise RuntimeError(
                "segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when !unsafe."
            )
    ends = counts.cumsum(axis) if offsets is None else table._array
    if ends.size and (ends.max() > data._array.shape[axis] or (counts < 0).any() or ends.min() < 0):
        raise RuntimeError("segment_reduce(): the lengths reach beyond the data.")
    table_now = constant(table._array.copy())
    given = (table_now, None) if offsets is None else (None, table_now)
    return _segment_reduce(data, kind, *given, axis, initial)
