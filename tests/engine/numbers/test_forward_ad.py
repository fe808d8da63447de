"""Forward mode: dual tensors and the tangents that operations give them, beside PyTorch's."""

from __future__ import annotations

import warnings
from importlib import import_module
from itertools import islice
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import engine
from engine.sandbox import run
from tests.engine.numbers.side_by_side import torch  # skips where PyTorch is absent, before the next one asks for it

from tests.engine.coverage import operators as database  # isort: skip

EXPRESSIONS = """
d
d * d
d.sin() * d.exp()
d.sum()
d.softmax(0)
d.log_softmax(0)
d ** 3
2 ** d
1 / d
d @ d
d.reshape(2, 1) @ d.reshape(1, 2)
torch.cat([d, x])
torch.stack([x, d], 1)
torch.where(x > 1, d, x)
d[0]
d[x > 1]
d.max()
d.max(0)
d.sort(descending=True)
d.var()
d.std()
d.norm()
d.cumsum(0)
d.prod()
d.clone().mul_(3)
x.clone().mul_(d)
x.clone().copy_(d)
x.clone().add_(d, alpha=2)
d.detach()
d.view(2, 1).expand(2, 3).sum(1)
d.requires_grad
d > 1
d.argmax()
d.to(torch.float64)
torch.nn.functional.linear(d, x.outer(x), x)
torch.nn.functional.conv1d(d[None, None], x[None, None])
torch.nn.functional.layer_norm(d, (2,))
torch.nn.functional.gelu(d)
torch.nn.functional.mse_loss(d, x)
torch.nn.functional.cross_entropy(d, torch.tensor(1))[None]
torch.linalg.inv(d.outer(x) + torch.eye(2))
torch.fft.fft(d).abs()
torch.complex(d, x) * 1j
fwAD.unpack_dual(d)
fwAD.unpack_dual(x)
fwAD.unpack_dual(d * d).tangent
fwAD.unpack_dual(d.detach()).tangent
fwAD.make_dual(d, x)
fwAD.make_dual(x, torch.ones(3))
fwAD.make_dual(torch.tensor([1, 2]), x)
fwAD.make_dual(x, torch.tensor([1, 2]))
fwAD.enter_dual_level()
fwAD.exit_dual_level(level=3)
Double.apply(d)
Nothing.apply(d)
Wrong.apply(d)
"""
"""Expressions of a dual tensor d and of the tensor x that it was made of."""

PROGRAM = """
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_forward(x)
        return x * 2

    @staticmethod
    def jvp(ctx, tangent):
        return tangent * 2 + ctx.saved_tensors[0] * 0


class Nothing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2


class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def jvp(ctx, tangent):
        return tangent.sum()


x = torch.tensor([1.5, 0.5])
"""


def forward_ad(t: ModuleType) -> Any:
    return import_module("engine.autograd.forward_ad" if t is engine else "torch.autograd.forward_ad")


def said(t: ModuleType, expression: str) -> str:
    ad = forward_ad(t)
    names: dict[str, Any] = {"torch": t, "fwAD": ad}
    exec(PROGRAM, names)
    with ad.dual_level():
        names["d"] = ad.make_dual(names["x"], t.tensor([1.0, 2.0]))
        try:
            return repr(eval(expression, names))
        except Exception as error:
            return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("expression", EXPRESSIONS.split("\n")[1:-1])
