"""Every operation against PyTorch: value, dtype, graph, gradient, second gradient."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

import engine
from engine.op.declare import FUNCTIONS, TABLE
from tests.engine.oracle import Code, compare

rng = np.random.default_rng(0)


def f(*shape: int, low: float = -2.0, high: float = 2.0) -> np.ndarray[Any, Any]:
    """Floating point numbers, no two of them equal."""
    return np.asarray(rng.uniform(low, high, shape), dtype=np.float64)


def pos(*shape: int) -> np.ndarray[Any, Any]:
    """Positive numbers."""
    return f(*shape, low=0.3, high=2.0)


def unit(*shape: int) -> np.ndarray[Any, Any]:
    """Numbers inside (0, 1)."""
    return f(*shape, low=0.1, high=0.9)


ints = np.array([[3, -1, 2], [0, 5, -4]])
mask = np.array([[True, False, True], [False, False, True]])
ties = np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 0.0]])
zeros = np.array([[1.0, 0.0, 3.0], [0.0, 2.0, 0.0]])
labels = np.array([0, 2, 1, 1])

SMOOTH = (
    "exp", "exp2", "expm1", "sin", "cos", "sinh", "cosh", "tanh", "abs", "sign", "round", "floor", "ceil", "trunc", "frac",
    "sigmoid", "relu", "atan", "clone",
)  # fmt: skip
POSITIVE = ("log", "log2", "log10", "log1p", "sqrt", "rsqrt", "tan")

CASES: list[tuple[str, Code, list[Any]]] = [
    ("add", lambda t, x, y: x + y, [f(2, 3), f(3)]),
    ("add", lambda t, x, y: t.add(x, y, alpha=2), [f(2, 3), f(2, 1)]),
    ("add", lambda t, x: 1 + x, [f(2)]),
    ("sub", lambda t, x, y: x - y, [f(2, 3), f(2, 3)]),
    ("sub", lambda t, x, y: t.sub(x, y, alpha=3), [f(2, 3), f(3)]),
    ("_rsub_number", lambda t, x: 1 - x, [f(2)]),
    ("_rsub_tensor", lambda t, x, y: t.rsub(x, y), [f(2), f(2)]),
    ("mul", lambda t, x, y: x * y, [f(2, 3), f(3)]),
    ("mul", lambda t, x: 2 * x, [f()]),
    ("true_divide", lambda t, x, y: x / y, [f(2, 3), pos(3)]),
    ("div", lambda t, x, y: t.div(x, y), [f(2, 3), pos(3)]),
    ("div", lambda t, x, y: t.div(x, y, rounding_mode="floor"), [f(2, 3), pos(3)]),
    ("_div_mode", lambda t, x, y: t.div(x, y, rounding_mode="trunc"), [f(2, 3), pos(3)]),
    ("reciprocal", lambda t, x: 2 / x, [pos(3)]),
    ("floor_divide", lambda t, x: x // 2, [ints]),
    (
        "fake_quantize_per_tensor_affine_cachemask",
        lambda t, x: t.fake_quantize_per_tensor_affine(x, 0.1, 0, -5, 10),
        [f(2, 3)],
    ),
    (
        "_fake_quantize_per_tensor_affine_cachemask_tensor_qparams",
        lambda t, x: t.fake_quantize_per_tensor_affine(x, t.tensor(0.1), t.tensor(2), -5, 10),
        [f(2, 3)],
    ),
    (
        "fake_quantize_per_channel_affine_cachemask",
        lambda t, x: t.fake_quantize_per_channel_affine(x, t.tensor([0.1, 0.3]), t.tensor([0, 2]).int(), 0, -5, 10),
        [f(2, 3)],
    ),
    ("_remainder_tensor", lambda t, x, y: x % y, [f(2, 3), pos(3)]),
    ("_remainder_number", lambda t, x: x % 0.7, [f(2, 3)]),
    ("_fmod_number", lambda t, x: t.fmod(x, 0.7), [f(2, 3)]),
    ("_fmod_tensor", lambda t, x, y: t.fmod(x, y), [f(2, 3), pos(3)]),
    ("neg", lambda t, x: -x, [f(3)]),
    ("positive", lambda t, x: +x, [f(3)]),
    ("_pow_scalar", lambda t, x: x**2, [f(3)]),
    ("_pow_scalar", lambda t, x: x**3, [f(3)]),
    ("_pow_scalar", lambda t, x: x**-1.5, [pos(3)]),
    ("_pow_scalar", lambda t, x: x**0, [f(3)]),
    ("_pow_tensor", lambda t, x, y: x**y, [pos(2, 3), f(3)]),
    ("_pow_base", lambda t, x: 2**x, [f(3)]),
    ("pow", lambda t, x: t.pow(x, 2.5), [pos(3)]),
    ("square", lambda t, x: t.square(x), [f(3)]),
    ("addcmul", lambda t, x, y, z: t.addcmul(x, y, z, value=0.5), [f(2, 3), f(3), f(2, 3)]),
    ("addcdiv", lambda t, x, y, z: t.addcdiv(x, y, z, value=0.5), [f(2, 3), f(3), pos(2, 3)]),
    ("_lerp_number", lambda t, x, y: t.lerp(x, y, 0.3), [f(3), f(3)]),
    ("_lerp_tensor", lambda t, x, y, w: t.lerp(x, y, w), [f(3), f(3), unit(3)]),
    ("maximum", lambda t, x, y: t.maximum(x, y), [ties, ties[::-1].copy()]),
    ("minimum", lambda t, x, y: t.minimum(x, y), [ties, ties[::-1].copy()]),
    ("atan2", lambda t, x, y: t.atan2(x, y), [f(3), f(3)]),
    *[
        (name, lambda t, x, name=name: getattr(t, name)(x), [f(2, 3)])
        for name in SMOOTH
    ],
    *[(name, lambda t, x, name=name: getattr(t, name)(x), [pos(2, 3)]) for name in POSITIVE],
    *[(name, lambda t, x, name=name: getattr(t, name)(x), [unit(2, 3)]) for name in ["asin", "acos"]],
    *[(name, lambda t, x, name=name: getattr(t, name)(x, 1), [f(2, 3)]) for name in ["eq", "ne", "lt", "le", "gt", "ge"]],
    *[
        (name, lambda t, x, y, name=name: getattr(t, name)(x, y), [mask, mask[::-1].copy()])
        for name in ["logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor"]
    ],
    *[(name, lambda t, x, name=name: getattr(t, name)(x), [mask]) for name in ["logical_not", "bitwise_not"]],
    *[
        (name, lambda t, x, name=name: getattr(t, name)(x), [np.array([1.0, np.nan, np.inf])])
        for name in ["isnan", "isinf", "isfinite"]
    ],
    ("_where", lambda t, c, x, y: t.where(c, x, y), [mask, f(2, 3), f(3)]),
    ("_where", lambda t, c, x: t.where(c, x, 0.0), [mask, f(2, 3)]),
    ("_clamp", lambda t, x: t.clamp(x, -0.5, 0.5), [f(2, 3)]),
    ("clamp", lambda t, x: x.clamp(min=0), [f(2, 3)]),
    ("_clamp_tensors", lambda t, x, y: t.clamp(x, min=y), [f(2, 3), f(3)]),
    ("clamp_min", lambda t, x: t.clamp_min(x, 0), [f(2, 3)]),
    ("clamp_max", lambda t, x: t.clamp_max(x, 0), [f(2, 3)]),
    ("_leaky_relu", lambda t, x: t.nn.functional.leaky_relu(x, 0.1), [f(2, 3)]),
    ("_elu", lambda t, x: t.nn.functional.elu(x, 0.7), [f(2, 3)]),
    ("_silu", lambda t, x: t.nn.functional.silu(x), [f(2, 3)]),
    ("softplus", lambda t, x: t.nn.functional.softplus(x), [f(2, 3)]),
    ("_softmax", lambda t, x: t.softmax(x, 1), [f(2, 3)]),
    ("_log_softmax", lambda t, x: t.log_softmax(x, -1), [f(2, 3)]),
    ("_sum", lambda t, x: x.sum(), [f(2, 3)]),
    ("_sum_dim", lambda t, x: x.sum(0), [f(2, 3)]),
    ("_sum_dim", lambda t, x: x.sum((0, 2), keepdim=True), [f(2, 3, 2)]),
    ("_sum", lambda t, x: x.sum(), [ints]),
    ("_mean", lambda t, x: x.mean(), [f(2, 3)]),
    ("_mean_dim", lambda t, x: x.mean(1, keepdim=True), [f(2, 3)]),
    ("_var", lambda t, x: x.var(), [f(2, 3)]),
    ("_var", lambda t, x: x.var(1, unbiased=False), [f(2, 3)]),
    ("_std", lambda t, x: x.std(0, keepdim=True), [f(3, 2)]),
    ("_prod", lambda t, x: x.prod(), [f(2, 3)]),
    ("_prod_dim", lambda t, x: x.prod(1), [f(2, 3)]),
    ("_max", lambda t, x: x.max(), [ties]),
    ("_min", lambda t, x: x.min(), [ties]),
    ("_max_dim", lambda t, x: tuple(x.max(1)), [f(2, 3)]),
    ("_min_dim", lambda t, x: tuple(x.min(0, keepdim=True)), [f(2, 3)]),
    ("_amax", lambda t, x: x.amax(1), [ties]),
    ("_amin", lambda t, x: x.amin((0, 1)), [ties]),
    ("_argmax", lambda t, x: x.argmax(), [f(2, 3)]),
    ("_argmin", lambda t, x: x.argmin(1), [f(2, 3)]),
    ("_all", lambda t, x: x.all(), [mask]),
    ("_any", lambda t, x: x.any(1), [mask]),
    ("_vector_norm", lambda t, x: x.norm(), [f(2, 3)]),
    ("_vector_norm", lambda t, x: x.norm(p=1, dim=1), [f(2, 3)]),
    ("_vector_norm", lambda t, x: x.norm(p=3), [f(2, 3)]),
    ("_vector_norm", lambda t, x: x.norm(p=float("inf"), dim=0), [f(2, 3)]),
    ("_logsumexp", lambda t, x: t.logsumexp(x, 1), [f(2, 3)]),
    ("_dist", lambda t, x, y: t.dist(x, y), [f(2, 3), f(3)]),
    ("_dist", lambda t, x, y: x.dist(y, 1), [f(2, 3), f(2, 1)]),
    ("_dist", lambda t, x, y: t.dist(x, y, p=3.5), [f(3), f(2, 3)]),
    ("_view", lambda t, x: x.view(3, -1), [f(2, 3)]),
    ("view", lambda t, x: x.view(6), [f(2, 3)]),
    ("view_as", lambda t, x, y: x.view_as(y), [f(2, 3), f(3, 2)]),
    ("reshape", lambda t, x: x.reshape(6), [f(2, 3)]),
    ("reshape", lambda t, x: x.t().reshape(6), [f(2, 3)]),
    ("reshape_as", lambda t, x, y: x.reshape_as(y), [f(2, 3), f(3, 2)]),
    ("flatten", lambda t, x: x.flatten(1), [f(2, 3, 2)]),
    ("ravel", lambda t, x: x.ravel(), [f(2, 3)]),
    ("unflatten", lambda t, x: x.unflatten(0, (2, -1)), [f(4, 3)]),
    ("_transpose", lambda t, x: x.transpose(0, -1), [f(2, 3, 2)]),
    ("t", lambda t, x: x.t(), [f(2, 3)]),
    ("_permute", lambda t, x: x.permute(2, 0, 1), [f(2, 3, 4)]),
    ("_permute", lambda t, x: x.T, [f(2, 3)]),
    ("_transpose", lambda t, x: x.mT, [f(2, 3, 4)]),
    ("alias", lambda t, x: x[...], [f(2, 3)]),
    ("_unsqueeze", lambda t, x: x.unsqueeze(1), [f(2, 3)]),
    ("_squeeze_all", lambda t, x: x.squeeze(), [f(1, 3, 1)]),
    ("_squeeze_dim", lambda t, x: x.squeeze(0), [f(1, 3)]),
    ("_squeeze_dims", lambda t, x: x.squeeze((0, 2)), [f(1, 3, 1)]),
    ("_expand", lambda t, x: x.expand(4, -1, 3), [f(2, 1)]),
    ("expand_as", lambda t, x, y: x.expand_as(y), [f(3), f(2, 3)]),
    ("broadcast_to", lambda t, x: t.broadcast_to(x, (2, 3)), [f(3)]),
    ("contiguous", lambda t, x: x.t().contiguous(), [f(2, 3)]),
    ("detach", lambda t, x: x.detach() + x, [f(2, 3)]),
    ("_cat", lambda t, x, y: t.cat([x, y], 1), [f(2, 3), f(2, 1)]),
    ("_stack", lambda t, x, y: t.stack([x, y], 1), [f(2, 3), f(2, 3)]),
    ("_select", lambda t, x: x[1], [f(2, 3)]),
    ("select", lambda t, x: x.select(1, -1), [f(2, 3)]),
    ("_slice", lambda t, x: x[:, 0:3:2], [f(2, 3)]),
    ("narrow", lambda t, x: x.narrow(1, 1, 2), [f(2, 3)]),
    ("_index", lambda t, x, m: x[m], [f(2, 3), mask]),
    ("_index", lambda t, x: x[[0, 1, 0]], [f(2, 3)]),
    ("_index", lambda t, x: x[:, t.tensor([2, 0]), None], [f(2, 3)]),
    ("_gather", lambda t, x, i: t.gather(x, 1, i), [f(2, 3), np.array([[0, 0], [2, 1]])]),
    ("_unbind", lambda t, x: x.unbind(1), [f(2, 3)]),
    ("mm", lambda t, x, y: x @ y, [f(2, 3), f(3, 4)]),
    ("mv", lambda t, x, y: x @ y, [f(2, 3), f(3)]),
    ("dot", lambda t, x, y: x @ y, [f(3), f(3)]),
    ("matmul", lambda t, x, y: x @ y, [f(3), f(3, 2)]),
    ("matmul", lambda t, x, y: t.matmul(x, y), [f(2, 3, 4), f(4, 2)]),
    ("bmm", lambda t, x, y: t.bmm(x, y), [f(2, 3, 4), f(2, 4, 2)]),
    ("addmm", lambda t, x, y, z: t.addmm(x, y, z, beta=2, alpha=0.5), [f(2), f(3, 4), f(4, 2)]),
    ("outer", lambda t, x, y: t.outer(x, y), [f(2), f(3)]),
    ("linear", lambda t, x, w, b: t.nn.functional.linear(x, w, b), [f(2, 3), f(4, 3), f(4)]),
    ("linear", lambda t, x, w: t.nn.functional.linear(x, w), [f(2, 3), f(4, 3)]),
    ("_mse_loss", lambda t, x, y: t.nn.functional.mse_loss(x, y), [f(2, 3), f(2, 3)]),
    ("_mse_loss", lambda t, x, y: t.nn.functional.mse_loss(x, y, reduction="none"), [f(2, 3), f(2, 3)]),
    ("l1_loss", lambda t, x, y: t.nn.functional.l1_loss(x, y), [f(2, 3), f(2, 3)]),
    ("_smooth_l1_loss", lambda t, x, y: t.nn.functional.smooth_l1_loss(x, y), [f(2, 3), f(2, 3)]),
    ("cross_entropy", lambda t, x, y: t.nn.functional.cross_entropy(x, y), [f(4, 3), labels]),
    ("cross_entropy", lambda t, x, y: t.nn.functional.cross_entropy(x, y, reduction="sum"), [f(4, 3), labels]),
    ("cross_entropy", lambda t, x, y: t.nn.functional.cross_entropy(x, y, t.ones(3, dtype=t.float64) * 2), [f(4, 3), labels]),
    ("cross_entropy", lambda t, x, y: t.nn.functional.cross_entropy(x, y, ignore_index=1), [f(4, 3), labels]),
    ("_nll_loss", lambda t, x, y: t.nn.functional.nll_loss(x, y), [f(4, 3), labels]),
    ("_bce_with_logits", lambda t, x, y: t.nn.functional.binary_cross_entropy_with_logits(x, y), [f(2, 3), unit(2, 3)]),
    ("_to_copy", lambda t, x: x.to(t.float32), [f(2, 3)]),
    ("_to_integer", lambda t, x: x.long(), [f(2, 3)]),
    ("type_as", lambda t, x, y: x.type_as(y), [f(2, 3), ints]),
    ("masked_fill", lambda t, x, m: x.masked_fill(m, 7.0), [f(2, 3), mask]),
    ("index_put", lambda t, x, y: x.index_put((t.tensor([0, 1]),), y), [f(2, 3), f(3)]),
    ("isclose", lambda t, x: t.isclose(x, x + 1e-9), [f(2, 3)]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "code", "arrays"), CASES, ids=[f"{c[0]}-{i}" for i, c in enumerate(CASES)])
def test_an_operation_does_what_pytorch_does(torch: ModuleType, name: str, code: Code, arrays: list[Any]) -> None:
    compare(torch, code, arrays)


@pytest.mark.parametrize("dim", [None, 0, 1])
def test_products_with_zeros_have_pytorchs_gradients(torch: ModuleType, dim: int | None) -> None:
    compare(torch, lambda t, x: x.prod() if dim is None else x.prod(dim), [zeros])


def test_float32_is_kept(torch: ModuleType) -> None:
    compare(torch, lambda t, x: ((2 * x + 1).tanh() / 3).mean(), [f(2, 3).astype(np.float32)])


def test_every_operation_is_documented() -> None:
    for name, op in TABLE.items():
        assert op.doc, name


def test_every_public_function_has_a_docstring() -> None:
    for name, function in FUNCTIONS.items():
        assert function.__doc__, name


def test_binary_cross_entropy(torch: ModuleType) -> None:
    compare(torch, lambda t, x, y: t.nn.functional.binary_cross_entropy(x, y), [unit(2, 3), unit(2, 3)], second=False)


def test_unknown_names_say_so_and_name_the_nearest() -> None:
    with pytest.raises(AttributeError, match=r"module 'torch' has no attribute 'sigmoidd'\. Did you mean 'torch\.sigmoid'"):
        _ = engine.sigmoidd
    assert not hasattr(engine, "quantize_per_tensor")
