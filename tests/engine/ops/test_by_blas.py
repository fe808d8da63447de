"""Products of matrices of halves and of whole numbers, large enough to be multiplied by BLAS, against PyTorch."""

from __future__ import annotations

import numpy as np
import pytest

import engine
from engine.ops.by_blas import SMALL

torch = pytest.importorskip("torch")

N = 48
ENDS = {"int8": 2**7, "uint8": 2**8, "int16": 2**15, "int32": 2**31, "int64": 2**63}


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("dtype", ENDS)
def test_whole_numbers_go_over_the_end_of_their_dtype_as_in_pytorch(dtype: str, large: bool) -> None:
    assert N**3 > SMALL
    chance, end = np.random.default_rng(0), ENDS[dtype] if large else 100
    low = 0 if dtype == "uint8" else -end
    numbers = chance.integers(low, end, (2, N, N), dtype=np.int64).astype(dtype)
    a, b = (torch.tensor(numbers[k]) for k in (0, 1))
    x, y = (engine.tensor(numbers[k]) for k in (0, 1))
    bias = torch.ones(N, dtype=a.dtype)
    for found, wanted in (
        (x @ y, a @ b),
        (x.t() @ y, a.t() @ b),
        (x[None] @ y[None], a[None] @ b[None]),
        (engine.addmm(engine.ones(N, dtype=x.dtype), x, y), torch.addmm(bias, a, b)),
    ):
        assert found.dtype == x.dtype
        assert np.array_equal(found.numpy(), wanted.numpy())


def test_halves_are_added_as_in_pytorch_and_rounded_once() -> None:
    numbers = np.random.default_rng(0).normal(size=(2, N, N)).astype(np.float16)
    (a, b), (x, y) = torch.tensor(numbers), engine.tensor(numbers)
    for found, wanted in ((x @ y, a @ b), (x[None] @ y[None], a[None] @ b[None])):
        assert found.dtype == engine.float16
        assert np.allclose(found.numpy(), wanted.numpy(), rtol=2e-3, atol=2e-3)
    q, w = (numbers[k].reshape(1, 1, N, N) for k in (0, 1))
    pairs = [(engine, engine.tensor(q), engine.tensor(w[..., :9, :9])), (torch, torch.tensor(q), torch.tensor(w[..., :9, :9]))]
    found, wanted = (t.nn.functional.conv2d(image, kernel).numpy() for t, image, kernel in pairs)
    assert found.dtype == np.float16
    assert np.allclose(found, wanted, rtol=2e-3, atol=5e-2)


def test_the_meta_device_has_shapes_of_them() -> None:
    x = engine.ones(N, N, dtype=engine.float16, device="meta")
    assert (x @ x).shape == (N, N)
    x = engine.ones(N, N, dtype=engine.int32, device="meta")
    assert (x @ x).dtype == engine.int32
