"""`sklearn.preprocessing`: features on a common scale, classes as numbers."""

from __future__ import annotations

import itertools
from typing import Any, Literal

import numpy as np

from ...safe_attributes import read

__all__ = [
    "LabelBinarizer", "LabelEncoder", "MaxAbsScaler", "MinMaxScaler", "OneHotEncoder", "PolynomialFeatures", "StandardScaler",
    "label_binarize", "minmax_scale", "normalize", "scale",
]  # fmt: skip

Array = Any


class NotFittedError(ValueError, AttributeError):
    """Something was transformed before `fit`."""

    __module__ = "sklearn.exceptions"


def _matrix(X: Any) -> Array:
    """Features (N, features) of floating point numbers.

    Raises:
        ValueError: for another number of dimensions.
    """
    found: Array = np.asarray(X)
    if found.dtype.kind != "f":
        found = found.astype(np.float64)
    if found.ndim == 1:
        raise ValueError(
            f"Expected 2D array, got 1D array instead:\narray={found}.\nReshape your data either using array.reshape(-1, 1) if "
            "your data has a single feature or array.reshape(1, -1) if it contains a single sample."
        )
    if found.ndim != 2:
        raise ValueError(f"Found array with dim {found.ndim}, while dim <= 2 is required.")
    return found


