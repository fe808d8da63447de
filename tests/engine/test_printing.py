"""Tensors print exactly as in PyTorch."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import engine
from engine.printing import printoptions
from tests.thorough import examples

SHAPES = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=9)
FLOATS = st.one_of(
    st.floats(width=32),
    st.integers(-1000, 1000).map(float),
    st.sampled_from([0.0, -0.0, 0.5, 1e-5, 1e8, 12345.678, float("nan"), float("inf")]),
)
ARRAYS = st.one_of(
    hnp.arrays(np.float32, SHAPES, elements=FLOATS.map(lambda v: float(np.float32(v)))),
    hnp.arrays(np.float64, SHAPES, elements=FLOATS),
    hnp.arrays(np.int64, SHAPES, elements=st.integers(-(10**6), 10**6)),
    hnp.arrays(np.int32, SHAPES, elements=st.integers(-99, 99)),
    hnp.arrays(np.bool_, SHAPES),
)


@settings(deadline=None, max_examples=examples(300))
@given(array=ARRAYS, grad=st.booleans())
def test_any_tensor_prints_as_in_pytorch(torch: ModuleType, array: np.ndarray[Any, Any], grad: bool) -> None:
    grad = grad and array.dtype.kind == "f"
    assert repr(engine.tensor(array, requires_grad=grad)) == repr(torch.tensor(array, requires_grad=grad))


@pytest.mark.parametrize("shape", [(1001,), (40, 50), (3, 30, 30), (2000, 1)])
def test_large_tensors_are_summarized_as_in_pytorch(torch: ModuleType, shape: tuple[int, ...]) -> None:
    array = np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape) / 7
    assert repr(engine.tensor(array)) == repr(torch.tensor(array))
    assert repr(engine.tensor(array, requires_grad=True) * 2) == repr(torch.tensor(array, requires_grad=True) * 2)


@pytest.mark.parametrize(
    "options",
    [
        {"precision": 2},
        {"sci_mode": True},
        {"sci_mode": False},
        {"linewidth": 40},
        {"profile": "short"},
        {"edgeitems": 1, "threshold": 5},
    ],
)
def test_options_do_what_they_do_in_pytorch(torch: ModuleType, options: dict[str, Any]) -> None:
    array = np.linspace(-3, 1000, 24, dtype=np.float32).reshape(4, 6)
    with printoptions(**options), torch._tensor_str.printoptions(**options):
        assert repr(engine.tensor(array)) == repr(torch.tensor(array))


def test_the_forms_people_know() -> None:
    assert repr(engine.tensor([[0.5, 1.0], [2.0, 3.0]])) == "tensor([[0.5000, 1.0000],\n        [2.0000, 3.0000]])"
    assert repr(engine.tensor([1.0, 2.0])) == "tensor([1., 2.])"
    assert repr(engine.tensor([])) == "tensor([])"
    assert repr(engine.zeros(2, 0)) == "tensor([], size=(2, 0))"
    assert repr(engine.ones(1, requires_grad=True) * 2) == "tensor([2.], grad_fn=<MulBackward0>)"
    assert repr(engine.ones(1, dtype=engine.float64)) == "tensor([1.], dtype=torch.float64)"
