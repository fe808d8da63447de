"""Normal distributions of vectors: by a covariance, its inverse or its Cholesky factor, or by a factor of low rank."""

from __future__ import annotations

import math
from typing import Any

from . import constraints
from .distribution import Distribution
from .operations import Size, T, linalg
from .utils import _standard_normal, lazy_property

MATRICES = {
    "covariance_matrix": constraints.positive_definite,
    "precision_matrix": constraints.positive_definite,
    "scale_tril": constraints.lower_cholesky,
}


def _batch_mv(matrices: Any, vectors: Any) -> Any:
    """Matrices times vectors, (…, n, m) and (…, m) to (…, n)."""
    return T.matmul(matrices, vectors.unsqueeze(-1)).squeeze(-1)


def _log_diagonal(matrices: Any) -> Any:
    """The sum of the logarithms of the diagonal."""
    return matrices.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def _batch_mahalanobis(L: Any, x: Any) -> Any:  # noqa: N803
    r"""\(x^T (L L^T)^{-1} x\) of vectors (…, n) and Cholesky factors (…, n, n).

    Each factor is solved for all of its vectors at once: the batch of the vectors is split into dimensions that the factors
    have, too, and those that they have not, which become columns.
    """
    n, batch_shape = x.size(-1), x.shape[:-1]
    outer, inner = len(batch_shape) - (L.dim() - 2), L.dim() - 2
    split = x.shape[:outer]
    for own, length in zip(L.shape[:-2], x.shape[outer:-1]):
        split += (length // own, own)
    ends = outer + 2 * inner
    order = [*range(outer), *range(outer, ends, 2), *range(outer + 1, ends, 2), ends]
    x = x.reshape(split + (n,)).permute(order)
    factors = L.reshape(-1, n, n)
    columns = x.reshape(-1, factors.size(0), n).permute(1, 2, 0)
    squares = linalg.solve_triangular(factors, columns, upper=False).pow(2).sum(-2)
    found = squares.t().reshape(x.shape[:-1])
    back = [*range(outer), *(i + k for i in range(outer, outer + inner) for k in (0, inner))]
    return found.permute(back).reshape(batch_shape)


def _precision_to_scale_tril(precision: Any) -> Any:
    """The Cholesky factor of the inverse of a matrix, by that of the matrix turned around."""
    turned = linalg.cholesky(T.flip(precision, (-2, -1)))
    inverse = T.transpose(T.flip(turned, (-2, -1)), -2, -1)
    return linalg.solve_triangular(inverse, T.eye(precision.shape[-1], dtype=precision.dtype), upper=False)


def scale_tril_of(name: str, matrix: Any) -> Any:
    """The Cholesky factor of the covariance, of whichever matrix was given."""
    if name == "scale_tril":
        return matrix
    return linalg.cholesky(matrix) if name == "covariance_matrix" else _precision_to_scale_tril(matrix)


class MultivariateNormal(Distribution):
    """The normal distribution of vectors of a mean and one of covariance, its inverse, or its Cholesky factor."""

    arg_constraints = {"loc": constraints.real_vector, **MATRICES}
    support = constraints.real_vector
    has_rsample = True
    _expanding = ()
    _kept = ("_unbroadcasted_scale_tril",)

    def __init__(
        self,
        loc: Any,
        covariance_matrix: Any = None,
        precision_matrix: Any = None,
        scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        given = {"covariance_matrix": covariance_matrix, "precision_matrix": precision_matrix, "scale_tril": scale_tril}
        given = {name: matrix for name, matrix in given.items() if matrix is not None}
        if len(given) != 1:
            raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        ((name, matrix),) = given.items()
        if matrix.dim() < 2:
            called = "scale_tril matrix" if name == "scale_tril" else name
            raise ValueError(f"{called} must be at least two-dimensional, with optional leading batch dimensions")
        batch_shape = T.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        setattr(self, name, matrix.expand((*batch_shape, -1, -1)))
        self.loc = loc.expand((*batch_shape, -1))
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = scale_tril_of(name, matrix)

    def _expand_into(self, new: Any, batch_shape: Size) -> Any:
        event_shape = self._event_shape
        new.loc = self.loc.expand(batch_shape + event_shape)
        for name in MATRICES:
            if name in self.__dict__:
                setattr(new, name, self.__dict__[name].expand(batch_shape + event_shape + event_shape))
        return event_shape

    def _square(self, matrix: Any) -> Any:
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Any:
        """The Cholesky factor of the covariance."""
        return self._square(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Any:
        """The covariance."""
        return self._square(T.matmul(self._unbroadcasted_scale_tril, self._unbroadcasted_scale_tril.mT))

    @lazy_property
    def precision_matrix(self) -> Any:
        """The inverse of the covariance."""
        return self._square(T.cholesky_inverse(self._unbroadcasted_scale_tril))

    @property
    def mean(self) -> Any:
        """The location."""
        return self.loc

    @property
    def mode(self) -> Any:
        """The location."""
        return self.loc

    @property
    def variance(self) -> Any:
        """The diagonal of the covariance."""
        return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """Standard normal noise times the Cholesky factor, shifted."""
        eps = _standard_normal(self._extended_shape(sample_shape), self.loc.dtype)
        return self.loc + _batch_mv(self._unbroadcasted_scale_tril, eps)

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density."""
        self._check(value)
        distance = _batch_mahalanobis(self._unbroadcasted_scale_tril, value - self.loc)
        half_log_det = _log_diagonal(self._unbroadcasted_scale_tril)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + distance) - half_log_det

    def entropy(self) -> Any:
        """The entropy, in nats."""
        half_log_det = _log_diagonal(self._unbroadcasted_scale_tril)
        found = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + half_log_det
        return found.expand(self._batch_shape) if self._batch_shape else found


# --- covariances of low rank -----------------------------------------------------------------------------------------------


def _plus_identity(matrices: Any) -> Any:
    """Matrices with ones added to their diagonals."""
    n = matrices.size(-1)
    matrices = matrices.contiguous()
    matrices.view(-1, n * n)[:, :: n + 1] += 1
    return matrices


def _batch_capacitance_tril(W: Any, D: Any) -> Any:  # noqa: N803
    r"""The Cholesky factor of \(I + W^T D^{-1} W\)."""
    return linalg.cholesky(_plus_identity(T.matmul(W.mT / D.unsqueeze(-2), W)))


def _batch_lowrank_logdet(W: Any, D: Any, capacitance_tril: Any) -> Any:  # noqa: N803
    r"""\(\ln \det(W W^T + D)\)."""
    return 2 * _log_diagonal(capacitance_tril) + D.log().sum(-1)


def _batch_lowrank_mahalanobis(W: Any, D: Any, x: Any, capacitance_tril: Any) -> Any:  # noqa: N803
    r"""\(x^T (W W^T + D)^{-1} x\), by Woodbury's formula."""
    projected = _batch_mv(W.mT / D.unsqueeze(-2), x)
    diagonal = (x.pow(2) / D).sum(-1)
    return diagonal - _batch_mahalanobis(capacitance_tril, projected)


class LowRankMultivariateNormal(Distribution):
    r"""The normal distribution of vectors of covariance \(W W^T + D\), of a matrix of few columns and a diagonal."""

    arg_constraints = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True
    _expanding = ()
    _kept = ("_unbroadcasted_cov_factor", "_unbroadcasted_cov_diag", "_capacitance_tril")

    def __init__(self, loc: Any, cov_factor: Any, cov_diag: Any, validate_args: bool | None = None) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event_shape = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
        if cov_factor.shape[-2:-1] != event_shape:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {event_shape[0]} x m")
        if cov_diag.shape[-1:] != event_shape:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event_shape}")
        column, diagonal = loc.unsqueeze(-1), cov_diag.unsqueeze(-1)
        try:
            column, self.cov_factor, diagonal = T.broadcast_tensors(column, cov_factor, diagonal)
        except RuntimeError as error:
            raise ValueError(
                f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag {cov_diag.shape}"
            ) from error
        self.loc = column[..., 0]
        self.cov_diag = diagonal[..., 0]
        self._unbroadcasted_cov_factor = cov_factor
        self._unbroadcasted_cov_diag = cov_diag
        self._capacitance_tril = _batch_capacitance_tril(cov_factor, cov_diag)
        super().__init__(self.loc.shape[:-1], event_shape, validate_args=validate_args)

    def _expand_into(self, new: Any, batch_shape: Size) -> Any:
        shape = batch_shape + self._event_shape
        new.loc = self.loc.expand(shape)
        new.cov_diag = self.cov_diag.expand(shape)
        new.cov_factor = self.cov_factor.expand(shape + self.cov_factor.shape[-1:])
        return self._event_shape

    @property
    def _covariance(self) -> tuple[Any, Any, Any]:
        return self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag, self._capacitance_tril

    def _log_det(self) -> Any:
        return _batch_lowrank_logdet(*self._covariance)

    def _distance(self, x: Any) -> Any:
        factor, diagonal, capacitance = self._covariance
        return _batch_lowrank_mahalanobis(factor, diagonal, x, capacitance)

    def _square(self, matrix: Any) -> Any:
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @property
    def mean(self) -> Any:
        """The location."""
        return self.loc

    @property
    def mode(self) -> Any:
        """The location."""
        return self.loc

    @lazy_property
    def variance(self) -> Any:
        """The diagonal of the covariance."""
        factor, diagonal, _ = self._covariance
        return (factor.pow(2).sum(-1) + diagonal).expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Any:
        """The Cholesky factor of the covariance."""
        factor, diagonal, _ = self._covariance
        root = diagonal.sqrt().unsqueeze(-1)
        scaled = factor / root
        return self._square(root * linalg.cholesky(_plus_identity(T.matmul(scaled, scaled.mT))))

    @lazy_property
    def covariance_matrix(self) -> Any:
        """The covariance."""
        factor, diagonal, _ = self._covariance
        return self._square(T.matmul(factor, factor.mT) + T.diag_embed(diagonal))

    @lazy_property
    def precision_matrix(self) -> Any:
        """The inverse of the covariance, by Woodbury's formula."""
        factor, diagonal, capacitance = self._covariance
        a = linalg.solve_triangular(capacitance, factor.mT / diagonal.unsqueeze(-2), upper=False)
        return self._square(T.diag_embed(diagonal.reciprocal()) - a.mT @ a)

    def rsample(self, sample_shape: Any = Size()) -> Any:  # noqa: B008
        """Noise for the factor and noise for the diagonal."""
        shape = self._extended_shape(sample_shape)
        for_factor = _standard_normal(shape[:-1] + self.cov_factor.shape[-1:], self.loc.dtype)
        for_diagonal = _standard_normal(shape, self.loc.dtype)
        factor, diagonal, _ = self._covariance
        return self.loc + _batch_mv(factor, for_factor) + diagonal.sqrt() * for_diagonal

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density."""
        self._check(value)
        distance = self._distance(value - self.loc)
        log_det = self._log_det()
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + log_det + distance)

    def entropy(self) -> Any:
        """The entropy, in nats."""
        found = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._log_det())
        return found.expand(self._batch_shape) if self._batch_shape else found
