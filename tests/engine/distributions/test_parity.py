"""Every distribution against PyTorch: values, graphs, gradients, samples of a seed, shapes, texts and errors."""

from __future__ import annotations

import warnings
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import engine
from tests.engine.distributions.cases import CASES, Case
from tests.engine.oracle import array, compare, outcome, same

torch = pytest.importorskip("torch")

OTHER_GRAPHS = ("MultivariateNormal", "LowRankMultivariateNormal", "StudentT", "Wishart")
"""Products of matrices with several batches, and writing by a mask, make other nodes than PyTorch's, of the same values."""


def agree(case: Case, code: Any, parameters: Any) -> None:
    """Value, gradients and graph; without the graph where it is another one."""
    if type(case.of(torch)).__name__ not in OTHER_GRAPHS:
        compare(torch, code, parameters, second=False)
        return
    found = []
    for t in (engine, torch):
        given = [t.tensor(p, requires_grad=True) for p in parameters]
        result = code(t, *given)
        slopes = t.autograd.grad(result.sum(), given, allow_unused=True) if result.requires_grad else ()
        found.append((result, *(t.zeros(1) if slope is None else slope for slope in slopes)))
    for ours, theirs in zip(*found, strict=True):
        same(ours, theirs, "value or gradient", 1e-3)


each = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())


def test_every_distribution_is_tried() -> None:
    tried = {name.partition(" ")[0] for name in CASES}
    kinds = {name for name in torch.distributions.__all__ if "Transform" not in name or name == "TransformedDistribution"}
    assert kinds - tried == {
        "Distribution", "ExponentialFamily", "biject_to", "identity_transform", "kl_divergence", "register_kl", "transform_to",
    }  # fmt: skip
    assert set(engine.distributions.__all__) == set(torch.distributions.__all__)


def random(case: Case, how: str, shape: tuple[int, ...]) -> Any:
    """Samples of a seed, as a function of the parameters."""

    def code(t: ModuleType, *parameters: Any) -> Any:
        t.manual_seed(7)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Singular sample detected")
            return getattr(case.make(t.distributions, *parameters), how)(shape)

    return code


@each
def test_the_log_probability_and_its_gradients(case: Case) -> None:
    def code(t: ModuleType, *parameters: Any) -> Any:
        return case.make(t.distributions, *parameters).log_prob(t.tensor(case.value))

    agree(case, code, case.parameters)


@each
def test_the_gradient_by_the_value(case: Case) -> None:
    def code(t: ModuleType, value: Any) -> Any:
        return case.of(t).log_prob(value)

    agree(case, code, [case.value])


def tried(t: ModuleType, case: Case, asked: str) -> Any:
    """What a distribution says of itself, or the exception that it raises."""

    def code(t: ModuleType) -> Any:
        found = getattr(case.of(t), asked)
        return found() if callable(found) and "constraint" not in asked and asked != "support" else found

    return outcome(t, code)


TEXTS = ("__repr__", "batch_shape", "event_shape", "has_rsample", "has_enumerate_support", "support", "arg_constraints",
         "enumerate_support")  # fmt: skip


@pytest.mark.parametrize("asked", TEXTS)
@each
def test_what_it_says_of_itself(case: Case, asked: str) -> None:
    assert tried(engine, case, asked) == tried(torch, case, asked)


NUMBERS = ("mean", "mode", "variance", "stddev", "entropy", "perplexity")


@pytest.mark.parametrize("asked", NUMBERS)
@each
def test_its_moments_and_entropy_with_gradients(case: Case, asked: str) -> None:
    def code(t: ModuleType, *parameters: Any) -> Any:
        found = getattr(case.make(t.distributions, *parameters), asked)
        return found() if callable(found) else found

    theirs = outcome(torch, code, case.parameters)
    if theirs[0]:
        assert outcome(engine, code, case.parameters) == theirs
    else:
        agree(case, code, case.parameters)


