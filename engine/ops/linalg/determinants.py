"""Determinants and their logarithms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...dtypes import real_of
from ...op.codegen import named_result
from ...op.declare import function, op
from ...tensor import Tensor
from ..pointwise.comparison import where
from ..pointwise.unary import is_complex, log
from ..shape.joining import _take_slice
from ..shape.reshaping import _reshape
from .matrices import as_diag, check, conjugated, joined, mH, mT
from .solving import _inv
from .spectral import _svd_all


@op(r"\det {A}", A=lambda grad, A, result: det_backward(grad, A, result), node="LinalgDetBackward0", name="det")
def _det(A):
    """Determinants of the matrices."""
    return np.linalg.det(A).astype(A.dtype)


def det_backward(grad, A, result):
    """The cofactors; for singular matrices by singular values, as there is no inverse."""
    g = _reshape(grad, (*grad.shape, 1, 1))
    if not singular(A):
        return g * _reshape(result, (*result.shape, 1, 1)) * mT(_inv(A))
    u, s, vh = _svd_all(A)
    others = _reshape(_det(u) * _det(vh), (*result.shape, 1)) * products_of_others(s)
    return g * (conjugated(u) @ as_diag(others) @ conjugated(vh))


def singular(A):
    """Whether one of the matrices has a determinant of (nearly) zero."""
    a = A if isinstance(A, np.ndarray) else A._array
    if not a.size:
        return False
    s = np.linalg.svd(a, compute_uv=False)
    return bool((s[..., -1] <= s[..., 0] * np.finfo(a.dtype).eps * a.shape[-1]).any())


def products_of_others(s):
    """For each element of the last dimension the product of the others."""
    n = s.shape[-1]
    d = s.ndim - 1
    before, after = [ones_like_part(s)], [ones_like_part(s)]
    for k in range(n - 1):
        before.append(before[-1] * _take_slice(s, d, k, k + 1, 1))
        after.append(after[-1] * _take_slice(s, d, n - 1 - k, n - k, 1))
    return joined([b * a for b, a in zip(before, after[::-1], strict=True)], d)


def ones_like_part(s):
    """Ones in the shape of one slice along the last dimension."""
    return _take_slice(s, s.ndim - 1, 0, 1, 1) * 0 + 1


@function
def det(A: Tensor) -> Tensor:
    """The determinants of square matrices, (…, n, n) to (…)."""
    check("det", A)
    return _det(A)


@op(
    r"\ln |\det {A}|",
    A=lambda grads, A, sign: slogdet_backward(grads, A, sign),
    outputs=("sign", "logabsdet"),
    node="LinalgSlogdetBackward0",
    name="slogdet",
    holomorphic=False,
)
def _slogdet(A):
    """Signs and logarithms of the absolute values of determinants."""
    sign, value = np.linalg.slogdet(A)
    return sign.astype(A.dtype), value.astype(real_of(A.dtype))


def slogdet_backward(grads, A, sign):
    """The derivative of sign and logarithm of a determinant; a real sign has none."""
    g = grads[1]
    if is_complex(A):
        turn = conjugated(grads[0]) * sign
        g = g - (turn - conjugated(turn)) * 0.5
    return _reshape(g, (*g.shape, 1, 1)) * mH(_inv(A))


@function
def slogdet(A: Tensor) -> Any:
    """The sign and the logarithm of the absolute value of the determinants."""
    check("slogdet", A)
    return named_result("slogdet", ("sign", "logabsdet"))(*_slogdet(A))


@function
def linalg_slogdet(A: Tensor) -> Any:
    """The sign and the logarithm of the absolute value of the determinants."""
    check("slogdet", A)
    return named_result("linalg_slogdet", ("sign", "logabsdet"))(*_slogdet(A))


@function
def logdet(A: Tensor) -> Tensor:
    """The logarithm of the determinants; NaN where they are negative."""
    check("slogdet", A)
    sign, value = _slogdet(A)
    if is_complex(A):
        return log(sign) + value
    return where(sign == -1, math.nan, value)
