"""What the tests of optimizers and schedules run under both modules, and how they compare what comes out."""

from __future__ import annotations

import warnings
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import engine

torch = pytest.importorskip("torch")

BOTH = (engine, torch)

OPTIMIZERS: dict[str, list[dict[str, Any]]] = {
    "SGD": [
        {},
        {"lr": 0.1, "maximize": True},
        {"lr": 0.05, "momentum": 0.9},
        {"lr": 0.05, "momentum": 0.9, "dampening": 0.3, "weight_decay": 0.01},
        {"lr": 0.05, "momentum": 0.8, "nesterov": True, "weight_decay": 0.1},
        {"lr": 0.1, "foreach": False, "fused": None},
    ],
    "Adam": [
        {},
        {"lr": 0.05, "betas": (0.8, 0.9), "eps": 1e-5},
        {"lr": 0.05, "weight_decay": 0.1, "amsgrad": True},
        {"lr": 0.05, "betas": (0.3, 0.99), "maximize": True},
        {"lr": 0.01, "weight_decay": 0.1, "decoupled_weight_decay": True},
    ],
    "AdamW": [{}, {"lr": 0.05, "weight_decay": 0.3}, {"lr": 0.05, "amsgrad": True, "maximize": True}],
    "Adamax": [{}, {"lr": 0.05, "betas": (0.7, 0.95), "weight_decay": 0.1}, {"lr": 0.05, "maximize": True}],
    "NAdam": [
        {},
        {"lr": 0.05, "momentum_decay": 0.01, "weight_decay": 0.1},
        {"lr": 0.05, "weight_decay": 0.1, "decoupled_weight_decay": True, "maximize": True},
    ],
    "RAdam": [
        {},
        {"lr": 0.05, "betas": (0.8, 0.95), "weight_decay": 0.1},
        {"lr": 0.05, "weight_decay": 0.1, "decoupled_weight_decay": True, "maximize": True},
    ],
    "RMSprop": [
        {},
        {"lr": 0.02, "centered": True},
        {"lr": 0.02, "momentum": 0.9, "weight_decay": 0.1},
        {"lr": 0.02, "momentum": 0.5, "centered": True, "alpha": 0.9, "maximize": True},
    ],
    "Adagrad": [
        {},
        {"lr": 0.1, "lr_decay": 0.1, "weight_decay": 0.1},
        {"lr": 0.1, "initial_accumulator_value": 0.5, "maximize": True},
    ],
    "Adadelta": [{}, {"lr": 0.5, "rho": 0.8, "weight_decay": 0.1}, {"eps": 1e-3, "maximize": True}],
    "ASGD": [
        {},
        {"lr": 0.1, "lambd": 0.01, "t0": 5, "weight_decay": 0.1},
        {"lr": 0.1, "alpha": 0.5, "t0": 0, "maximize": True},
    ],
    "Rprop": [{}, {"lr": 0.1, "etas": (0.4, 1.5)}, {"step_sizes": (1e-3, 0.02), "maximize": True}],
    "Adafactor": [{}, {"lr": 0.1, "weight_decay": 0.1, "d": 2.0}, {"eps": (1e-4, 1e-2), "beta2_decay": -0.5, "maximize": True}],
}

LBFGS: list[dict[str, Any]] = [
    {},
    {"lr": 0.5, "max_iter": 5, "history_size": 3},
    {"line_search_fn": "strong_wolfe"},
    {"line_search_fn": "strong_wolfe", "lr": 3.0, "max_iter": 4, "history_size": 2},
    {"line_search_fn": "strong_wolfe", "max_iter": 10, "max_eval": 4},
]

ALL = (*OPTIMIZERS, "LBFGS", "Muon", "SparseAdam")


def odd_values(t: ModuleType) -> list[Any]:
    """What nobody should give for an option, and some that one may."""
    tensors = [t.tensor(0.1), t.tensor([0.1, 0.2]), (t.tensor(0.9), t.tensor(0.99)), (t.tensor([0.9]), 0.9)]
    pairs = [(1.0, 0.9), (0.5, -1.0), (0.9,), [0.5, 0.9], (-1.0, 2), (None, -1.0)]
    return [-1, -1.0, 0, 2, float("nan"), True, None, "fast", object, *pairs, *tensors]


