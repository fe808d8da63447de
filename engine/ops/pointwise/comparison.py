"""Comparison, logic, and choices made by them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import dtypes
from ...compat.version import since
from ...context import outside, warn_once
from ...dtypes import held_in, result_dtype
from ...errors import refuses_complex, sizes_mismatch
from ...op.declare import function, op
from ...tensor import Tensor, constant
from .unary import isfinite  # noqa: F401  (public here as well)

ELEMENTWISE = True


@op(r"{self} = {other}", symbol="==", traits="compares infix", self=None, other=None)
def eq(self, other):
    """Whether elements are equal."""
    return np.equal(self, other)


@op(r"{self} \ne {other}", symbol="≠", traits="compares infix", self=None, other=None)
def ne(self, other):
    """Whether elements differ."""
    return np.not_equal(self, other)


@op(r"{self} < {other}", symbol="<", traits="compares infix", self=None, other=None, real_only="lt_cpu")
def lt(self, other):
    """Whether elements are less."""
    return np.less(self, other)


@op(r"{self} \le {other}", symbol="≤", traits="compares infix", self=None, other=None, real_only="le_cpu")
def le(self, other):
    """Whether elements are less or equal."""
    return np.less_equal(self, other)


@op(r"{self} > {other}", symbol=">", traits="compares infix", self=None, other=None, real_only="gt_cpu")
def gt(self, other):
    """Whether elements are greater."""
    return np.greater(self, other)


@op(r"{self} \ge {other}", symbol="≥", traits="compares infix", self=None, other=None, real_only="ge_cpu")
def ge(self, other):
    """Whether elements are greater or equal."""
    return np.greater_equal(self, other)


@op(r"\neg {self}", traits="compares", self=None)
def logical_not(self):
    """Whether elements are zero."""
    return np.logical_not(self)


@op(r"{self} \land {other}", traits="compares tensors_only", self=None, other=None)
def logical_and(self, other):
    """Whether both elements are non-zero."""
    return np.logical_and(self, other)


@op(r"{self} \lor {other}", traits="compares tensors_only", self=None, other=None)
def logical_or(self, other):
    """Whether one of the elements is non-zero."""
    return np.logical_or(self, other)


@op(r"{self} \oplus {other}", traits="compares tensors_only", self=None, other=None)
def logical_xor(self, other):
    """Whether exactly one of the elements is non-zero."""
    return np.logical_xor(self, other)


@op(r"\sim {self}", self=None)
def bitwise_not(self):
    """The bits inverted; of bools, the opposite."""
    _integral("bitwise_not", self)
    return np.invert(self)


def inverted(input: Tensor) -> Tensor:
    """`~x`: the bits inverted; of bools, the opposite."""
    if input._array.dtype.kind in dtypes.INEXACT:
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    made: Tensor = bitwise_not(input)
    return made


@op(r"{self} \,\&\, {other}", traits="one_number", self=None, other=None, real_only="bitwise_and_cpu")
def bitwise_and(self, other):
    """The bits both have."""
    _integral("bitwise_and", self)
    return np.bitwise_and(self, other)


@op(r"{self} \,|\, {other}", traits="one_number", self=None, other=None, real_only="bitwise_or_cpu")
def bitwise_or(self, other):
    """The bits one of them has."""
    _integral("bitwise_or", self)
    return np.bitwise_or(self, other)


@op(r"{self} \oplus {other}", traits="one_number", self=None, other=None, real_only="bitwise_xor_cpu")
def bitwise_xor(self, other):
    """The bits exactly one of them has."""
    _integral("bitwise_xor", self)
    return np.bitwise_xor(self, other)


def _integral(name, array, refused=dtypes.INEXACT):
    if array.dtype.kind in refused:
        kind = dtypes.SCALAR_NAMES[dtypes.OF_NUMPY[array.dtype]]
        raise NotImplementedError(f"\"{name}_cpu\" not implemented for '{kind}'")


@op(r"\mathrm{{isnan}}({self})", traits="compares", self=None)
def isnan(self):
    """Whether elements are NaN."""
    return np.isnan(self)


@op(r"\mathrm{{isinf}}({self})", traits="compares", self=None)
def isinf(self):
    """Whether elements are infinite."""
    return np.isinf(self)


@op(r"{self} = +\infty", traits="compares", self=None, real_only=refuses_complex("isposinf does not support complex inputs."))
def isposinf(self):
    """Whether elements are positive infinity."""
    return np.isposinf(self) if self.dtype.kind == "f" else np.zeros(self.shape, bool)


@op(r"{self} = -\infty", traits="compares", self=None, real_only=refuses_complex("isneginf does not support complex inputs."))
def isneginf(self):
    """Whether elements are negative infinity."""
    return np.isneginf(self) if self.dtype.kind == "f" else np.zeros(self.shape, bool)


@op(r"{self} \ll {other}", traits="one_number", self=None, other=None)
def bitwise_left_shift(self, other):
    """The bits moved to the left."""
    _integral("lshift", self, dtypes.INEXACT + "b")
    return np.left_shift(self, other)


@op(r"{self} \gg {other}", traits="one_number", self=None, other=None)
def bitwise_right_shift(self, other):
    """The bits moved to the right."""
    _integral("rshift", self, dtypes.INEXACT + "b")
    return np.right_shift(self, other)


@op(
    r"\mathrm{{where}}({condition}, {self}, {other})",
    traits="given leaves_out branches",
    condition=None,
    self=lambda grad, condition: where(condition, grad, 0.0),
    other=lambda grad, condition: where(condition, 0.0, grad),
    broadcast=("self", "other"),
    node="WhereBackward0",
    name="where",
)
def _where(condition, self, other):
    """`self` where the condition holds, else `other`."""
    return np.where(condition, self, other)


@function
def where(condition, input=None, other=None):
    """`input` where `condition` holds, else `other`; with the condition alone, the indices where it holds."""
    if condition.__class__ is np.ndarray or isinstance(condition, np.ndarray | np.bool_):
        return _on_arrays(condition, input, other)
    if input is None and other is None:
        return tuple(constant(i) for i in np.nonzero(condition._array))
    if condition.dtype.name not in ("bool", "uint8"):
        raise RuntimeError(
            f"where expected condition to be a boolean tensor, but got a tensor with dtype {_scalar_name(condition)}"
        )
    if condition._array.dtype == np.uint8:
        warn_once(
            "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future version of "
            "PyTorch. Use a boolean condition instead.",
            outside(),
        )
    if input.__class__ is not other.__class__:
        input, other = _beside(input, other), _beside(other, input)
    return _where(condition, input, other)


def _beside(value, other):
    """A number beside a tensor as PyTorch makes it one of the result's dtype, or its error if it is too large."""
    if not isinstance(other, Tensor) or isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    d = result_dtype((other._array, value))
    if d.kind == "f" and d.itemsize == 4 and abs(value) > np.finfo(d).max and math.isfinite(value):
        raise RuntimeError("value cannot be converted to type float without overflow")
    return held_in(value, d)