class _Transformer:
    """What is fitted to data and transforms them."""

    _fitted: tuple[str, ...] = ()
    """Attributes that `fit` sets."""
    _settings: dict[str, Any] = {}
    """Parameters with what they are if nothing is said."""

    def fit_transform(self, X: Any, y: Any = None) -> Array:
        """Fit, and transform the same data."""
        return self.fit(X).transform(X)

    def fit(self, X: Any, y: Any = None) -> Any:
        """Look at data."""
        raise NotImplementedError

    def transform(self, X: Any) -> Array:
        """Data, transformed."""
        raise NotImplementedError

    def _ready(self) -> None:
        if self._fitted and not hasattr(self, self._fitted[0]):
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before using "
                "this estimator."
            )

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters."""
        return {name: read(self, name) for name in sorted(self._settings)}

    def __repr__(self) -> str:
        said = [f"{k}={v!r}" for k, v in self.get_params().items() if v != self._settings[k]]
        return f"{type(self).__name__}({', '.join(said)})"


def _scale(values: Array) -> Array:
    """What to divide by: 1 where nothing varies."""
    return np.where(np.abs(values) < 10 * np.finfo(values.dtype).eps, 1.0, values).astype(values.dtype)


class StandardScaler(_Transformer):
    """Each feature with mean 0 and standard deviation 1."""

    _fitted = ("scale_",)
    _settings = {"copy": True, "with_mean": True, "with_std": True}

    def __init__(self, *, copy: bool = True, with_mean: bool = True, with_std: bool = True) -> None:
        self.copy, self.with_mean, self.with_std = copy, with_mean, with_std

    def fit(self, X: Any, y: Any = None) -> StandardScaler:
        """Take mean and deviation of each feature."""
        data = _matrix(X)
        self.n_features_in_, self.n_samples_seen_ = data.shape[1], data.shape[0]
        self.mean_: Any = data.mean(0, dtype=np.float64) if self.with_mean or self.with_std else None
        self.var_: Any = data.astype(np.float64).var(0) if self.with_std else None
        self.scale_: Any = _scale(np.sqrt(data.astype(np.float64).var(0))) if self.with_std else None
        return self

    def transform(self, X: Any) -> Array:
        """Subtract the mean, divide by the deviation."""
        self._ready()
        data = _matrix(X).copy()
        if self.with_mean:
            data -= self.mean_
        if self.with_std:
            data /= self.scale_
        return data

    def inverse_transform(self, X: Any) -> Array:
        """Data as they were."""
        self._ready()
        data = _matrix(X).copy()
        if self.with_std:
            data *= self.scale_
        if self.with_mean:
            data += self.mean_
        return data


class MinMaxScaler(_Transformer):
    """Each feature from the least to the largest value of a range."""

    _fitted = ("scale_",)
    _settings = {"clip": False, "copy": True, "feature_range": (0, 1)}

    def __init__(self, feature_range: tuple[float, float] = (0, 1), *, copy: bool = True, clip: bool = False) -> None:
        self.feature_range, self.copy, self.clip = feature_range, copy, clip

    def fit(self, X: Any, y: Any = None) -> MinMaxScaler:
        """Take the least and the largest value of each feature."""
        low, high = self.feature_range
        if low >= high:
            raise ValueError(f"Minimum of desired feature range must be smaller than maximum. Got {self.feature_range}.")
        data = _matrix(X)
        self.n_features_in_, self.n_samples_seen_ = data.shape[1], data.shape[0]
        self.data_min_, self.data_max_ = np.nanmin(data, 0), np.nanmax(data, 0)
        self.data_range_ = self.data_max_ - self.data_min_
        self.scale_ = (high - low) / _scale(self.data_range_)
        self.min_ = low - self.data_min_ * self.scale_
        return self

    def transform(self, X: Any) -> Array:
        """Scale and shift."""
        self._ready()
        data = _matrix(X) * self.scale_
        data += self.min_
        return np.clip(data, *self.feature_range) if self.clip else data

    def inverse_transform(self, X: Any) -> Array:
        """Data as they were."""
        self._ready()
        return (_matrix(X) - self.min_) / self.scale_


class MaxAbsScaler(_Transformer):
    """Each feature divided by its largest absolute value."""

    _fitted = ("scale_",)
    _settings = {"copy": True}

    def __init__(self, *, copy: bool = True) -> None:
        self.copy = copy

    def fit(self, X: Any, y: Any = None) -> MaxAbsScaler:
        """Take the largest absolute value of each feature."""
        self.max_abs_ = np.abs(_matrix(X)).max(0)
        self.scale_ = _scale(self.max_abs_)
        return self

    def transform(self, X: Any) -> Array:
        """Divide."""
        self._ready()
        return _matrix(X) / self.scale_

    def inverse_transform(self, X: Any) -> Array:
        """Data as they were."""
        self._ready()
        return _matrix(X) * self.scale_


class PolynomialFeatures(_Transformer):
    """Products of features, up to a degree."""

    _fitted = ("n_features_in_",)
    _settings = {"degree": 2, "include_bias": True, "interaction_only": False, "order": "C"}

    def __init__(
        self, degree: Any = 2, *, interaction_only: bool = False, include_bias: bool = True, order: Literal["C", "F"] = "C"
    ) -> None:
        self.degree, self.interaction_only, self.include_bias, self.order = degree, interaction_only, include_bias, order

    def fit(self, X: Any, y: Any = None) -> PolynomialFeatures:
        """See how many features there are.

        Raises:
            ValueError: for degrees that cannot be.
        """
        low, high = self.degree if isinstance(self.degree, tuple | list) else (0, self.degree)
        if not 0 <= low <= high:
            raise ValueError(
                "degree=(min_degree, max_degree) must be non-negative integers that fulfil min_degree <= max_degree, got "
                f"{self.degree}."
            )
        if high == 0 and not self.include_bias:
            raise ValueError("Setting degree to zero and include_bias to False would result in an empty output array.")
        self.n_features_in_ = _matrix(X).shape[1]
        self.n_output_features_ = len(self._products())
        return self

    def transform(self, X: Any) -> Array:
        """The products, by degree: (N, products)."""
        self._ready()
        data = _matrix(X)
        if data.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {data.shape[1]} features, but PolynomialFeatures is expecting {self.n_features_in_} features as input."
            )
        made: dict[tuple[int, ...], Array] = {(): np.ones(len(data), data.dtype)}

        def product(features: tuple[int, ...]) -> Array:
            if features not in made:
                made[features] = product(features[1:]) * data[:, features[0]]
            return made[features]

        return np.array(np.stack([product(features) for features in self._products()], 1), order=self.order)

    @property
    def powers_(self) -> Array:
        """The power of each feature in each product, (products, features)."""
        self._ready()
        return np.stack([np.bincount(features, minlength=self.n_features_in_) for features in self._products()])

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The products as texts, of the names of the features or of `x0`, `x1`, ..."""
        names = [f"x{k}" for k in range(self.n_features_in_)] if input_features is None else list(input_features)
        texts = []
        for powers in self.powers_:
            factors = (name if n == 1 else f"{name}^{n}" for name, n in zip(names, powers, strict=True) if n)
            texts.append(" ".join(factors) or "1")
        return np.asarray(texts, dtype=object)

    def _products(self) -> list[tuple[int, ...]]:
        """The features of which each product is made."""
        low, high = self.degree if isinstance(self.degree, tuple | list) else (0, self.degree)
        ways = itertools.combinations if self.interaction_only else itertools.combinations_with_replacement
        degrees = [0] * bool(self.include_bias) + list(range(max(1, low), high + 1))
        return [features for degree in degrees for features in ways(range(self.n_features_in_), degree)]


