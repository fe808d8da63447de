"""What holds of distributions without PyTorch: known values, sums and integrals of one, inverses, volumes of transforms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import engine as torch
from engine import distributions as d
from engine.sandbox import run

DISCRETE = {
    "Bernoulli": d.Bernoulli(torch.tensor([0.2, 0.9])),
    "Binomial": d.Binomial(6, torch.tensor([0.2, 0.9])),
    "Categorical": d.Categorical(torch.tensor([[1.0, 2.0, 3.0]])),
    "OneHotCategorical": d.OneHotCategorical(torch.tensor([[1.0, 2.0, 3.0]])),
}


@pytest.mark.parametrize("kind", DISCRETE)
def test_probabilities_sum_to_one_and_give_the_entropy(kind: str) -> None:
    log_prob = DISCRETE[kind].log_prob(DISCRETE[kind].enumerate_support())
    np.testing.assert_allclose(log_prob.exp().sum(0).numpy(), 1, rtol=1e-5)
    np.testing.assert_allclose(-(log_prob.exp() * log_prob).sum(0).numpy(), DISCRETE[kind].entropy().numpy(), rtol=1e-4)


@pytest.mark.parametrize(
    "law", [d.Poisson(torch.tensor(4.0)), d.Geometric(torch.tensor(0.3)), d.NegativeBinomial(3, torch.tensor(0.4))]
)
def test_counts_have_their_mean(law: Any) -> None:
    counts = torch.arange(200.0)
    probs = law.log_prob(counts).exp()
    assert probs.sum().item() == pytest.approx(1, abs=1e-5)
    assert (probs * counts).sum().item() == pytest.approx(law.mean.item(), rel=1e-4)


CONTINUOUS = [
    d.Normal(0.5, 1.5), d.Laplace(0.5, 0.7), d.Gumbel(0.0, 1.0), d.StudentT(5.0), d.Gamma(2.0, 1.5), d.Beta(2.0, 3.0),
    d.LogNormal(0.0, 0.5), d.Weibull(1.0, 2.0), d.Exponential(2.0), d.HalfNormal(1.0), d.Kumaraswamy(2.0, 3.0),
]  # fmt: skip


@pytest.mark.parametrize("law", CONTINUOUS, ids=lambda law: type(law).__name__)
def test_densities_integrate_to_one(law: Any) -> None:
    inside = law.support in (d.constraints.unit_interval,)
    low, high = (1e-6, 1 - 1e-6) if inside else (-60.0 if law.support is d.constraints.real else 1e-6, 60.0)
    x = torch.linspace(low, high, 200_001, dtype=torch.float64)
    law._validate_args = False
    density = law.log_prob(x).exp().numpy()
    assert np.trapezoid(density, x.numpy()) == pytest.approx(1, abs=2e-3)


@pytest.mark.parametrize(
    "transform",
    [d.ExpTransform(), d.SigmoidTransform(), d.TanhTransform(), d.SoftplusTransform(), d.AffineTransform(1.0, -2.0)],
    ids=repr,
)
def test_a_transform_has_its_inverse_and_its_volume(transform: Any) -> None:
    x = torch.tensor([-1.2, 0.1, 0.9], dtype=torch.float64, requires_grad=True)
    y = transform(x)
    np.testing.assert_allclose(transform.inv(y).detach().numpy(), x.detach().numpy(), rtol=1e-6)
    (slope,) = torch.autograd.grad(y.sum(), x, retain_graph=True)
    np.testing.assert_allclose(transform.log_abs_det_jacobian(x, y).detach().numpy(), slope.abs().log().numpy(), rtol=1e-6)


def test_a_cache_remembers_the_last_value() -> None:
    transform = d.ExpTransform(cache_size=1)
    x = torch.zeros(2)
    assert transform.inv(transform(x)) is x
    assert transform.with_cache(0).inv(transform(x)) is not x


def test_known_values() -> None:
    assert d.Normal(0.0, 1.0).log_prob(torch.tensor(0.0)).item() == pytest.approx(-0.5 * math.log(2 * math.pi))
    assert d.Categorical(torch.ones(4)).entropy().item() == pytest.approx(math.log(4))
    assert d.kl_divergence(d.Normal(0.0, 1.0), d.Normal(1.0, 1.0)).item() == pytest.approx(0.5)


PROGRAM = """
import torch
from torch.distributions import Categorical, Normal, kl_divergence
from torch import nn
torch.manual_seed(0)
policy = nn.Linear(2, 3)
optimizer = torch.optim.SGD(policy.parameters(), lr=0.1)
for step in range(3):
    actions = Categorical(logits=policy(torch.ones(4, 2)))
    chosen = actions.sample()
    loss = -(actions.log_prob(chosen) * (chosen == 1).float()).mean()
    optimizer.zero_grad(); loss.backward(); optimizer.step()
    print("%.5f" % loss.item(), chosen, loss.grad_fn.name())
encoder, decoder = nn.Linear(3, 4), nn.Linear(2, 3)
x = torch.randn(5, 3)
mean, log_std = encoder(x).chunk(2, -1)
q = Normal(mean, log_std.exp())
z = q.rsample()
loss = ((decoder(z) - x) ** 2).sum() + kl_divergence(q, Normal(torch.zeros(2), torch.ones(2))).sum()
loss.backward()
print("%.4f %.4f" % (loss.item(), encoder.weight.grad.norm().item()), z.grad_fn.name())
"""


def test_reinforce_and_an_autoencoder_print_in_the_sandbox_what_pytorch_prints() -> None:
    result = run(PROGRAM)
    assert result.status == "ok", result.error
    assert result.output == PRINTED


PRINTED = """\
-0.00000 tensor([0, 0, 0, 0]) NegBackward0
0.39985 tensor([0, 2, 1, 2]) NegBackward0
-0.00000 tensor([2, 0, 2, 0]) NegBackward0
28.6253 16.9418 AddBackward0
"""
