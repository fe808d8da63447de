"""Numbers of float32 to the last digit, against PyTorch: functions rounded once, products that are added unrounded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import engine

torch = pytest.importorskip("torch")


def _numbers(t: Any, count: int, seed: int) -> Any:
    t.manual_seed(seed)
    return t.randn(count)


FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    **{
        name: lambda t, x, name=name: getattr(t, name)(x)
        for name in ("exp", "exp2", "expm1", "sin", "cos", "sinh", "cosh", "tanh", "atan", "sigmoid")
    },
    **{name: lambda t, x, name=name: getattr(t, name)(x.abs()) for name in ("log", "log2", "log10", "log1p")},
    **{name: lambda t, x, name=name: getattr(t.nn.functional, name)(x) for name in ("elu", "softplus", "silu", "logsigmoid")},
    "a power": lambda t, x: x.abs() ** 1.7,
    "powers": lambda t, x: t.pow(2.0, x),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_pytorchs_but_for_a_number_in_ten(name: str) -> None:
    found, wanted = (FUNCTIONS[name](t, _numbers(t, 1000, 0) * 3).tolist() for t in (engine, torch))
    assert sum(a == b for a, b in zip(found, wanted, strict=True)) > 900


EXACT: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    "a cube": lambda t, a, b, c: a**3,
    "cumsum": lambda t, a, b, c: a.cumsum(0),
    "cumprod": lambda t, a, b, c: (1 + a / 10).cumprod(0),
    "var": lambda t, a, b, c: a.reshape(5, -1).var(1),
    "std": lambda t, a, b, c: a.reshape(5, -1).std(0),
    "add": lambda t, a, b, c: a.add(b, alpha=-0.2),
    "add in place": lambda t, a, b, c: a.clone().add_(b, alpha=-0.2),
    "sub": lambda t, a, b, c: a.sub(b, alpha=0.3),
    "rsub": lambda t, a, b, c: t.rsub(a, b, alpha=0.3),
    "addcmul": lambda t, a, b, c: t.addcmul(a, b, c, value=0.1),
    "addcdiv": lambda t, a, b, c: t.addcdiv(a, b, c, value=0.1),
    "lerp": lambda t, a, b, c: t.lerp(a, b, 0.9),
    "lerp by a tensor": lambda t, a, b, c: t.lerp(a, b, c),
}


@pytest.mark.parametrize("name", EXACT)
def test_what_pytorch_rounds_once_is_rounded_once(name: str) -> None:
    found, wanted = (EXACT[name](t, *(_numbers(t, 1000, seed) for seed in range(3))).tolist() for t in (engine, torch))
    assert found == wanted


STEPS: dict[str, Callable[[Any, Any], Any]] = {
    "plain": lambda t, p: t.optim.SGD(p, lr=0.2),
    "decay": lambda t, p: t.optim.SGD(p, lr=0.1, weight_decay=0.01),
    "momentum": lambda t, p: t.optim.SGD(p, lr=0.2, momentum=0.9),
    "nesterov": lambda t, p: t.optim.SGD(p, lr=0.2, momentum=0.9, nesterov=True),
    "nadam": lambda t, p: t.optim.NAdam(p, lr=0.1),
    "adamax": lambda t, p: t.optim.Adamax(p, lr=0.1),
}


@pytest.mark.parametrize("name", STEPS)
def test_a_descent_is_pytorchs(name: str) -> None:
    def descent(t: Any) -> list[float]:
        x = t.tensor([10.0], requires_grad=True)
        optimizer = STEPS[name](t, [x])
        found = []
        for _ in range(14):
            optimizer.zero_grad()
            (x**2).sum().backward()
            optimizer.step()
            found.append(x.item())
        return found

    assert descent(engine) == descent(torch)
