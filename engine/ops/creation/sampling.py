"""Random tensors of the gamma, Dirichlet, Poisson and binomial distributions, and the derivatives of those that have one.

The gamma and Dirichlet distributions cannot be written as a function of noise and parameters, but their samples have
derivatives all the same: of x = F⁻¹(u; α) with u held fixed, -(∂F/∂α) / (∂F/∂x) (Figurnov, Mohamed and Mnih, 2018). PyTorch
approximates it, by other formulas in other regions; here are the same ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ... import dtypes, rejection
from ...lazy import Late
from ...op.declare import function, op
from ...tensor import Tensor
from ..pointwise.unary import refused, zeros_like_grad
from .generator import Generator, source

if TYPE_CHECKING:
    import scipy.special as sc
else:
    sc = Late("scipy.special")


@op(
    r"\mathrm{{Gamma}}({self}, 1)",
    traits="draws",
    self=lambda grad, self, result: grad * _standard_gamma_grad(self, result),
    name="_standard_gamma",
    node="StandardGammaBackward0",
)
def _standard_gamma(self, generator=None):
    """Gamma random numbers of the given shapes and rate 1."""
    return rejection.gamma(source(generator), self)


@op(
    r"\mathrm{{Poisson}}({self})",
    traits="draws",
    self=lambda grad: zeros_like_grad(grad),
    node="PoissonBackward0",
    name="poisson",
)
def _poisson(self, generator):
    """Poisson random numbers of the given rates."""
    if self.dtype.kind != "f":
        raise NotImplementedError(f"\"poisson_cpu\" not implemented for '{dtypes.SCALAR_NAMES[dtypes.OF_NUMPY[self.dtype]]}'")
    return rejection.poisson(source(generator), self)


@function(traits="draws")
def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Poisson random numbers of the given rates."""
    return _poisson(input, generator)


@op(
    r"\mathrm{{Binomial}}({count}, {prob})",
    traits="draws",
    count=lambda grad: refused("binomial"),
    prob=lambda grad: refused("binomial"),
    broadcast=("count", "prob"),
    node="NotImplemented",
    name="binomial",
)
def _binomial(count, prob, generator):
    """Numbers of successes among `count` trials, each of probability `prob`."""
    count, prob = np.broadcast_arrays(count, prob)
    return rejection.binomial(source(generator), count, prob)


@function(traits="draws")
def binomial(count: Tensor, prob: Tensor, generator: Generator | None = None) -> Tensor:
    """Numbers of successes among `count` trials, each of probability `prob`."""
    for name, given in (("count", count), ("prob", prob)):
        if not given.dtype.is_floating_point:
            raise ValueError(
                f"binomial only supports floating-point dtypes for {name}, got: {dtypes.SCALAR_NAMES[given.dtype]}"
            )
    return _binomial(count, prob, generator)


@op(
    r"\mathrm{{Dirichlet}}({self})",
    traits="draws",
    self=lambda grad: refused("_sample_dirichlet"),
    node="NotImplemented",
    name="_sample_dirichlet",
)
def _sample_dirichlet(self, generator=None):
    """Points of the simplex, along the last dimension."""
    return rejection.dirichlet(source(generator), self)


# --- the derivative of a gamma number ----------------------------------------------------------------------------------------


@op(
    r"\frac{{\partial\, {output} }}{{\partial\, {self} }}",
    self=lambda grad: refused("_standard_gamma_grad"),
    output=None,
    name="_standard_gamma_grad",
    node="NotImplemented",
)
def _standard_gamma_grad(self, output):
    """The derivative of gamma numbers by their shapes."""
    alpha, x = (np.asarray(a, np.float64) for a in (self, output))
    found = [
        (x < 0.8, _gamma_grad_small),
        (alpha <= 8.0, _gamma_grad_fitted),
        ((0.9 * alpha <= x) & (x <= 1.1 * alpha), _gamma_grad_near),
        (np.ones(x.shape, bool), _gamma_grad_far),
    ]
    return _by_region(found, alpha, x).astype(self.dtype)


def _by_region(regions, *arrays):
    """Each element by the formula of the first region that it lies in."""
    out = np.empty(arrays[0].shape)
    left = np.ones(out.shape, bool)
    for where, formula in regions:
        chosen = left & where
        if chosen.any():
            out[chosen] = formula(*(a[chosen] for a in arrays))
        left &= ~chosen
    return out


