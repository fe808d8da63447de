"""Writing where memory is shared, with itself or with what is read: refused, warned of and done as PyTorch does."""

from __future__ import annotations

import warnings
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import engine
from engine.ops.memory.inplace import INPLACE
from engine.sandbox import run

CLONE = "Please clone() the tensor before performing the operation."
ITSELF = f"unsupported operation: more than one element of the written-to tensor refers to a single memory location. {CLONE}"
OTHERS = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. "
    f"{CLONE}"
)
MASKED, INDEXED = "Use of masked_fill_ on expanded", "Use of index_put_ on expanded"
PROGRAMS: dict[str, tuple[str, list[float]]] = {
    # --- numbers of the tensor itself are one in memory
    "e.add_(1.0)": (ITSELF, []),
    "e.sigmoid_()": (ITSELF, []),
    "e.scatter_(0, IX, 2.0)": (ITSELF, []),
    "e[1:] = 9.0": (ITSELF, []),
    "e[1] = 9.0": ("", [9, 9, 9, 4, 5, 6, 7, 8, 9]),
    "e.fill_(3.0)": ("", [3, 3, 3, 4, 5, 6, 7, 8, 9]),
    "e.fill_(t.tensor(3.0))": (ITSELF, []),
    "t.fill_(e, x[0, 1])": (ITSELF, []),
    "e.tril_()": ("", [1, 0, 0, 4, 5, 6, 7, 8, 9]),
    "e.triu_()": ("", [0, 0, 3, 4, 5, 6, 7, 8, 9]),
    "e.masked_fill_(M, 9.0)": (MASKED, [9, 9, 3, 4, 5, 6, 7, 8, 9]),
    "e.masked_fill_(M, t.tensor(9.0))": (MASKED, [9, 9, 3, 4, 5, 6, 7, 8, 9]),
    "e.index_fill_(0, t.tensor([1]), 9.0)": ("Use of index_fill_ on expanded", [9, 9, 9, 4, 5, 6, 7, 8, 9]),
    "e[M] = t.tensor([15.0, 16.0, 17.0])": (INDEXED, [17, 16, 3, 4, 5, 6, 7, 8, 9]),
    "e[M] = 9.0": (INDEXED, [9, 9, 3, 4, 5, 6, 7, 8, 9]),
    "e[I] = 9.0": (INDEXED, [9, 9, 9, 4, 5, 6, 7, 8, 9]),
    "e[I, I] = 7.0": (INDEXED, [7, 2, 7, 4, 5, 6, 7, 8, 9]),
    "e.index_put_((I,), t.ones(2, 3), True)": (INDEXED, [3, 4, 5, 4, 5, 6, 7, 8, 9]),
    "x[:1].expand(1, 3).add_(1.0)": ("", [2, 3, 4, 4, 5, 6, 7, 8, 9]),
    # --- what is read shares memory with what is written
    "x[1:] += x[:-1]": (OTHERS, []),
    "x[1:] = x[:-1]": (OTHERS, []),
    "x += x[0]": (OTHERS, []),
    "x += x[0, 0]": (OTHERS, []),
    "x += x.t()": (OTHERS, []),
    "x.detach().add_(x[0])": (OTHERS, []),
    "x.copy_(x.t())": (OTHERS, []),
    "x.addcmul_(x[0], x[0])": (OTHERS, []),
    "x.clamp_(x[0], x[1])": (OTHERS, []),
    "x[I] = x[:2]": (OTHERS, []),
    "x.index_put_((I,), x[1])": (OTHERS, []),
    "x.index_add_(0, I, x[:2])": (OTHERS, []),
    "x.scatter_(0, IX, x)": (OTHERS, []),
    "x.put_(I, x[0, :2])": (OTHERS, []),
    "x *= x": ("", [1, 4, 9, 16, 25, 36, 49, 64, 81]),
    "x.mul_(x[:])": ("", [1, 4, 9, 16, 25, 36, 49, 64, 81]),
    "x[0] += x[1]": ("", [5, 7, 9, 4, 5, 6, 7, 8, 9]),
    "x[:] = x[0]": ("", [1, 2, 3, 1, 2, 3, 1, 2, 3]),
    "x[0] = x[:, 0]": ("", [1, 4, 7, 4, 5, 6, 7, 8, 9]),
    "x[x > 5] = x[0, 0]": ("", [1, 2, 3, 4, 5, 1, 1, 1, 1]),
    "x.masked_fill_(x > 5, x[0, 0])": ("", [1, 2, 3, 4, 5, 1, 1, 1, 1]),
    "x.fill_(x[0, 1])": ("", [2] * 9),
    "x.copy_(x.flip(0))": ("", [7, 8, 9, 4, 5, 6, 1, 2, 3]),
    # --- out=
    "t.add(x[:-1], 1.0, out=x[1:])": (OTHERS, []),
    "t.sub(x[:2], x[1:], out=x[:2])": (OTHERS, []),
    "t.neg(x.t(), out=x)": (OTHERS, []),
    "t.gather(x, 0, IX, out=x)": (OTHERS, []),
    "t.cat([x[:1], x[1:]], out=x)": (OTHERS, []),
    "t.stack([x[0], x[1], x[2]], out=x)": (OTHERS, []),
    "t.index_add(x, 0, I, x[:2], out=x)": (OTHERS, []),
    "t.exp(x, out=x[:1].expand(3, 3))": (ITSELF, []),
    "t.neg(x, out=x)": ("", [-1, -2, -3, -4, -5, -6, -7, -8, -9]),
    "t.index_add(x, 0, I, t.ones(2, 3), out=x)": ("", [2, 3, 4, 4, 5, 6, 8, 9, 10]),
}  # fmt: skip
"""What is done to nine numbers -> what is refused or warned of, and the numbers afterwards, where it is done."""


