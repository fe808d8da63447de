"""`sklearn.datasets`."""

from __future__ import annotations

from .generated import (
    make_blobs,
    make_circles,
    make_classification,
    make_friedman1,
    make_gaussian_quantiles,
    make_moons,
    make_regression,
    make_s_curve,
    make_swiss_roll,
)
from .loaded import (
    fetch_20newsgroups,
    fetch_20newsgroups_vectorized,
    fetch_california_housing,
    fetch_covtype,
    fetch_kddcup99,
    fetch_lfw_people,
    fetch_olivetti_faces,
    fetch_openml,
    fetch_rcv1,
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_iris,
    load_wine,
)

__all__ = [
    "fetch_20newsgroups", "fetch_20newsgroups_vectorized", "fetch_california_housing", "fetch_covtype", "fetch_kddcup99",
    "fetch_lfw_people", "fetch_olivetti_faces", "fetch_openml", "fetch_rcv1", "load_breast_cancer", "load_diabetes",
    "load_digits", "load_iris", "load_wine",
    "make_blobs", "make_circles", "make_classification", "make_friedman1", "make_gaussian_quantiles", "make_moons",
    "make_regression", "make_s_curve", "make_swiss_roll",
]  # fmt: skip
