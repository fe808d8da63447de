"""`sklearn.linear_model`: what is linear in the features, to compare a network with."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ...context import beyond
from .base import BaseEstimator, ClassifierMixin, RegressorMixin
from .preprocessing import Array, NotFittedError, _matrix

__all__ = ["LinearRegression", "LogisticRegression", "Ridge"]


class ConvergenceWarning(UserWarning):
    """A solver was stopped before it had found the best."""

    __module__ = "sklearn.exceptions"


class _Linear(BaseEstimator):
    """What has a coefficient for each feature and an intercept."""

    coef_: Array
    intercept_: Any

    def _scores(self, X: Any) -> Array:
        if not hasattr(self, "coef_"):
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before using "
                "this estimator."
            )
        data = _matrix(X)
        wanted, kind = self.coef_.shape[-1], type(self).__name__
        if data.shape[1] != wanted:
            raise ValueError(f"X has {data.shape[1]} features, but {kind} is expecting {wanted} features as input.")
        return data @ self.coef_.T + self.intercept_


class _Regression(RegressorMixin, _Linear):
    fit_intercept: bool
    _flat = False
    """Whether the coefficients of a single column of targets are a row of numbers, as those of targets (N,) are."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Find the coefficients.

        Args:
            X: features (N, features).
            y: numbers (N,) or (N, targets).
            sample_weight: (N,), how much each sample counts.
        """
        data, values = _pair(X, y)
        values = values.astype(data.dtype)
        weights = None if sample_weight is None else np.asarray(sample_weight, data.dtype)
        middle, level = np.zeros(data.shape[1], data.dtype), np.zeros(values.shape[1:], data.dtype)
        if self.fit_intercept:
            middle, level = np.average(data, 0, weights=weights), np.average(values, 0, weights=weights)
        data, values = data - middle, values - level
        if weights is not None:
            root = np.sqrt(weights)
            data, values = data * root[:, None], (values.T * root).T
        self.n_features_in_ = data.shape[1]
        self.coef_ = self._solved(data, values).T
        if self._flat and len(self.coef_) == 1:
            self.coef_ = self.coef_.ravel()
        self.intercept_ = level - middle @ self.coef_.T if self.fit_intercept else 0.0
        return self

    def predict(self, X: Any) -> Array:
        """What belongs to features: numbers (N,) or (N, targets)."""
        return self._scores(X)

    def _solved(self, data: Array, values: Array) -> Array:
        raise NotImplementedError


class LinearRegression(_Regression):
    """Least squares."""

    __module__ = "sklearn.linear_model"

    def __init__(
        self, *, fit_intercept: bool = True, copy_X: bool = True, tol: float = 1e-6, n_jobs: Any = None, positive: bool = False
    ) -> None:
        self.fit_intercept, self.copy_X, self.tol, self.n_jobs, self.positive = fit_intercept, copy_X, tol, n_jobs, positive

    def _solved(self, data: Array, values: Array) -> Array:
        if self.positive:
            raise ValueError("Coefficients are not kept positive here.")
        found, _, self.rank_, self.singular_ = np.linalg.lstsq(data, values, rcond=self.tol)
        return found


class Ridge(_Regression):
    """Least squares with a penalty on the squares of the coefficients, solved exactly whichever solver is named."""

    __module__ = "sklearn.linear_model"
    _flat = True

    def __init__(
        self, alpha: float = 1.0, *, fit_intercept: bool = True, copy_X: bool = True, max_iter: Any = None, tol: float = 1e-4,
        solver: str = "auto", positive: bool = False, random_state: Any = None,
    ) -> None:  # fmt: skip
        self.alpha, self.fit_intercept, self.copy_X, self.max_iter, self.tol = alpha, fit_intercept, copy_X, max_iter, tol
        self.solver, self.positive, self.random_state = solver, positive, random_state

    def _solved(self, data: Array, values: Array) -> Array:
        penalty = np.asarray(self.alpha, data.dtype) * np.eye(data.shape[1], dtype=data.dtype)
        return np.linalg.solve(data.T @ data + penalty, data.T @ values)


class LogisticRegression(ClassifierMixin, _Linear):
    """Classes by a softmax over linear scores, of two classes by the sigmoid of one, with a penalty on the squares of the
    coefficients. It is found by L-BFGS, whichever solver is named, to `tol`: digits after that differ from scikit-learn's."""

    __module__ = "sklearn.linear_model"

    def __init__(
        self, penalty: Any = "l2", *, C: float = 1.0, dual: bool = False, tol: float = 1e-4, fit_intercept: bool = True,
        intercept_scaling: float = 1, class_weight: Any = None, random_state: Any = None, solver: str = "lbfgs",
        max_iter: int = 100, multi_class: str = "deprecated", verbose: int = 0, warm_start: bool = False, n_jobs: Any = None,
        l1_ratio: Any = None,
    ) -> None:  # fmt: skip
        self.penalty, self.C, self.dual, self.tol, self.fit_intercept = penalty, C, dual, tol, fit_intercept
        self.intercept_scaling, self.class_weight, self.random_state = intercept_scaling, class_weight, random_state
        self.solver, self.max_iter, self.multi_class, self.verbose = solver, max_iter, multi_class, verbose
        self.warm_start, self.n_jobs, self.l1_ratio = warm_start, n_jobs, l1_ratio

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LogisticRegression:
        """Find the coefficients.

        Args:
            X: features (N, features).
            y: classes (N,).
            sample_weight: (N,), how much each sample counts.

        Raises:
            ValueError: for samples of one class only.
        """
        if self.penalty not in ("l2", None, "none") or self.l1_ratio or self.class_weight is not None:
            raise ValueError("Here the penalty is that of the squares, or none, and classes are not weighted.")
        data, labels = _pair(X, y)
        self.classes_, numbers = np.unique(labels.reshape(-1), return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                "This solver needs samples of at least 2 classes in the data, but the data contains only one class: "
                f"{self.classes_[0]!r}"
            )
        weights = np.ones(len(data)) if sample_weight is None else np.asarray(sample_weight, np.float64)
        rows = 1 if len(self.classes_) == 2 else len(self.classes_)
        columns = data.shape[1] + bool(self.fit_intercept)
        features = np.concatenate([data, np.ones((len(data), columns - data.shape[1]), data.dtype)], 1)
        strength = 1.0 / (self.C * weights.sum()) if self.penalty == "l2" else 0.0
        wanted = numbers[:, None] if rows == 1 else np.eye(rows)[numbers]

        def loss_and_slope(flat: Array) -> tuple[float, Array]:
            coefficients = flat.reshape(rows, columns, order="F")
            scores = features @ coefficients.T
            level = np.logaddexp(0, scores) if rows == 1 else np.logaddexp.reduce(scores, 1, keepdims=True)
            loss = ((level - scores * wanted) if rows == 1 else level - (scores * wanted).sum(1, keepdims=True))[:, 0]
            kept = coefficients[:, : data.shape[1]]
            slopes = ((np.exp(scores - level) - wanted) * weights[:, None]).T @ features / weights.sum()
            slopes[:, : data.shape[1]] += strength * kept
            total = float(loss @ weights / weights.sum() + 0.5 * strength * (kept**2).sum())
            return total, slopes.ravel(order="F")

        found, steps, slope = _least(loss_and_slope, np.zeros(rows * columns), self.max_iter, self.tol)
        if slope > self.tol:
            warnings.warn(
                f"lbfgs failed to converge after {steps} iteration(s) (status=1):\nSTOP: TOTAL NO. OF ITERATIONS REACHED "
                "LIMIT\n\nIncrease the number of iterations to improve the convergence "
                f"(max_iter={self.max_iter}).\nYou might also want to scale the data as shown in:\n"
                "    https://scikit-learn.org/stable/modules/preprocessing.html\n"
                "Please also refer to the documentation for alternative solver options:\n"
                "    https://scikit-learn.org/stable/modules/linear_model.html#logistic-regression",
                ConvergenceWarning,
                stacklevel=beyond(1),
            )
        made = found.reshape(rows, columns, order="F").astype(data.dtype)
        self.n_features_in_, self.n_iter_ = data.shape[1], np.asarray([steps], np.int32)
        self.coef_ = made[:, : data.shape[1]]
        self.intercept_ = made[:, -1] if self.fit_intercept else np.zeros(rows, data.dtype)
        return self

    def decision_function(self, X: Any) -> Array:
        """The scores: (N,) of two classes, else (N, classes)."""
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> Array:
        """The likeliest class of each sample."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(1)]

    def predict_proba(self, X: Any) -> Array:
        """The probability of each class, (N, classes)."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            likely = 1 / (1 + np.exp(-scores))
            return np.stack([1 - likely, likely], 1)
        powers = np.exp(scores - scores.max(1, keepdims=True))
        return powers / powers.sum(1, keepdims=True)

    def predict_log_proba(self, X: Any) -> Array:
        """The logarithms of the probabilities, (N, classes)."""
        return np.log(self.predict_proba(X))


