"""Values of whole numbers and truth values, names of nodes, and words of warnings and errors: each as PyTorch gives it."""

from __future__ import annotations

import warnings
from types import ModuleType
from typing import Any

import pytest

import engine

torch = pytest.importorskip("torch")

VALUES = [
    "x.sum(dtype=t.int32)", "x.cumsum(0, dtype=t.int32)", "x.prod(dtype=t.uint8)", "x.nansum(dtype=t.int32)",
    "t.full((300,), 1).sum(dtype=t.uint8)", "100.5 % (x + 1)", "10.5 // (x + 1)", "2 ** x", "b ** True", "b ** False", "b ** 2",
    "b ** x", "2 ** b", "b // b", "b % b", "t.fmod(b, b)", "t.div(b, b, rounding_mode='trunc')", "b.clamp(0, 1)", "b @ b",
    "b.argmax()", "b << 1", "x << 2", "x >> 1", "1 << x", "16 >> x", "t.ones(2) << 1", "x << None", "b.floor()", "b.round()",
    "b.ceil()", "b.trunc()", "x[t.tensor([1, 0, 1, 0], dtype=t.uint8)]", "t.zeros(7, 3).fill_diagonal_(4, wrap=True)",
    "t.ones(2, dtype=int)", "t.zeros(2, dtype=float)", "t.tensor([1], dtype=bool)", "x.to(bool)", "x.to(dtype=complex)",
    "t.as_tensor([1.5], dtype=int)", "t.arange(3, dtype=float)", "x.sum(dtype=float)", "t.full((2,), 1, dtype=float)",
    "t.tensor([t.tensor([1.])])", "t.tensor([[t.tensor([1.])], [t.tensor([2.])]])", "t.tensor([t.tensor([1., 2.])])",
    "t.tensor([t.tensor([[1.]]), 2.])", "t.tensor([[1.], t.tensor([2.])])", "t.tensor([t.tensor([])])",
    "t.FloatTensor([t.tensor([1.])])", "t.tensor([t.ones(1, dtype=t.float64)])", "t.as_tensor([t.tensor([1.])])",
    "t.nn.DataParallel(t.nn.Linear(2, 3))", "[*t.nn.DataParallel(t.nn.Linear(2, 3)).state_dict()]",
    "t.nn.DataParallel(t.nn.Linear(2, 3)).module", "t.nn.DataParallel(t.nn.Identity())(x)",
    "type(t.nn.DataParallel(t.nn.Identity()))",
    "t.nn.DataParallel(t.nn.Identity()).device_ids",
    "t.Tensor(size=(2, 3)).shape", "t.Tensor(data=[1.0, 2])", "t.Tensor(other=t.ones(2))", "t.LongTensor(size=[2]).dtype",
    "t.FloatTensor(data=[1.0])", "t.ones(2).new(size=(2,)).shape", "t.Tensor(2, device='cpu').shape", "t.has_mps", "t.has_cuda",
    "t.has_cudnn", "t.has_mkldnn", "t.has_lapack", "t.has_mkl", "t.has_openmp",
    "-t.ones(3, 1) @ t.zeros(1, 4)", "-t.ones(2, 3) @ t.zeros(3, 2)", "-t.ones(1, 1) @ t.zeros(1, 2)",
    "t.nn.functional.linear(-t.ones(2, 1), t.zeros(3, 1))", "t.mm(t.ones(3, 1, dtype=t.int64), t.ones(1, 0, dtype=t.int64))",
    "t.randn(2, 3, device='cuda')", "t.rand(2, 3, dtype=t.float16, device='cuda:0')", "t.randn(2, 3, dtype=t.int64)",
    "t.randn(2, -1)", "t.tril_indices(2, 2, device='cuda')", "t.triu_indices(2, 2, dtype=t.int32)", "t.poisson(x)",
    "t.tril_indices(2, 2, device='meta')", "t.rand(2, 'a')", "t.allclose(t.ones(5), t.ones(10, 6))",
    "t.isclose(t.ones(2, 5), t.ones(3, 5))",
    "t.special.zeta(x[1:].double().requires_grad_(), 2).sum().backward()",
    "x.reshape(2, 2)[0, 3]", "x[1.0]", "x[range(2)]", "x[9]", "t.slogdet(t.eye(2))", "t.linalg.slogdet(t.eye(2))",
    "x[[0.5, 1]]", "x[[]]", "x[__import__('collections').deque([0, 1])]", "x[:, __import__('collections').deque([1.5])]",
    "x[__import__('collections').deque([True, False, True, True])]", "x[{0: 1}]",
    "t.symeig(t.eye(2))", "t.symeig(t.eye(2), True, upper=False)", "t.eig(t.eye(2), eigenvectors=True)",
    "t.lstsq(t.ones(2, 1), t.eye(2))", "t.solve(t.ones(2, 1), t.eye(2))", "t.matrix_rank(t.eye(2), tol=0.1, symmetric=True)",
    "t.eye(2).symeig(eigenvectors=True)", "t.eye(2).eig()", "t.ones(2, 1).lstsq(t.eye(2))", "t.ones(2, 1).solve(t.eye(2))",
]  # fmt: skip


