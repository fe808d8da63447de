"""Divergences of all registered pairs against PyTorch, and how a formula is found."""

from __future__ import annotations

import warnings
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import engine
from tests.engine.distributions.cases import CASES
from tests.engine.oracle import outcome, same

torch = pytest.importorskip("torch")


def pairs(t: ModuleType) -> list[tuple[str, str]]:
    return sorted((p.__name__, q.__name__) for p, q in t.distributions.kl._KL_REGISTRY)


ABSTRACT = ("ExponentialFamily",)


def test_the_pairs_are_pytorchs() -> None:
    assert pairs(engine) == pairs(torch)


@pytest.mark.parametrize(("p", "q"), [pair for pair in pairs(torch) if pair[0] not in ABSTRACT], ids="-".join)
def test_a_divergence_with_its_gradients(p: str, q: str) -> None:
    found: list[Any] = []
    shift = np.float32(1.1)
    for t in (engine, torch):
        leaves = [t.tensor(a, requires_grad=True) for a in CASES[p].parameters]
        others = [t.tensor(a * shift if p == q and q not in ("Uniform", "LKJCholesky") and a.ndim and (a <= 0.9).all() else a,
                           requires_grad=True) for a in CASES[q].parameters]  # fmt: skip
        first, second = CASES[p].make(t.distributions, *leaves), CASES[q].make(t.distributions, *others)
        result = t.distributions.kl_divergence(first, second)
        found.append((result, *(t.autograd.grad(result.sum(), [*leaves, *others], allow_unused=True)
                                if result.requires_grad else ())))  # fmt: skip
    for ours, theirs in zip(*found, strict=True):
        assert (ours is None) == (theirs is None)
        if ours is not None:
            same(ours, theirs, "divergence or gradient", 1e-3)


def test_pairs_without_a_formula_and_pairs_of_ones_own() -> None:
    def none(t: ModuleType) -> Any:
        d = t.distributions
        return d.kl_divergence(d.Normal(0.0, 1.0), d.Bernoulli(0.5))

    assert outcome(engine, none) == outcome(torch, none)
    assert outcome(engine, none)[0] == "NotImplementedError"

    def own(t: ModuleType) -> Any:
        d = t.distributions
        kinds = [type(name, (d.Normal,), {}) for name in ("Left", "Right")]
        registry = d.kl._KL_REGISTRY
        before = dict(registry)
        try:
            d.register_kl(kinds[0], d.Normal)(lambda p, q: t.tensor(1.0))
            d.register_kl(d.Normal, kinds[1])(lambda p, q: t.tensor(2.0))
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                value = d.kl_divergence(kinds[0](0.0, 1.0), kinds[1](0.0, 1.0))
            return value, [(w.category.__name__, str(w.message)) for w in told]
        finally:
            registry.clear()
            registry.update(before)
            d.kl._KL_MEMOIZE.clear()

    assert outcome(engine, own) == outcome(torch, own)
