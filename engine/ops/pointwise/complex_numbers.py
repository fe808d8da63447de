"""Complex numbers: made of two real ones, taken apart again, conjugated, and measured.

None of these operations is holomorphic, so their rules say themselves what is conjugated. The gradient of a complex number is
PyTorch's: that of the real part plus i times that of the imaginary part.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...errors import NOT_COMPLEX, UNIMPLEMENTED
from ...op.declare import function, op
from ...tensor import Tensor, constant
from .unary import cos, sin, zeros_like_grad

ELEMENTWISE = True


@op(r"\overline{{ {self} }}", traits="same_values", holomorphic=False, self=lambda grad: _conj(grad), name="conj")
def _conj(self):
    """The complex conjugate of each element."""
    return np.conj(self)


@op(r"\overline{{ {self} }}", holomorphic=False, self=lambda grad: conj_physical(grad))
def conj_physical(self):
    """The complex conjugate of each element."""
    return np.conj(self)


@function(traits="same_values")
def conj(input: Tensor) -> Tensor:
    """The complex conjugate of each element; of real numbers, the tensor itself."""
    if input._array.dtype.kind != "c":
        return input
    made: Tensor = _conj(input)
    if not is_conj(input):
        made.__dict__["_conjugated"] = True
    return made


@function
def is_conj(input: Tensor) -> bool:
    """Whether PyTorch would leave the conjugation to those who read the elements, as it does after `conj()`."""
    while input._array.dtype.kind == "c":
        if "_conjugated" in input.__dict__:
            return True
        if input._view is None:
            break
        input = input._view.base
    return False


@function(traits="alias")
def resolve_conj(input: Tensor) -> Tensor:
    """The tensor with its conjugation carried out; itself where none is left to do."""
    if not is_conj(input):
        return input
    from ..creation.copies import clone

    return clone(input)


@function(traits="alias")
def resolve_neg(input: Tensor) -> Tensor:
    """The tensor itself: no sign is left to those who read the elements."""
    return input


def part_of(grad, name):
    """A real gradient as that of the part of a complex number."""
    zeros = zeros_like_grad(grad)
    return _complex(grad, zeros) if name == "real" else _complex(zeros, grad)


def _taken(name, latex):
    def part(self):
        return getattr(self, name)

    part.__name__, part.__doc__ = f"_{name}", f"The {'imaginary' if name == 'imag' else name} part of each element, a view."
    return op(latex, view=True, holomorphic=False, name=name, node="SelectBackward0", self=lambda grad: part_of(grad, name))(
        part
    )


_real, _imag = _taken("real", r"\Re {self}"), _taken("imag", r"\Im {self}")


@function
def real(input: Tensor) -> Tensor:
    """The real part of each element, a view; of real numbers, the tensor itself."""
    return _real(input) if input._array.dtype.kind == "c" else input


@function
def imag(input: Tensor) -> Tensor:
    """The imaginary part of each element, a view.

    Raises:
        RuntimeError: for real numbers.
    """
    if input._array.dtype.kind != "c":
        raise NOT_COMPLEX.now("imag is not implemented for tensors with non-complex dtypes.")
    return _imag(input)


def set_real(input: Tensor, value: Any) -> None:
    """Write the real part of each element, in place."""
    real(input)[...] = value


def set_imag(input: Tensor, value: Any) -> None:
    """Write the imaginary part of each element, in place."""
    imag(input)[...] = value


def real_of(grad):
    """The real part of a gradient, which is complex."""
    return _real(grad) if grad.__class__ is Tensor else np.real(grad)


def imag_of(grad):
    """The imaginary part of a gradient, which is complex."""
    return _imag(grad) if grad.__class__ is Tensor else np.imag(grad)


@op(
    r"{real} + i\, {imag}",
    holomorphic=False,
    traits="tensors_only",
    real=lambda grad: real_of(grad),
    imag=lambda grad: imag_of(grad),
    node="ComplexBackward0",
    name="complex",
)
def _complex(real, imag):
    """Complex numbers of their real and imaginary parts."""
    out = np.empty(np.broadcast_shapes(real.shape, imag.shape), dtypes.complex_of(real.dtype))
    out.real, out.imag = real, imag
    return out


def _parts(x: Tensor, y: Tensor) -> None:
    """Refuse two tensors that cannot be the parts of complex numbers."""
    if any(t.dtype not in (dtypes.float16, dtypes.float32, dtypes.float64) for t in (x, y)):
        names = " and ".join(dtypes.SCALAR_NAMES[t.dtype] for t in (x, y))
        raise UNIMPLEMENTED.now(f"Expected both inputs to be Half, Float or Double tensors but got {names}")
    if x.dtype is not y.dtype:
        first, second = (dtypes.SCALAR_NAMES[t.dtype] for t in (x, y))
        raise RuntimeError(f"Expected object of scalar type {first} but got scalar type {second} for second argument")


@function
def complex(real: Tensor, imag: Tensor) -> Tensor:
    """Complex numbers of their real and imaginary parts."""
    _parts(real, imag)
    return _complex(real, imag)


def along(grad, angle):
    """The part of a complex gradient in the direction of an angle."""
    return real_of(grad) * cos(angle) + imag_of(grad) * sin(angle)


@op(
    r"{abs} e^{{ i {angle} }}",
    holomorphic=False,
    traits="tensors_only",
    abs=lambda grad, angle: along(grad, angle),
    angle=lambda grad, abs, angle: abs * (imag_of(grad) * cos(angle) - real_of(grad) * sin(angle)),
    node="PolarBackward0",
    name="polar",
)
def _polar(abs, angle):
    """Complex numbers of their magnitudes and angles."""
    out = np.empty(np.broadcast_shapes(abs.shape, angle.shape), dtypes.complex_of(abs.dtype))
    out.real, out.imag = abs * np.cos(angle), abs * np.sin(angle)
    return out


@function
def polar(abs: Tensor, angle: Tensor) -> Tensor:
    """Complex numbers of their magnitudes and angles."""
    _parts(abs, angle)
    return _polar(abs, angle)


@function(traits="compares")
def isreal(input: Tensor) -> Tensor:
    """Whether elements are real numbers."""
    return constant(np.isreal(input._array))
