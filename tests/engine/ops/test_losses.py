"""Activations, losses, embeddings and similarities against PyTorch: values, graphs, gradients, second gradients, errors."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import engine
from tests.engine.oracle import Code, compare, outcome

torch = pytest.importorskip("torch")

rng = np.random.default_rng(5)
X = rng.normal(size=(4, 6)) * 2
Y = rng.normal(size=(4, 6))
P = 1 / (1 + np.exp(-rng.normal(size=(4, 6))))
Q = 1 / (1 + np.exp(-rng.normal(size=(4, 6))))
SIGNS = np.where(rng.normal(size=(4, 6)) > 0, 1, -1)
CLASSES = np.array([1, 5, 0, 2])
IMAGE = rng.normal(size=(2, 3, 4, 2))
PIXELS = rng.integers(0, 3, (2, 4, 2))
WEIGHTS = [0.5, 1.0, 2.0, 0.25, 1.5, 3.0]
REDUCTIONS = ("none", "mean", "sum")


@pytest.fixture(autouse=True)
def _quiet() -> Any:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def f(name: str, *args: Any, **named: Any) -> Code:
    """The call of one function of `nn.functional`, the last arguments fixed."""
    return lambda t, *xs: getattr(t.nn.functional, name)(*xs, *args, **named)


def in_place(name: str, *args: Any, **named: Any) -> Code:
    """The same on a copy of the first input, in place, with `inplace=True` or as `name_`."""
    return lambda t, x: getattr(t.nn.functional, name)(x * 1, *args, **named)


ACTIVATIONS: dict[str, Code] = {
    **{name: f(name) for name in (
        "relu", "relu6", "leaky_relu", "elu", "selu", "celu", "gelu", "silu", "mish", "hardswish", "hardsigmoid", "hardtanh",
        "hardshrink", "softshrink", "tanhshrink", "softsign", "softplus", "logsigmoid", "glu", "sigmoid", "tanh", "rrelu",
        "softmin", "softmax", "log_softmax",
    )},
    **{f"{name} in place": in_place(name, inplace=True) for name in (
        "relu", "relu6", "leaky_relu", "elu", "selu", "celu", "silu", "mish", "hardswish", "hardsigmoid", "hardtanh", "rrelu",
    )},
    **{name: in_place(name) for name in ("relu_", "leaky_relu_", "elu_", "selu_", "celu_", "hardtanh_", "rrelu_")},
    "leaky_relu slope": f("leaky_relu", 0.3),
    "elu alpha": f("elu", 1.7),
    "celu alpha": f("celu", 0.6),
    "gelu tanh": f("gelu", approximate="tanh"),
    "hardtanh bounds": f("hardtanh", -0.5, 0.25),
    "hardshrink wide": f("hardshrink", 1.2),
    "softshrink wide": f("softshrink", 1.2),
    "softplus sharp": f("softplus", 4.0, 3.0),
    "threshold": f("threshold", 0.1, 7.0),
    "threshold in place": in_place("threshold", 0.1, 7.0, True),
    "threshold_": in_place("threshold_", 0.1, 7.0),
    "glu first": f("glu", 0),
    "softmax first": f("softmax", 0),
    "softmax dtype": lambda t, x: t.softmax(x, 1, dtype=t.float32),
    "prelu": lambda t, x: t.nn.functional.prelu(x, t.full((6,), 0.3, dtype=t.float64, requires_grad=True)),
    "torch.relu": lambda t, x: t.relu(x),
    "torch.celu": lambda t, x: t.celu(x, 0.5),
    "torch.selu": lambda t, x: t.selu(x),
    "torch.rrelu": lambda t, x: t.rrelu(x),
    "torch.threshold": lambda t, x: t.threshold(x, 0.0, 1.0),
}  # fmt: skip


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activation(name: str) -> None:
    # PyTorch has no second derivative of hardsigmoid.
    compare(torch, ACTIVATIONS[name], [X], second="hardsigmoid" not in name)


@pytest.mark.parametrize("name", [n for n in ACTIVATIONS if n != "softmax dtype"])
def test_activation_keeps_float32(name: str) -> None:
    if name == "prelu":
        pytest.skip("its weight is float64")
    x = engine.tensor(X.astype(np.float32), requires_grad=True)
    y = ACTIVATIONS[name](engine, x)
    y.sum().backward()
    assert y._array.dtype == np.float32
    assert x.grad is not None
    assert x.grad._array.dtype == np.float32


ELEMENTS: dict[str, tuple[Code, list[Any]]] = {
    "mse": (f("mse_loss"), [X, Y]),
    "l1": (f("l1_loss"), [X, Y]),
    "smooth_l1": (f("smooth_l1_loss", beta=0.7), [X, Y]),
    "huber": (f("huber_loss", delta=0.7), [X, Y]),
    "bce": (f("binary_cross_entropy"), [P, Q]),
    "bce logits": (f("binary_cross_entropy_with_logits"), [X, Q]),
    "kl": (f("kl_div"), [X, Q]),
    "kl log": (f("kl_div", log_target=True), [X, Y]),
    "poisson": (f("poisson_nll_loss"), [X, Q]),
    "poisson full": (f("poisson_nll_loss", log_input=False, full=True), [P + 1, Q * 3]),
    "gaussian": (f("gaussian_nll_loss", full=True), [X, Y, P]),
    "hinge": (f("hinge_embedding_loss"), [X, SIGNS]),
    "soft margin": (f("soft_margin_loss"), [X, SIGNS]),
    "multilabel soft margin": (f("multilabel_soft_margin_loss"), [X, Q]),
    "margin ranking": (f("margin_ranking_loss", margin=0.2), [X, Y, SIGNS]),
    "triplet": (f("triplet_margin_loss"), [X, Y, P]),
    "triplet swap": (f("triplet_margin_loss", swap=True, p=3.0), [X, Y, P]),
    "triplet distance": (f("triplet_margin_with_distance_loss", swap=True), [X, Y, P]),
    "cosine": (f("cosine_embedding_loss", margin=0.1), [X, Y, SIGNS[:, 0]]),
    "nll": (f("nll_loss"), [X, CLASSES]),
    "nll ignoring": (f("nll_loss", ignore_index=5), [X, CLASSES]),
    "nll 2d": (f("nll_loss"), [IMAGE, PIXELS]),
    "nll 1d": (f("nll_loss"), [IMAGE[..., 0], PIXELS[..., 0]]),
    "nll one": (f("nll_loss"), [X[0], np.array(3)]),
    "cross entropy": (f("cross_entropy"), [X, CLASSES]),
    "cross entropy 2d": (f("cross_entropy", ignore_index=1), [IMAGE, PIXELS]),
    "cross entropy smooth": (f("cross_entropy", label_smoothing=0.2, ignore_index=5), [X, CLASSES]),
    "cross entropy probabilities": (f("cross_entropy"), [X, P]),
    "cross entropy probabilities smooth": (f("cross_entropy", label_smoothing=0.2), [X, P]),
}


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("name", ELEMENTS)
def test_loss(name: str, reduction: str) -> None:
    code, arrays = ELEMENTS[name]
    compare(torch, lambda t, *xs: _call(code, t, xs, reduction), arrays)


def _call(code: Code, t: Any, xs: Any, reduction: str) -> Any:
    class Functional:
        def __getattr__(self, name: str) -> Any:
            return lambda *a, **k: getattr(t.nn.functional, name)(*a, reduction=reduction, **k)

    class Module:
        class nn:  # noqa: N801
            functional = Functional()

    return code(Module, *xs)


def weights(t: Any) -> Any:
    """A weight of each class."""
    return t.tensor(WEIGHTS, dtype=t.float64)


OTHERS: dict[str, tuple[Code, list[Any]]] = {
    "batchmean": (f("kl_div", reduction="batchmean"), [X, Q]),
    "mse weight": (lambda t, x, y: t.nn.functional.mse_loss(x, y, weight=weights(t).expand(4, 6)), [X, Y]),
    "huber weight": (lambda t, x, y: t.nn.functional.huber_loss(x, y, weight=weights(t).expand(4, 6)), [X, Y]),
    "nll weight": (lambda t, x, y: t.nn.functional.nll_loss(x, y, weights(t)), [X, CLASSES]),
    "cross entropy weight": (
        lambda t, x, y: t.nn.functional.cross_entropy(x, y, weights(t), label_smoothing=0.1),
        [X, CLASSES],
    ),
    "cross entropy probabilities weight": (lambda t, x, y: t.nn.functional.cross_entropy(x, y, weights(t)), [X, P]),
    "bce weight": (lambda t, x, y: t.nn.functional.binary_cross_entropy(x, y, weights(t)), [P, Q]),
    "bce logits weight": (
        lambda t, x, y: t.nn.functional.binary_cross_entropy_with_logits(x, y, weights(t), pos_weight=weights(t)),
        [X, Q],
    ),
    "cosine_similarity": (f("cosine_similarity"), [X, Y]),
    "pairwise_distance": (f("pairwise_distance"), [X, Y]),
    "normalize": (f("normalize"), [X]),
    "normalize p": (f("normalize", 3.0, 0), [X]),
    "embedding": (lambda t, w, i: t.nn.functional.embedding(i, w), [X, CLASSES % 4]),
    "embedding padding": (
        lambda t, w, i: t.nn.functional.embedding(i, w, padding_idx=-3, scale_grad_by_freq=True),
        [X, np.array([[1, 1], [0, 3]])],
    ),
}


NUMBERED: dict[str, tuple[Code, list[Any]]] = {
    "kl_div": (lambda t, r, x, y: t.kl_div(x, y, r), [X, Q]),
    "bce logits": (lambda t, r, x, y: t.binary_cross_entropy_with_logits(x, y, None, None, r), [X, Q]),
    "poisson": (lambda t, r, x, y: t.poisson_nll_loss(x, y, True, True, 1e-8, r), [X, Q]),
    "hinge": (lambda t, r, x, y: t.hinge_embedding_loss(x, y, 1.0, r), [X, SIGNS]),
    "margin ranking": (lambda t, r, x, y, z: t.margin_ranking_loss(x, y, z, 0.1, r), [X, Y, SIGNS]),
    "triplet": (lambda t, r, x, y, z: t.triplet_margin_loss(x, y, z, reduction=r), [X, Y, P]),
    "cosine": (lambda t, r, x, y, z: t.cosine_embedding_loss(x, y, z, 0.1, r), [X, Y, SIGNS[:, 0]]),
}


@pytest.mark.parametrize("reduction", [0, 1, 2])
@pytest.mark.parametrize("name", NUMBERED)
def test_reduction_by_number(name: str, reduction: int) -> None:
    code, arrays = NUMBERED[name]
    compare(torch, lambda t, *xs: code(t, reduction, *xs), arrays)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu_of_many_float32(approximate: str) -> None:
    x = np.linspace(-9, 9, 5001).astype(np.float32)
    a, b = (t.nn.functional.gelu(t.tensor(x), approximate=approximate).numpy() for t in (engine, torch))
    np.testing.assert_allclose(a, b, rtol=1e-5, atol=2e-6)


@pytest.mark.parametrize("name", ["relu", "relu6", "hardtanh", "threshold", "leaky_relu", "elu", "softplus", "gelu"])
def test_gradients_at_extremes(name: str) -> None:
    x = np.array([np.nan, np.inf, -np.inf, 1e4, -1e4, 0.0], np.float32)
    gradients = []
    for t in (engine, torch):
        leaf = t.tensor(x, requires_grad=True)
        ACTIVATIONS[name](t, leaf).backward(t.tensor([1, np.inf, np.inf, 1, 1, 1]))
        gradients.append(leaf.grad.numpy())
    np.testing.assert_allclose(*gradients, rtol=1e-5)


@pytest.mark.parametrize("name", OTHERS)
def test_other(name: str) -> None:
    compare(torch, *OTHERS[name])


ONCE: dict[str, tuple[Code, list[Any]]] = {
    "multi_margin": (f("multi_margin_loss"), [X, CLASSES]),
    "multi_margin squared": (lambda t, x, y: t.nn.functional.multi_margin_loss(x, y, 2, 0.5, weights(t)), [X, CLASSES]),
    "multilabel_margin": (f("multilabel_margin_loss"), [X, np.array([[1, 3, -1, 0, 2, 4]] * 4)]),
    "ctc": (
        lambda t, x, y: t.nn.functional.ctc_loss(x.log_softmax(2), y, (5, 4), (2, 1)),
        [rng.normal(size=(5, 2, 4)), np.array([[1, 1], [3, 2]])],
    ),
    "bag mean": (lambda t, w, i: t.nn.functional.embedding_bag(i, w), [X, np.array([[0, 1], [3, 3]])]),
    "bag max": (lambda t, w, i: t.nn.functional.embedding_bag(i, w, mode="max"), [X, np.array([[0, 1], [3, 3]])]),
    "bag sum": (
        lambda t, w, i: t.nn.functional.embedding_bag(i, w, t.tensor([0, 0, 3]), mode="sum", padding_idx=1),
        [X, np.array([0, 1, 3, 3])],
    ),
    "max_norm": (
        lambda t, w, i: t.nn.functional.embedding(i, w.detach().clone().requires_grad_(), max_norm=1.0),
        [X, np.array([0, 2])],
    ),
}


@pytest.mark.parametrize("name", ONCE)
def test_once_differentiable(name: str) -> None:
    code, arrays = ONCE[name]
    if name == "max_norm":
        outcomes = [code(t, t.tensor(arrays[0]), t.tensor(arrays[1])).detach().numpy() for t in (engine, torch)]
        np.testing.assert_allclose(*outcomes)
    else:
        compare(torch, code, arrays, second=False)


def test_gumbel_softmax_draws_as_pytorch() -> None:
    for hard in (False, True):
        results = []
        for t in (engine, torch):
            t.manual_seed(3)
            results.append(t.nn.functional.gumbel_softmax(t.tensor(X), tau=0.7, hard=hard).numpy())
        np.testing.assert_allclose(*results)


def test_rrelu_draws_as_pytorch() -> None:
    results = []
    for t in (engine, torch):
        t.manual_seed(3)
        results.append(t.nn.functional.rrelu(t.tensor(X), training=True).numpy())
    np.testing.assert_allclose(*results)


def test_one_hot() -> None:
    for classes in (-1, 7):
        a, b = (t.nn.functional.one_hot(t.tensor([[0, 2], [4, 1]]), classes) for t in (engine, torch))
        np.testing.assert_array_equal(a.numpy(), b.numpy())


def test_older_arguments_warn() -> None:
    for t in (engine, torch):
        with pytest.warns(UserWarning, match="size_average and reduce args will be deprecated, please use reduction='sum'"):
            t.nn.functional.mse_loss(t.tensor(X), t.tensor(Y), size_average=False)
        with pytest.warns(UserWarning, match=r"Using a target size \(torch.Size\(\[6\]\)\) that is different to"):
            t.nn.functional.mse_loss(t.tensor(X), t.tensor(Y[0]))


WRONG: dict[str, Code] = {
    "batch size": lambda t: t.nn.functional.cross_entropy(t.zeros(2, 3), t.tensor([0, 1, 2])),
    "bounds": lambda t: t.nn.functional.cross_entropy(t.zeros(2, 3), t.tensor([0, 3])),
    "negative": lambda t: t.nn.functional.cross_entropy(t.zeros(2, 3), t.tensor([-1, 0])),
    "target dtype": lambda t: t.nn.functional.nll_loss(t.zeros(2, 3), t.tensor([0.0, 1.0])),
    "integer probabilities": lambda t: t.nn.functional.cross_entropy(t.zeros(2, 3), t.zeros(2, 3, dtype=t.int64)),
    "weights": lambda t: t.nn.functional.nll_loss(t.zeros(2, 3), t.tensor([0, 1]), t.ones(2)),
    "target size": lambda t: t.nn.functional.nll_loss(t.zeros(2, 3, 4), t.zeros(2, 5, dtype=t.int64)),
    "spatial": lambda t: t.nn.functional.nll_loss(t.zeros(2, 3, 4, 4), t.zeros(2, 4, dtype=t.int64)),
    "smoothing": lambda t: t.nn.functional.cross_entropy(t.zeros(2, 3), t.tensor([0, 1]), label_smoothing=1.5),
    "reduction": lambda t: t.nn.functional.mse_loss(t.zeros(2), t.zeros(2), reduction="most"),
    "sizes": lambda t: t.nn.functional.l1_loss(t.zeros(2), t.zeros(3)),
    "probabilities": lambda t: t.nn.functional.binary_cross_entropy(t.full((2,), 2.0), t.zeros(2)),
    "bce sizes": lambda t: t.nn.functional.binary_cross_entropy(t.zeros(2), t.zeros(3)),
    "logits sizes": lambda t: t.nn.functional.binary_cross_entropy_with_logits(t.zeros(2), t.zeros(3)),
    "delta": lambda t: t.nn.functional.huber_loss(t.zeros(2), t.zeros(2), delta=0),
    "glu": lambda t: t.nn.functional.glu(t.zeros(3)),
    "gelu": lambda t: t.nn.functional.gelu(t.zeros(3), approximate="fast"),
    "gelu of integers": lambda t: t.nn.functional.gelu(t.tensor([1])),
    "softmax of integers": lambda t: t.nn.functional.softmax(t.tensor([1]), 0),
    "prelu": lambda t: t.nn.functional.prelu(t.zeros(2, 3), t.zeros(2)),
    "embedding": lambda t: t.nn.functional.embedding(t.tensor([3]), t.zeros(3, 2)),
    "embedding dtype": lambda t: t.nn.functional.embedding(t.tensor([1.0]), t.zeros(3, 2)),
    "one hot": lambda t: t.nn.functional.one_hot(t.tensor([3]), 2),
    "leaky in place": lambda t: t.nn.functional.leaky_relu(
        t.zeros(2, requires_grad=True) * 1, -0.1, inplace=True
    ).sum().backward(),
    "soft margin target": lambda t: t.nn.functional.soft_margin_loss(t.zeros(2), t.zeros(2, requires_grad=True)),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_errors_in_pytorchs_words(name: str) -> None:
    assert outcome(engine, WRONG[name]) == outcome(torch, WRONG[name])
