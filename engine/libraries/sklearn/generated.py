"""Data that scikit-learn makes by chance: with the same seed the same numbers."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

from .chance import InvalidParameterError, generator, sampled, shuffled

Array = Any


def _halves(n_samples: Any) -> tuple[int, int]:
    """How many points the outer and the inner shape have.

    Raises:
        ValueError: for a pair that is none.
    """
    if isinstance(n_samples, Integral):
        outer = int(n_samples) // 2
        return outer, int(n_samples) - outer
    if len(n_samples) != 2:
        raise ValueError("When a tuple, n_samples must have exactly two elements.")
    return n_samples[0], n_samples[1]


def _two_shapes(X: Array, outer: int, inner: int, shuffle: bool, noise: float | None, random: Any) -> tuple[Array, Array]:
    y: Array = np.hstack([np.zeros(outer, dtype=np.intp), np.ones(inner, dtype=np.intp)])
    if shuffle:
        X, y = shuffled(random, X, y)
    if noise is not None:
        X += random.normal(scale=noise, size=X.shape)
    return X, y


def make_moons(n_samples: Any = 100, *, shuffle: bool = True, noise: float | None = None,
               random_state: Any = None) -> tuple[Array, Array]:  # fmt: skip
    """Two half circles that hold each other: points (N, 2) and classes (N,)."""
    outer, inner = _halves(n_samples)
    random = generator(random_state)
    above, below = np.linspace(0, np.pi, outer), np.linspace(0, np.pi, inner)
    X = np.vstack([np.append(np.cos(above), 1 - np.cos(below)), np.append(np.sin(above), 1 - np.sin(below) - 0.5)]).T
    return _two_shapes(X, outer, inner, shuffle, noise, random)


def make_circles(n_samples: Any = 100, *, shuffle: bool = True, noise: float | None = None, random_state: Any = None,
                 factor: float = 0.8) -> tuple[Array, Array]:  # fmt: skip
    """A circle within another: points (N, 2) and classes (N,).

    Raises:
        ValueError: for a factor outside of [0, 1).
    """
    if not 0 <= factor < 1:
        raise InvalidParameterError(
            f"The 'factor' parameter of make_circles must be a float in the range [0.0, 1.0). Got {factor} instead."
        )
    outer, inner = _halves(n_samples)
    random = generator(random_state)
    first, second = (np.linspace(0, 2 * np.pi, count, endpoint=False) for count in (outer, inner))
    X = np.vstack([np.append(np.cos(first), np.cos(second) * factor), np.append(np.sin(first), np.sin(second) * factor)]).T
    return _two_shapes(X, outer, inner, shuffle, noise, random)


def make_blobs(n_samples: Any = 100, n_features: int = 2, *, centers: Any = None, cluster_std: Any = 1.0,
               center_box: tuple[float, float] = (-10.0, 10.0), shuffle: bool = True, random_state: Any = None,
               return_centers: bool = False) -> Any:  # fmt: skip
    """Clouds of points: (N, features), and the number of each one's cloud.

    Raises:
        ValueError: where the counts of clouds differ.
    """
    random = generator(random_state)
    several = not isinstance(n_samples, Integral)
    count = len(n_samples) if several else 3 if centers is None else centers
    if centers is None or (not several and isinstance(centers, Integral)):
        middles = random.uniform(center_box[0], center_box[1], size=(count, n_features))
    else:
        middles = np.array(centers, np.float64)
    n_features = middles.shape[1]
    if several and len(middles) != len(n_samples):
        raise ValueError(
            f"Length of `n_samples` not consistent with number of centers. Got n_samples = {n_samples} and centers = {centers}"
        )
    spreads = np.full(len(middles), cluster_std) if isinstance(cluster_std, Real) else cluster_std
    if len(spreads) != len(middles):
        raise ValueError(
            "Length of `clusters_std` not consistent with number of centers. "
            f"Got centers = {middles} and cluster_std = {cluster_std}"
        )
    if several:
        counts = [*n_samples]
    else:
        each, rest = divmod(n_samples, len(middles))
        counts = [each + (k < rest) for k in range(len(middles))]
    X: Array = np.concatenate(
        [random.normal(loc=m, scale=s, size=(n, n_features)) for m, s, n in zip(middles, spreads, counts, strict=True)]
    )
    y: Array = np.repeat(np.arange(len(middles)), counts)
    if shuffle:
        X, y = shuffled(random, X, y)
    return (X, y, middles) if return_centers else (X, y)


def make_classification(n_samples: int = 100, n_features: int = 20, *, n_informative: int = 2, n_redundant: int = 2,
                        n_repeated: int = 0, n_classes: int = 2, n_clusters_per_class: int = 2, weights: Any = None,
                        flip_y: float = 0.01, class_sep: float = 1.0, hypercube: bool = True, shift: Any = 0.0,
                        scale: Any = 1.0, shuffle: bool = True, random_state: Any = None) -> tuple[Array, Array]:  # fmt: skip
    """Clouds at the corners of a cube, in some of the features: (N, features), and classes.

    Raises:
        ValueError: where features or corners are too few.
    """
    random = generator(random_state)
    clusters = n_classes * n_clusters_per_class
    if n_informative + n_redundant + n_repeated > n_features:
        raise ValueError(
            "Number of informative, redundant and repeated features must sum to less than the number of total features"
        )
    if n_informative < np.log2(clusters):
        raise ValueError(
            f"n_classes({n_classes}) * n_clusters_per_class({n_clusters_per_class}) must be smaller or equal "
            f"2**n_informative({n_informative})={2**n_informative}"
        )
    shares = [1.0 / n_classes] * n_classes if weights is None else [*weights]
    if len(shares) not in (n_classes, n_classes - 1):
        raise ValueError("Weights specified but incompatible with number of classes.")
    if len(shares) == n_classes - 1:
        shares.append(1.0 - sum(shares))
    counts = [int(n_samples * shares[k % n_classes] / n_clusters_per_class) for k in range(clusters)]
    for i in range(n_samples - sum(counts)):
        counts[i % clusters] += 1
    X, y = np.zeros((n_samples, n_features)), np.zeros(n_samples, dtype=int)
    corners = _corners(clusters, n_informative, random).astype(float) * 2 * class_sep - class_sep
    if not hypercube:
        corners *= random.uniform(size=(clusters, 1))
        corners *= random.uniform(size=(1, n_informative))
    X[:, :n_informative] = random.standard_normal(size=(n_samples, n_informative))
    stop = 0
    for k, corner in enumerate(corners):
        start, stop = stop, stop + counts[k]
        y[start:stop] = k % n_classes
        mixing = 2 * random.uniform(size=(n_informative, n_informative)) - 1
        X[start:stop, :n_informative] = np.dot(X[start:stop, :n_informative], mixing) + corner
    known = n_informative + n_redundant
    if n_redundant > 0:
        mixing = 2 * random.uniform(size=(n_informative, n_redundant)) - 1
        X[:, n_informative:known] = np.dot(X[:, :n_informative], mixing)
    if n_repeated > 0:
        again = ((known - 1) * random.uniform(size=n_repeated) + 0.5).astype(np.intp)
        X[:, known : known + n_repeated] = X[:, again]
    noise = n_features - known - n_repeated
    if noise > 0:
        X[:, -noise:] = random.standard_normal(size=(n_samples, noise))
    if flip_y >= 0.0:
        flipped = random.uniform(size=n_samples) < flip_y
        y[flipped] = random.randint(n_classes, size=flipped.sum())
    X += (2 * random.uniform(size=n_features) - 1) * class_sep if shift is None else shift
    X *= 1 + 100 * random.uniform(size=n_features) if scale is None else scale
    if shuffle:
        X, y = shuffled(random, X, y)
        order = np.arange(n_features)
        random.shuffle(order)
        X[:, :] = X[:, order]
    return X, y


def _corners(count: int, dimensions: int, random: Any) -> Array:
    """Different corners of a cube, as zeros and ones."""
    if dimensions > 30:
        return np.hstack([random.randint(2, size=(count, dimensions - 30)), _corners(count, 30, random)])
    numbers = sampled(2**dimensions, count, random).astype(">u4")
    return np.unpackbits(numbers.view(">u1")).reshape((-1, 32))[:, -dimensions:]


def make_regression(n_samples: int = 100, n_features: int = 100, *, n_informative: int = 10, n_targets: int = 1,
                    bias: float = 0.0, noise: float = 0.0, shuffle: bool = True, coef: bool = False,
                    random_state: Any = None) -> Any:  # fmt: skip
    """Points (N, features) and a linear function of some features, with noise."""
    random = generator(random_state)
    X: Array = random.standard_normal(size=(n_samples, n_features))
    truth = np.zeros((n_features, n_targets))
    informative = min(n_features, n_informative)
    truth[:informative] = 100 * random.uniform(size=(informative, n_targets))
    y: Array = np.dot(X, truth) + bias
    if noise > 0.0:
        y += random.normal(scale=noise, size=y.shape)
    if shuffle:
        X, y = shuffled(random, X, y)
        order = np.arange(n_features)
        random.shuffle(order)
        X[:, :] = X[:, order]
        truth = truth[order]
    return (X, np.squeeze(y), np.squeeze(truth)) if coef else (X, np.squeeze(y))


def make_swiss_roll(n_samples: int = 100, *, noise: float = 0.0, random_state: Any = None) -> tuple[Array, Array]:
    """A rolled sheet: points (N, 3), and how far along the roll each is."""
    random = generator(random_state)
    t = 1.5 * np.pi * (1 + 2 * random.uniform(size=n_samples))
    y = 21 * random.uniform(size=n_samples)
    X = np.vstack((t * np.cos(t), y, t * np.sin(t)))
    return (X + noise * random.standard_normal(size=(3, n_samples))).T, t


def make_s_curve(n_samples: int = 100, *, noise: float = 0.0, random_state: Any = None) -> tuple[Array, Array]:
    """A sheet in the shape of an S: points (N, 3), and how far along it each is."""
    random = generator(random_state)
    t = 3 * np.pi * (random.uniform(size=(1, n_samples)) - 0.5)
    across = 2.0 * random.uniform(size=n_samples)
    X = np.stack([np.sin(t)[0], across, (np.sign(t) * (np.cos(t) - 1))[0]], 1)
    return X + noise * random.standard_normal(size=(3, n_samples)).T, np.squeeze(t)


def make_friedman1(n_samples: int = 100, n_features: int = 10, *, noise: float = 0.0,
                   random_state: Any = None) -> tuple[Array, Array]:  # fmt: skip
    """Points (N, features) and a function of the first five."""
    random = generator(random_state)
    X = random.uniform(size=(n_samples, n_features))
    bent = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return X, bent + noise * random.standard_normal(size=n_samples)


def make_gaussian_quantiles(*, mean: Any = None, cov: float = 1.0, n_samples: int = 100, n_features: int = 2,
                            n_classes: int = 3, shuffle: bool = True,
                            random_state: Any = None) -> tuple[Array, Array]:  # fmt: skip
    """Shells around a point: (N, features), and the number of each one's shell."""
    random = generator(random_state)
    middle = np.zeros(n_features) if mean is None else np.array(mean)
    X = random.multivariate_normal(middle, cov * np.identity(n_features), (n_samples,))
    X = X[np.argsort(np.sum((X - middle) ** 2, axis=1))]
    step = n_samples // n_classes
    y: Array = np.hstack([np.repeat(np.arange(n_classes), step), np.repeat(n_classes - 1, n_samples - step * n_classes)])
    if shuffle:
        X, y = shuffled(random, X, y)
    return X, y
