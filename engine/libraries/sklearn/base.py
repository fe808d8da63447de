"""`sklearn.base`: what estimators of a program's own inherit, so that they take and tell their settings and are scored."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from ...safe_attributes import read, write
from .metrics import accuracy_score, r2_score

__all__ = ["BaseEstimator", "ClassifierMixin", "RegressorMixin", "TransformerMixin", "clone"]


class BaseEstimator:
    """An estimator, whose settings are the arguments of its `__init__`, each kept as an attribute of the same name."""

    __module__ = "sklearn.base"

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings by name; with `deep` those of estimators among them, too, as `name__setting`."""
        found: dict[str, Any] = {}
        for name in _settings(type(self)):
            value = read(self, name)
            if deep and isinstance(value, BaseEstimator):
                found |= {f"{name}__{inner}": each for inner, each in value.get_params().items()}
            found[name] = value
        return found

    def set_params(self, **params: Any) -> BaseEstimator:
        """Change settings, and return the estimator.

        Raises:
            ValueError: for what is no setting.
        """
        known = _settings(type(self))
        for name, value in params.items():
            own, _, inner = name.partition("__")
            if own not in known:
                raise ValueError(f"Invalid parameter {own!r} for estimator {self!r}. Valid parameters are: {list(known)!r}.")
            if inner:
                read(self, own).set_params(**{inner: value})
            else:
                write(self, own, value)
        return self

    def __repr__(self) -> str:
        values = {name: (_kept(self, name), default) for name, default in _settings(type(self)).items()}
        changed = (f"{name}={value!r}" for name, (value, default) in values.items() if repr(value) != repr(default))
        return f"{type(self).__name__}({', '.join(changed)})"


class ClassifierMixin:
    """An estimator that predicts classes."""

    __module__ = "sklearn.base"

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of right predictions."""
        return float(accuracy_score(y, self.predict(X), sample_weight=sample_weight))  # type: ignore[attr-defined]


class RegressorMixin:
    """An estimator that predicts numbers."""

    __module__ = "sklearn.base"

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The coefficient of determination of the predictions."""
        return float(r2_score(y, self.predict(X), sample_weight=sample_weight))  # type: ignore[attr-defined]


class TransformerMixin:
    """An estimator that changes features."""

    __module__ = "sklearn.base"

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Fit, then transform the same."""
        fitted = self.fit(X, **fit_params) if y is None else self.fit(X, y, **fit_params)  # type: ignore[attr-defined]
        return fitted.transform(X)


def clone(estimator: Any) -> Any:
    """A new estimator with the same settings, which has seen no data.

    Raises:
        TypeError: for what is no estimator.
    """
    if isinstance(estimator, list | tuple | set):
        return type(estimator)(clone(each) for each in estimator)
    if not isinstance(estimator, BaseEstimator):
        raise TypeError(f"Cannot clone object {estimator!r}: it does not seem to be a scikit-learn estimator.")
    given = estimator.get_params(deep=False)
    copied = {
        name: clone(value) if isinstance(value, BaseEstimator) else value.copy() if isinstance(value, np.ndarray) else value
        for name, value in given.items()
    }
    return type(estimator)(**copied)


def _kept(estimator: Any, name: str) -> Any:
    """A setting, None where there is no such attribute."""
    try:
        return read(estimator, name)
    except AttributeError:
        return None


def _settings(kind: type) -> dict[str, Any]:
    """The arguments of a class's `__init__` and their defaults, in the order of their names; none where it has no own."""
    if kind.__init__ is object.__init__:  # type: ignore[misc]
        return {}
    own = list(inspect.signature(kind.__init__).parameters.values())[1:]  # type: ignore[misc]
    plain = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    named = {each.name: each.default for each in own if each.kind in plain and not each.name.startswith("_")}
    return {name: named[name] for name in sorted(named)}