def _gamma_grad_small(alpha, x):
    """By the series of the incomplete gamma function, and its derivative term by term."""
    term, once, twice = np.ones_like(x), 1 / alpha, 1 / alpha**2
    for i in range(1, 6):
        term = term * (-x / i)
        once = once + term / (alpha + i)
        twice = twice + term / (alpha + i) ** 2
    density = x ** (alpha - 1) * np.exp(-x)
    slope = (np.log(x) - sc.psi(alpha)) * x**alpha * once - x**alpha * twice
    return np.nan_to_num(-slope / density, nan=0.0, posinf=np.inf, neginf=-np.inf)


def _gamma_grad_near(alpha, x):
    """For large shapes near the mean, where the other formula divides by zero: its expansion there."""
    first = 1 + 24 * alpha * (1 + 12 * alpha)
    second = 1440 * alpha**2 + 6 * x * (53 - 120 * x) - 65 * x * x / alpha + alpha * (107 + 3600 * x)
    return first * second / (1244160 * alpha**4)


def _gamma_grad_far(alpha, x):
    """For large shapes, by a saddle point."""
    width = np.sqrt(8 * alpha)
    edge = (x - alpha - alpha * np.log(x / alpha)) ** -1.5
    sides = width / (alpha - x) + np.where(x < alpha, -edge, edge)
    slope = np.log(x / alpha) * sides - np.sqrt(2 / alpha) * (alpha + x) / (alpha - x) ** 2
    stirling = 1 + 1 / (12 * alpha) * (1 + 1 / (24 * alpha))
    return -stirling * x * slope / width


GAMMA_FIT = np.array(
    [
        [0.16009398, -0.094634809, 0.025146376, -0.0030648343, 1, 0.32668115, 0.10406089, 0.0014179084],
        [0.53487893, 0.1298071, 0.065735949, -0.0015649758, 0.16639465, 0.020070113, -0.0035938915, -0.00058392623],
        [0.040121004, -0.0065914022, -0.0026286047, -0.0013441777, 0.017050642, -0.0021309326, 0.00085092367, -1.5247877e-07],
    ]
)
"""By powers of log(x / α), the coefficients of two cubics in log α."""


def _gamma_grad_fitted(alpha, x):
    """Between: the exponential of a rational function that was fitted."""
    u, v = np.log(x / alpha), np.log(alpha)
    c = np.polynomial.polynomial.polyval(u, GAMMA_FIT)
    powers = v ** np.arange(4).reshape(4, *(1,) * v.ndim)
    return np.exp((c[:4] * powers).sum(0) / (c[4:] * powers).sum(0))


# --- the derivative of a Dirichlet number ------------------------------------------------------------------------------------


@op(
    r"\frac{{\partial\, {x} }}{{\partial\, {alpha} }}",
    x=lambda grad: refused("_dirichlet_grad"),
    alpha=lambda grad: refused("_dirichlet_grad"),
    total=lambda grad: refused("_dirichlet_grad"),
    name="_dirichlet_grad",
    node="NotImplemented",
)
def _dirichlet_grad(x, alpha, total):
    """The derivative of one coordinate of a Dirichlet number, which is a beta number, by its own concentration."""
    a, b, c = (np.asarray(given, np.float64) for given in (x, alpha, total))
    edge = c * a * (1 - a)
    found = [
        ((a <= 0.5) & (edge < 2.5), lambda x, p, q: _beta_grad_low(x, p, q - p)),
        ((a >= 0.5) & (edge < 0.75), lambda x, p, q: -_beta_grad_high(1 - x, q - p, p)),
        ((b > 6) & (c - b > 6), lambda x, p, q: _beta_grad_middle(x, p, q - p)),
        (np.ones(a.shape, bool), _beta_grad_fitted),
    ]
    return _by_region(found, a, b, c).astype(x.dtype)


def _beta_grad_low(x, alpha, beta):
    """Near zero, by `alpha`: the series of the incomplete beta function."""
    factor = sc.psi(alpha) - sc.psi(alpha + beta) - np.log(x)
    term, series = np.ones_like(x), (factor + 1 / alpha) / alpha
    for i in range(1, 11):
        term = term * (i - beta) * x / i
        series = series + term / (alpha + i) * (factor + 1 / (alpha + i))
    return np.nan_to_num(x * (1 - x) ** -beta * series, nan=0.0, posinf=np.inf, neginf=-np.inf)


def _beta_grad_high(x, alpha, beta):
    """Near zero, by `beta`."""
    factor = sc.psi(alpha + beta) - sc.psi(beta)
    term, product, slope, series = np.ones_like(x), np.ones_like(x), np.zeros_like(x), factor / alpha
    for i in range(1, 9):
        term = term * -x / i
        slope = slope * (beta - i) + product
        product = product * (beta - i)
        series = series + term / (alpha + i) * (slope + factor * product)
    return np.nan_to_num(-((1 - x) ** (1 - beta)) * series, nan=0.0, posinf=np.inf, neginf=-np.inf)


