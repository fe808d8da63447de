"""Parametrizations that are often wanted: orthogonal, of spectral norm one, by length and direction.

Helfrich et al. (2018), Orthogonal recurrent neural networks with scaled Cayley transform; Lezcano-Casado (2019),
Trivializations for gradient-based optimization on manifolds; Miyato et al. (2018), Spectral normalization for GANs; Salimans &
Kingma (2016), Weight normalization.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Any, TypeVar

from ...compat.classes import known_as
from ...itself import engine as torch
from ...ops.nn.weight_norms import norm_except_dim, weighted
from ...safe_attributes import plain, read
from ...tensor import Tensor
from .. import functional as F  # noqa: N812
from ..convolution import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from ..module import Module
from .parametrize import register_parametrization

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]

M = TypeVar("M", bound=Module)


def _tensor_of(module: Module, name: str) -> Any:
    weight = read(module, name) if hasattr(module, plain(name)) else None
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return weight


# --- orthogonal --------------------------------------------------------------------------------------------------------------


class _OrthMaps(Enum):
    """How a matrix becomes an orthogonal one."""

    matrix_exp = auto()
    cayley = auto()
    householder = auto()


def _is_orthogonal(q: Any) -> Any:
    n, k = q.size(-2), q.size(-1)
    return torch.allclose(q.mH @ q, torch.eye(k, dtype=q.dtype), atol=10.0 * n * torch.finfo(q.dtype).eps)


def _made_orthogonal(a: Any) -> Any:
    """The Q of a QR decomposition whose R has a diagonal that is positive."""
    x, tau = torch.geqrf(a)
    q = torch.linalg.householder_product(x, tau)
    q *= x.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)
    return q


class _Orthogonal(Module):
    """An orthogonal matrix from any; with a `base`, one that it is turned from."""

    def __init__(self, weight: Any, orthogonal_map: _OrthMaps, *, use_trivialization: bool = True) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map == _OrthMaps.householder:
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Any) -> Any:  # noqa: N803
        """The orthogonal matrix, or batch of them."""
        transposed = X.size(-2) < X.size(-1)
        x = X.mT if transposed else X
        n, k = x.size(-2), x.size(-1)
        if self.orthogonal_map == _OrthMaps.householder:
            a = x.tril(diagonal=-1)
            tau = 2.0 / (1.0 + (a * a).sum(dim=-2))
            q = torch.linalg.householder_product(a, tau)
            # The diagonal holds signs, which are not trained.
            q = q * x.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)
        else:
            x = x.tril()
            if n != k:
                x = torch.cat([x, x.new_zeros(n, n - k).expand(*x.shape[:-2], -1, -1)], dim=-1)
            a = x - x.mH
            if self.orthogonal_map == _OrthMaps.matrix_exp:
                q = torch.matrix_exp(a)
            else:
                identity = torch.eye(n, dtype=a.dtype)
                q = torch.linalg.solve(torch.add(identity, a, alpha=-0.5), torch.add(identity, a, alpha=0.5))
            if n != k:
                q = q[..., :k]
        if hasattr(self, "base"):
            q = self.base @ q
        return q.mT if transposed else q

    def right_inverse(self, Q: Any) -> Any:  # noqa: N803
        """What gives the orthogonal matrix nearest to `Q`."""
        with torch.no_grad():
            return self._inverse(Q)

    def _inverse(self, given: Any) -> Any:
        if given.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {given.shape}."
            )
        transposed = given.size(-2) < given.size(-1)
        q = given.mT if transposed else given
        n, k = q.size(-2), q.size(-1)
        if not hasattr(self, "base"):
            if self.orthogonal_map != _OrthMaps.householder:
                raise NotImplementedError(
                    "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                    "use_trivialization=False."
                )
            a, tau = torch.geqrf(q)
            a.diagonal(dim1=-2, dim2=-1).sign_()
            # Where tau is exactly zero, no reflection was needed.
            a.diagonal(dim1=-2, dim2=-1)[tau == 0.0] *= -1
            return a.mT if transposed else a
        if n == k:
            q = q.clone() if _is_orthogonal(q) else _made_orthogonal(q)
        else:
            q = _made_orthogonal(torch.cat([q, torch.randn(*(*q.size()[:-2], n, n - k), dtype=q.dtype)], dim=-1))
        self.base = q
        # The negative identity, of which each map makes the identity.
        negative = torch.zeros_like(given)
        negative.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return negative


def orthogonal(module: M, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True) -> M:
    """Let a matrix, or batch of matrices, of a module be orthogonal (or unitary), whatever is trained.

    Args:
        module: whose tensor it is.
        name: the tensor's name.
        orthogonal_map: "matrix_exp", "cayley" or "householder"; left out, the first for square and complex matrices, else the
            last.
        use_trivialization: keep the matrix that there is, and train a turn away from it.
    """
    weight = _tensor_of(module, name)
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        orthogonal_map = "matrix_exp" if weight.size(-2) == weight.size(-1) or weight.is_complex() else "householder"
    if orthogonal_map not in _OrthMaps.__members__:
        raise ValueError(f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}')
    how = _Orthogonal(weight, _OrthMaps[orthogonal_map], use_trivialization=use_trivialization)
    return register_parametrization(module, name, how, unsafe=True)


# --- length and direction ----------------------------------------------------------------------------------------------------


class _WeightNorm(Module):
    """A weight from its lengths along `dim` and its directions."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Any, weight_v: Any) -> Any:
        """The weight."""
        return weighted(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Any) -> Any:
        """Its lengths, and the weight itself for its directions."""
        return norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module: M, name: str = "weight", dim: int | None = 0) -> M:
    """Let a weight be length times direction, which are trained apart; `dim` is the dimension of the lengths, None for one."""
    how = _WeightNorm(dim)
    register_parametrization(module, name, how, unsafe=True)

    def of_former_names(state_dict: Any, prefix: str, *_: Any) -> None:
        """Take a state dict of `torch.nn.utils.weight_norm`."""
        lengths, directions = f"{prefix}{name}_g", f"{prefix}{name}_v"
        if lengths in state_dict and directions in state_dict:
            state_dict[f"{prefix}parametrizations.{name}.original0"] = state_dict.pop(lengths)
            state_dict[f"{prefix}parametrizations.{name}.original1"] = state_dict.pop(directions)

    module._register_load_state_dict_pre_hook(of_former_names)
    return module


