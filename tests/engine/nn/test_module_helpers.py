"""`torch.nn.init` and `torch.nn.utils` against PyTorch: what is drawn, clipped, padded and split."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import engine
from engine.errors import Unsupported
from tests.engine.nn.test_module_programs import warned
from tests.engine.nn.test_modules import both, f
from tests.engine.oracle import same

pytest.importorskip("torch")

INITS: dict[str, Callable[[ModuleType], Any]] = {
    "uniform_": lambda t: t.nn.init.uniform_(t.empty(20, 3), -1, 2),
    "normal_": lambda t: t.nn.init.normal_(t.empty(20, 3), 1, 2),
    "constant_": lambda t: t.nn.init.constant_(t.empty(2), 3),
    "eye_": lambda t: t.nn.init.eye_(t.empty(2, 3)),
    "dirac_": lambda t: t.nn.init.dirac_(t.empty(4, 2, 3, 3), 2),
    "xavier_uniform_": lambda t: t.nn.init.xavier_uniform_(t.empty(20, 3), 2),
    "xavier_normal_": lambda t: t.nn.init.xavier_normal_(t.empty(4, 3, 2, 2)),
    "kaiming_uniform_": lambda t: t.nn.init.kaiming_uniform_(t.empty(20, 3), nonlinearity="relu"),
    "kaiming_normal_": lambda t: t.nn.init.kaiming_normal_(t.empty(20, 3), a=1, mode="fan_out"),
    "orthogonal_": lambda t: t.nn.init.orthogonal_(t.empty(4, 6), 2),
    "trunc_normal_": lambda t: t.nn.init.trunc_normal_(t.empty(50)),
    "trunc_normal_ far": lambda t: t.nn.init.trunc_normal_(t.empty(50), 0, 1, 1.5, 3),
    "sparse_": lambda t: t.nn.init.sparse_(t.empty(5, 4), 0.4),
    "gain": lambda t: t.tensor([t.nn.init.calculate_gain(n) for n in ("linear", "tanh", "relu", "leaky_relu", "selu")]),
}


@pytest.mark.parametrize("name", INITS)
def test_an_initialisation_draws_what_pytorchs_draws(torch: ModuleType, name: str) -> None:
    torch.manual_seed(0)
    engine.manual_seed(0)
    if not np.array_equal(engine.rand(3).numpy(), torch.rand(3).numpy()):
        pytest.skip("the random stream is not PyTorch's yet")
    same(INITS[name](engine), INITS[name](torch), name)


@pytest.mark.parametrize("name", INITS)
def test_an_initialisation_runs_and_says_the_same_of_what_it_refuses(torch: ModuleType, name: str) -> None:
    assert INITS[name](engine).shape == tuple(INITS[name](torch).shape)
    refused = name.split()[0]
    if refused == "gain" or refused in ("uniform_", "normal_", "constant_", "trunc_normal_"):
        return
    texts = []
    for t in (engine, torch):
        arguments = (0.1,) if refused == "sparse_" else ()
        with pytest.raises(ValueError) as error:  # noqa: PT011
            getattr(t.nn.init, refused)(t.empty(3), *arguments)
        texts.append(str(error.value))
    assert texts[0] == texts[1]


def gradients(t: ModuleType) -> list[Any]:
    """Parameters with gradients."""
    made = [t.nn.Parameter(t.tensor(a)) for a in ([1.0, 2.0, 3.0], [[4.0, 5.0]])]
    for p in made:
        p.grad = p.detach().clone() * 2
    return made


UTILS: dict[str, Callable[[ModuleType], Any]] = {
    "clip_grad_norm_": lambda t: (lambda p: (t.nn.utils.clip_grad_norm_(p, 1.0), [x.grad for x in p]))(gradients(t)),
    "clip_grad_norm_ 1": lambda t: (lambda p: (t.nn.utils.clip_grad_norm_(p, 1.0, 1), [x.grad for x in p]))(gradients(t)),
    "clip_grad_norm_ inf": lambda t: t.nn.utils.clip_grad_norm_(gradients(t), 1.0, float("inf")),
    "clip_grad_value_": lambda t: (lambda p: (t.nn.utils.clip_grad_value_(p, 5), [x.grad for x in p]))(gradients(t)),
    "get_total_norm": lambda t: t.nn.utils.get_total_norm(gradients(t), 3),
    "non-finite": lambda t: t.nn.utils.get_total_norm([t.tensor([float("nan")])], error_if_nonfinite=True),
    "vector": lambda t: t.nn.utils.parameters_to_vector(gradients(t)).detach(),
    "from vector": lambda t: (lambda p: (t.nn.utils.vector_to_parameters(t.arange(5.0), p), p))(gradients(t)),
    "pad_sequence": lambda t: t.nn.utils.rnn.pad_sequence([t.ones(2, 3), t.zeros(4, 3)], padding_value=7.0),
    "skip_init": lambda t: (t.manual_seed(1), t.nn.utils.skip_init(t.nn.Linear, 3, out_features=2, bias=False), t.rand(1))[1:],
    "skip_init of a loss": lambda t: t.nn.utils.skip_init(t.nn.MSELoss),
    "pad_sequence left": lambda t: t.nn.utils.rnn.pad_sequence([t.ones(2), t.zeros(4)], True, -1.0, "left"),
}


@pytest.mark.parametrize("name", UTILS)
def test_a_helper_does_what_pytorchs_does(torch: ModuleType, name: str) -> None:
    texts = []
    for t in (engine, torch):
        try:
            texts.append(str(UTILS[name](t)))
        except Unsupported as missing:
            pytest.skip(str(missing))
        except RuntimeError as error:
            texts.append(str(error))
    assert texts[0] == texts[1]


@pytest.mark.filterwarnings("ignore:`torch.nn.utils.weight_norm`:FutureWarning")
@pytest.mark.parametrize("dim", [0, 1, None])
def test_weight_norm_splits_a_weight_as_in_pytorch(torch: ModuleType, dim: int | None) -> None:
    ours, theirs = both(torch, lambda n: n.Linear(3, 2))
    x = f(4, 3)
    for t, m in ((engine, ours), (torch, theirs)):
        assert t.nn.utils.weight_norm(m, dim=dim) is m
        m(t.tensor(x)).cos().sum().backward()
    assert list(ours.state_dict()) == list(theirs.state_dict())
    for (name, a), (_, b) in zip(ours.named_parameters(), theirs.named_parameters(), strict=True):
        same(a, b, name)
        same(a.grad, b.grad, f"gradient of {name}")
    assert str(warned(lambda t: t.nn.utils.weight_norm(t.nn.Linear(1, 1)), engine)) == str(
        warned(lambda t: t.nn.utils.weight_norm(t.nn.Linear(1, 1)), torch)
    )
    for t, m in ((engine, ours), (torch, theirs)):
        t.nn.utils.remove_weight_norm(m)
        assert [n for n, _ in m.named_parameters()] == ["bias", "weight"]
    same(ours.weight, theirs.weight, "weight")
