"""Complex numbers seen as pairs of real ones, and pairs as complex numbers."""

from __future__ import annotations

import numpy as np

from ... import dtypes
from ...errors import NOT_COMPLEX
from ...op.declare import function, op
from ...tensor import Tensor
from ..pointwise.complex_numbers import is_conj


@op(
    r"{self}",
    traits="same_values",
    view=True,
    holomorphic=False,
    self=lambda grad: _view_as_complex(grad),
    name="view_as_real",
)
def _view_as_real(self):
    """The two parts of each element along a new last dimension."""
    parts = np.lib.stride_tricks.as_strided(
        self.real, (*self.shape, 2), (*self.strides, self.itemsize // 2), writeable=self.flags.writeable
    )
    return parts


@function
def view_as_real(input: Tensor) -> Tensor:
    """The two parts of each element along a new last dimension, a view."""
    if input._array.dtype.kind != "c":
        raise NOT_COMPLEX.now("view_as_real is only supported for complex tensors")
    if is_conj(input):
        raise RuntimeError(
            "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate tensor so you can view it "
            "as real, use self.resolve_conj(); however, be warned that the resulting tensor will NOT alias the original."
        )
    return _view_as_real(input)


@op(
    r"{self}",
    traits="same_values",
    view=True,
    holomorphic=False,
    self=lambda grad: _view_as_real(grad),
    name="view_as_complex",
)
def _view_as_complex(self):
    """Pairs along the last dimension as complex numbers."""
    target = dtypes.complex_of(self.dtype)
    if self.strides[-1] != self.itemsize or any(s % target.itemsize for s in self.strides[:-1]):
        self = np.ascontiguousarray(self)
    return self.view(target)[..., 0]


@function
def view_as_complex(input: Tensor) -> Tensor:
    """Pairs along the last dimension as complex numbers, a view.

    Raises:
        RuntimeError: for what are no pairs of floating point numbers next to each other.
    """
    array = input._array
    if input.dtype not in (dtypes.float16, dtypes.float32, dtypes.float64):
        raise RuntimeError(
            "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: "
            f"{dtypes.SCALAR_NAMES[input.dtype]}"
        )
    if not array.ndim:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if array.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    if array.strides[-1] != array.itemsize:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    if any(s % (2 * array.itemsize) for s in array.strides[:-1]):
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    return _view_as_complex(input)