# --- spectral norm -----------------------------------------------------------------------------------------------------------


class _SpectralNorm(Module):
    """A weight divided by its largest singular value, which each forward in training knows a little better."""

    _u: Any
    _v: Any

    def __init__(self, weight: Any, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        ndim = weight.ndim
        if dim >= ndim or dim < -ndim:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}] but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError(f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}")
        self.dim = dim if dim >= 0 else dim + ndim
        self.eps = eps
        if ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._reshape_weight_to_matrix(weight)
            height, width = matrix.size()
            u = matrix.new_empty(height).normal_(0, 1)
            v = matrix.new_empty(width).normal_(0, 1)
            self.register_buffer("_u", F.normalize(u, dim=0, eps=eps))
            self.register_buffer("_v", F.normalize(v, dim=0, eps=eps))
            self._power_method(matrix, 15)

    def _reshape_weight_to_matrix(self, weight: Any) -> Any:
        """The weight as a matrix with `dim` as its rows."""
        if self.dim != 0:
            weight = weight.permute(self.dim, *(d for d in range(weight.dim()) if d != self.dim))
        return weight.flatten(1)

    def _power_method(self, matrix: Any, n_power_iterations: int) -> None:
        """Bring the singular vectors nearer, in place: replicas of a module share them."""
        with torch.no_grad():
            for _ in range(n_power_iterations):
                self._u = F.normalize(torch.mv(matrix, self._v), dim=0, eps=self.eps, out=self._u)
                self._v = F.normalize(torch.mv(matrix.mH, self._u), dim=0, eps=self.eps, out=self._v)

    def forward(self, weight: Any) -> Any:
        """The weight of spectral norm one, about."""
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = self._reshape_weight_to_matrix(weight)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        # Else a second forward would change what the first one saved.
        u, v = self._u.clone(), self._v.clone()
        return weight / torch.vdot(u, torch.mv(matrix, v))

    def right_inverse(self, value: Any) -> Any:
        """The value, taken for one that is of spectral norm one."""
        return value


def spectral_norm(
    module: M, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> M:
    """Let a weight be divided by its largest singular value, found by power iteration.

    Args:
        module: whose tensor it is.
        name: the tensor's name.
        n_power_iterations: how many iterations each access in training makes.
        eps: what norms are at least.
        dim: the dimension of the rows; 0 where it is left out, 1 for transposed convolutions.
    """
    weight = _tensor_of(module, name)
    if dim is None:
        dim = 1 if isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)) else 0
    return register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))


known_as("torch.nn.utils.parametrizations", _Orthogonal, _WeightNorm, _SpectralNorm)