def _beta_grad_middle(x, alpha, beta):
    """For large concentrations: a saddle point, and its expansion near the mean."""
    total = alpha + beta
    mean, deviation = alpha / total, np.sqrt(alpha * beta / (total + 1)) / total
    near = (mean - 0.1 * deviation <= x) & (x <= mean + 0.1 * deviation)
    return _by_region([(near, _beta_grad_near), (~near, _beta_grad_far)], x, alpha, beta)


def _beta_grad_near(x, alpha, beta):
    total, y = alpha + beta, 1 - x
    inner = (453 + 1620 * beta * y - 455 * x) * beta + alpha * 8 * y * (135 * beta - 11)
    inner = 3 * (59 + 180 * beta - 90 * x) * beta**2 + alpha * inner
    inner = (43 + 20 * (16 + 27 * beta) * x) * beta**3 + alpha * inner
    polynomial = 47 * x * beta**4 + alpha * inner
    above = (1 + 12 * alpha) * (1 + 12 * beta) / total**2
    return above / y * polynomial / (12960 * alpha**3 * beta**2 * (1 + 12 * total))


def _stirling(n):
    return 1 + 1 / (12 * n) + 1 / (288 * n * n)


def _beta_grad_far(x, alpha, beta):
    total, mean = alpha + beta, alpha / (alpha + beta)
    apart = alpha * (x - 1) + beta * x
    first = (2 * alpha**2 * (x - 1) + alpha * beta * (x - 1) - x * beta**2) / (
        np.sqrt(2 * alpha / beta) * total**1.5 * apart**2
    )
    last = (beta * np.log(beta / (total * (1 - x))) + alpha * np.log(alpha / (total * x))) ** -1.5
    sides = np.sqrt(8 * alpha * beta / total) / apart + np.where(x < mean, last, -last)
    slope = first + 0.5 * np.log(alpha / (total * x)) * sides
    stirling = _stirling(alpha) * _stirling(beta) / _stirling(total)
    return stirling * (-x / np.sqrt(2 * alpha * beta / total)) * slope


BETA_FIT = np.array([
    [[[1.003668233, -0.01061107488, -0.0657888334, 0.01201642863],
      [0.6336835991, -0.3557432599, 0.05486251648, -0.001465281033],
      [-0.03276231906, 0.004474107445, 0.002429354597, -0.0001557569013]],
     [[0.221950385, -0.3187676331, 0.01799915743, 0.01074823814],
      [-0.2951249643, 0.06219954479, 0.01535556598, 0.001550077057],
      [0.02155310298, 0.004170831599, 0.001292462449, 6.976601077e-05]],
     [[-0.05980841433, 0.008441916499, 0.01085618172, 0.002319392565],
      [0.02911413504, 0.01400243777, -0.002721828457, 0.000751041181],
      [0.005900514878, -0.001936558688, -9.495446725e-06, 5.385558597e-05]]],
    [[[1, -0.02924021934, -0.04438342661, 0.007285809825],
      [0.6357567472, -0.3473456711, 0.05454656494, -0.002407477521],
      [-0.03301322327, 0.004845219414, 0.00231480583, -0.0002307248149]],
     [[0.5925320577, -0.1757678135, 0.01505928619, 0.000564515273],
      [0.1014815858, -0.06589186703, 0.01272886114, -0.0007316646956],
      [-0.007258481865, 0.001096195486, 0.0003934994223, -4.12701925e-05]],
     [[0.06469649321, -0.0236701437, 0.002902096474, -5.896963079e-05],
      [0.001925008108, -0.002869809258, 0.0008000589141, -6.063713228e-05],
      [-0.0003477407336, 6.959756487e-05, 1.097287507e-05, -1.650964693e-06]]],
])  # fmt: skip
"""Numerator and denominator: by powers of log x, of log(α/x), and of what is left of the logarithm of the total."""


def _beta_grad_fitted(x, alpha, total):
    """Between: a rational function that was fitted, times the difference of digammas."""
    u = np.log(x)
    a = np.log(alpha) - u
    b = np.log(total) - a
    above, below = (np.polynomial.polynomial.polyval3d(u, a, b, fit) for fit in BETA_FIT)
    return above / below * x * (sc.psi(total) - sc.psi(alpha)) / (total - alpha)
