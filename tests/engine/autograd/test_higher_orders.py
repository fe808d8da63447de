"""Operations that only derivatives of a higher order, or arguments of a rare kind, are made of."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

import engine
from engine.context import observed
from tests.engine.oracle import Code, Met, array, inputs, same, weight

rng = np.random.default_rng(1)


def f(*shape: int) -> np.ndarray[Any, Any]:
    """Floating point numbers between 0.3 and 2."""
    return rng.uniform(0.3, 2.0, shape)


def packed(t: ModuleType, x: Any) -> Any:
    """The data of sequences of unlike length, packed."""
    return t.nn.utils.rnn.pack_padded_sequence(x, [3, 1], batch_first=True).data ** 3


def written_view(t: ModuleType, x: Any) -> Any:
    """A tensor written through a view of it."""
    y = x**3
    y.t().mul_(2)
    return y**3


def filled(x: Any, value: Any) -> Any:
    """A row of a tensor written with one element."""
    y = x**3
    y[0].fill_(value)
    return y * x


def determinant(t: ModuleType, x: Any) -> Any:
    """The determinant of a 3×3 matrix, written out."""
    (a, b, c), (d, e, f), (g, h, i) = x
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


def read_view(t: ModuleType, x: Any) -> Any:
    """A view taken before its base was written."""
    y = x**3
    part = y.t()
    y.mul_(2)
    return part**2


nan_free = np.array([[1.5, 0.0, 0.7], [0.5, 2.0, 1.1]])
singular = np.array([[1.0, 2.0, 3.0], [2.0, 1.0, 1.0], [3.0, 3.0, 4.0]])
rows = np.array([[2, 0], [1, 1]])
places = np.array([[0, 2], [1, 0]])

CASES: list[tuple[str, Code, list[Any]]] = [
    ("_again", lambda t, x: t.nn.functional.pad(x, (1, 1, 1, 1, 1, 1), mode="reflect") ** 4, [f(1, 1, 2, 2, 3)]),
    ("_embedding_unpadded", lambda t, w: t.nn.functional.embedding(t.tensor(rows), w) ** 4, [f(3, 2)]),
    ("_fill_tensor", lambda t, x, v: t.fill(x, v**3) * x, [f(2, 3), f()]),
    ("_fill_number_written", lambda t, x: filled(x, 2.0), [f(2, 3)]),
    ("_fill_tensor_written", lambda t, x, v: filled(x, v**3), [f(2, 3), f()]),
    ("_matrix_exp", lambda t, x: t.linalg.matrix_exp(x), [f(2, 3, 3)]),
    ("_normal_of_std", lambda t, s: t.normal(1.0, s) * 0 + s**3, [f(3)]),
    ("_packed", packed, [f(2, 3, 2)]),
    ("_cat", lambda t, x: t.cat([x, x**2], 1) ** 3, [f(2, 3)]),
    ("_resampled", lambda t, x: t.nn.functional.adaptive_avg_pool2d(x**2, (2, 2)) ** 3, [f(1, 1, 3, 5)]),
    ("_shifted_zeros", lambda t, x: t.prod(x, 1), [nan_free]),
    ("_upsample_nearest_exact3d", lambda t, x: t.nn.functional.interpolate(x**3, 3, mode="nearest-exact"), [f(1, 1, 2, 2, 2)]),
    ("_view_cleared", written_view, [f(3, 2)]),
    ("_view_zeros", read_view, [f(3, 2)]),
    ("_windows", lambda t, x: (x**2).unfold(1, 2, 1) ** 3, [f(2, 4)]),
    ("take_along", lambda t, x: t.max(x, 1).values ** 4, [f(2, 4)]),
]
"""The operation, what it is met in, and the inputs."""

LAST: list[tuple[str, Code, list[Any]]] = [
    ("_bag_backward", lambda t, w: t.nn.functional.embedding_bag(t.tensor(rows), w) ** 2, [f(3, 2)]),
    (
        "_bag_weights_backward",
        lambda t, s: (
            t.nn.functional.embedding_bag(
                t.tensor(rows),
                t.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], dtype=t.float64),
                per_sample_weights=s,
                mode="sum",
            )
            ** 2
        ),
        [f(2, 2)],
    ),
    (
        "_ctc_backward",
        lambda t, x: t.nn.functional.ctc_loss(x.log_softmax(2), t.tensor(rows) + 1, t.tensor([4, 4]), t.tensor([2, 2])),
        [f(4, 2, 4)],
    ),
    ("_multi_margin_backward", lambda t, x: t.nn.functional.multi_margin_loss(x, t.tensor([0, 2])), [f(2, 3)]),
    (
        "_multilabel_margin_backward",
        lambda t, x: t.nn.functional.multilabel_margin_loss(x, t.tensor([[0, 2, -1], [1, -1, 0]])),
        [f(2, 3)],
    ),
]
"""The same, where PyTorch has no derivative of the gradient."""


def next_order(t: ModuleType, of: list[Any], leaves: list[Any]) -> list[Any]:
    """The gradients of `of`, weighted with fixed numbers, in a graph of their own."""
    roots = [x for x in of if x.requires_grad]
    weights = [t.tensor(weight(tuple(r.shape), array(r).dtype)) for r in roots]
    found = t.autograd.grad(roots, leaves, weights, create_graph=True, allow_unused=True)
    return [t.zeros_like(x) if g is None else g for g, x in zip(found, leaves, strict=True)]


@pytest.mark.parametrize(("name", "code", "arrays"), CASES, ids=[c[0] for c in CASES])
def test_gradients_of_gradients_of_gradients(torch: ModuleType, name: str, code: Code, arrays: list[Any]) -> None:
    ours, theirs, met = inputs(engine, arrays), inputs(torch, arrays), Met()
    engine.manual_seed(0)
    torch.manual_seed(0)
    with observed(met):
        mine = [code(engine, *ours)]
        yours = [code(torch, *theirs)]
        same(mine[0], yours[0], "value", 1e-10)
        for order in (1, 2, 3):
            mine, yours = next_order(engine, mine, ours), next_order(torch, yours, theirs)
            for a, b in zip(mine, yours, strict=True):
                same(a, b, f"gradient of order {order}", 1e-6)
    assert name in met.names


def test_the_determinant_of_a_singular_matrix_has_all_its_derivatives() -> None:
    # PyTorch's third derivative is off by a tenth here.
    ours, written, met = inputs(engine, [singular]), inputs(engine, [singular]), Met()
    with observed(met):
        mine, others = [engine.linalg.det(ours[0])], [determinant(engine, *written)]
        for order in (1, 2, 3):
            mine, others = next_order(engine, mine, ours), next_order(engine, others, written)
            same(mine[0], others[0], f"gradient of order {order}", 1e-10)
    assert "_svd_all" in met.names


def test_a_source_larger_than_the_index_has_no_gradient(torch: ModuleType) -> None:
    for reduce in ("sum", "prod", "mean", "amax", "amin", None, ""):
        texts = []
        for t in (engine, torch):
            x, source = inputs(t, [np.ones((2, 3)), np.ones((3, 4))])
            index = t.tensor(places)
            if reduce:
                out = t.scatter_reduce(x, 1, index, source, reduce)
            else:
                out = (t.scatter if reduce is None else t.scatter_add)(x, 1, index, source)
            with pytest.raises(RuntimeError) as raised:
                out.sum().backward()
            texts.append(str(raised.value))
        assert texts[0] == texts[1]


@pytest.mark.parametrize(("name", "code", "arrays"), LAST, ids=[c[0] for c in LAST])
def test_a_gradient_without_a_derivative_says_so(torch: ModuleType, name: str, code: Code, arrays: list[Any]) -> None:
    met, texts = Met(), []
    for t in (engine, torch):
        leaves = inputs(t, arrays)
        with observed(met):
            gradients = next_order(t, [code(t, *leaves)], leaves)
        with pytest.raises((NotImplementedError, RuntimeError), match=r"derivative .*is not implemented") as raised:
            next_order(t, gradients, leaves)
        texts.append((type(raised.value).__mro__[-4:], str(raised.value)))
    assert texts[0] == texts[1]
    assert name in met.names
