"""Gates and shrinkages: activation functions that pass, weaken or cut off what they are given, also in place."""

from __future__ import annotations

import numpy as np

from ...compat.version import since
from ...dtypes import SCALAR_NAMES
from ...errors import UNIMPLEMENTED
from ...op.declare import TABLE, function, op
from ...op.slow_path import real
from ...tensor import Tensor
from ..memory.inplace import inplace as in_place
from ..near import near
from ..pointwise.comparison import in_range, where
from ..pointwise.unary import tanh
from .activation import _softplus, floating_only, sigmoid

LAYOUT = "elementwise"
"""How the results of the operations here stand in memory; see `engine/op/layouts.py`."""


@op(
    r"\mathrm{{silu}}({self})",
    self=lambda grad, self: silu_backward(grad, self),
    fused=True,
    node="SiluBackward0",
    name="silu",
)
def _silu(self):
    """`x * sigmoid(x)`."""
    return self / (1 + near(np.exp, -self))


def silu_backward(grad, self):
    """The derivative of silu."""
    s = sigmoid(self)
    return grad * (s * (1 + self * (1 - s)))


@op(
    r"\mathrm{{mish}}({self})",
    self=lambda grad, self: mish_backward(grad, self),
    fused=True,
    node="MishBackward0",
    name="mish",
    real_only="mish_cpu",
)
def _mish(self):
    """`x * tanh(softplus(x))`."""
    return self * near(np.tanh, _softplus._op.forward(self, 1.0, 20.0))


def mish_backward(grad, self):
    """The derivative of mish."""
    t = tanh(_softplus(self, 1.0, 20.0))
    return grad * (t + self * (1 - t * t) * sigmoid(self))


@op(
    r"\mathrm{{hardswish}}({self})",
    traits="flat_below",
    self=lambda grad, self: where(self <= -3, 0.0, where(self < 3, grad * (self / 3 + 0.5), grad)),
    fused=True,
    node="HardswishBackward0",
    name="hardswish",
    real_only="hardswish_cpu",
)
def _hardswish(self):
    """`x * hardsigmoid(x)`."""
    return self * np.minimum(np.maximum(self + 3, 0), 6) / 6


@op(
    r"\mathrm{{hardsigmoid}}({self})",
    traits="flat_below",
    self=lambda grad, self: where((self > -3) & (self < 3), grad / 6, 0.0),
    fused=True,
    node="HardsigmoidBackward0",
    name="hardsigmoid",
    real_only="hardsigmoid_cpu",
)
def _hardsigmoid(self):
    """`(x + 3) / 6`, kept between 0 and 1."""
    return np.minimum(np.maximum(self + 3, 0), 6) / 6


_silu_in_place = in_place(TABLE["_silu"])
_mish_in_place = in_place(TABLE["_mish"])
_hardswish_in_place = in_place(TABLE["_hardswish"])
_hardsigmoid_in_place = in_place(TABLE["_hardsigmoid"])


@function
def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """`x * sigmoid(x)`."""
    floating_only("silu_cpu", input)
    return (_silu_in_place if inplace else _silu)(input)


@function
def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """`x * tanh(softplus(x))`."""
    floating_only("mish_cpu", input)
    return (_mish_in_place if inplace else _mish)(input)


@function
def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """`x * hardsigmoid(x)`."""
    floating_only("hardswish_cpu", input)
    return (_hardswish_in_place if inplace else _hardswish)(input)


@function
def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """`(x + 3) / 6`, kept between 0 and 1."""
    floating_only("hardsigmoid_cpu", input)
    return (_hardsigmoid_in_place if inplace else _hardsigmoid)(input)


LIMIT = since("2.15", in_range, before=lambda value, d, which: value)
"""A limit in the dtype of the tensor."""
UNSIGNED = since("2.15", "", before="cannot do hardtanh on an unsigned type with negative limits")
"""What is said of a limit that no unsigned number reaches; "" where it is taken."""


@op(
    r"\mathrm{{hardtanh}}({self})",
    traits="flat_outside",
    self=lambda grad, self, min_val, max_val: where((self <= min_val) | (self >= max_val), 0.0, grad),
    node="HardtanhBackward0",
    name="hardtanh",
    real_only="clamp is not supported for complex types",
)
def _hardtanh(self, min_val, max_val):
    """Each element moved into the interval from `min_val` to `max_val`."""
    least, most = LIMIT.now(min_val, self.dtype, "min"), LIMIT.now(max_val, self.dtype, "max")
    return np.minimum(np.maximum(self, self.dtype.type(least)), self.dtype.type(most))


_hardtanh_in_place = in_place(TABLE["_hardtanh"])


@function
def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """Each element moved into the interval from `min_val` to `max_val`."""
    if input._array.dtype.kind == "b":
        raise UNIMPLEMENTED.now("Bool inputs not supported for hardtanh")
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    if input._array.dtype.kind == "u" and min_val < 0 and UNSIGNED.now:
        raise RuntimeError(UNSIGNED.now)
    return (_hardtanh_in_place if inplace else _hardtanh)(input, min_val, max_val)


@function
def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """In-place version of `hardtanh`."""
    return hardtanh(input, min_val, max_val, True)


@function(traits="relu flat_below")
def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Each element moved into the interval from 0 to 6."""
    return (_hardtanh_in_place if inplace else _hardtanh)(input, 0, 6)


# --- shrinkage -------------------------------------------------------------------------------------------------------------


def shrink_backward(grad, self, lambd):
    """`grad`, zero between `-lambd` and `lambd`."""
    return where((self >= -lambd) & (self <= lambd), 0.0, grad)


@op(
    r"\mathrm{{hardshrink}}({self})",
    traits="flat_outside",
    self=lambda grad, self, lambd: shrink_backward(grad, self, lambd),
    node="HardshrinkBackward0",
    name="hardshrink",
    real_only="hardshrink_cpu",
)
def _hardshrink(self, lambd):
    """Each element, zero between `-lambd` and `lambd`."""
    return np.where((self >= -lambd) & (self <= lambd), self.dtype.type(0), self)


@op(
    r"\mathrm{{softshrink}}({self})",
    traits="flat_outside",
    self=lambda grad, self, lambd: shrink_backward(grad, self, lambd),
    node="SoftshrinkBackward0",
    name="softshrink",
    real_only="softshrink_check",
)
def _softshrink(self, lambd):
    """Each element moved towards zero by `lambd`, and no further than zero."""
    return np.where(self > lambd, self - lambd, np.where(self < -lambd, self + lambd, self * 0))


@function
def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Each element, zero between `-lambd` and `lambd`."""
    floating_only("hardshrink_cpu", input)
    return _hardshrink(input, real(lambd))


@function
def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Each element moved towards zero by `lambd`, and no further than zero."""
    floating_only("softshrink_check", input)
    if lambd < 0:
        top = float(np.finfo(input._array.dtype).max)
        raise RuntimeError(
            f"lambda must be in range [0, {top:g}] for input dtype {SCALAR_NAMES[input.dtype]}, but found {lambd:g}"
        )
    return _softshrink(input, real(lambd))