def _done(t: ModuleType, program: str) -> tuple[str, list[float]]:
    x = t.arange(1.0, 10.0).reshape(3, 3)
    mask = t.tensor([[True, False, False], [False, True, False], [True, False, False]])
    names = {
        "t": t, "x": x, "e": x[:1].expand(3, 3), "I": t.tensor([0, 2]), "M": mask,
        "IX": t.tensor([[0, 1, 2], [2, 1, 0], [1, 1, 1]]),
    }  # fmt: skip
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            exec(program, names)
        except RuntimeError as error:
            return str(error), []
    said = [str(w.message) for w in warned if "expanded tensors" in str(w.message)]
    return said[0].split(" tensors")[0] if said else "", x.reshape(-1).tolist()


def _wanted(program: str) -> tuple[str, list[float]]:
    said, numbers = PROGRAMS[program]
    return said, [float(n) for n in numbers]


@pytest.mark.parametrize("program", PROGRAMS)
def test_it_is_as_it_was_noted(program: str) -> None:
    assert _done(engine, program) == _wanted(program)


@pytest.mark.parametrize("program", PROGRAMS)
def test_pytorch_does_so(torch: ModuleType, program: str) -> None:
    assert _done(torch, program) == _wanted(program)


BY_ITSELF = {
    "as_strided_": "writes no element", "bernoulli_": "refused by its shares", "bitwise_not_": "refused by its dtype first",
    "conj_physical_": "does nothing", "float_power_": "refused by its dtype first", "masked_scatter_": "refused by its mask",
}  # fmt: skip
"""Methods that are left out below, and why."""


def _ending(t: ModuleType, method: str, count: int, shared: bool) -> str:
    """How a method ends that is given as many tensors, on an expanded tensor, or on one that shares memory with them."""
    whole = method.startswith(("bitwise", "gcd", "lcm"))
    base = t.arange(1, 13).reshape(4, 3) if whole else t.arange(1.0, 13.0).reshape(4, 3) / 20
    x, others = (base[1:], [base[:-1]] * count) if shared else (base[:1].expand(3, 3), [base[1:].clone()] * count)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            getattr(x, method)(*others)
        except Exception as error:
            return str(error) if str(error) in (ITSELF, OTHERS) else "otherwise"
    return "done"


@pytest.mark.parametrize("method", sorted(INPLACE.keys() - BY_ITSELF.keys()))
def test_every_method_that_writes_is_refused_where_pytorchs_is(torch: ModuleType, method: str) -> None:
    for count in range(3):
        for shared in (False, True) if count else (False,):
            theirs = _ending(torch, method, count, shared)
            if theirs != "otherwise":
                assert _ending(engine, method, count, shared) == theirs, (count, shared)


def test_a_program_that_adds_rows_to_their_neighbours_is_told_to_clone() -> None:
    result = run("import torch\nm = torch.ones(3, 3)\nm[1:] += m[:-1]\n")
    assert result.error is not None
    assert result.error.message == OTHERS


def test_a_gradient_passes_a_write_into_an_expanded_tensor() -> None:
    def slope(t: Any) -> Any:
        w = t.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
        e = (w * 1).expand(3, 3).clone()
        e[t.tensor([0])] = 5.0
        (e * e).sum().backward()
        return np.asarray(w.grad)

    assert slope(engine).tolist() == [[4.0, 8.0, 12.0]]


def test_polygamma_in_place_takes_its_order() -> None:
    x = engine.tensor([1.0, 2.0])
    x.polygamma_(1)
    assert x.tolist() == pytest.approx([1.6449341, 0.6449341])