@pytest.mark.parametrize("asked", ["cdf", "icdf"])
@each
def test_its_distribution_function_with_gradients(case: Case, asked: str) -> None:
    def code(t: ModuleType, *parameters: Any) -> Any:
        value = case.value if asked == "cdf" else np.full_like(case.value, 0.3)
        return getattr(case.make(t.distributions, *parameters), asked)(t.tensor(value))

    theirs = outcome(torch, code, case.parameters)
    if theirs[0]:
        assert outcome(engine, code, case.parameters) == theirs
        return
    ours = code(engine, *(engine.tensor(p, requires_grad=True) for p in case.parameters))
    same(ours, code(torch, *(torch.tensor(p, requires_grad=True) for p in case.parameters)), asked)
    if case.make(torch.distributions, *map(torch.tensor, case.parameters)).__class__.__name__ not in (
        "Gamma",
        "Chi2",
        "InverseGamma",
    ):
        agree(case, code, case.parameters)  # those have no derivative by the concentration


@pytest.mark.parametrize("shape", [(), (2,), (3, 5)], ids=str)
@each
def test_samples_of_a_seed(case: Case, shape: tuple[int, ...]) -> None:
    code = random(case, "sample", shape)
    ours, theirs = (code(t, *map(t.tensor, case.parameters)) for t in (engine, torch))
    same(ours, theirs, "sample")
    assert not ours.requires_grad
    same(engine.rand(3), torch.rand(3), "what is drawn next", 0)


@pytest.mark.parametrize("shape", [(), (3, 5)], ids=str)
@each
def test_samples_with_gradients(case: Case, shape: tuple[int, ...]) -> None:
    code = random(case, "rsample", shape)
    theirs = outcome(torch, code, case.parameters)
    if theirs[0]:
        assert outcome(engine, code, case.parameters) == theirs
    elif type(case.of(torch)).__name__ == "Wishart" and shape:
        # PyTorch fails in the backward pass: it overwrites the mask of singular samples, which it has saved.
        given = [engine.tensor(p, requires_grad=True) for p in case.parameters]
        ours = code(engine, *given)
        same(ours, code(torch, *map(torch.tensor, case.parameters)), "sample")
        slopes = engine.autograd.grad(ours.sum(), given, allow_unused=True)
        assert all(slope.isfinite().all() for slope in slopes if slope is not None)
    else:
        agree(case, code, case.parameters)


@each
def test_it_is_expanded(case: Case) -> None:
    def code(t: ModuleType) -> Any:
        plain = case.of(t)
        wide = plain.expand((4, *([2] if not plain.batch_shape else []), *plain.batch_shape))
        t.manual_seed(1)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Singular sample detected")
            drawn = wide.sample()
        return wide, wide.batch_shape, wide.event_shape, drawn, wide.log_prob(drawn.clamp(max=1e6))

    ours, theirs = code(engine), code(torch)
    assert repr(ours[:3]) == repr(theirs[:3])
    same(ours[3], theirs[3], "sample")
    same(ours[4], theirs[4], "log_prob", 1e-3)


@each
def test_its_errors(case: Case) -> None:
    def wrong(t: ModuleType) -> Any:
        return case.make(t.distributions, *map(t.tensor, case.wrong))

    def outside(t: ModuleType) -> Any:
        return case.of(t).log_prob(t.tensor(case.outside))

    def unfit(t: ModuleType) -> Any:
        return case.of(t).log_prob(t.tensor(np.zeros((5, 7, 6), case.value.dtype)))

    def no_tensor(t: ModuleType) -> Any:
        return case.of(t).log_prob("x")

    for code in (*([wrong] if case.wrong else []), *([outside] if case.outside is not None else []), unfit, no_tensor):
        theirs = outcome(torch, code)
        assert outcome(engine, code) == theirs


@pytest.mark.parametrize("dtype", ["float64"])
@each
def test_in_double_precision(case: Case, dtype: str) -> None:
    wide = [p.astype(dtype) for p in case.parameters]
    value = case.value.astype(dtype) if case.value.dtype.kind == "f" else case.value

    def code(t: ModuleType, *parameters: Any) -> Any:
        return case.make(t.distributions, *parameters).log_prob(t.tensor(value))

    theirs = outcome(torch, code, wide)
    if theirs[0]:
        assert outcome(engine, code, wide) == theirs
        return
    agree(case, code, wide)
    drawn = random(case, "sample", (3,))
    ours, theirs = (drawn(t, *map(t.tensor, wide)) for t in (engine, torch))
    np.testing.assert_allclose(array(ours), array(theirs), rtol=1e-10)
