"""Special functions: error functions, gamma functions, Bessel functions, logits. The values are SciPy's."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ...lazy import Late
from ...op.declare import function, op
from ...tensor import Tensor
from .comparison import where
from .unary import abs as absolute
from .unary import cos, exp, log, log1p, refused, sign, sin

ELEMENTWISE = True

if TYPE_CHECKING:
    import scipy.special as sc
else:
    sc = Late("scipy.special")

TWO_OVER_ROOT_PI = 2.0 / math.sqrt(math.pi)


def precisely(f, *arrays):
    """SciPy's function in double precision, rounded to the arrays' dtype."""
    wide = [np.asarray(a, np.float64) for a in arrays]
    return np.asarray(f(*wide), arrays[-1].dtype)


# --- error functions -------------------------------------------------------------------------------------------------------


@op(
    r"\mathrm{{erf}}({self})",
    traits="saturates",
    floating=True,
    self=lambda grad, self: grad * (TWO_OVER_ROOT_PI * exp(-(self * self))),
    real_only="erf_vml_cpu",
)
def erf(self):
    """The error function of each element."""
    return np.asarray(sc.erf(self), self.dtype)


@op(
    r"\mathrm{{erfc}}({self})",
    floating=True,
    self=lambda grad, self: grad * (-TWO_OVER_ROOT_PI * exp(-(self * self))),
    real_only="erfc_vml_cpu",
)
def erfc(self):
    """`1 - erf(x)`, exact for large x."""
    return np.asarray(sc.erfc(self), self.dtype)


@op(
    r"\mathrm{{erf}}^{{-1}}({self})",
    floating=True,
    self=lambda grad, result: grad * (0.5 * math.sqrt(math.pi) * exp(result * result)),
    real_only="erfinv_vml_cpu",
)
def erfinv(self):
    """The inverse of the error function."""
    return precisely(sc.erfinv, self)


@op(
    r"e^{{ {self}^2 }} \mathrm{{erfc}}({self})",
    floating=True,
    self=lambda grad, self, result: grad * (2.0 * self * result - TWO_OVER_ROOT_PI),
    real_only="erfcx_cpu",
)
def special_erfcx(self):
    """The scaled complementary error function, `exp(x²) erfc(x)`."""
    return precisely(sc.erfcx, self)


@function
def special_ndtr(input: Tensor) -> Tensor:
    """The distribution function of the standard normal distribution."""
    x = input * math.sqrt(0.5)
    return where(x < -1, erfc(-x), 1 + erf(x)) * 0.5


@op(
    r"\Phi^{{-1}}({self})",
    floating=True,
    self=lambda grad, result: grad * (math.sqrt(2 * math.pi) * exp(result * result * 0.5)),
    real_only="ndtri_cpu",
)
def special_ndtri(self):
    """The inverse of the standard normal distribution function."""
    return precisely(sc.ndtri, self)


@op(
    r"\ln \Phi({self})",
    floating=True,
    self=lambda grad, self: grad * (math.sqrt(2 / math.pi) / special_erfcx(self * (-math.sqrt(0.5)))),
    real_only="log_ndtr_cpu",
)
def special_log_ndtr(self):
    """The logarithm of the standard normal distribution function."""
    return precisely(sc.log_ndtr, self)


# --- gamma functions -------------------------------------------------------------------------------------------------------


@op(r"\ln \Gamma({self})", floating=True, self=lambda grad, self: grad * digamma(self), real_only="lgamma_vml_cpu")
def lgamma(self):
    """The logarithm of the absolute value of the gamma function."""
    return precisely(sc.gammaln, self)


@op(r"\psi({self})", floating=True, self=lambda grad, self: grad * _polygamma(self, 1), real_only="digamma")
def digamma(self):
    """The derivative of lgamma."""
    return _digamma(self)


def _digamma(self):
    out = precisely(sc.psi, self)
    # At zero PyTorch has an infinity of the other sign, at negative integers NaN.
    out = np.where(self == 0, -np.copysign(np.inf, self), out)
    return np.where((self < 0) & (self == np.floor(self)), np.nan, out).astype(self.dtype)


@op(
    r"\psi^{{({n})}}({self})",
    traits="tensors_only",
    floating=True,
    self=lambda grad, self, n: grad * _polygamma(self, n + 1),
    node="PolygammaBackward0",
    name="polygamma",
    real_only="trigamma",
)
def _polygamma(self, n):
    """The `n`-th derivative of digamma."""
    if n == 0:
        return _digamma(self)
    if n == 1:
        return precisely(_trigamma, self)
    factor = (-1.0) ** (n + 1) * math.gamma(n + 1)
    return precisely(lambda x: factor * sc.zeta(n + 1, x), self)


def _trigamma(x):
    # By reflection for what lies left of one half: ψ₁(1 - x) + ψ₁(x) = π² / sin²(πx).
    left = x < 0.5
    mirrored = np.where(left, 1 - x, x)
    value = sc.zeta(2, mirrored)
    return np.where(left, (math.pi / np.sin(math.pi * x)) ** 2 - value, value)


@function
def polygamma(n: int, input: Tensor) -> Tensor:
    """The `n`-th derivative of digamma."""
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    return _polygamma(input, n)


@function
def method_polygamma(input: Tensor, n: int) -> Tensor:
    """The `n`-th derivative of digamma."""
    return polygamma(n, input)


@op(
    r"\ln \Gamma_{{ {p} }}({self})",
    floating=True,
    self=lambda grad, self, p: multigamma_backward(grad, self, p),
    node="MvlgammaBackward0",
    layout="rows",
)
def mvlgamma(self, p):
    """The logarithm of the multivariate gamma function of dimension `p`."""
    if (self <= (p - 1) / 2).any():
        raise RuntimeError("All elements must be greater than (p-1)/2")
    return precisely(lambda x: sc.multigammaln(x, p) if x.size else x, self)


def multigamma_backward(grad, self, p):
    """The derivative of mvlgamma: a sum of digammas, half a unit apart."""
    total = digamma(self)
    for j in range(1, p):
        total = total + digamma(self - 0.5 * j)
    return grad * total


@op(
    r"P({self}, {other})",
    traits="tensors_only",
    floating=True,
    self=lambda grad: refused("igamma: input"),
    other=lambda grad, self, other: grad * exp((self - 1) * log(other) - other - lgamma(self)),
    name="igamma",
    real_only="igamma_cpu",
)
def igamma(self, other):
    """The regularised lower incomplete gamma function."""
    return precisely(sc.gammainc, self, other)


@op(
    r"Q({self}, {other})",
    traits="tensors_only",
    floating=True,
    self=lambda grad: refused("igammac: input"),
    other=lambda grad, self, other: -grad * exp((self - 1) * log(other) - other - lgamma(self)),
    name="igammac",
    real_only="igammac_cpu",
)
def igammac(self, other):
    """The regularised upper incomplete gamma function."""
    return precisely(sc.gammaincc, self, other)


@op(
    r"\zeta({self}, {other})",
    traits="one_number",
    floating=True,
    self=lambda grad: refused("zeta"),
    other=lambda grad, self, other: grad * (-self * special_zeta(self + 1.0, other)),
    real_only="zeta_cpu",
)
def special_zeta(self, other):
    """The Hurwitz zeta function."""
    return precisely(sc.zeta, self, other)


# --- entropies and logits --------------------------------------------------------------------------------------------------


def xlog_ratio(self, other):
    """`self / other`, zero where `self` is and `other` is not above zero."""
    return where((self == 0) & (other <= 0), 0.0, self / other)


@op(
    r"{self} \ln {other}",
    traits="logarithm one_number",
    floating=True,
    self=lambda grad, self, other: grad * where((self == 0) & (other <= 0), 0.0, log(other)),
    other=lambda grad, self, other: grad * self / other,
    node="XlogyBackward0",
    real_only="xlogy_cpu",
)
def xlogy(self, other):
    """`x log(y)`, zero where x is."""
    return np.asarray(sc.xlogy(self, other), self.dtype)


@op(
    r"{self} \ln(1 + {other})",
    traits="one_number",
    floating=True,
    self=lambda grad, self, other: grad * where((self == 0) & (other <= -1), 0.0, log1p(other)),
    other=lambda grad, self, other: grad * self / (other + 1),
    node="SpecialXlog1PyBackward0",
    real_only="xlog1py_cpu",
)
def special_xlog1py(self, other):
    """`x log(1 + y)`, zero where x is."""
    return np.asarray(sc.xlog1py(self, other), self.dtype)


@op(
    r"-{self} \ln {self}",
    floating=True,
    self=lambda grad, self: grad * where(self < 0, math.nan, -log(self) - 1),
)
def special_entr(self):
    """`-x log(x)`, the summand of the entropy."""
    return np.asarray(sc.entr(self), self.dtype)


@op(
    r"\mathrm{{logit}}({self})",
    floating=True,
    self=lambda grad, self, eps: logit_backward(grad, self, eps),
    node="LogitBackward0",
    real_only="logit_cpu",
)
def logit(self, eps=None):
    """`log(x / (1 - x))`; with `eps`, of x moved into [eps, 1 - eps]."""
    z = self if eps is None else np.clip(self, self.dtype.type(eps), self.dtype.type(1 - eps))
    return np.log(z / (1 - z))


def logit_backward(grad, self, eps):
    """The derivative of logit: zero where it was moved, NaN outside [0, 1]."""
    slope = grad / (self * (1 - self))
    if eps is None:
        return where((self < 0) | (self > 1), math.nan, slope)
    return where((self < eps) | (self > 1 - eps), 0.0, slope)


@op(r"\mathrm{{sinc}}({self})", floating=True, self=lambda grad, self: sinc_backward(grad, self))
def sinc(self):
    """`sin(πx) / (πx)`, one at zero."""
    return np.sinc(self)


def sinc_backward(grad, self):
    """The derivative of sinc, zero at zero."""
    x = self * math.pi
    safe = where(self == 0, 1.0, self)
    return where(self == 0, 0.0, grad * ((x * cos(x) - sin(x)) / (safe * x)))


# --- Bessel functions ------------------------------------------------------------------------------------------------------


@op(r"I_0({self})", floating=True, self=lambda grad, self: grad * special_i1(self), real_only="i0_vml_cpu")
def i0(self):
    """The modified Bessel function of order 0."""
    return precisely(sc.i0, self)


@op(
    r"e^{{-|{self}|}} I_0({self})",
    floating=True,
    self=lambda grad, self, result: grad * (special_i1e(self) - sign(self) * result),
    real_only="i0e_cpu",
)
def special_i0e(self):
    """The modified Bessel function of order 0, scaled by `exp(-|x|)`."""
    return precisely(sc.i0e, self)


@op(r"I_1({self})", floating=True, self=lambda grad, self, result: i1_backward(grad, self, result), real_only="i1_cpu")
def special_i1(self):
    """The modified Bessel function of order 1."""
    return precisely(sc.i1, self)


def i1_backward(grad, self, result):
    """The derivative of i1: one half at zero."""
    safe = where(absolute(self) > 1e-12, self, 1.0)
    return grad * where(absolute(self) > 1e-12, i0(self) - result / safe, 0.5)


@op(
    r"e^{{-|{self}|}} I_1({self})",
    floating=True,
    self=lambda grad, self, result: i1e_backward(grad, self, result),
    real_only="i1e_cpu",
)
def special_i1e(self):
    """The modified Bessel function of order 1, scaled by `exp(-|x|)`."""
    return precisely(sc.i1e, self)


def i1e_backward(grad, self, result):
    """The derivative of i1e: one half at zero."""
    safe = where(absolute(self) > 1e-12, self, 1.0)
    return grad * where(absolute(self) > 1e-12, special_i0e(self) - result * (sign(self) + 1 / safe), 0.5)


def _plain(name: str, f: Any, doc: str, latex: str) -> Any:
    """A special function of one argument that has no derivative in PyTorch; `f` may be the name of SciPy's."""

    def value(self):
        return precisely(getattr(sc, f) if isinstance(f, str) else f, self)

    value.__name__, value.__doc__ = f"special_{name}", doc
    return op(rf"{latex}({{self}})", floating=True, self=None, real_only=f"{name}_cpu")(value)