def _on_arrays(condition, input, other):
    """`np.where` in the dtype of the floating point operand."""
    return np.where(condition, input, other)


def _scalar_name(tensor: Tensor) -> str:
    from ...dtypes import SCALAR_NAMES

    return SCALAR_NAMES[tensor.dtype]


def in_range(value, d, which):
    """A bound as whole numbers of a dtype have it: the end of their range instead of what lies beyond it.

    Raises:
        RuntimeError: if every number lies beyond it.
    """
    if d.kind not in "iu" or isinstance(value, complex):
        return dtypes.held_in(value, d)
    least, most = int(np.iinfo(d).min), int(np.iinfo(d).max)
    if value > most if which == "min" else value < least:
        name = dtypes.SCALAR_NAMES[dtypes.OF_NUMPY[d]]
        raise RuntimeError(f"Clamp {which} value {value} is outside the representable range of {name}")
    return int(min(max(value, least), most))


BOUND = since("2.15", in_range, before=lambda value, d, which: dtypes.held_in(value, d))
"""A bound of `clamp` in the dtype of the tensor."""


@op(
    r"\mathrm{{clamp}}({self}, {min}, {max})",
    traits="flat_outside",
    self=lambda grad, self, min, max: where(within(self, min, max), grad, 0.0),
    node="ClampBackward1",
    name="clamp",
    real_only="clamp is not supported for complex types",
)
def _clamp(self, min, max):
    """Each element moved into the interval from `min` to `max`, numbers."""
    if self.dtype.kind != "f" and any(isinstance(x, float) for x in (min, max)):
        self = self.astype(np.float32)
    elif self.dtype.kind == "b" and any(type(x) is int for x in (min, max)):
        self = self.astype(np.int64)
    # PyTorch lets max win where min is larger.
    if min is not None:
        self = np.maximum(self, self.dtype.type(BOUND.now(min, self.dtype, "min")))
    return self if max is None else np.minimum(self, self.dtype.type(BOUND.now(max, self.dtype, "max")))


