# ruff: noqa: E501  (programs are written as they are)
"""`sklearn`: the numbers that scikit-learn gives for the same seeds, and data sets of its shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import engine as torch
from engine.libraries.sklearn import datasets, decomposition, linear_model, metrics, model_selection, preprocessing, utils
from engine.recording.events import Printed
from engine.sandbox import run
from tests.engine.libraries.sklearn_expected import EXPECTED
from tests.engine.libraries.sklearn_programs import TEXTS, digest, given

ROOMS = {"C": decomposition, "D": datasets, "E": linear_model, "np": np, "M": model_selection, "P": preprocessing, "S": metrics}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("text", TEXTS)
def test_it_gives_what_scikit_learn_gives(text: str) -> None:
    found, expected = digest(lambda: eval(text, given() | ROOMS)), EXPECTED[text]
    if isinstance(expected, str):
        assert found == expected
    else:
        assert np.allclose(flat(found), flat(expected), rtol=1e-6, atol=2e-4)


def flat(told: Any) -> list[float]:
    return [n for part in told for n in flat(part)] if isinstance(told, list) else [told]


def test_without_a_seed_numpys_own_counts() -> None:
    np.random.seed(3)
    first = datasets.make_moons(5, noise=0.1)[0]
    np.random.seed(3)
    np.testing.assert_array_equal(datasets.make_moons(5, noise=0.1)[0], first)
    shared = np.random.RandomState(1)
    datasets.make_blobs(5, random_state=shared)
    assert shared.rand() != np.random.RandomState(1).rand(), "a generator goes on"
    with pytest.raises(ValueError, match="cannot be used to seed"):
        datasets.make_moons(random_state="x")


def test_tensors_are_split_and_scored_as_they_are() -> None:
    x, y = torch.arange(12.0).reshape(6, 2), torch.tensor([0, 1, 0, 1, 0, 1])
    train, test, targets, _ = model_selection.train_test_split(x, y, test_size=2, random_state=0)
    assert (type(train), train.shape, test.shape, targets.dtype) == (torch.Tensor, (4, 2), (2, 2), torch.int64)
    assert metrics.accuracy_score(y, y.flip(0)) == 0
    assert metrics.mean_squared_error(x, x + 1) == 1


def test_scores_that_divide_by_nothing_warn() -> None:
    with pytest.warns(UserWarning, match="Precision is ill-defined and being set to 0.0 due to no predicted samples"):
        assert metrics.precision_score([0, 1], [0, 0]) == 0
    assert metrics.precision_score([0, 1], [0, 0], zero_division=1) == 1
    with pytest.warns(UserWarning, match="not well-defined with less than two samples"):
        assert np.isnan(metrics.r2_score([1], [1]))
    with pytest.warns(UserWarning, match="Only one class is present"):
        assert np.isnan(metrics.roc_auc_score([1, 1], [0, 1]))
    with pytest.warns(UserWarning, match="The least populated class"):
        list(model_selection.StratifiedKFold(3).split([0] * 5, [0, 0, 0, 1, 1]))


def test_a_bunch_is_a_dict_with_attributes() -> None:
    irises = datasets.load_iris()
    assert irises["data"] is irises.data
    assert set(dir(irises)) == set(irises)
    assert irises.data[0].tolist() == [5.1, 3.5, 1.4, 0.2]
    with pytest.raises(AttributeError):
        irises.nothing  # noqa: B018
    assert isinstance(irises, utils.Bunch)


def test_shuffle_and_check_random_state() -> None:
    a, b = utils.shuffle(np.arange(5), np.arange(5) * 2, random_state=1)
    np.testing.assert_array_equal(a * 2, b)
    assert sorted(utils.shuffle(np.arange(4), random_state=1)) == [0, 1, 2, 3]
    assert isinstance(utils.check_random_state(None), np.random.RandomState)
    assert utils.check_random_state(utils.check_random_state(1)).rand() == np.random.RandomState(1).rand()


MADE_UP = {
    "load_wine": ((178, 13), 3), "load_breast_cancer": ((569, 30), 2), "load_digits": ((1797, 64), 10),
    "load_diabetes": ((442, 10), None), "fetch_california_housing": ((20640, 8), None),
}  # fmt: skip


@pytest.mark.parametrize("name", MADE_UP)
def test_what_is_made_up_has_the_shape_and_can_be_learned_from(name: str) -> None:
    shape, classes = MADE_UP[name]
    data, target = getattr(datasets, name)(return_X_y=True)
    assert data.shape == shape
    again = getattr(datasets, name)()
    np.testing.assert_array_equal(again.data, data)
    assert len(again.feature_names) == shape[1]
    # A linear fit on a part tells the rest better than the mean does.
    x = np.concatenate([preprocessing.scale(data), np.ones((len(data), 1))], 1)
    wanted = target[:, None] if classes is None else np.eye(classes)[target]
    known = np.arange(len(x)) % 4 > 0
    weights = np.linalg.lstsq(x[known], wanted[known], rcond=None)[0]
    if classes is None:
        assert metrics.r2_score(wanted[~known], x[~known] @ weights) > 0.3
    else:
        assert sorted({*target.tolist()}) == list(range(classes))
        assert metrics.accuracy_score(target[~known], (x[~known] @ weights).argmax(1)) > 0.8


def test_nothing_is_fetched() -> None:
    with pytest.raises(OSError, match="no network"):
        datasets.fetch_openml("mnist_784")


def test_a_program_trains_on_moons() -> None:
    result = run(
        "import torch, numpy as np\nfrom sklearn.datasets import make_moons, load_wine\nfrom sklearn.model_selection import train_test_split\n"
        "from sklearn.preprocessing import StandardScaler\nfrom sklearn.metrics import accuracy_score\nimport sklearn\n"
        "X, y = make_moons(200, noise=0.2, random_state=0)\nX = StandardScaler().fit_transform(X)\n"
        "a, b, c, d = train_test_split(torch.tensor(X, dtype=torch.float32), torch.tensor(y), random_state=1)\ntorch.manual_seed(0)\n"
        "net = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2))\nopt = torch.optim.Adam(net.parameters(), 0.05)\n"
        "for _ in range(60):\n    opt.zero_grad()\n    torch.nn.functional.cross_entropy(net(a), c).backward()\n    opt.step()\n"
        "print(accuracy_score(d, net(b).argmax(1)) > 0.85, load_wine().data.shape)\n"
    )
    assert (
        result.output == "sklearn.datasets.load_wine is synthetic here: made-up numbers of the right shape.\nTrue (178, 13)\n"
    ), result.error


def test_a_program_gets_no_module_and_no_state_of_its_own() -> None:
    result = run(
        "from sklearn.utils import check_random_state\nr = check_random_state(None)\nprint(type(r).__name__)\nr.__dict__\n"
    )
    assert result.status == "policy"
    assert result.output == "RandomState\n"


def test_estimators_of_a_programs_own() -> None:
    result = run(OWN)
    assert result.status == "ok", result.message
    assert result.recording is not None
    # What scikit-learn 1.9 prints.
    assert "".join(event.text for event in result.recording.events if isinstance(event, Printed)).splitlines() == [
        "Net(lr=0.2)",
        "{'lr': 0.2, 'steps': 40} True",
        "Invalid parameter 'nope' for estimator Net(lr=0.2). Valid parameters are: ['lr', 'steps'].",
        "True Scale()",
        "1.0",
        "{'inner__lr': 0.3, 'inner__steps': 40, 'inner': Net(lr=0.3)}",
    ]


OWN = """
import numpy as np, torch
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin, clone
class Net(RegressorMixin, BaseEstimator):
    def __init__(self, lr=0.1, steps=40):
        self.lr = lr
        self.steps = steps
    def fit(self, X, y):
        self.w_ = torch.zeros(X.shape[1], requires_grad=True)
        for _ in range(self.steps):
            ((torch.tensor(X) @ self.w_ - torch.tensor(y)) ** 2).mean().backward()
            with torch.no_grad():
                self.w_ -= self.lr * self.w_.grad
            self.w_.grad = None
        return self
    def predict(self, X):
        return (torch.tensor(X) @ self.w_).detach().numpy()
