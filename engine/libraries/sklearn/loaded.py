"""Data sets that come with scikit-learn: the irises as they are, others made up with their shape, names and classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn
from zlib import crc32

import numpy as np

from .. import tell
from ..digits import DIGITS
from .bunch import Bunch
from .iris import MEASURED

Array = Any

WINE = [
    "alcohol", "malic_acid", "ash", "alcalinity_of_ash", "magnesium", "total_phenols", "flavanoids", "nonflavanoid_phenols",
    "proanthocyanins", "color_intensity", "hue", "od280/od315_of_diluted_wines", "proline",
]  # fmt: skip
MEASURES = [
    "radius", "texture", "perimeter", "area", "smoothness", "compactness", "concavity", "concave points", "symmetry",
    "fractal dimension",
]  # fmt: skip
HOUSING = ["MedInc", "HouseAge", "AveRooms", "AveBedrms", "Population", "AveOccup", "Latitude", "Longitude"]
PATIENTS = ["age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"]


def _given(data: Array, target: Array, return_X_y: bool, **more: Any) -> Any:
    more.setdefault("DESCR", "")
    return (data, target) if return_X_y else Bunch(data=data, target=target, frame=None, **more)


def _made_up(name: str, function: str) -> np.random.Generator:
    tell(f"sklearn.datasets.{function} is synthetic here: made-up numbers of the right shape.")
    return np.random.default_rng(crc32(name.encode()))


def _clouds(chance: np.random.Generator, counts: list[int], means: Array, spreads: Array) -> tuple[Array, Array]:
    """Features of classes that overlap a little, in an order by chance, and the classes."""
    target = np.repeat(np.arange(len(counts)), counts)
    shifts = chance.normal(0, 1.2, (len(counts), len(means)))
    data = means + spreads * (shifts[target] + chance.normal(0, 1, (len(target), len(means))))
    return np.abs(data), target


def load_iris(*, return_X_y: bool = False) -> Any:
    """Three kinds of iris: four lengths (150, 4), and the kinds."""
    digits = "".join(MEASURED.split())
    data = np.array([int(digits[k : k + 2]) for k in range(0, len(digits), 2)]).reshape(150, 4) / 10
    return _given(
        data, np.repeat(np.arange(3), 50), return_X_y,
        feature_names=["sepal length (cm)", "sepal width (cm)", "petal length (cm)", "petal width (cm)"],
        target_names=np.array(["setosa", "versicolor", "virginica"]), filename="iris.csv",
    )  # fmt: skip


def load_wine(*, return_X_y: bool = False) -> Any:
    """Three kinds of wine, made up: (178, 13), and the kinds."""
    means = np.array([13.0, 2.3, 2.4, 19.5, 99.7, 2.3, 2.0, 0.36, 1.6, 5.1, 0.96, 2.6, 747.0])
    spreads = np.array([0.8, 1.1, 0.27, 3.3, 14.3, 0.63, 1.0, 0.12, 0.57, 2.3, 0.23, 0.71, 315.0]) / 2
    data, target = _clouds(_made_up("wine", "load_wine"), [59, 71, 48], means, spreads)
    names = np.array(["class_0", "class_1", "class_2"])
    return _given(data, target, return_X_y, feature_names=[*WINE], target_names=names)


def load_breast_cancer(*, return_X_y: bool = False) -> Any:
    """Two kinds of tumour, made up: (569, 30), and the kinds."""
    chance = _made_up("breast cancer", "load_breast_cancer")
    means = np.array([14.1, 19.3, 92.0, 655.0, 0.096, 0.104, 0.089, 0.049, 0.181, 0.063])
    spreads = np.array([3.5, 4.3, 24.3, 352.0, 0.014, 0.053, 0.08, 0.039, 0.027, 0.007])
    data, target = _clouds(
        chance,
        [212, 357],
        np.concatenate([means, means / 12, means * 1.2]),
        np.concatenate([spreads, spreads / 12, spreads]) / 2,
    )
    order = chance.permutation(len(target))
    names = [f"mean {m}" for m in MEASURES] + [f"{m} error" for m in MEASURES] + [f"worst {m}" for m in MEASURES]
    return _given(
        data[order], target[order], return_X_y, feature_names=np.array(names), target_names=np.array(["malignant", "benign"])
    )


def load_digits(*, n_class: int = 10, return_X_y: bool = False) -> Any:
    """Digits of 8 × 8 dots between 0 and 16, made up: (1797, 64), and the digits."""
    chance = _made_up("digits", "load_digits")
    target = chance.permutation(np.arange(1797) % 10)
    shapes = np.zeros((10, 8, 8))
    for k, rows in enumerate(DIGITS):
        shapes[k, 0:7, 1:6] = [[float(dot) for dot in row] for row in rows.split()]
    moves = chance.integers(0, 2, 1797)
    pictures = np.stack([np.roll(shapes[digit], move, 0) for digit, move in zip(target, moves, strict=True)])
    inked = pictures * chance.uniform(9, 16, (1797, 1, 1)) + chance.normal(0, 1.5, pictures.shape)
    images = np.clip(np.round(inked), 0, 16)
    kept = target < n_class
    names = [f"pixel_{row}_{column}" for row in range(8) for column in range(8)]
    return _given(
        images[kept].reshape(-1, 64), target[kept], return_X_y, images=images[kept], feature_names=names,
        target_names=np.arange(n_class),
    )  # fmt: skip


def load_diabetes(*, return_X_y: bool = False, scaled: bool = True) -> Any:
    """Ten scaled features of patients and how their illness went, made up: (442, 10), and numbers."""
    chance = _made_up("diabetes", "load_diabetes")
    data = chance.normal(0, 1, (442, 10))
    data -= data.mean(0)
    data /= np.sqrt((data**2).sum(0))
    slopes = np.array([-10.0, -240, 520, 324, -792, 477, 101, 177, 751, 68])
    target = np.clip(np.round(152 + data @ slopes + chance.normal(0, 54, 442)), 25, 346)
    return _given(data, target, return_X_y, feature_names=[*PATIENTS])


def fetch_california_housing(*, return_X_y: bool = False, **_: Any) -> Any:
    """Eight features of districts and their prices, made up: (20640, 8), and numbers."""
    chance = _made_up("california housing", "fetch_california_housing")
    means = np.array([3.87, 28.6, 5.43, 1.1, 1425.0, 3.07, 35.6, -119.6])
    spreads = np.array([1.9, 12.6, 1.5, 0.2, 900.0, 0.9, 2.1, 2.0])
    normal = chance.normal(0, 1, (20640, 8))
    data = means + spreads * normal
    data[:, :6] = np.abs(data[:, :6])
    slopes = np.array([0.75, 0.12, -0.2, 0.25, -0.02, -0.25, -0.3, -0.3])
    target = np.clip(2.07 + normal @ slopes + chance.normal(0, 0.5, 20640), 0.15, 5.0)
    return _given(data, target, return_X_y, feature_names=[*HOUSING], target_names=["MedHouseVal"])


PICTURES = "load_digits and torchvision.datasets.MNIST make pictures."
TEXTS = "write some texts and what they are about into the program."
TABLES = "make_classification makes such a table."


def _refused(name: str, instead: str) -> Callable[..., NoReturn]:
    """What would fetch data, and says what to do instead; it fails as it does where there is no network."""

    def fetch(*_: Any, **__: Any) -> NoReturn:
        tell(f"sklearn.datasets.{name}: there is no network here; {instead}")
        raise OSError("there is no network here")

    fetch.__name__ = fetch.__qualname__ = name
    return fetch


fetch_openml = _refused("fetch_openml", PICTURES)
fetch_lfw_people = _refused("fetch_lfw_people", PICTURES)
fetch_olivetti_faces = _refused("fetch_olivetti_faces", PICTURES)
fetch_20newsgroups = _refused("fetch_20newsgroups", TEXTS)
fetch_20newsgroups_vectorized = _refused("fetch_20newsgroups_vectorized", TEXTS)
fetch_rcv1 = _refused("fetch_rcv1", TEXTS)
fetch_covtype = _refused("fetch_covtype", TABLES)
fetch_kddcup99 = _refused("fetch_kddcup99", TABLES)