WRONG: list[tuple[str, dict[str, Any]]] = [
    ("SGD", {"lr": -1}),
    ("SGD", {"lr": 0.1, "momentum": -0.5}),
    ("SGD", {"lr": 0.1, "weight_decay": -0.5}),
    ("SGD", {"lr": 0.1, "nesterov": True}),
    ("SGD", {"lr": 0.1, "nesterov": True, "momentum": 0.9, "dampening": 0.1}),
    ("SGD", {"foreach": True, "fused": True}),
    ("SGD", {"learning_rate": 0.1}),
    ("Adam", {"lr": -1.0}),
    ("Adam", {"lr": "fast"}),
    ("Adam", {"eps": -1e-8}),
    ("Adam", {"betas": (1.0, 0.9)}),
    ("Adam", {"betas": (0.9, -1.0)}),
    ("Adam", {"betas": (0, 0.9)}),
    ("Adam", {"weight_decay": -1}),
    ("Adamax", {"betas": (0.9, 1.0)}),
    ("NAdam", {"momentum_decay": -1}),
    ("RMSprop", {"alpha": -1}),
    ("RMSprop", {"momentum": -1}),
    ("Adagrad", {"lr_decay": -1}),
    ("Adagrad", {"initial_accumulator_value": -1}),
    ("Adadelta", {"rho": 1.5}),
    ("Adadelta", {"eps": -1}),
    ("ASGD", {"weight_decay": -1}),
    ("Rprop", {"etas": (1.5, 1.2)}),
    ("Adafactor", {"lr": -1}),
    ("Adafactor", {"beta2_decay": 1}),
    ("Adafactor", {"eps": (-1, 1e-3)}),
    ("Adafactor", {"eps": (None, -1)}),
    ("Adafactor", {"d": 0.5}),
    ("Adafactor", {"weight_decay": -1}),
    ("LBFGS", {"lr": -1}),
]

SCHEDULES: list[tuple[str, dict[str, Any]]] = [
    ("StepLR", {"step_size": 3}),
    ("StepLR", {"step_size": 2, "gamma": 0.5}),
    ("MultiStepLR", {"milestones": [2, 5, 5, 9], "gamma": 0.3}),
    ("ConstantLR", {}),
    ("ConstantLR", {"factor": 0.5, "total_iters": 4}),
    ("LinearLR", {}),
    ("LinearLR", {"start_factor": 0.2, "end_factor": 0.7, "total_iters": 7}),
    ("ExponentialLR", {"gamma": 0.9}),
    ("PolynomialLR", {"total_iters": 8, "power": 2.0}),
    ("CosineAnnealingLR", {"T_max": 5}),
    ("CosineAnnealingLR", {"T_max": 7, "eta_min": 0.01}),
    ("CosineAnnealingWarmRestarts", {"T_0": 4}),
    ("CosineAnnealingWarmRestarts", {"T_0": 2, "T_mult": 2, "eta_min": 0.01}),
    ("LambdaLR", {"lr_lambda": lambda epoch: 0.95**epoch}),
    ("LambdaLR", {"lr_lambda": [lambda epoch: 1 / (1 + epoch), lambda epoch: 0.5**epoch]}),
    ("MultiplicativeLR", {"lr_lambda": lambda epoch: 0.95}),
    ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.1, "step_size_up": 3}),
    ("CyclicLR", {"base_lr": [0.01, 0.02], "max_lr": 0.1, "step_size_up": 3, "step_size_down": 5, "mode": "triangular2"}),
    ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.1, "step_size_up": 3, "mode": "exp_range", "gamma": 0.9}),
    ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.1, "step_size_up": 3, "scale_fn": lambda x: 1 / x, "cycle_momentum": False}),
    ("OneCycleLR", {"max_lr": 0.2, "total_steps": 20}),
    ("OneCycleLR", {"max_lr": [0.2, 0.3], "epochs": 4, "steps_per_epoch": 5, "anneal_strategy": "linear"}),
    ("OneCycleLR", {"max_lr": 0.2, "total_steps": 20, "three_phase": True, "pct_start": 0.4}),
]

