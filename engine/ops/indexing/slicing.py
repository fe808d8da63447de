"""Views of entries along one dimension: select, slice, narrow, unbind."""

from __future__ import annotations

import builtins

from ...op.declare import function, op
from ...tensor import Tensor
from ..shape.dimensions import from_end, wrap_dim
from ..shape.joining import _put_entry, _put_slice, _stack


@op(
    r"{self}_{{ {index} }}",
    traits="same_values",
    view=True,
    self=lambda grad, self_sym_sizes, dim, index: _put_entry(grad, self_sym_sizes, dim, index),
    node="SelectBackward0",
    name="select",
)
def _select(self, dim, index):
    """Entry `index` along `dim`, a view."""
    return self[(builtins.slice(None),) * dim + (index, ...)]


@function(traits="sized")
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """A view of entry `index` along `dim`."""
    a = input._array
    if a.ndim == 0:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    d = wrap_dim(dim, a.ndim)
    n = a.shape[d]
    if not -n <= index < n:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(a.shape)} at dimension {d}")
    return _select(input, d, int(index) if index >= 0 else from_end(int(index), n))


@op(
    r"{self}_{{ {start}:{end} }}",
    traits="same_values shapes",
    view=True,
    self=lambda grad, self_sym_sizes, dim, start, end, step: _put_slice(grad, self_sym_sizes, dim, start, end, step),
    node="SliceBackward0",
    name="slice",
)
def _slice(self, dim, start, end, step):
    """Entries from `start` to `end` along `dim`, a view."""
    return self[(builtins.slice(None),) * dim + (builtins.slice(start, end, step),)]


@function(traits="sized")
def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """A view of `length` entries along `dim` from `start`."""
    if input._array.ndim == 0:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if isinstance(start, Tensor):
        if start._array.ndim or start._array.dtype.kind not in "iu":
            raise RuntimeError("start must be an 0-dim integral Tensor.")
        start = int(start._array)
    d = wrap_dim(dim, input._array.ndim)
    n = input._array.shape[d]
    if not -n <= start <= n:
        raise IndexError(f"start out of range (expected to be in range of [{-n}, {n}], but got {start})")
    start = start % n if start < 0 else start
    if start + length > n:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).")
    return _slice(input, d, start, start + length, 1)


@function
def slice(input: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Tensor:
    """A view of the entries from `start` to `end` along `dim`."""
    d = wrap_dim(dim, input._array.ndim)
    first, last, _ = builtins.slice(start, end, step).indices(input._array.shape[d])
    return _slice(input, d, first, max(first, last), step)


@op(
    r"{self}",
    view=True,
    self=lambda grads, dim: _stack(grads, dim),
    outputs=("*",),
    node="UnbindBackward0",
    name="unbind",
)
def _unbind(self, dim):
    """The slices along `dim`, views."""
    return [self[(builtins.slice(None),) * dim + (i, ...)] for i in range(self.shape[dim])]


@function(traits="sized")
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """The slices along `dim` as a tuple of views."""
    if input._array.ndim == 0:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    result: tuple[Tensor, ...] = _unbind(input, wrap_dim(dim, input._array.ndim))
    return result