special_bessel_j0 = _plain("bessel_j0", "j0", "The Bessel function of the first kind of order 0.", "J_0")
special_bessel_j1 = _plain("bessel_j1", "j1", "The Bessel function of the first kind of order 1.", "J_1")
special_bessel_y0 = _plain("bessel_y0", "y0", "The Bessel function of the second kind of order 0.", "Y_0")
special_bessel_y1 = _plain("bessel_y1", "y1", "The Bessel function of the second kind of order 1.", "Y_1")
special_modified_bessel_i0 = _plain("modified_bessel_i0", "i0", "The modified Bessel function of order 0.", "I_0")
special_modified_bessel_i1 = _plain("modified_bessel_i1", "i1", "The modified Bessel function of order 1.", "I_1")
special_modified_bessel_k0 = _plain(
    "modified_bessel_k0", "k0", "The modified Bessel function of the second kind, order 0.", "K_0"
)
special_modified_bessel_k1 = _plain(
    "modified_bessel_k1", "k1", "The modified Bessel function of the second kind, order 1.", "K_1"
)
special_scaled_modified_bessel_k0 = _plain("scaled_modified_bessel_k0", "k0e", "`exp(x) K₀(x)`.", "e^x K_0")
special_scaled_modified_bessel_k1 = _plain("scaled_modified_bessel_k1", "k1e", "`exp(x) K₁(x)`.", "e^x K_1")
special_airy_ai = _plain("airy_ai", lambda x: sc.airy(x)[0], "The Airy function Ai.", r"\mathrm{{Ai}}")
special_spherical_bessel_j0 = _plain("spherical_bessel_j0", lambda x: np.sinc(x / np.pi), "`sin(x) / x`.", "j_0")

special_psi, special_gammaln, special_gammainc, special_gammaincc = digamma, lgamma, igamma, igammac
special_multigammaln, special_xlogy, special_logit = mvlgamma, xlogy, logit
