"""Attention, and bilinear forms."""

from __future__ import annotations

import math

import numpy as np

from ...context import context
from ...op.declare import function, op
from ...op.slow_path import autocast
from ...tensor import Tensor, constant
from ..by_blas import product
from ..creation.factories import meta
from ..linalg.einsums import einsum
from ..pointwise.comparison import where
from ..reduction.sums import _sum_dim
from ..shape.permute import _transpose
from . import backends


def turned(x):
    """The matrices transposed."""
    return _transpose(x, x.ndim - 2, x.ndim - 1)


def weights_of(query, key, attn_mask, scale):
    """The attention weights: softmax of scaled products, zero where a query may attend to nothing."""
    return _safe_softmax(masked((query * scale) @ turned(key), attn_mask))


def masked(scores, attn_mask):
    """The scores with the mask added, or minus infinity where a mask of bools does not hold."""
    if attn_mask is None:
        return scores
    return where(attn_mask, scores, -math.inf) if is_bool(attn_mask) else scores + attn_mask


def is_bool(mask):
    """Whether a mask consists of bools."""
    return str(mask.dtype).endswith("bool")


@op(
    r"\mathrm{{softmax}}({self})",
    self=lambda grad, result: grad * result - result * _sum_dim(grad * result, (result.ndim - 1,), True),
    node="SafeSoftmaxBackward0",
    name="_safe_softmax",
)
def _safe_softmax(self):
    """Softmax along the last dimension, zeros where all is minus infinity."""
    if not self.size:
        return self.copy()
    top = self.max(-1, keepdims=True)
    e = np.exp(self - np.where(np.isfinite(top), top, self.dtype.type(0)))
    total = e.sum(-1, keepdims=True)
    return e / np.where(total == 0, self.dtype.type(1), total)


def attention_slopes(grad, query, key, value, attn_mask, scale, needs):
    """The derivatives in query, key and value."""
    p = weights_of(query, key, attn_mask, scale)
    slope = grad @ turned(value)
    s = p * (slope - _sum_dim(slope * p, (p.ndim - 1,), True)) * scale
    return (
        s @ key if needs[0] else None,
        turned(s) @ query if needs[1] else None,
        turned(p) @ grad if needs[2] else None,
    )


@op(
    r"\mathrm{{softmax}}\left({scale} \, {query} {key}^T\right) {value}",
    query=lambda grad, query: grad,
    key=lambda grad, key: grad,
    value=lambda grad, value: grad,
    attn_mask=None,
    joint_vjp=lambda grad, query, key, value, attn_mask, scale, needs: attention_slopes(
        grad, query, key, value, attn_mask, scale, needs
    ),
    broadcast=(),
    node="ScaledDotProductFlashAttentionForCpuBackward0",
    name="scaled_dot_product_attention",
)
def _attention(query, key, value, attn_mask, scale):
    """Weighted means of the values, by how well keys agree with queries."""
    scores = product(query * query.dtype.type(scale), key.swapaxes(-1, -2))
    if attn_mask is not None:
        scores = np.where(attn_mask, scores, scores.dtype.type(-np.inf)) if attn_mask.dtype.kind == "b" else scores + attn_mask
    return product(_safe_softmax._op.forward(scores), value)


@function
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """Weighted means of the values, by how well keys agree with queries (Vaswani et al., 2017): query (…, L, E), key (…, S, E),
    value (…, S, V) to (…, L, V). A mask of bools holds where attention is allowed; one of numbers is added."""
    if backends.allowed:
        backends.check()
    if context.fast is not None:
        query, key, value, attn_mask = autocast(query, key, value, attn_mask)
    q, k, v = query._array, key._array, value._array
    for t in (q, k, v):
        if t.ndim < 2:
            raise RuntimeError(
                "scaled_dot_product_attention: expected query, key, and value to all be  at least 2 dimensional, but got "
                f"query.dim(): {q.ndim}, key.dim(): {k.ndim} and value.dim(): {v.ndim} instead."
            )
        if t.dtype != q.dtype:
            raise RuntimeError(
                "Expected query, key, and value to have the same dtype, but got query.dtype: "
                f"{query.dtype.name} key.dtype: {key.dtype.name} and value.dtype: {value.dtype.name} instead."
            )
    if is_causal:
        if attn_mask is not None:
            raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
        shape = q.shape[-2], k.shape[-2]
        attn_mask = meta(shape, bool) if query.is_meta else constant(np.tril(np.ones(shape, bool)))
    if enable_gqa:
        key = key.repeat_interleave(q.shape[-3] // k.shape[-3], -3)
        value = value.repeat_interleave(q.shape[-3] // v.shape[-3], -3)
    factor = 1.0 / math.sqrt(q.shape[-1]) if scale is None and q.shape[-1] else (scale or 1.0)
    if dropout_p > 0.0 or (attn_mask is not None and attn_mask.requires_grad):
        from .dropout import dropout

        scores = (query * factor) @ key.transpose(-2, -1)
        if attn_mask is not None:
            scores = where(attn_mask, scores, -math.inf) if is_bool(attn_mask) else scores + attn_mask
        return dropout(_safe_softmax(scores), dropout_p, True) @ value
    return _attention(query, key, value, attn_mask, factor)


@function(traits="product")
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`x1ᵀ A x2 + b` for each output: inputs (…, n) and (…, m), weight (out, n, m)."""
    a, b, w = input1._array, input2._array, weight._array
    if a.ndim != b.ndim:
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {a.ndim} and {b.ndim}")
    for d in range(a.ndim - 1):
        if a.shape[d] != b.shape[d]:
            raise RuntimeError(f"bilinear(): input batch dimensions do not match at dim {d}: got {a.shape[d]} and {b.shape[d]}")
    for which, x, n in (("first", a, w.shape[1]), ("second", b, w.shape[2])):
        if x.shape[-1] != n:
            k = 1 if which == "first" else 2
            raise RuntimeError(f"bilinear(): input{k} size does not match weight size: got {x.shape[-1]} but expected {n}")
    if bias is not None and bias._array.shape[0] != w.shape[0]:
        raise RuntimeError(
            f"bilinear(): bias size does not match weight size: got {bias._array.shape[0]} but expected {w.shape[0]}"
        )
    out = einsum("...i,oij,...j->...o", input1, weight, input2)
    return out if bias is None else out + bias