def test_it_says_what_pytorch_says(expression: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert said(engine, expression) == said(torch, expression)


@pytest.mark.parametrize("name", ["make_dual", "exit_dual_level"])
def test_outside_of_a_level_is_an_error(name: str) -> None:
    found = []
    for t in (engine, torch):
        arguments = (t.ones(1), t.ones(1)) if name == "make_dual" else ()
        with pytest.raises(RuntimeError) as raised:
            getattr(forward_ad(t), name)(*arguments)
        found.append(str(raised.value))
    assert found[0] == found[1]


def test_a_tangent_is_gone_with_its_level() -> None:
    ad = forward_ad(engine)
    with ad.dual_level():
        dual = ad.make_dual(engine.ones(2), engine.ones(2))
    assert ad.unpack_dual(dual).tangent is None
    with ad.dual_level():
        assert ad.unpack_dual(dual).tangent is None
        assert ad.unpack_dual(dual * 2).tangent is None
    assert engine.context.context.dual is None


def test_no_grad_does_not_stop_tangents_and_they_can_be_differentiated() -> None:
    found = []
    for t in (engine, torch):
        ad = forward_ad(t)
        p = t.tensor([3.0, 2.0], requires_grad=True)
        with ad.dual_level():
            dual = ad.make_dual(p, t.tensor([1.0, 0.5]))
            with t.no_grad():
                plain = ad.unpack_dual(dual * dual).tangent
            tangent = ad.unpack_dual(dual**3).tangent
            tangent.sum().backward()
        assert not plain.requires_grad
        found.append((plain.tolist(), tangent.tolist(), p.grad.tolist()))
    assert found[0] == found[1]


def test_a_write_through_a_view_changes_the_tangent_of_its_base() -> None:
    found = []
    for t in (engine, torch):
        ad = forward_ad(t)
        x = t.tensor([1.0, 2.0, 3.0])
        with ad.dual_level():
            dual = ad.make_dual(x[:1].clone(), t.tensor([5.0]))
            base = x.clone()
            base[1] = dual[0]
            base[2:].mul_(dual)
            found.append((base.tolist(), ad.unpack_dual(base).tangent.tolist()))
    assert found[0] == found[1]


def test_a_random_operation_draws_once() -> None:
    ad = forward_ad(engine)
    engine.manual_seed(0)
    engine.nn.functional.dropout(engine.ones(50), 0.5)
    after = engine.rand(1).item()
    engine.manual_seed(0)
    with ad.dual_level():
        engine.nn.functional.dropout(ad.make_dual(engine.ones(50), engine.ones(50)), 0.5)
    assert engine.rand(1).item() == after


@pytest.mark.parametrize(
    "name",
    ["mul", "div/no_rounding_mode", "pow", "exp", "sigmoid", "tanh", "matmul", "bmm", "sum", "mean", "var", "logsumexp",
     "cumprod", "prod", "gather", "index_select", "scatter", "where", "nn.functional.conv2d",
     "nn.functional.batch_norm", "linalg.solve", "linalg.det", "nn.functional.embedding", "nn.functional.max_pool2d",
     "clamp", "amax", "sort", "einsum", "cat"],
)  # fmt: skip
def test_an_operators_tangents_are_pytorchs(name: str) -> None:
    (info,) = [i for i in database.entries() if database.title(i) == name]
    compared = 0
    for sample in islice(info.sample_inputs("cpu", torch.float64, requires_grad=True), 6):
        pair = [tangents(t, info, sample) for t in (engine, torch)]
        for ours, theirs in zip(*pair, strict=True):
            if theirs is not None:
                np.testing.assert_allclose(np.zeros_like(theirs) if ours is None else ours, theirs, rtol=1e-7, atol=1e-7)
                compared += 1
    assert compared > 0


def tangents(t: ModuleType, info: Any, sample: Any) -> list[Any]:
    """The tangents of an operator's results, where every tensor that requires grad carries the same numbers."""
    ad = forward_ad(t)
    values = (sample.input, sample.args, sample.kwargs)
    call = info.op
    if t is engine:
        values, call = database.translate(values, []), database.counterpart(info)

    def dual(value: Any) -> Any:
        if isinstance(value, t.Tensor) and value.requires_grad:
            weights = database.cotangent(tuple(value.shape), torch.float64)
            return ad.make_dual(value.detach(), t.from_numpy(weights))
        if type(value) in (list, tuple):
            return type(value)(dual(v) for v in value)
        return {k: dual(v) for k, v in value.items()} if isinstance(value, dict) else value

    with warnings.catch_warnings(), ad.dual_level():
        warnings.simplefilter("ignore")
        first, rest, named = (dual(v) for v in values)
        results = list(database.plain(call(first, *rest, **named)))
        found = [ad.unpack_dual(r).tangent for r in results if isinstance(r, t.Tensor)]
        return [None if f is None else f.detach().numpy() for f in found]


def test_linearize_gives_the_value_and_the_products() -> None:
    value, push = engine.func.linearize(lambda x, y: (x * y, x.sum()), engine.tensor([1.0, 2.0]), engine.tensor([3.0, 4.0]))
    assert [v.tolist() for v in value] == [[3.0, 8.0], 3.0]
    moved = push(engine.tensor([1.0, 0.0]), engine.tensor([0.0, 1.0]))
    assert [m.tolist() for m in moved] == [[3.0, 2.0], 1.0]
    with pytest.raises(RuntimeError, match="structure"):
        push(engine.tensor([1.0, 0.0]))
    with pytest.raises(RuntimeError, match="shape"):
        push(engine.tensor([1.0]), engine.tensor([1.0, 0.0]))


def test_a_program_in_the_sandbox_uses_dual_tensors() -> None:
    made = run(
        "import torch\n"
        "import torch.autograd.forward_ad as fwAD\n"
        "with fwAD.dual_level():\n"
        "    dual = fwAD.make_dual(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0]))\n"
        "    print(fwAD.unpack_dual(dual * dual))\n"
    )
    expected = "UnpackedDualTensor(primal=tensor([1., 4.]), tangent=tensor([2., 0.]))\n"
    assert (made.status, made.output) == ("ok", expected)