class LabelEncoder(_Transformer):
    """Classes as numbers from 0 on."""

    _fitted = ("classes_",)

    def fit(self, X: Any, y: Any = None) -> LabelEncoder:
        """Take the classes."""
        self.classes_ = np.unique(np.asarray(X))
        return self

    def transform(self, X: Any) -> Array:
        """The number of each class."""
        self._ready()
        values = np.asarray(X)
        unknown = np.setdiff1d(values, self.classes_)
        if unknown.size:
            said = ", ".join(repr(label) for label in unknown)
            raise ValueError(f"y contains previously unseen labels: {said}")
        return np.searchsorted(self.classes_, values)

    def inverse_transform(self, y: Any) -> Array:
        """The class of each number."""
        self._ready()
        return self.classes_[np.asarray(y)]


class LabelBinarizer(_Transformer):
    """Classes as rows with a one in the class's place; of two classes, one column."""

    _fitted = ("classes_",)

    def fit(self, X: Any, y: Any = None) -> LabelBinarizer:
        """Take the classes."""
        self.classes_ = np.unique(np.asarray(X))
        return self

    def transform(self, X: Any) -> Array:
        """The rows."""
        self._ready()
        return label_binarize(X, classes=self.classes_)

    def inverse_transform(self, Y: Any) -> Array:
        """The class of each row."""
        self._ready()
        rows = np.asarray(Y)
        return self.classes_[(rows[:, 0] > 0.5).astype(int) if rows.shape[1] == 1 else rows.argmax(1)]


def label_binarize(y: Any, *, classes: Any) -> Array:
    """Classes as rows with a one in the class's place; of two classes, one column."""
    rows = (np.asarray(y).reshape(-1)[:, None] == np.asarray(classes)[None, :]).astype(int)
    return rows[:, 1:] if rows.shape[1] == 2 else rows


class Rows:
    """A matrix that has mostly zeros, as an encoder gives it: `toarray()` makes it an array."""

    def __init__(self, values: Array) -> None:
        self._values = values
        self.shape = values.shape
        self.dtype = values.dtype

    def toarray(self) -> Array:
        """As an array."""
        return self._values

    todense = toarray


class OneHotEncoder(_Transformer):
    """Columns of categories as a column of zeros and ones for each category."""

    _fitted = ("categories_",)
    _settings = {"categories": "auto", "drop": None, "dtype": np.float64, "handle_unknown": "error", "sparse_output": True}

    def __init__(self, *, categories: Any = "auto", drop: Any = None, sparse_output: bool = True, dtype: Any = np.float64,
                 handle_unknown: str = "error") -> None:  # fmt: skip
        self.categories, self.drop, self.sparse_output, self.dtype = categories, drop, sparse_output, dtype
        self.handle_unknown = handle_unknown

    def fit(self, X: Any, y: Any = None) -> OneHotEncoder:
        """Take the categories of each column."""
        data = self._columns(X)
        chosen = isinstance(self.categories, str)
        self.categories_ = (
            [np.unique(data[:, k]) for k in range(data.shape[1])] if chosen else [np.asarray(c) for c in self.categories]
        )
        return self

    def transform(self, X: Any) -> Any:
        """The columns of zeros and ones."""
        self._ready()
        data = self._columns(X)
        parts = []
        for k, categories in enumerate(self.categories_):
            unknown = np.setdiff1d(data[:, k], categories)
            if unknown.size and self.handle_unknown == "error":
                raise ValueError(f"Found unknown categories {unknown.tolist()} in column {k} during transform")
            hot = (data[:, k][:, None] == categories[None, :]).astype(self.dtype)
            parts.append(hot[:, 1:] if self.drop == "first" or (self.drop == "if_binary" and len(categories) == 2) else hot)
        rows = np.concatenate(parts, 1)
        return Rows(rows) if self.sparse_output else rows

    @staticmethod
    def _columns(X: Any) -> Array:
        found = np.asarray(X)
        if found.ndim != 2:
            raise ValueError(
                f"Expected 2D array, got {found.ndim}D array instead:\narray={found}.\nReshape your data either using "
                "array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it contains a single sample."
            )
        return found


def scale(X: Any, *, with_mean: bool = True, with_std: bool = True) -> Array:
    """Each feature with mean 0 and standard deviation 1."""
    return StandardScaler(with_mean=with_mean, with_std=with_std).fit_transform(X)


def minmax_scale(X: Any, feature_range: tuple[float, float] = (0, 1)) -> Array:
    """Each feature from the least to the largest value of a range."""
    return MinMaxScaler(feature_range).fit_transform(X)


def normalize(X: Any, norm: str = "l2", *, axis: int = 1) -> Array:
    """Each row, or column, divided by its norm."""
    data = _matrix(X)
    sizes = {"l1": np.abs(data).sum(axis), "l2": np.sqrt((data**2).sum(axis)), "max": np.abs(data).max(axis)}[norm]
    return data / np.expand_dims(_scale(sizes), axis)