WRONG_SCHEDULES: list[tuple[str, dict[str, Any]]] = [
    ("ConstantLR", {"factor": 2}),
    ("LinearLR", {"start_factor": 0}),
    ("LinearLR", {"end_factor": 2}),
    ("LambdaLR", {"lr_lambda": [lambda epoch: 1]}),
    ("MultiplicativeLR", {"lr_lambda": 0.5}),
    ("StepLR", {"step_size": 2, "last_epoch": 3}),
    ("CosineAnnealingWarmRestarts", {"T_0": 0}),
    ("CosineAnnealingWarmRestarts", {"T_0": 2, "T_mult": 0}),
    ("CosineAnnealingWarmRestarts", {"T_0": 2, "eta_min": "low"}),
    ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.1, "mode": "square"}),
    ("CyclicLR", {"base_lr": [0.01], "max_lr": 0.1}),
    ("OneCycleLR", {"max_lr": 0.1}),
    ("OneCycleLR", {"max_lr": 0.1, "total_steps": 0}),
    ("OneCycleLR", {"max_lr": 0.1, "epochs": 0, "steps_per_epoch": 2}),
    ("OneCycleLR", {"max_lr": 0.1, "total_steps": 9, "pct_start": 2}),
    ("OneCycleLR", {"max_lr": 0.1, "total_steps": 9, "anneal_strategy": "square"}),
    ("ReduceLROnPlateau", {"factor": 1.0}),
    ("ReduceLROnPlateau", {"mode": "least"}),
    ("ReduceLROnPlateau", {"threshold_mode": "least"}),
    ("ReduceLROnPlateau", {"min_lr": [0.1]}),
    ("SequentialLR", {"schedulers": [], "milestones": []}),
]


def start(t: ModuleType, dtype: str = "float64") -> list[Any]:
    """Parameters of several shapes: a matrix, a vector, a scalar, one that never gets a gradient, one with empty shape."""
    random = np.random.default_rng(3)
    arrays = [random.normal(size=shape).astype(dtype) for shape in [(3, 4), (4,), (), (2,), (0, 2)]]
    return [t.tensor(a, requires_grad=True) for a in arrays]


def loss(params: list[Any]) -> Any:
    """A function of all parameters but the fourth, with signs that change on the way down."""
    w, b, c, _, e = params
    return ((w * w - 0.5) ** 2).sum() + ((w.sum(0) - b) ** 2).sum() + (b.exp() * c).sum() + (c * c) * 3 + (e * 2).sum()


def leaf(t: ModuleType) -> Any:
    """A parameter of two ones."""
    return t.ones(2, requires_grad=True)


def array(tensor: Any) -> np.ndarray[Any, Any]:
    """The elements of a tensor of either module."""
    return tensor.detach().numpy()


def close(ours: Any, theirs: Any, rtol: float, what: Any = "") -> None:
    """Assert that two states, lists or tensors have the same structure, dtypes and (nearly) numbers."""
    if isinstance(theirs, torch.Tensor):
        assert isinstance(ours, engine.Tensor), what
        assert str(ours.dtype) == str(theirs.dtype), what
        assert tuple(ours.shape) == tuple(theirs.shape), what
        np.testing.assert_allclose(array(ours), array(theirs), rtol=rtol, atol=rtol, err_msg=str(what))
    elif isinstance(theirs, dict):
        assert list(ours) == list(theirs), what
        for key in theirs:
            close(ours[key], theirs[key], rtol, (what, key))
    elif isinstance(theirs, list | tuple):
        assert type(ours) is type(theirs), what
        assert len(ours) == len(theirs), what
        for a, b in zip(ours, theirs):
            close(a, b, rtol, what)
    elif isinstance(theirs, float):
        assert ours == pytest.approx(theirs, rel=rtol, abs=rtol), what
    else:
        assert ours == theirs, what


def outcome(run: Any) -> tuple[str, str]:
    """The type and words of what `run` raises or warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            run()
        except Exception as error:
            return type(error).__name__, str(error)
    return " ".join(w.category.__name__ for w in caught), "\n".join(str(w.message) for w in caught)