def _pair(X: Any, y: Any) -> tuple[Array, Array]:
    """Features and what belongs to them, as many of the one as of the other."""
    data, values = _matrix(X), np.asarray(y)
    if len(data) != len(values):
        raise ValueError(f"Found input variables with inconsistent numbers of samples: [{len(data)}, {len(values)}]")
    return data, values


def _least(
    function: Callable[[Array], tuple[float, Array]], at: Array, most: int, tolerance: float
) -> tuple[Array, int, float]:
    """Where a function is least, by L-BFGS (Liu and Nocedal, 1989), in how many steps, and the largest slope there."""
    value, slopes = function(at)
    kept: list[tuple[Array, Array]] = []
    step = 0
    while step < most and np.abs(slopes).max() > tolerance:
        way = slopes.copy()
        shares = []
        for moved, change in reversed(kept):
            shares.append(moved @ way / (moved @ change))
            way -= shares[-1] * change
        if kept:
            moved, change = kept[-1]
            way *= moved @ change / (change @ change)
        for (moved, change), share in zip(kept, reversed(shares), strict=True):
            way += (share - change @ way / (moved @ change)) * moved
        length = 1.0 if kept else min(1.0, 1.0 / float(np.linalg.norm(slopes)))
        while True:
            there = at - length * way
            new, new_slopes = function(there)
            if new <= value - 1e-4 * length * float(slopes @ way):
                break
            length /= 2
            if length < 1e-15:
                return at, step, float(np.abs(slopes).max())
        if (there - at) @ (new_slopes - slopes) > 0:
            kept = [*kept[-9:], (there - at, new_slopes - slopes)]
        at, value, slopes = there, new, new_slopes
        step += 1
    return at, step, float(np.abs(slopes).max())
