"""What PyTorch adds up in 64 bits, or multiplies in one order: the same to the last digit."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import engine

rng = np.random.default_rng(3)
X, Y, Z = (rng.standard_normal((40, 25)).astype(np.float32) for _ in range(3))
CODES: dict[str, Callable[[ModuleType, Any, Any, Any], Any]] = {
    "cumsum": lambda t, x, y, z: x.cumsum(0),
    "cumprod": lambda t, x, y, z: (1 + x / 10).cumprod(1),
    "var": lambda t, x, y, z: x.var(1),
    "std": lambda t, x, y, z: x.std(),
    "var without correction": lambda t, x, y, z: x.var(0, correction=0),
    "cube": lambda t, x, y, z: x**3,
    "addcdiv": lambda t, x, y, z: t.addcdiv(x, y, z, value=0.3),
}


@pytest.mark.parametrize("code", CODES.values(), ids=CODES.keys())
def test_values_are_pytorchs_to_the_last_digit(torch: ModuleType, code: Callable[..., Any]) -> None:
    found, wanted = (code(t, t.tensor(X), t.tensor(Y), t.tensor(Z)).tolist() for t in (engine, torch))
    assert found == wanted
