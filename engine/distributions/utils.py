"""`torch.distributions.utils`: parameters brought to one shape, probabilities and logits, matrices as vectors."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

from ..autograd.grad_mode import enable_grad
from ..compat.classes import known_as
from ..dtypes import dtype as Dtype
from ..dtypes import finfo, get_default_dtype
from .operations import NUMBERS, F, Size, T, Tensor

__all__ = [
    "broadcast_all", "clamp_probs", "lazy_property", "logits_to_probs", "probs_to_logits", "tril_matrix_to_vec",
    "vec_to_tril_matrix",
]  # fmt: skip

euler_constant = 0.57721566490153286060


def broadcast_all(*values: Any) -> Any:
    """Tensors and numbers as tensors of one shape; numbers take the dtype of the first tensor.

    Raises:
        ValueError: for what is neither.
    """
    if not all(isinstance(v, (Tensor, *NUMBERS)) for v in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
        )
    dtype = next((v.dtype for v in values if isinstance(v, Tensor)), get_default_dtype())
    return T.broadcast_tensors(*(v if isinstance(v, Tensor) else T.tensor(v, dtype=dtype) for v in values))


def _standard_normal(shape: Any, dtype: Dtype) -> Any:
    return T.empty(shape, dtype=dtype).normal_()


def _sum_rightmost(value: Any, dim: int) -> Any:
    """The sum over the last `dim` dimensions."""
    return value if dim == 0 else value.reshape(value.shape[:-dim] + (-1,)).sum(-1)


def logits_to_probs(logits: Any, is_binary: bool = False) -> Any:
    """Probabilities of log odds (`is_binary`), or of log probabilities along the last dimension."""
    return T.sigmoid(logits) if is_binary else F.softmax(logits, dim=-1)


def clamp_probs(probs: Any) -> Any:
    """Probabilities moved away from 0 and 1, by the dtype's precision."""
    eps = finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Any, is_binary: bool = False) -> Any:
    """Log odds of probabilities (`is_binary`), or their logarithms."""
    inner = clamp_probs(probs)
    return T.log(inner) - T.log1p(-inner) if is_binary else T.log(inner)


class lazy_property:  # noqa: N801
    """A property that is computed when it is first asked for, with gradients on, and then is an attribute like others."""

    def __init__(self, wrapped: Callable[[Any], Any]) -> None:
        self.wrapped = wrapped
        functools.update_wrapper(self, wrapped)  # type: ignore[arg-type]

    def __get__(self, instance: Any, obj_type: Any = None) -> Any:
        if instance is None:
            return self._of_class
        with enable_grad():
            value = self.wrapped(instance)
        name = self.wrapped.__name__
        if type(name) is str and name[:1] != "_":  # a program can call its function as it likes
            setattr(instance, name, value)
        return value

    @functools.cached_property
    def _of_class(self) -> Any:
        """What the class shows for it."""
        return _lazy_property_and_property(self.wrapped)


class _lazy_property_and_property(lazy_property, property):  # noqa: N801
    """What a class shows for it: both."""

    def __init__(self, wrapped: Callable[[Any], Any]) -> None:
        property.__init__(self, wrapped)


def _below(n: int, diag: int) -> Any:
    """Which elements of an n by n matrix stand on or below a diagonal."""
    column = T.arange(n)
    return column < column.view(-1, 1) + (diag + 1)


def tril_matrix_to_vec(mat: Any, diag: int = 0) -> Any:
    """The elements on and below a diagonal, row by row, (…, n, n) to (…, k)."""
    n = mat.shape[-1]
    if not -n <= diag < n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    return mat[..., _below(n, diag)]


def vec_to_tril_matrix(vec: Any, diag: int = 0) -> Any:
    """The matrix that has these elements on and below a diagonal, (…, k) to (…, n, n)."""
    # A matrix of n rows has n (n + 1 + 2 diag) / 2 elements there, less diag (diag + 1) / 2 where rows are empty.
    length, linear = vec.shape[-1], 1 + 2 * diag
    n = (math.sqrt(linear**2 + 8 * length + 4 * abs(diag) * (diag + 1)) - linear) / 2
    if round(n) - n > finfo(vec.dtype).eps:
        raise ValueError(
            f"The size of last dimension is {length} which cannot be expressed as the lower triangular part of a square "
            "D x D matrix."
        )
    mat = vec.new_zeros(vec.shape[:-1] + Size((round(n), round(n))))
    mat[..., _below(round(n), diag)] = vec
    return mat


def shape_of(shape: Sequence[int]) -> Size:
    """A shape as `torch.Size`."""
    return shape if isinstance(shape, Size) else Size(shape)


known_as("torch.distributions.utils", lazy_property, _lazy_property_and_property)
