"""Types of sparse tensors of before layouts, as PyTorch has them."""

from __future__ import annotations

import warnings
from types import ModuleType
from typing import Any

import pytest

import engine
from engine.sandbox import run

CALLS = {
    "of indices, values and a shape": lambda t: t.sparse.FloatTensor(*_parts(t), t.Size([2, 3])),
    "of indices and values": lambda t: t.sparse.FloatTensor(*_parts(t)),
    "of values of another dtype": lambda t: t.sparse.DoubleTensor(*_parts(t), (2, 2)),
    "of sizes": lambda t: t.sparse.LongTensor(2, 3),
    "of a shape": lambda t: t.sparse.DoubleTensor(t.Size([2, 2])),
    "of nothing": lambda t: t.sparse.FloatTensor(),
    "a type": lambda t: (t.sparse.FloatTensor, t.sparse.FloatTensor.is_sparse, t.sparse.FloatTensor.dtype),
    "instances": lambda t: [
        isinstance(x, t.sparse.FloatTensor) for x in (t.sparse.FloatTensor(*_parts(t)), t.sparse.LongTensor(2), t.ones(1))
    ],
    "wrong indices": lambda t: t.sparse.FloatTensor(_parts(t)[0].float(), _parts(t)[1], (2, 2)),
    "wrong values": lambda t: t.sparse.FloatTensor(_parts(t)[0], [1.0, 2.0], (2, 2)),
}


def _parts(t: Any) -> Any:
    return t.tensor([[0, 1], [1, 0]]), t.tensor([1.0, 2.0])


def _said(t: Any, name: str) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return str(CALLS[name](t))
        except (TypeError, RuntimeError) as error:
            return f"{type(error).__name__}: {str(error).split(', but expected')[0]}"


@pytest.mark.parametrize("name", CALLS)
def test_what_they_make(torch: ModuleType, name: str) -> None:
    assert _said(engine, name) == _said(torch, name)


def test_a_program_of_that_time_multiplies() -> None:
    text = (
        "import torch\ni = torch.LongTensor([[0, 1], [1, 0]])\n"
        "a = torch.sparse.FloatTensor(i, torch.FloatTensor([2, 3]), torch.Size([2, 2]))\n"
        "w = torch.ones(2, 1, requires_grad=True)\ny = torch.spmm(a, w)\ny.sum().backward()\nprint(y.tolist(), w.grad.tolist())"
    )
    result = run(text)
    assert result.status == "ok", result.error
    assert "torch.sparse.SparseTensor(indices, values, shape, *, device=) is deprecated" in result.output
    assert result.output.endswith("[[2.0], [3.0]] [[3.0], [2.0]]\n")