X = np.random.RandomState(0).randn(30, 3)
X = X.astype(np.float32)
y = X @ np.array([1.0, 2.0, -1.0], dtype=np.float32)
net = Net().set_params(lr=0.2)
print(net)
print(net.get_params(), clone(net).fit(X, y).score(X, y) > 0.9)
try:
    net.set_params(nope=1)
except ValueError as error:
    print(error)
class Scale(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        self.mean_ = X.mean(0)
        return self
    def transform(self, X):
        return X - self.mean_
print(bool(np.abs(Scale().fit_transform(X).mean(0)).max() < 1e-6), Scale())
class Zero(ClassifierMixin, BaseEstimator):
    def predict(self, X):
        return np.zeros(len(X))
print(Zero().score(X, np.zeros(30)))
class Outer(BaseEstimator):
    def __init__(self, inner=None):
        self.inner = inner
print(Outer(Net()).set_params(inner__lr=0.3).get_params())
"""


PROBABILITIES = [[0.98156, 0.01844, 0.0], [0.0559, 0.93763, 0.00647], [1e-05, 0.02384, 0.97616]]
SCORES = [-4.75041, -2.36125]
"""What scikit-learn 1.9 gives of the irises."""


def test_probabilities_of_a_logistic_regression_are_scikit_learns_to_its_tolerance() -> None:
    iris = datasets.load_iris()
    fitted = linear_model.LogisticRegression(max_iter=500).fit(iris.data, iris.target)
    assert np.allclose(fitted.predict_proba(iris.data[::60]), PROBABILITIES, atol=2e-3)
    assert np.allclose(np.exp(fitted.predict_log_proba(iris.data[::60])), PROBABILITIES, atol=2e-3)
    two = linear_model.LogisticRegression().fit(iris.data[50:], iris.target[50:])
    assert two.decision_function(iris.data[60:62]) == pytest.approx(SCORES, abs=1e-2)
    with pytest.warns(UserWarning, match=r"lbfgs failed to converge after 2 iteration\(s\)"):
        linear_model.LogisticRegression(max_iter=2).fit(iris.data, iris.target)