def told(t: ModuleType, text: str) -> str:
    """What an expression gives, or how it fails."""
    given = {"t": t, "x": t.arange(4), "b": t.tensor([True, False, True, True])}
    try:
        return repr(eval(text, given))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("text", VALUES)
def test_a_value(text: str) -> None:
    assert told(engine, text) == told(torch, text)


NODES = [
    "x // 2", "x // x", "x.t().reshape(9)", "x[:, 0].reshape(3, 1)", "x[:, :2].reshape(3, 2, 1)", "x.reshape(9)",
    "x.t().reshape(3, 3)", "x.expand(2, 3, 3).reshape(2, 9)", "t.nn.GRU(3, 2, batch_first=True)(t.ones(2, 1, 3))[0]",
    "t.nn.RNN(3, 2, batch_first=True)(t.ones(2, 1, 3))[0]", "t.nn.LSTM(3, 2, batch_first=True)(t.ones(2, 1, 3))[0]",
    "t.nn.GRU(3, 2)(t.ones(2, 1, 3))[0]",
]  # fmt: skip


@pytest.mark.parametrize("text", NODES)
def test_a_nodes_name(text: str) -> None:
    found: list[Any] = []
    for t in (engine, torch):
        x = t.arange(1.0, 10.0).reshape(3, 3).requires_grad_()
        found.append(type(eval(text, {"t": t, "x": x}).grad_fn).__name__)
    assert found[0] == found[1]


def test_a_reshape_of_what_lies_apart_is_a_view_and_has_its_gradient() -> None:
    for t in (engine, torch):
        x = t.arange(9.0).reshape(3, 3).requires_grad_()
        part = x[:, 1:].reshape(3, 2, 1)
        (part * part).sum().backward()
        assert part._is_view()
        assert x.grad.tolist() == [[0, 2, 4], [0, 8, 10], [0, 14, 16]]


def test_a_quotient_rounded_down_has_no_derivative() -> None:
    words = []
    for t in (engine, torch):
        x = t.ones(2, requires_grad=True)
        with pytest.raises(RuntimeError) as error:
            (x // 2).sum().backward()
        words.append(str(error.value))
    assert words[0] == words[1]


DEPRECATED = ["lu(t.eye(2))", "qr(t.eye(2))", "cholesky(t.eye(2))", "chain_matmul(t.eye(2), t.eye(2))"]


@pytest.mark.parametrize("call", DEPRECATED)
def test_what_is_deprecated_warns(call: str) -> None:
    words = []
    for t in (engine, torch):
        t.set_warn_always(True)
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                eval(f"t.{call}", {"t": t})
        finally:
            t.set_warn_always(False)
        words.append([(w.category, str(w.message).partition(" (Triggered")[0]) for w in caught])
    assert words[0] == words[1]
