"""Distributions of matrices: Wishart's of covariances, and Lewandowski, Kurowicka and Joe's of correlations."""

from __future__ import annotations

import math
import warnings
from typing import Any

from ..dtypes import finfo
from . import constraints
from .distribution import Distribution
from .exp_family import ExponentialFamily
from .gaussians import MATRICES, _log_diagonal, scale_tril_of
from .half_lines import Chi2
from .operations import NUMBERS, Size, T, linalg
from .simplices import Beta
from .utils import broadcast_all, lazy_property

LOG_2 = math.log(2)
TRIES = 10
"""How often singular samples are drawn again."""


def _mvdigamma(x: Any, p: int) -> Any:
    """The multivariate digamma function."""
    if not x.gt((p - 1) / 2).all():
        raise AssertionError("Wrong domain for multivariate digamma function.")
    return T.digamma(x.unsqueeze(-1) - T.arange(p, dtype=x.dtype).div(2).expand((*x.shape, -1))).sum(-1)


class Wishart(ExponentialFamily):
    """The sum of `df` outer squares of normal vectors, given as for `MultivariateNormal`."""

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0
    _expanding = ("df",)

    def __init__(
        self,
        df: Any,
        covariance_matrix: Any = None,
        precision_matrix: Any = None,
        scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        given = {"covariance_matrix": covariance_matrix, "precision_matrix": precision_matrix, "scale_tril": scale_tril}
        given = {name: matrix for name, matrix in given.items() if matrix is not None}
        if len(given) != 1:
            raise AssertionError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        ((name, matrix),) = given.items()
        if matrix.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        if isinstance(df, NUMBERS):
            batch_shape = Size(matrix.shape[:-2])
            self.df = T.tensor(df, dtype=matrix.dtype)
        else:
            batch_shape = T.broadcast_shapes(matrix.shape[:-2], df.shape)
            self.df = df.expand(batch_shape)
        event_shape = matrix.shape[-2:]
        if self.df.le(event_shape[-1] - 1).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {event_shape[-1] - 1}.")
        setattr(self, name, matrix.expand((*batch_shape, -1, -1)))
        if self.df.lt(event_shape[-1]).any():
            warnings.warn(
                "Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.", stacklevel=2
            )
        super().__init__(batch_shape, event_shape, validate_args=validate_args)
        self._unbroadcasted_scale_tril = scale_tril_of(name, matrix)
        self._prepare()

    def _prepare(self) -> None:
        """What samples are drawn with: chi-squared numbers of df, df - 1, … degrees of freedom."""
        self._batch_dims = [-(i + 1) for i in range(len(self._batch_shape))]
        steps = T.arange(self._event_shape[-1], dtype=self._unbroadcasted_scale_tril.dtype)
        self._dist_chi2 = Chi2(df=self.df.unsqueeze(-1) - steps.expand((*self._batch_shape, -1)))

    @property
    def arg_constraints(self) -> Any:
        """More degrees of freedom than the matrix has rows, less one."""
        return {**MATRICES, "df": constraints.greater_than(self.event_shape[-1] - 1)}

    def _expand_into(self, new: Any, batch_shape: Size) -> Any:
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril.expand(batch_shape + self._event_shape)
        for name in MATRICES:
            if name in self.__dict__:
                setattr(new, name, self.__dict__[name].expand(batch_shape + self._event_shape))
        new._batch_shape, new._event_shape = batch_shape, self._event_shape
        new._prepare()
        event_shape = self._event_shape
        return event_shape

    def _square(self, matrix: Any) -> Any:
        return matrix.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Any:
        """The Cholesky factor of the covariance."""
        return self._square(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Any:
        """The covariance of the vectors."""
        return self._square(self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.transpose(-2, -1))

    @lazy_property
    def precision_matrix(self) -> Any:
        """The inverse of the covariance."""
        identity = T.eye(self._event_shape[-1], dtype=self._unbroadcasted_scale_tril.dtype)
        return self._square(T.cholesky_solve(identity, self._unbroadcasted_scale_tril))

    def _per_matrix(self, numbers: Any) -> Any:
        return numbers.view(self._batch_shape + (1, 1))

    @property
    def mean(self) -> Any:
        """The covariance times the degrees of freedom."""
        return self._per_matrix(self.df) * self.covariance_matrix

    @property
    def mode(self) -> Any:
        """For enough degrees of freedom; else NaN."""
        factor = self.df - self.covariance_matrix.shape[-1] - 1
        factor[factor <= 0] = math.nan
        return self._per_matrix(factor) * self.covariance_matrix

    @property
    def variance(self) -> Any:
        """The variances of the elements."""
        v = self.covariance_matrix
        diagonal = v.diagonal(dim1=-2, dim2=-1)
        return self._per_matrix(self.df) * (v.pow(2) + T.einsum("...i,...j->...ij", diagonal, diagonal))

    def _bartlett_sampling(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """Samples by their Cholesky factors: chi numbers on the diagonal, normal ones below (Bartlett)."""
        p = self._event_shape[-1]
        roots = self._dist_chi2.rsample(sample_shape).sqrt()
        noise = roots.clamp(min=finfo(roots.dtype).eps).diag_embed(dim1=-2, dim2=-1)
        i, j = T.tril_indices(p, p, offset=-1)
        below = Size(sample_shape) + self._batch_shape + (p * (p - 1) // 2,)
        noise[..., i, j] = T.randn(below, dtype=noise.dtype)
        factor = self._unbroadcasted_scale_tril @ noise
        return factor @ factor.transpose(-2, -1)

    def rsample(self, sample_shape: Any = Size(), max_try_correction: int | None = None) -> Any:  # noqa: B008
        """Samples; those that PyTorch takes for singular are drawn again."""
        sample = self._bartlett_sampling(Size(sample_shape))
        # PyTorch asks here for the samples that are valid, and draws these anew as long as the new ones are not.
        again = self.support.check(sample)
        if self._batch_shape:
            again = again.amax(self._batch_dims)
        if again.any():
            warnings.warn("Singular sample detected.", stacklevel=2)
            for _ in range(TRIES if max_try_correction is None else max_try_correction):
                drawn = self._bartlett_sampling(again[again].shape)
                sample[again.clone()] = drawn  # the mask is written below
                singular = ~self.support.check(drawn)
                if self._batch_shape:
                    singular = singular.amax(self._batch_dims)
                again[again.clone()] = singular
                if not again.any():
                    break
        return sample

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density."""
        self._check(value)
        nu, p = self.df, self._event_shape[-1]
        return (
            -nu * (p * LOG_2 / 2 + _log_diagonal(self._unbroadcasted_scale_tril))
            - T.mvlgamma(nu / 2, p=p)
            + (nu - p - 1) / 2 * linalg.slogdet(value).logabsdet
            - T.cholesky_solve(value, self._unbroadcasted_scale_tril).diagonal(dim1=-2, dim2=-1).sum(dim=-1) / 2
        )

    def entropy(self) -> Any:
        """The entropy, in nats."""
        nu, p = self.df, self._event_shape[-1]
        return (
            (p + 1) * (p * LOG_2 / 2 + _log_diagonal(self._unbroadcasted_scale_tril))
            + T.mvlgamma(nu / 2, p=p)
            - (nu - p - 1) / 2 * _mvdigamma(nu / 2, p=p)
            + nu * p / 2
        )

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, x: Any, y: Any) -> Any:
        p = self._event_shape[-1]
        half = y + (p + 1) / 2
        return half * (-linalg.slogdet(-2 * x).logabsdet + LOG_2 * p) + T.mvlgamma(y + (p + 1) / 2, p=p)


class LKJCholesky(Distribution):
    """Lower Cholesky factors of correlation matrices, the nearer to the identity the larger the concentration."""

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky
    _expanding = ("concentration",)
    _kept = ("dim",)

    def __init__(self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        # The squares of the rows' lengths without the diagonal: beta numbers.
        marginal = self.concentration + 0.5 * (dim - 2)
        offset = T.arange(dim - 1, dtype=self.concentration.dtype)
        offset = T.cat([offset.new_zeros((1,)), offset])
        self._beta = Beta(offset + 0.5, marginal.unsqueeze(-1) - 0.5 * offset)
        super().__init__(self.concentration.size(), Size((dim, dim)), validate_args)

    def _expand_into(self, new: Any, batch_shape: Size) -> Any:
        new._beta = self._beta.expand(batch_shape + (self.dim,))
        event_shape = self._event_shape
        return event_shape

    def sample(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """Rows on spheres, of random lengths, with what is left of one on the diagonal (the onion method)."""
        y = self._beta.sample(sample_shape).unsqueeze(-1)
        normal = T.randn(self._extended_shape(sample_shape), dtype=y.dtype).tril(-1)
        sphere = normal / normal.norm(dim=-1, keepdim=True)
        sphere[..., 0, :].fill_(0.0)
        w = T.sqrt(y) * sphere
        left = T.clamp(1 - T.sum(w**2, dim=-1), min=finfo(w.dtype).tiny).sqrt()
        w += T.diag_embed(left)
        return w

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density."""
        self._check(value)
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        order = T.arange(2, self.dim + 1)
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - order
        unnormalized = T.sum(order * diagonal.log(), dim=-1)
        less = self.dim - 1
        alpha = self.concentration + 0.5 * less
        denominator = T.lgamma(alpha) * less
        numerator = T.mvlgamma(alpha - 0.5, less)
        return unnormalized - (0.5 * less * math.log(math.pi) + numerator - denominator)
