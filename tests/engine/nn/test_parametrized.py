"""Parametrized parameters: values, gradients, nodes, state dicts, reprs and errors are PyTorch's."""

from __future__ import annotations

import copy
import io
import pickle
from typing import Any

import pytest

import engine
from engine.sandbox import run

torch = pytest.importorskip("torch")


def parts(t: Any) -> Any:
    """`nn`, `parametrize`, `parametrizations`."""
    return t.nn, t.nn.utils.parametrize, t.nn.utils.parametrizations


def classes(t: Any) -> Any:
    """Parametrizations as people write them."""

    class Symmetric(t.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            return x.triu() + x.triu(1).transpose(-1, -2)

        def right_inverse(self, a: Any) -> Any:
            return a.triu()

    class Exponential(t.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            return t.matrix_exp(x)

    class RankOne(t.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any, y: Any) -> Any:
            return x.unsqueeze(-1) @ y.unsqueeze(-2)

        def right_inverse(self, z: Any) -> Any:
            return z[:, 0].clone(), z[0].clone()

    class Twice(t.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            return t.cat([x, x])

    class Text(t.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            return "text"

    return {c.__name__: c for c in (Symmetric, Exponential, RankOne, Twice, Text)}


def chain(node: Any) -> Any:
    """The names of a node and of those behind it."""
    if node is None:
        return None
    return [node.name() if callable(node.name) else node.name, *(chain(n) for n, _ in node.next_functions)]


def seen(t: Any, model: Any) -> Any:
    """What there is to see of a module: members, values, nodes, gradients."""
    t.manual_seed(3)
    shape = model.in_features if hasattr(model, "in_features") else None
    x = t.randn(2, shape) if shape else t.randn(1, model.in_channels, 5, 5)
    out = model(x)
    out.square().sum().backward()
    state = {k: v.numpy().round(4).tolist() for k, v in model.state_dict().items()}
    grads = {n: None if p.grad is None else p.grad.numpy().round(3).tolist() for n, p in model.named_parameters()}
    weight = model.weight
    return (
        out.detach().numpy().round(3).tolist(), list(state.items()), grads, chain(weight.grad_fn), type(weight).__name__,
        repr(model), type(model).__name__, [n for n, _ in model.named_modules()],
    )  # fmt: skip


def linear(t: Any, n: int = 3, m: int = 3) -> Any:
    t.manual_seed(0)
    return t.nn.Linear(n, m)


def conv(t: Any, kind: str = "Conv2d") -> Any:
    t.manual_seed(0)
    return getattr(t.nn, kind)(2, 3, 2)


MADE: dict[str, Any] = {
    "a symmetric matrix": lambda t, p, q, c: p.register_parametrization(linear(t), "weight", c["Symmetric"]()),
    "two, one after the other": lambda t, p, q, c: p.register_parametrization(
        p.register_parametrization(linear(t), "weight", c["Symmetric"]()), "weight", c["Exponential"]()
    ),
    "one of two tensors": lambda t, p, q, c: p.register_parametrization(linear(t), "weight", c["RankOne"](), unsafe=True),
    "of weight and bias": lambda t, p, q, c: p.register_parametrization(
        p.register_parametrization(linear(t), "weight", c["Symmetric"]()), "bias", t.nn.Tanh()
    ),
    "weight norm": lambda t, p, q, c: q.weight_norm(linear(t, 4, 3)),
    "weight norm by columns": lambda t, p, q, c: q.weight_norm(linear(t, 4, 3), "weight", 1),
    "weight norm of one length": lambda t, p, q, c: q.weight_norm(linear(t, 4, 3), dim=None),
    "weight norm of a convolution": lambda t, p, q, c: q.weight_norm(conv(t)),
    "weight norm of its inputs": lambda t, p, q, c: q.weight_norm(conv(t), dim=1),
    "spectral norm": lambda t, p, q, c: q.spectral_norm(linear(t, 4, 3)),
    "spectral norm of a convolution": lambda t, p, q, c: q.spectral_norm(conv(t), n_power_iterations=2),
    "spectral norm of a transposed one": lambda t, p, q, c: q.spectral_norm(conv(t, "ConvTranspose2d")),
    "spectral norm of a vector": lambda t, p, q, c: q.spectral_norm(linear(t, 4, 3), "bias"),
    "spectral norm, evaluated": lambda t, p, q, c: q.spectral_norm(linear(t, 4, 3)).eval(),
    "orthogonal": lambda t, p, q, c: q.orthogonal(linear(t)),
    "orthogonal and wide": lambda t, p, q, c: q.orthogonal(linear(t, 5, 3)),
    "orthogonal and tall": lambda t, p, q, c: q.orthogonal(linear(t, 3, 5)),
    "by Cayley's map": lambda t, p, q, c: q.orthogonal(linear(t), orthogonal_map="cayley"),
    "by Cayley's map, wide": lambda t, p, q, c: q.orthogonal(linear(t, 5, 3), orthogonal_map="cayley"),
    "by reflections, without a base": lambda t, p, q, c: q.orthogonal(linear(t, 3, 5), use_trivialization=False),
    "by the exponential, without a base": lambda t, p, q, c: q.orthogonal(linear(t), use_trivialization=False),
    "and taken away": lambda t, p, q, c: p.remove_parametrizations(
        p.register_parametrization(linear(t), "weight", c["Symmetric"]()), "weight"
    ),
    "and taken away as it was": lambda t, p, q, c: p.remove_parametrizations(
        p.register_parametrization(linear(t), "weight", c["Symmetric"]()), "weight", leave_parametrized=False
    ),
    "weight norm, taken away": lambda t, p, q, c: p.remove_parametrizations(q.weight_norm(linear(t)), "weight"),
    "handed on": lambda t, p, q, c: p.transfer_parametrizations_and_params(
        p.register_parametrization(linear(t), "weight", c["Symmetric"]()), t.nn.Linear(3, 3)
    ),
    "two tensors handed on": lambda t, p, q, c: p.transfer_parametrizations_and_params(
        q.weight_norm(linear(t)), t.nn.Linear(3, 3), "weight"
    ),
}


@pytest.mark.parametrize("how", MADE)
def test_parametrized_modules_are_pytorchs(how: str) -> None:
    found = []
    for t in (engine, torch):
        _, p, q = parts(t)
        model = MADE[how](t, p, q, classes(t))
        found.append((seen(t, model), p.is_parametrized(model), p.is_parametrized(model, "weight")))
        found[-1] += (p.type_before_parametrizations(model).__name__,)
    assert found[0] == found[1]


def assigned(t: Any) -> Any:
    _, p, q = parts(t)
    m = p.register_parametrization(linear(t), "weight", classes(t)["Symmetric"]())
    a = t.arange(9.0).view(3, 3)
    m.weight = a + a.T
    n = q.orthogonal(linear(t))
    n.weight = t.eye(3)[[1, 2, 0]]
    w = q.weight_norm(linear(t))
    w.weight = t.ones(3, 3)
    length = w.parametrizations.weight.original0
    return m.weight.tolist(), n.weight.detach().numpy().round(5).tolist(), w.weight.tolist(), length.tolist()


def test_values_are_assigned_by_their_right_inverse() -> None:
    assert assigned(engine) == assigned(torch)


def kept(t: Any) -> Any:
    _, p, _ = parts(t)
    m = p.register_parametrization(linear(t), "weight", classes(t)["Symmetric"]())
    first = m.weight is m.weight
    with p.cached():
        inside = m.weight
        with p.cached():
            same = m.weight is inside
        still = m.weight is inside
    times = []

    class Counted(t.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            times.append(1)
            return x * 2

    counted = p.register_parametrization(linear(t), "weight", Counted())
    with p.cached():
        counted(t.ones(1, 3)) + counted(t.ones(1, 3))
    return first, same, still, m.weight is inside, len(times)


def test_what_is_cached_is_computed_once() -> None:
    assert kept(engine) == kept(torch) == (False, True, True, False, 2)


def copied(t: Any) -> Any:
    _, p, _ = parts(t)
    m = p.register_parametrization(linear(t), "weight", classes(t)["Symmetric"]())
    other = copy.deepcopy(m)
    with t.no_grad():
        other.parametrizations.weight.original.fill_(2)
    return type(other) is type(m), other.weight.tolist(), m.weight.tolist()


def test_a_deep_copy_is_parametrized_too() -> None:
    assert copied(engine) == copied(torch)


REFUSED: dict[str, Any] = {
    "no such tensor": lambda t, p, q, c: p.register_parametrization(linear(t), "width", c["Symmetric"]()),
    "another shape": lambda t, p, q, c: p.register_parametrization(linear(t), "weight", c["Twice"]()),
    "another shape, second": lambda t, p, q, c: p.register_parametrization(
        MADE["weight norm"](t, p, q, c), "weight", c["Twice"]()
    ),
    "no tensor": lambda t, p, q, c: p.register_parametrization(linear(t), "weight", c["Text"]()),
    "not parametrized": lambda t, p, q, c: p.remove_parametrizations(linear(t), "weight"),
    "several tensors cannot be left": lambda t, p, q, c: p.remove_parametrizations(q.weight_norm(linear(t)), "weight", False),
    "no inverse": lambda t, p, q, c: setattr(
        p.register_parametrization(linear(t), "weight", c["Exponential"]()), "weight", t.ones(3, 3)
    ),
    "inverse of another shape": lambda t, p, q, c: setattr(q.orthogonal(linear(t)), "weight", t.ones(2, 3)),
    "inverse of the exponential": lambda t, p, q, c: setattr(
        q.orthogonal(linear(t), use_trivialization=False), "weight", t.ones(3, 3)
    ),
    "another dtype": lambda t, p, q, c: setattr(
        p.register_parametrization(linear(t), "weight", c["Symmetric"]()), "weight", t.ones(3, 3).double()
    ),
    "an orthogonal vector": lambda t, p, q, c: q.orthogonal(linear(t), "bias"),
    "a map that is none": lambda t, p, q, c: q.orthogonal(linear(t), orthogonal_map="expo"),
    "no weight at all": lambda t, p, q, c: q.orthogonal(t.nn.ReLU()),
    "iterations": lambda t, p, q, c: q.spectral_norm(linear(t), n_power_iterations=0),
    "rows": lambda t, p, q, c: q.spectral_norm(linear(t), dim=5),
    "pickled": lambda t, p, q, c: pickle.dumps(q.weight_norm(linear(t))),
    "saved": lambda t, p, q, c: t.save(q.weight_norm(linear(t)), io.BytesIO()),
    "a parameter": lambda t, p, q, c: setattr(q.weight_norm(linear(t)), "weight", t.nn.Parameter(t.ones(3, 3))),
    "an empty list": lambda t, p, q, c: p.ParametrizationList([], t.ones(2)),
}


@pytest.mark.parametrize("how", REFUSED)
def test_what_pytorch_refuses_is_refused_in_its_words(how: str) -> None:
    found = []
    for t in (engine, torch):
        with pytest.raises(Exception) as caught:  # noqa: PT011 (what PyTorch says is compared)
            REFUSED[how](t, *parts(t)[1:], classes(t))
        found.append((type(caught.value), str(caught.value)))
    assert found[0] == found[1]


def test_a_state_dict_goes_both_ways_and_the_former_names_are_taken() -> None:
    mine, real = (t.nn.utils.parametrizations.weight_norm(linear(t)) for t in (engine, torch))
    real.load_state_dict({k: torch.tensor(v.numpy()) * 2 for k, v in mine.state_dict().items()})
    mine.load_state_dict({k: engine.tensor(v.numpy()) for k, v in real.state_dict().items()})
    assert list(mine.state_dict()) == list(real.state_dict())
    with pytest.warns(FutureWarning, match="deprecated in favor of"):
        former = engine.nn.utils.weight_norm(engine.nn.Linear(3, 3))
    mine.load_state_dict(former.state_dict())
    assert mine.weight.tolist() == former.weight.tolist()


PROGRAM = """
import copy
import torch
import torch.nn as nn
import torch.nn.utils.parametrize as parametrize
from torch.nn.utils.parametrizations import orthogonal

class Symmetric(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).transpose(-1, -2)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self._scale = 2.0

    def forward(self, x):
        return self.fc(x) * self._scale

torch.manual_seed(0)
net = Net()
net.gain = nn.Parameter(torch.ones(3))
parametrize.register_parametrization(net.fc, "weight", Symmetric())
parametrize.register_parametrization(net, "gain", nn.Tanh())
other = copy.deepcopy(net)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    opt.zero_grad()
    net(torch.ones(1, 3)).sum().backward()
    opt.step()
net._scale = 3.0
net.note = "kept"
print(type(net).__name__, net.note, torch.equal(net.fc.weight, net.fc.weight.T), torch.equal(net.fc.weight, other.fc.weight))
print(net, list(other.state_dict()))
"""


def test_programs_parametrize_modules_of_their_own(capsys: Any) -> None:
    result = run(PROGRAM)
    assert result.status == "ok", result.error
    exec(compile(PROGRAM, "program", "exec"), {"__name__": "__main__"})
    assert result.output == capsys.readouterr().out
