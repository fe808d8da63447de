"""Square roots of matrices and polar decompositions, which PyTorch has since 2.15: against eigh and svd, and numerically."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import engine
from engine.autograd.gradcheck import gradcheck, gradgradcheck
from engine.context import observed
from engine.ops.linalg.polar import linalg_matrix_sqrth, linalg_polar
from tests.engine.autograd.test_higher_orders import next_order
from tests.engine.oracle import Met, array, inputs, same

rng = np.random.default_rng(2)


def f(*shape: int, dtype: str = "float64") -> np.ndarray[Any, Any]:
    """Numbers between -1 and 1; of complex ones, both parts."""
    numbers = rng.uniform(-1, 1, shape)
    return numbers + 1j * rng.uniform(-1, 1, shape) if dtype == "complex128" else numbers


def positive(t: ModuleType, x: Any) -> Any:
    """A positive matrix that is made of any."""
    return x @ x.mH + t.eye(x.shape[-2], dtype=x.dtype)


def written_root(t: ModuleType, a: Any) -> Any:
    """The square root of a positive matrix, from its eigenvalues."""
    values, vectors = t.linalg.eigh(a)
    return (vectors * values.sqrt()[..., None, :]) @ vectors.mH


def written_factors(t: ModuleType, a: Any) -> Any:
    """The polar factors of a matrix, from its singular values."""
    u, s, vh = t.linalg.svd(a, full_matrices=False)
    return u @ vh, (vh.mH * s[..., None, :]) @ vh


SHAPES = [(3, 3), (4, 2), (2, 3, 2)]
DTYPES = ["float64", "complex128"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_values_and_gradients_are_those_of_what_is_written_out(torch: ModuleType, shape: tuple[int, ...], dtype: str) -> None:
    x = f(*shape, dtype=dtype)
    pairs: list[tuple[Callable[[Any], Any], Callable[[Any], Any]]] = [
        (lambda a: [linalg_matrix_sqrth(positive(engine, a))], lambda a: [written_root(torch, positive(torch, a))]),
        (lambda a: [*linalg_polar(a)], lambda a: [*written_factors(torch, a)]),
        (lambda a: [linalg_polar(a).U], lambda a: [written_factors(torch, a)[0]]),
        (lambda a: [linalg_polar(a).H], lambda a: [written_factors(torch, a)[1]]),
    ]
    met = Met()
    for ours, theirs in pairs:
        (a,), (b,) = inputs(engine, [x]), inputs(torch, [x])
        a.requires_grad_()
        b.requires_grad_()
        with observed(met):
            mine, yours = ours(a), theirs(b)
            for order in range(3):
                for one, other in zip(mine, yours, strict=True):
                    same(one, other, f"derivative of order {order}", 1e-8)
                mine, yours = next_order(engine, mine, [a]), next_order(torch, yours, [b])
    assert {"_matrix_sqrth", "_polar_factors", "_lyapunov"} <= met.names


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_gradients_are_what_differences_say(shape: tuple[int, ...], dtype: str) -> None:
    (x,) = inputs(engine, [f(*shape, dtype=dtype)])
    x.requires_grad_()
    programs: list[Callable[[Any], Any]] = [
        lambda a: linalg_matrix_sqrth(positive(engine, a)),
        lambda a: tuple(linalg_polar(a)),
    ]
    for program in programs:
        assert gradcheck(program, (x,))
        assert gradgradcheck(program, (x,))


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_factors_are_what_they_are_called(dtype: str) -> None:
    (a,) = inputs(engine, [f(5, 3, dtype=dtype)])
    u, h = linalg_polar(a)
    np.testing.assert_allclose(array(u @ h), array(a), atol=1e-12)
    np.testing.assert_allclose(array(u.mH @ u), np.eye(3), atol=1e-12)
    np.testing.assert_allclose(array(h), array(h.mH), atol=1e-12)
    assert (np.linalg.eigvalsh(array(h)) > 0).all()
    np.testing.assert_allclose(array(linalg_matrix_sqrth(a.mH @ a)), array(h), atol=1e-7)


def test_a_wide_matrix_is_refused() -> None:
    with pytest.raises(RuntimeError, match=r"at least as many rows as columns, but got 2 by 3 matrices"):
        linalg_polar(engine.ones(2, 3))
