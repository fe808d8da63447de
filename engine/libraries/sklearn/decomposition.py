"""`sklearn.decomposition`: the directions in which data vary most."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from .preprocessing import Array, _matrix, _Transformer

__all__ = ["PCA"]


class PCA(_Transformer):
    """Data in the directions in which they vary most, by an exact decomposition, whichever solver is named."""

    _fitted = ("components_",)
    _settings = {
        "copy": True, "iterated_power": "auto", "n_components": None, "n_oversamples": 10, "power_iteration_normalizer": "auto",
        "random_state": None, "svd_solver": "auto", "tol": 0.0, "whiten": False,
    }  # fmt: skip

    def __init__(
        self,
        n_components: Any = None,
        *,
        copy: bool = True,
        whiten: bool = False,
        svd_solver: str = "auto",
        tol: float = 0.0,
        iterated_power: Any = "auto",
        n_oversamples: int = 10,
        power_iteration_normalizer: str = "auto",
        random_state: Any = None,
    ) -> None:
        self.n_components, self.copy, self.whiten, self.svd_solver = n_components, copy, whiten, svd_solver
        self.tol, self.iterated_power, self.n_oversamples = tol, iterated_power, n_oversamples
        self.power_iteration_normalizer, self.random_state = power_iteration_normalizer, random_state

    def fit(self, X: Any, y: Any = None) -> PCA:
        """Find the directions.

        Raises:
            ValueError: for more directions than there are samples or features.
        """
        data = _matrix(X)
        samples, features = data.shape
        wanted = self._wanted(samples, features)
        self.n_samples_, self.n_features_in_ = samples, features
        self.mean_: Array = data.mean(0)
        _, singular, directions = np.linalg.svd(data - self.mean_, full_matrices=False)
        # Of the two directions along a line the one whose largest entry is positive.
        largest = directions[np.arange(len(directions)), np.abs(directions).argmax(1)]
        directions = directions * np.where(largest < 0, -1, 1).astype(directions.dtype)[:, None]
        variances = singular**2 / (samples - 1)
        ratios = variances / variances.sum()
        kept = wanted
        if not isinstance(wanted, Integral):
            kept = int(np.searchsorted(np.cumsum(ratios), wanted, side="right")) + 1
        self.n_components_ = int(kept)
        self.components_: Array = directions[:kept].copy()
        self.explained_variance_: Array = variances[:kept].copy()
        self.explained_variance_ratio_: Array = ratios[:kept].copy()
        self.singular_values_: Array = singular[:kept].copy()
        left = variances[kept:]
        self.noise_variance_ = float(left.mean()) if kept < min(samples, features) else 0.0
        return self

    def _wanted(self, samples: int, features: int) -> Any:
        """How many directions, or the share of the variance, in whose place a whole number stands for a share of all."""
        most = min(samples, features)
        wanted = most if self.n_components is None else self.n_components
        if isinstance(wanted, str):
            raise ValueError(f"n_components={wanted!r} is not here; give a number, or a share of the variance between 0 and 1")
        if 0 < wanted < 1:
            return wanted
        if not 0 <= wanted <= most:
            raise ValueError(
                f"n_components={wanted} must be between 0 and min(n_samples, n_features)={most} with svd_solver="
                f"{'full' if self.svd_solver == 'auto' else self.svd_solver!r}"
            )
        return int(wanted)

    def transform(self, X: Any) -> Array:
        """The samples in the directions, (N, directions)."""
        self._ready()
        made = (_matrix(X) - self.mean_) @ self.components_.T
        return made / self._deviations() if self.whiten else made

    def inverse_transform(self, X: Any) -> Array:
        """What samples are in the features, (N, features)."""
        self._ready()
        data = _matrix(X)
        return (data * self._deviations() if self.whiten else data) @ self.components_ + self.mean_

    def _deviations(self) -> Array:
        """The standard deviation in each direction, never quite zero."""
        deviations = np.sqrt(self.explained_variance_)
        return np.maximum(deviations, np.finfo(deviations.dtype).eps)

    def get_covariance(self) -> Array:
        """The covariance of the features as the directions have it, (features, features)."""
        self._ready()
        extra = np.maximum(self.explained_variance_ - self.noise_variance_, 0.0)
        found: Array = (self.components_.T * extra) @ self.components_
        return found + self.noise_variance_ * np.eye(len(found))