def within(self, min, max):
    """Whether elements lie in the interval, bounds included."""
    if min is None:
        return self <= max
    return self >= min if max is None else (self >= min) & (self <= max)


@op(
    r"\mathrm{{clamp}}({self}, {min}, {max})",
    self=lambda grad, self, min, max: where(within(self, min, max), grad, 0.0),
    min=lambda grad, self, min, max: where(below(self, min, max), grad, 0.0),
    max=lambda grad, self, min, max: where(above(self, min, max), grad, 0.0),
    node="ClampBackward0",
    name="clamp",
    real_only="clamp is not supported for complex types",
)
def _clamp_tensors(self, min=None, max=None):
    """Each element moved into the interval from `min` to `max`, tensors."""
    if min is not None:
        self = np.maximum(self, min)
    return self if max is None else np.minimum(self, max)


def below(self, min, max):
    """Whether `min` decided the clamped element."""
    return self < min if max is None else (self < min) & (min < max)


def above(self, min, max):
    """Whether `max` decided the clamped element."""
    return self > max if min is None else (self > max) | (max < min)


@function(inplace=_clamp)
def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Each element moved into the interval from `min` to `max` (numbers or tensors)."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        return _clamp_tensors(input, min, max)
    return _clamp(input, min, max)


clip = clamp


def _one_sided(name: str, latex: str, choose: Any, keeps: Any) -> tuple[Any, Any]:
    """clamp_min or clamp_max, of a number and of a tensor."""
    bound = side = name.removeprefix("clamp_")

    def by_number(self, bound):
        if self.dtype.kind != "f" and isinstance(bound, float):
            self = self.astype(np.float32)
        return choose(self, self.dtype.type(BOUND.now(bound, self.dtype, side)))

    def by_tensor(self, bound):
        return choose(self, bound)

    made = []
    for k, f in enumerate((by_number, by_tensor)):
        f.__name__, f.__doc__ = f"_{name}_{k}", f"Each element, {'no smaller' if bound == 'min' else 'no larger'} than a bound."
        rules: dict[str, Any] = {"self": lambda grad, self, bound: where(keeps(self, bound), grad, 0.0)}
        if k:
            rules["bound"] = lambda grad, self, bound: where(keeps(self, bound), 0.0, grad)
        node = "Clamp" + bound.capitalize() + f"Backward{k}"
        refused = f"{choose.__name__}_cpu"
        made.append(op(latex, node=node, name=name, broadcast=("self", "bound") if k else (), real_only=refused, **rules)(f))
    return made[0], made[1]


_min_number, _min_tensor = _one_sided("clamp_min", r"\max({self}, {bound})", np.maximum, lambda x, b: x >= b)
_max_number, _max_tensor = _one_sided("clamp_max", r"\min({self}, {bound})", np.minimum, lambda x, b: x <= b)


@function(traits="relu flat_below")
def clamp_min(input: Tensor, min: Any) -> Tensor:
    """Each element no smaller than `min`, a number or a tensor."""
    return (_min_tensor if isinstance(min, Tensor) else _min_number)(input, min)


@function(traits="flat_outside")
def clamp_max(input: Tensor, max: Any) -> Tensor:
    """Each element no larger than `max`, a number or a tensor."""
    return (_max_tensor if isinstance(max, Tensor) else _max_number)(input, max)


@function(traits="compares")
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and elements."""
    return input._array.shape == other._array.shape and bool((input._array == other._array).all())


@function(traits="compares")
def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether all elements are within `atol + rtol * |other|` of each other."""
    return bool(isclose(input, other, rtol, atol, equal_nan).all())


@function(traits="compares")
def isclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Whether elements are within `atol + rtol * |other|` of each other."""
    for position, (name, x) in enumerate((("input", input), ("other", other)), 1):
        if not isinstance(x, Tensor):
            raise TypeError(f"isclose(): argument '{name}' (position {position}) must be Tensor, not {type(x).__name__}")
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{dtypes.SCALAR_NAMES[input.dtype]} did not match {dtypes.SCALAR_NAMES[other.dtype]}")
    for name, least in (("rtol", rtol), ("atol", atol)):
        if least < 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {least:g}")
    try:
        return constant(np.isclose(input._array, other._array, rtol, atol, equal_nan))
    except ValueError:
        raise sizes_mismatch(input._array.shape, other._array.shape) from None


greater, greater_equal, less, less_equal, not_equal = gt, ge, lt, le, ne
