"""How functions may be called (NumPy's names, sizes by name, `out=`), indices, and PyTorch's words for what does not fit."""

from __future__ import annotations

import inspect
import warnings
from types import ModuleType

import pytest

import engine
from tests.engine.oracle import outcome

X = "t.arange(6.).reshape(2, 3)"
CALLS = [
    "t.sum({x}, axis=0)", "{x}.sum(axis=1, keepdims=True)", "{x}.mean(axis=(0, 1), keepdims=True)",
    "{x}.max(axis=1, keepdims=True)", "t.argmax({x}, axis=0, keepdims=True)", "{x}.std(axis=1)", "{x}.prod(axis=1)",
    "t.cumsum({x}, axis=0)", "t.softmax({x}, axis=1)", "t.cat(({x}, {x}), axis=1)", "t.stack(({x}, {x}), axis=1)",
    "{x}.squeeze(axis=0)", "{x}.unsqueeze(axis=0)", "{x}.sort(axis=1)",
    "{x}.gather(axis=1, index=t.zeros(2, 1, dtype=t.int64))", "t.tanh(x=t.zeros(2))", "t.tanh(a=t.zeros(2))",
    "t.atan2(x1={x}, x2={x})", "t.zeros(size=(2, 3))", "t.ones(size=(2,), requires_grad=True)", "t.rand(size=(2,)).shape",
    "t.randint(high=5, size=(2,)).shape", "{x}.view(size=(3, 2))", "{x}.reshape(shape=(6,))", "{x}.permute(dims=(1, 0))",
    "{x}.repeat(repeats=(2, 1))", "{x}.expand(size=(2, 3))", "t.flip({x}, dims=(0,))", "{x}.flip(0, 1)",
    "{x}.transpose(dim0=0, dim1=1)", "t.norm({x}, dim=1)", "t.tanh({x}, out=t.empty(2, 3))", "t.tanh({x}, out=t.empty(0))",
    "t.sum({x}, 1, out=t.empty(5))", "t.zeros(2, out=t.empty(2))", "t.arange(3, out=t.empty(3))",
    "t.matmul({x}, {x}.t(), out=t.empty(0))", "t.cat(({x}, {x}), out=t.empty(4, 3))",
    "t.mean({x}, 1, out=t.empty(2, dtype=t.float64))", "t.max({x}, 0, out=(t.empty(3), t.empty(3, dtype=t.int64)))",
    "t.sort({x}, out=(t.empty(2, 3), t.empty(2, 3, dtype=t.int64)))", "t.clamp({x}, 1, out=t.empty(2, 3))",
    "t.tanh({x}, out=t.ones(2, 3, dtype=t.int64))", "t.tanh({x}, out=3)", "t.tanh({x}.requires_grad_(), out=t.empty(2, 3))",
    "t.tanh({x}, out=t.empty(2, 3).requires_grad_())", "t.tanh()", "t.tanh({x}, {x})", "t.tanh({x}, foo=1)", "t.tril()",
    "t.tril({x}, 1, 2)", "{x}.tril(1, 2)", "{x}.tril(foo=1)", "t.select({x}, 0)", "t.cumsum({x})", "t.atan2({x})",
    "t.mm({x})", "t.sum()", "t.sum({x}, foo=1)", "t.zeros(2, 3, size=(2,))", "t.conv2d(t.zeros(1, 1, 3, 3))",
    "t.nn.functional.softmax({x}, axis=1)", "t.linalg.vector_norm({x}, axis=0)", "t.special.expm1(x=t.zeros(1))",
]  # fmt: skip

VALUES = [
    "t.tensor([1, 2, 3]).sum(dtype=t.int32)", "t.tensor([200, 100]).sum(dtype=t.uint8)",
    "t.tensor([1, 2]).cumsum(0, dtype=t.int32)", "t.tensor([1, 2]).cumprod(0, dtype=t.uint8)",
    "t.tensor([1.7, 2.9]).prod(dtype=t.int64)", "t.tensor([True, False]).sum(dtype=t.int16)", "100.5 % t.tensor([3, 7])",
    "100 % t.tensor([3, 7])", "100.5 // t.tensor([3, 7])", "t.remainder(100.5, t.tensor([3, 7]))",
    "t.tensor([True, False]) ** 2", "t.tensor([True]) ** t.tensor([True])", "t.tensor([True, False]).clamp(0, 1)",
    "t.tensor([True, False]).argmax()", "t.zeros(7, 3).fill_diagonal_(1, wrap=True)",
    "t.zeros(3, 7).fill_diagonal_(1, wrap=True)", "t.zeros(3, 3).fill_diagonal_(1)",
    "t.autograd.functional.jacobian(lambda x: t.acosh(x), t.tensor([-2.0, 2.0]))",
    "t.arange(4.)[t.tensor([1, 0, 1, 0], dtype=t.uint8)]", "{x}[:, t.tensor([1, 0, 1], dtype=t.uint8)]",
    "{x}[range(2), [0, 1]]", "{x}[range(2)]", "{x}[(0, 1), (1, 2)]", "{x}[[[0, 1], [0, 2]]]", "{x}[[0, slice(None)]]",
    "{x}[0, 3]", "{x}[None, 0, 5]", "{x}[0, None, 9]", "{x}[..., 8]", "{x}[[0], 9]", "{x}[1.0]", "{x}[{{}}]", "{x}[[]]",
    "{x}[[True, False]]",
]  # fmt: skip
"""What once differed silently, or in an error's words."""


@pytest.mark.parametrize("call", [*CALLS, *VALUES])
def test_a_call_is_taken_or_refused_as_pytorch_does(call: str) -> None:
    torch = pytest.importorskip("torch")

    def code(t: ModuleType) -> object:
        return eval(call.format(x=X), {"t": t})

    assert outcome(engine, code) == outcome(torch, code)


def test_out_is_what_comes_back_and_holds_the_result() -> None:
    out = engine.empty(3)
    assert engine.add(engine.ones(3), 2, out=out) is out
    assert out.tolist() == [3.0, 3.0, 3.0]
    assert not out.requires_grad
    values, indices = engine.empty(0), engine.empty(0, dtype=engine.int64)
    made = engine.max(engine.tensor([[1.0, 5.0]]), 1, out=(values, indices))
    assert made.values is values
    assert made.indices is indices
    assert (values.tolist(), indices.tolist()) == ([5.0], [1])


def test_an_out_of_another_size_is_told_and_resized() -> None:
    out = engine.empty(5)
    with pytest.warns(UserWarning, match=r"resized since it had shape \[5\], which does not match the required output shape"):
        engine.sum(engine.ones(2, 3), 1, out=out)
    assert out.tolist() == [3.0, 3.0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        engine.sum(engine.ones(2, 3), 1, out=engine.empty(0))


def test_functions_written_in_python_take_no_names_of_numpys() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'axis'"):
        engine.nn.functional.softmax(engine.ones(2), axis=0)


def test_a_function_shows_its_own_signature() -> None:
    assert list(inspect.signature(engine.cumsum).parameters) == ["input", "dim", "dtype"]
