"""A view replayed as an operation, for graphs in which a base was written through one of its views."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...op.declare import op


@op(
    r"{self}",
    self=lambda grad, self_sym_sizes, view: _view_zeros(grad, self_sym_sizes, view),
    node="AsStridedBackward0",
    name="as_strided",
)
def take_view(self, view):
    """The part of `self` that `view` shows, copied."""
    return view.replay(view.like_base(self)).copy()


@op(
    r"{self}",
    self=lambda grad, view: take_view(grad, view),
    node="AsStridedScatterBackward0",
    name="as_strided_scatter",
)
def _view_zeros(self, shape, view):
    """Zeros of `shape` with `self` in the part that `view` shows."""
    out = view.like_base(np.zeros(shape, self.dtype))
    part = view.replay(out)
    if overlaps(part):
        # An element that the view shows several times, as after `expand`, gets the sum.
        positions = view.replay(view.like_base(np.arange(out.size).reshape(shape)))
        np.add.at(out, np.unravel_index(positions, shape), np.broadcast_to(self, part.shape))
    else:
        part[...] = self
    return out


def overlaps(array: np.ndarray[Any, Any]) -> bool:
    """Whether elements of an array may share memory."""
    end = array.itemsize
    for step, n in sorted((abs(s), n) for s, n in zip(array.strides, array.shape, strict=True) if n > 1):
        if step < end:
            return True
        end += step * (n - 1)
    return False


@op(
    r"{self}",
    self=lambda grad, view: _view_cleared(grad, view),
    value=lambda grad, view: take_view(grad, view),
    broadcast=(),
    node="AsStridedScatterBackward0",
    name="as_strided_scatter",
)
def put_view(self, view, value):
    """`self` with `value` in the part that `view` shows."""
    out = view.like_base(self.copy())
    part = view.replay(out)
    part[...] = value
    return out


@op(r"{self}", self=lambda grad, view: _view_cleared(grad, view), name="as_strided_scatter")
def _view_cleared(self, view):
    """`self` with zeros in the part that `view` shows."""
    out = view.like_base(self.copy())
    part = view.replay(out)
    part[...] = 0
    return out
