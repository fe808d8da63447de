"""Pruned and spectrally normalised parameters: values, state dicts, nodes and errors are PyTorch's."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

import engine
import engine.nn.utils.prune
from engine.sandbox import run
from tests.engine.oracle import outcome

torch = pytest.importorskip("torch")
pytest.importorskip("torch.nn.utils.prune")


def net(t: Any) -> Any:
    t.manual_seed(0)
    return t.nn.Sequential(t.nn.Conv2d(1, 4, 2), t.nn.Flatten(), t.nn.Linear(16, 3))


def shown(t: Any, model: Any) -> Any:
    """What there is to see of a module after it was changed: members, values, nodes, gradients."""
    x = t.arange(9.0).reshape(1, 1, 3, 3) / 9
    out = model(x)
    out.square().sum().backward()
    state = {k: v.numpy().round(5).tolist() for k, v in model.state_dict().items()}
    grads = {n: None if p.grad is None else p.grad.numpy().round(4).tolist() for n, p in model.named_parameters()}
    weights = [(str(m.weight.grad_fn).split(" ")[0], type(m.weight).__name__) for m in (model[0], model[2])]
    return out.detach().numpy().round(4).tolist(), state, grads, weights, list(state)


PRUNED = {
    "by absolute value": lambda t, p, m: p.l1_unstructured(m[2], "weight", amount=0.3),
    "by number": lambda t, p, m: p.l1_unstructured(m[2], "bias", 2),
    "by importance": lambda t, p, m: p.l1_unstructured(m[2], "weight", 5, importance_scores=t.arange(48.0).view(3, 16)),
    "by chance": lambda t, p, m: p.random_unstructured(m[2], name="weight", amount=0.5),
    "channels by chance": lambda t, p, m: p.random_structured(m[0], "weight", amount=2, dim=0),
    "channels by norm": lambda t, p, m: p.ln_structured(m[0], "weight", amount=0.5, n=2, dim=0),
    "columns by norm": lambda t, p, m: p.ln_structured(m[2], "weight", amount=3, n=float("inf"), dim=-1),
    "by a mask": lambda t, p, m: p.custom_from_mask(m[2], "weight", t.eye(16)[:3]),
    "not at all": lambda t, p, m: p.identity(m[0], "weight"),
    "twice": lambda t, p, m: (p.l1_unstructured(m[2], "weight", 0.3), p.l1_unstructured(m[2], "weight", 0.3)),
    "channels, then elements": lambda t, p, m: (
        p.ln_structured(m[0], "weight", 1, 2, 0), p.random_unstructured(m[0], "weight", 3)
    ),
    "elements, then channels": lambda t, p, m: (
        p.random_unstructured(m[0], "weight", 3), p.random_structured(m[0], "weight", 1, 0)
    ),
    "all together": lambda t, p, m: p.global_unstructured(
        [(m[0], "weight"), (m[2], "weight")], pruning_method=p.L1Unstructured, amount=0.4
    ),
    "and made permanent": lambda t, p, m: (p.l1_unstructured(m[2], "weight", 0.3), p.remove(m[2], "weight")),
}  # fmt: skip


@pytest.mark.parametrize("how", PRUNED)
def test_pruned_parameters_are_pytorchs(how: str) -> None:
    found = []
    for t in (engine, torch):
        model = net(t)
        t.manual_seed(1)
        PRUNED[how](t, t.nn.utils.prune, model)
        about = [type(h).__name__ for m in (model[0], model[2]) for h in m._forward_pre_hooks.values()]
        found.append((shown(t, model), t.nn.utils.prune.is_pruned(model), about))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "code",
    [
        lambda t: t.nn.utils.prune.l1_unstructured(t.nn.Linear(2, 2), "weight", 1.5),
        lambda t: t.nn.utils.prune.l1_unstructured(t.nn.Linear(2, 2), "weight", -1),
        lambda t: t.nn.utils.prune.l1_unstructured(t.nn.Linear(2, 2), "weight", "a"),
        lambda t: t.nn.utils.prune.l1_unstructured(t.nn.Linear(2, 2), "weight", 5),
        lambda t: t.nn.utils.prune.random_structured(t.nn.Linear(2, 2), "bias", 1, 0),
        lambda t: t.nn.utils.prune.ln_structured(t.nn.Linear(2, 2), "weight", 1, 2, 3),
        lambda t: t.nn.utils.prune.remove(t.nn.Linear(2, 2), "weight"),
        lambda t: t.nn.utils.prune.custom_from_mask(t.nn.Linear(2, 2), "weight", t.ones(3)),
        lambda t: t.nn.utils.prune.global_unstructured(5, t.nn.utils.prune.L1Unstructured),
        lambda t: t.nn.utils.prune.global_unstructured(
            [(t.nn.Linear(2, 2), "weight")], t.nn.utils.prune.RandomStructured, amount=1
        ),
        lambda t: t.nn.utils.prune.PruningContainer().add_pruning_method(5),
        lambda t: t.nn.utils.spectral_norm(t.nn.Linear(2, 2), n_power_iterations=0),
        lambda t: t.nn.utils.spectral_norm(t.nn.Linear(2, 2, bias=False), "bias"),
        lambda t: t.nn.utils.spectral_norm(t.nn.utils.spectral_norm(t.nn.Linear(2, 2))),
        lambda t: t.nn.utils.remove_spectral_norm(t.nn.Linear(2, 2)),
    ],
)
def test_what_does_not_go_is_said_in_pytorchs_words(code: Any) -> None:
    ours = outcome(engine, code)
    assert ours[0]
    assert ours == outcome(torch, code)


@pytest.mark.parametrize("kind", ["Linear", "Conv2d", "ConvTranspose2d"])
@pytest.mark.parametrize("steps", [1, 3])
def test_a_spectral_norm_is_pytorchs(kind: str, steps: int) -> None:
    found = []
    for t in (engine, torch):
        t.manual_seed(0)
        layer = getattr(t.nn, kind)(2, 3) if kind == "Linear" else getattr(t.nn, kind)(2, 3, 2)
        layer = t.nn.utils.spectral_norm(layer, n_power_iterations=steps)
        x = t.ones(2, 2) if kind == "Linear" else t.ones(1, 2, 3, 3)
        for _ in range(2):
            layer(x).square().sum().backward()
        layer.eval()
        values = [layer(x).detach().numpy(), layer.weight_orig.grad.numpy(), *(v.numpy() for v in layer.state_dict().values())]
        removed = t.nn.utils.remove_spectral_norm(layer)
        about = list(layer.state_dict()), str(layer.state_dict()._metadata), repr(removed), len(layer._forward_pre_hooks)
        found.append((values, about))
    for a, b in zip(found[0][0], found[1][0], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
    assert found[0][1] == found[1][1]


def test_a_pruned_state_dict_goes_both_ways() -> None:
    for writes, reads in ((engine, torch), (torch, engine)):
        model, other = net(writes), net(reads)
        for t, m in ((writes, model), (reads, other)):
            t.nn.utils.prune.l1_unstructured(m[2], "weight", 0.3)
        writes.nn.utils.spectral_norm(model[0])
        reads.nn.utils.spectral_norm(other[0])
        file = io.BytesIO()
        writes.save(model.state_dict(), file)
        file.seek(0)
        state = reads.load(file)
        assert "spectral_norm" in state._metadata["0"]
        other.load_state_dict(state)
        x = np.ones((1, 1, 3, 3), np.float32)
        np.testing.assert_allclose(
            other.eval()(reads.tensor(x)).detach().numpy(), model.eval()(writes.tensor(x)).detach().numpy(), rtol=1e-5
        )


def test_programs_prune_by_methods_of_their_own() -> None:
    result = run(
        "import torch\nfrom torch.nn.utils import prune\n"
        "class Every(prune.BasePruningMethod):\n    PRUNING_TYPE = 'unstructured'\n"
        "    def compute_mask(self, t, default_mask):\n        mask = default_mask.clone()\n        mask.view(-1)[::2] = 0\n"
        "        return mask\n"
        "m = torch.nn.Linear(2, 2)\nEvery.apply(m, 'weight')\nprint(m.weight_mask, [k for k, _ in m.named_buffers()])\n"
    )
    assert result.error is None
    assert result.output == "tensor([[0., 1.],\n        [0., 1.]]) ['weight_mask']\n"
